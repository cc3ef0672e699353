//! Providers and their configurations (PL71, PL73).

use std::fmt;

use super::key::InstanceKey;
use super::module::Module;
use crate::dialect::Engine;

/// Where a provider comes from. Prints with all three parts (PL73).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderSource {
    /// The host of the registry.
    pub host: String,
    /// Who publishes it.
    pub namespace: String,
    /// Its name.
    pub type_name: String,
}

/// A configuration of a provider. Prints as `module.a.provider["host/namespace/type"].alias`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderConfig {
    /// The module that has it.
    pub module: Module,
    /// The provider.
    pub source: ProviderSource,
    /// Its alias, if it is not the default one.
    pub alias: Option<String>,
    /// Which instance of it; OpenTofu only.
    pub key: InstanceKey,
}

impl ProviderSource {
    /// A provider of an engine's default registry and namespace.
    pub fn default_of(engine: Engine, type_name: &str) -> ProviderSource {
        let host = match engine {
            Engine::Terraform => "registry.terraform.io",
            Engine::OpenTofu => "registry.opentofu.org",
        };
        ProviderSource { host: host.to_owned(), namespace: "hashicorp".to_owned(), type_name: type_name.to_owned() }
    }

    /// The provider that is part of the engine.
    pub fn builtin() -> ProviderSource {
        let [host, namespace, type_name] = ["terraform.io", "builtin", "terraform"].map(str::to_owned);
        ProviderSource { host, namespace, type_name }
    }

    /// Reads a source with all its parts: `host/namespace/type`.
    pub fn parse(text: &str) -> Option<ProviderSource> {
        let mut parts = text.split('/').map(str::to_owned);
        let [host, namespace, type_name] = [parts.next()?, parts.next()?, parts.next()?];
        let is_whole = parts.next().is_none() && ![&host, &namespace, &type_name].iter().any(|part| part.is_empty());
        is_whole.then_some(ProviderSource { host, namespace, type_name })
    }
}

impl fmt::Display for ProviderSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProviderSource { host, namespace, type_name } = self;
        write!(out, "{host}/{namespace}/{type_name}")
    }
}

impl fmt::Display for ProviderConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProviderConfig { module, source, alias, key } = self;
        let dot = if module.is_root() { "" } else { "." };
        write!(out, "{module}{dot}provider[\"{source}\"]")?;
        if let Some(alias) = alias {
            write!(out, ".{alias}")?;
        }
        write!(out, "{key}")
    }
}
