//! Addresses of what a configuration declares and a plan changes (section 10 of plans.md).
//!
//! Addresses print as people write them (PL71), read back what they print (PL82), and are ordered as everything that is
//! sorted by them (PL74).

mod key;
mod module;
mod output;
mod parse;
mod provider;
mod resource;
mod target;
mod tokens;

#[cfg(test)]
mod tests;

pub use key::InstanceKey;
pub use module::{Module, ModuleInstance, ModuleStep};
pub use output::OutputAddress;
pub use parse::{AddressError, Notation};
pub use provider::{ProviderConfig, ProviderSource, SourceParts};
pub use resource::{AbsResource, AbsResourceInstance, ConfigResource, Resource, ResourceKind, ResourceMode};
pub use target::Target;
