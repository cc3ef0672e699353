//! Provider schemas, by resource type.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Type;

use super::object::{ResourceKey, provider_name};

/// Schemas of providers, from any number of sources, in their order. A schema is read when it is first asked for: a file has
/// thousands, a plan needs some.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    sources: Vec<Arc<str>>,
    entries: HashMap<(ResourceMode, String), Vec<Arc<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    source: Arc<str>,
    provider: String,
    text: String,
    candidate: OnceLock<Option<Arc<Candidate>>>,
}

/// A schema that a value may be of.
#[derive(Debug)]
pub struct Candidate {
    /// Its source: the name of a file, or that of the artifact's own schemas.
    pub source: Arc<str>,
    /// The provider's address there.
    pub provider: String,
    /// The schema.
    pub schema: Schema,
    /// Its implied type.
    pub ty: Type,
    /// Whether anything in it is sensitive or write-only.
    pub marks: bool,
}

impl Catalogue {
    /// Adds the output of `terraform providers schema -json`, under a name that findings report.
    ///
    /// # Errors
    /// Another document. A malformed schema within it is found when it is looked up.
    pub fn add(&mut self, source: &str, json: &Json) -> Result<(), JsonError> {
        let mut file = ObjectReader::new(json, "provider schemas: \"provider_schemas\"")?;
        file.required("provider_schemas", |providers| self.add_providers(source, providers))
    }

    /// Adds the providers of such a document alone.
    ///
    /// # Errors
    /// As [`Catalogue::add`].
    pub fn add_providers(&mut self, source: &str, providers: &Json) -> Result<(), JsonError> {
        let source: Arc<str> = source.into();
        for (address, provider) in providers.expect_object()? {
            let name = provider_name(address).unwrap_or_default();
            let lists = [("resource_schemas", ResourceMode::Managed), ("data_source_schemas", ResourceMode::Data)];
            for (list, mode) in lists {
                let schemas = match provider.member(list) {
                    None | Some(Json::Null) => continue,
                    Some(schemas) => schemas.expect_object(),
                };
                let schemas = schemas.map_err(|error| error.inside_member(list).inside_member(address))?;
                for (type_name, schema) in schemas {
                    let entry = Entry {
                        source: Arc::clone(&source),
                        provider: name.clone(),
                        text: schema.to_compact(),
                        candidate: OnceLock::new(),
                    };
                    self.entries.entry((mode, type_name.to_string())).or_default().push(Arc::new(entry));
                }
            }
        }
        self.sources.push(source);
        Ok(())
    }

    /// Whether no source was added.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The schemas of a resource type, in the order of the sources; if the key names a provider, those of providers of that
    /// name.
    pub fn candidates(&self, key: &ResourceKey) -> impl Iterator<Item = Arc<Candidate>> {
        let entries = self.entries.get(&(key.mode, key.type_name.clone())).map_or(&[][..], Vec::as_slice);
        let is_its = |entry: &&Arc<Entry>| key.provider.as_ref().is_none_or(|name| *name == entry.provider);
        entries.iter().filter(is_its).filter_map(|entry| entry.candidate())
    }
}

impl Entry {
    /// The schema; `None` if it cannot be parsed.
    fn candidate(&self) -> Option<Arc<Candidate>> {
        let read = || {
            let schema = Schema::parse(&self.text).ok()?;
            let ty = schema.implied_type(Dialect::default());
            let marks = self.text.contains("\"sensitive\"") || self.text.contains("\"write_only\"");
            let (source, provider) = (Arc::clone(&self.source), self.provider.clone());
            Some(Arc::new(Candidate { source, provider, schema, ty, marks }))
        };
        self.candidate.get_or_init(read).clone()
    }
}
