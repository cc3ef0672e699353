//! Addresses of modules, resources, outputs and providers (section 10 of plans.md).
//!
//! Addresses print as engines write them (PL71), parse what they print (PL82), and have the order in which everything
//! is sorted by address (PL74).

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
