//! A cache of the implied types of schemas, each computed on its first use: every call needs one.

use std::collections::HashMap;
use std::sync::OnceLock;

use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::Type;
use planfuzz_language::check::Schemas;
use planfuzz_workspace::Call;

/// Implied types, by the name of the type; those of configurations of providers have none.
#[derive(Clone, Debug)]
pub(super) struct Implied(HashMap<String, Vec<One>>);

#[derive(Clone, Debug)]
struct One {
    provider: ProviderSource,
    mode: Option<ResourceMode>,
    ty: OnceLock<Type>,
}

impl Implied {
    /// An empty cache for some schemas.
    pub(super) fn of(schemas: &Schemas) -> Implied {
        let mut all: HashMap<String, Vec<One>> = HashMap::new();
        for source in schemas.sources() {
            let (Some(provider), Some(schema)) = (ProviderSource::parse(source), schemas.provider(source)) else {
                continue;
            };
            let mut add = |name: &str, mode| {
                let one = One { provider: provider.clone(), mode, ty: OnceLock::new() };
                all.entry(name.to_owned()).or_default().push(one);
            };
            add("", None);
            schema.types.keys().for_each(|(mode, name)| add(name, Some(*mode)));
        }
        Implied(all)
    }

    /// The type of the objects that a call is about; dynamic where there is no schema of it.
    pub(super) fn of_call(&self, call: &Call, schemas: &Schemas, dialect: Dialect) -> Type {
        let name = call.type_name.as_ref().map_or("", |name| name.as_str());
        let mode = call.type_name.as_ref().map(|_| call.request.mode());
        let same = self.0.get(name).into_iter().flatten();
        let found = same.into_iter().find(|one| one.mode == mode && one.provider == call.provider);
        let find = || {
            let provider = schemas.provider(&call.provider.to_string())?;
            let schema = match mode {
                None => Some(&provider.config),
                Some(mode) => provider.types.get(&(mode, name.to_owned())),
            };
            Some(schema?.implied_type(dialect))
        };
        found.map_or(Type::Dynamic, |one| one.ty.get_or_init(|| find().unwrap_or(Type::Dynamic)).clone())
    }
}
