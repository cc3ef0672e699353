//! Providers and their configurations (PL71, PL73).

use std::fmt;
use std::ops::Deref;

use triomphe::Arc;

use super::key::InstanceKey;
use super::module::Module;
use crate::dialect::Engine;

/// The source of a provider. Prints with all three parts (PL73). Every call has one, so copies share the parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderSource(Arc<SourceParts>);

/// The parts of a [`ProviderSource`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceParts {
    /// The host of the registry.
    pub host: String,
    /// The publisher.
    pub namespace: String,
    /// Its name.
    pub type_name: String,
}

/// A configuration of a provider. Prints as `module.a.provider["host/namespace/type"].alias`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderConfig {
    /// The module that declares it.
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
        ProviderSource::of([engine.registry(), "hashicorp", type_name])
    }

    /// The provider that is part of the engine.
    pub fn builtin() -> ProviderSource {
        ProviderSource::of(["terraform.io", "builtin", "terraform"])
    }

    /// Reads a source with all its parts: `host/namespace/type`.
    pub fn parse(text: &str) -> Option<ProviderSource> {
        let mut parts = text.split('/');
        let found = [parts.next()?, parts.next()?, parts.next()?];
        let is_whole = parts.next().is_none() && !found.iter().any(|part| part.is_empty());
        is_whole.then(|| ProviderSource::of(found))
    }

    fn of(parts: [&str; 3]) -> ProviderSource {
        let [host, namespace, type_name] = parts.map(str::to_owned);
        ProviderSource(Arc::new(SourceParts { host, namespace, type_name }))
    }
}

impl Deref for ProviderSource {
    type Target = SourceParts;

    fn deref(&self) -> &SourceParts {
        &self.0
    }
}

impl fmt::Display for ProviderSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourceParts { host, namespace, type_name } = &*self.0;
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
