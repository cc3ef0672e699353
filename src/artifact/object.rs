//! Identifies an object of a file.

use std::fmt;

use planfuzz_core::address::{AbsResourceInstance, Notation, ProviderConfig, ProviderSource, ResourceMode};
use planfuzz_core::dialect::Engine;

/// An object: an instance of a resource, and for a deposed one its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectId {
    /// The address of the instance as engines write it; the text of the file if that is no address.
    pub written: String,
    /// The address as the file has it, if that is another text.
    pub otherwise: Option<String>,
    /// The address; `None` if the text is none.
    pub address: Option<AbsResourceInstance>,
    /// The deposed key as the file has it; `None` for the current object.
    pub deposed: Option<String>,
    /// The provider as the file has it: a source, or a configuration of one.
    pub provider: Option<String>,
}

/// The key under which schemas are found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceKey {
    /// Managed or data.
    pub mode: ResourceMode,
    /// The resource type.
    pub type_name: String,
    /// The last part of the provider's source, if the file names it: all versions of the formats have it.
    pub provider: Option<String>,
}

impl ObjectId {
    /// The object of an address in the text of an engine.
    pub fn parse(engine: Engine, written: &str, deposed: Option<String>, provider: Option<String>) -> ObjectId {
        let notation = Notation { engine };
        match notation.instance(written) {
            Ok(address) => ObjectId::of_text(written, address, deposed, provider),
            Err(_) => ObjectId { written: written.to_owned(), otherwise: None, address: None, deposed, provider },
        }
    }

    /// The object of an address that was read from a text.
    pub fn of_text(
        text: &str,
        address: AbsResourceInstance,
        deposed: Option<String>,
        provider: Option<String>,
    ) -> ObjectId {
        let id = ObjectId::of(address, deposed, provider);
        ObjectId { otherwise: (id.written != text).then(|| text.to_owned()), ..id }
    }

    /// The object of an address that is known by its parts.
    pub fn of(address: AbsResourceInstance, deposed: Option<String>, provider: Option<String>) -> ObjectId {
        ObjectId { written: address.to_string(), otherwise: None, address: Some(address), deposed, provider }
    }

    /// Managed or data, if the address is known.
    pub fn mode(&self) -> Option<ResourceMode> {
        self.address.as_ref().map(|address| address.resource.mode)
    }

    /// The key of its schema; `None` without an address.
    pub fn resource_key(&self) -> Option<ResourceKey> {
        let resource = &self.address.as_ref()?.resource;
        let provider = self.provider.as_deref().and_then(provider_name);
        Some(ResourceKey { mode: resource.mode, type_name: resource.type_name.clone(), provider })
    }

    /// The source of the provider, whichever way the file names it.
    pub fn source(&self) -> Option<ProviderSource> {
        let text = self.provider.as_deref()?;
        ProviderSource::parse(text).or_else(|| ProviderConfig::parse(text).ok().map(|config| config.source))
    }
}

/// The object as people name it.
impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)?;
        match &self.deposed {
            None => Ok(()),
            Some(key) => write!(f, " (deposed {})", key.escape_debug()),
        }
    }
}

/// The name of a provider: of `aws`, `registry.terraform.io/hashicorp/aws`, `provider["…/aws"].east`, `provider.aws.east`.
pub(super) fn provider_name(text: &str) -> Option<String> {
    let quoted = text.split_once("provider[\"").and_then(|(_, rest)| rest.split_once("\"]")).map(|(source, _)| source);
    let legacy = text.split_once("provider.").map(|(_, rest)| rest.split('.').next().unwrap_or(rest));
    let source = quoted.or(legacy.filter(|_| !text.contains('/'))).unwrap_or(text);
    let name = source.rsplit('/').next().unwrap_or(source);
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_named_in_many_ways() {
        for text in [
            "aws",
            "registry.terraform.io/hashicorp/aws",
            "provider[\"registry.terraform.io/hashicorp/aws\"].east",
            "module.a.provider[\"registry.opentofu.org/hashicorp/aws\"]",
            "provider.aws",
            "provider.aws.east",
        ] {
            assert_eq!(provider_name(text).as_deref(), Some("aws"), "{text}");
        }
        assert_eq!(provider_name(""), None);
    }
}
