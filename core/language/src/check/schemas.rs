//! The schemas that bodies are held to: of providers, by their source addresses.

use std::collections::HashMap;
use std::sync::Arc;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::schema::Schema;

use crate::config::{Module, Resource};

/// Schemas of providers; copies share them.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    providers: HashMap<String, Arc<ProviderSchema>>,
}

/// What one provider has.
#[derive(Clone, Debug, Default)]
pub struct ProviderSchema {
    /// Its configuration.
    pub config: Schema,
    /// Its types by kind and name.
    pub types: HashMap<(ResourceMode, String), Schema>,
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
            schemas.providers.insert(address.to_string(), Arc::new(found));
        }
        Ok(schemas)
    }

    /// Adds what another file has.
    pub fn extend(&mut self, other: Schemas) {
        self.providers.extend(other.providers);
    }

    /// A provider by its source address. What no configuration says the registry of is looked for in that of OpenTofu as well.
    pub fn provider(&self, source: &str) -> Option<&ProviderSchema> {
        let found = self.providers.get(source).or_else(|| {
            let name = source.strip_prefix("registry.terraform.io/hashicorp/")?;
            self.providers.get(&format!("registry.opentofu.org/hashicorp/{name}"))
        });
        found.map(|provider| &**provider)
    }

    /// The source addresses of all providers, in any order.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }

    /// The schema of a resource; nothing where the provider, or the type, is not known.
    pub fn of_resource(&self, module: &Module, resource: &Resource) -> Option<&Schema> {
        let provider = self.provider(&provider_source(module, &local_name(resource)))?;
        provider.types.get(&(resource.mode, resource.type_name.text.as_str().to_owned()))
    }
}

/// The local name of a resource's provider (E170).
pub fn local_name(resource: &Resource) -> String {
    match &resource.provider {
        Some(provider) => provider.name.as_str().to_owned(),
        None => resource.type_name.text.split('_').next().unwrap_or_default().to_owned(),
    }
}

/// The source address that a local name stands for in a module (E170, PL73). Source addresses know no case: `DataDog/datadog` is
/// `datadog/datadog`.
pub fn provider_source(module: &Module, local_name: &str) -> String {
    let required = module.settings.iter().flat_map(|settings| &settings.required_providers);
    let source =
        required.filter(|required| &*required.name.text == local_name).find_map(|required| required.source.as_ref());
    let source = source.map(|source| source.value.to_lowercase());
    match source {
        None if local_name == "terraform" => "terraform.io/builtin/terraform".to_owned(),
        None => format!("registry.terraform.io/hashicorp/{local_name}"),
        Some(source) => match source.split('/').count() {
            1 => format!("registry.terraform.io/hashicorp/{source}"),
            2 => format!("registry.terraform.io/{source}"),
            _ => source,
        },
    }
}
