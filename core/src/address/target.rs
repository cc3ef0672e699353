//! Targets (PL79).

use std::fmt;

use super::module::ModuleInstance;
use super::resource::{AbsResource, AbsResourceInstance};

/// A part to which a plan can be restricted (PL79). A module or resource without a key stands for all its instances.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A module, and everything in it.
    Module(ModuleInstance),
    /// A resource without a key: all its instances.
    Resource(AbsResource),
    /// One instance of a resource.
    Instance(AbsResourceInstance),
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Module(module) => module.fmt(out),
            Target::Resource(resource) => resource.fmt(out),
            Target::Instance(instance) => instance.fmt(out),
        }
    }
}
