//! The schemas of providers, by their source addresses; bodies are checked against them.

use std::sync::Arc;

use hashbrown::HashMap;
use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::schema::Schema;

use crate::config::{Module, Resource, is_known_by, local_name, provider_source};

/// Schemas of providers; copies share them.
#[derive(Clone, Debug)]
pub struct Schemas {
    providers: HashMap<String, Arc<ProviderSchema>>,
    /// The engine, whose registry is the default for providers without one in their source.
    engine: Engine,
}

/// The schemas of one provider.
#[derive(Clone, Debug, Default)]
pub struct ProviderSchema {
    /// The schema of its configuration.
    pub config: Schema,
    /// The schemas of its types, by kind and name.
    pub types: HashMap<(ResourceMode, String), Schema>,
}

impl Default for Schemas {
    fn default() -> Self {
        Self { providers: HashMap::new(), engine: Engine::Terraform }
    }
}

impl Schemas {
    /// Reads what `providers schema -json` prints.
    ///
    /// # Errors
    /// A schema that cannot be read.
    pub fn from_json(json: &Json) -> Result<Schemas, JsonError> {
        let mut schemas = Schemas::default();
        let Some(providers) = json.member("provider_schemas") else { return Ok(schemas) };
        for (address, provider) in providers.expect_object()? {
            let mut found = ProviderSchema::default();
            if let Some(config) = provider.member("provider").filter(|config| config.member("block").is_some()) {
                found.config = Schema::from_json(config)?;
            }
            let kinds = [
                (ResourceMode::Managed, "resource_schemas"),
                (ResourceMode::Data, "data_source_schemas"),
                (ResourceMode::Ephemeral, "ephemeral_resource_schemas"),
            ];
            for (mode, member) in kinds {
                let Some(types) = provider.member(member) else { continue };
                for (name, schema) in types.expect_object()? {
                    found.types.insert((mode, name.to_string()), Schema::from_json(schema)?);
                }
            }
            if ProviderSource::parse(address).is_some_and(|source| source.host == Engine::OpenTofu.registry()) {
                schemas.engine = Engine::OpenTofu;
            }
            schemas.providers.insert(address.to_string(), Arc::new(found));
        }
        Ok(schemas)
    }

    /// Adds the schemas of another file.
    pub fn extend(&mut self, other: Schemas) {
        self.providers.extend(other.providers);
        if other.engine == Engine::OpenTofu {
            self.engine = other.engine;
        }
    }

    /// A provider by its source address.
    pub fn provider(&self, source: &str) -> Option<&ProviderSchema> {
        self.providers.get(source).map(|provider| &**provider)
    }

    /// The source address that a local name stands for in a module (E170); the registry that is not written is the engine's own (PL73).
    pub fn source(&self, module: &Module, local_name: &str) -> String {
        provider_source(module, local_name, self.engine)
    }

    /// Whether a local name is the provider's own name in a module, so that its blocks configure something (E171).
    pub fn is_known_by(&self, module: &Module, local_name: &str) -> bool {
        is_known_by(module, local_name, self.engine)
    }

    /// The source addresses of all providers, in any order.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }

    /// The schema of a resource; `None` if the provider or the type is unknown.
    pub fn of_resource(&self, module: &Module, resource: &Resource) -> Option<&Schema> {
        let provider = self.provider(&self.source(module, local_name(resource)))?;
        provider.types.get(&(resource.mode, resource.type_name.text.as_str().to_owned()))
    }
}
