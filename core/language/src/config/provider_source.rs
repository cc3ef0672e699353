//! Local names of providers in a module, and their source addresses (E170).

use planfuzz_core::address::ProviderSource;
use planfuzz_core::dialect::Engine;

use super::tree::{Module, Resource};

/// The local name of a resource's provider.
pub fn local_name(resource: &Resource) -> &str {
    match &resource.provider {
        Some(provider) => provider.name.as_str(),
        None => local_name_of(&resource.type_name.text),
    }
}

/// The local name of a type's provider: the part before the first underscore, or the whole name.
pub fn local_name_of(type_name: &str) -> &str {
    type_name.split_once('_').map_or(type_name, |(provider, _)| provider)
}

/// Whether a local name is the provider's name in a module (E171): if the module requires the provider, only required names count.
pub fn is_known_by(module: &Module, local_name: &str, engine: Engine) -> bool {
    let source = provider_source(module, local_name, engine);
    let required = module.settings.iter().flat_map(|settings| &settings.required_providers);
    let mut names = required
        .map(|required| &*required.name.text)
        .filter(|name| *name == local_name || provider_source(module, name, engine) == source)
        .peekable();
    names.peek().is_none() || names.any(|name| name == local_name)
}

/// The source address that a local name stands for in a module; the registry that is not written is the engine's own (PL73). Source
/// addresses know no case: `DataDog/datadog` is `datadog/datadog`.
pub fn provider_source(module: &Module, local_name: &str, engine: Engine) -> String {
    let required = module.settings.iter().flat_map(|settings| &settings.required_providers);
    let source =
        required.filter(|required| &*required.name.text == local_name).find_map(|required| required.source.as_ref());
    let source = source.map(|source| source.value.to_lowercase());
    let registry = engine.registry();
    match source {
        None if local_name == "terraform" => ProviderSource::builtin().to_string(),
        None => format!("{registry}/hashicorp/{local_name}"),
        Some(source) => match source.split('/').count() {
            1 => format!("{registry}/hashicorp/{source}"),
            2 => format!("{registry}/{source}"),
            _ => source,
        },
    }
}
