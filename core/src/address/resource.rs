//! Resources and their instances (PL70, PL71).

use std::fmt;

use super::key::InstanceKey;
use super::module::{Module, ModuleInstance};

/// The kind of block that declares a resource. In the order of PL74 data resources come before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceMode {
    /// A `data` block.
    Data,
    /// A `resource` block.
    Managed,
    /// An `ephemeral` block.
    Ephemeral,
}

/// Whether a resource is managed or data: the kinds that a state keeps and that the planning of an instance covers. A state keeps no
/// ephemeral resources, so they have no kind (see [`ResourceMode`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A managed resource: sections 2 to 12 of lifecycle.md.
    #[default]
    Managed,
    /// A data resource: section 13 of lifecycle.md.
    Data,
}

/// A resource in its module. Prints as `type.name`, `data.type.name` or `ephemeral.type.name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    /// What declares it.
    pub mode: ResourceMode,
    /// Its type.
    pub type_name: String,
    /// Its name.
    pub name: String,
}

/// A resource of the configuration, whichever the instance of its module. Prints as `module.a.type.name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigResource {
    /// The module.
    pub module: Module,
    /// The resource.
    pub resource: Resource,
}

/// A resource of an instance of a module. Prints as `module.a[0].type.name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsResource {
    /// The instance of the module.
    pub module: ModuleInstance,
    /// The resource.
    pub resource: Resource,
}

/// An instance of a resource. Prints as `module.a[0].type.name["k"]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsResourceInstance {
    /// The instance of the module.
    pub module: ModuleInstance,
    /// The resource.
    pub resource: Resource,
    /// Which of its instances.
    pub key: InstanceKey,
}

impl AbsResourceInstance {
    /// The resource, whichever its instance.
    pub fn abs_resource(&self) -> AbsResource {
        AbsResource { module: self.module.clone(), resource: self.resource.clone() }
    }

    /// The resource of the configuration: without the keys of modules and of the instance.
    pub fn config_resource(&self) -> ConfigResource {
        ConfigResource { module: self.module.module(), resource: self.resource.clone() }
    }

    /// Whether this is an instance of a resource of an instance of a module (PL34).
    pub fn is_of(&self, resource: &AbsResource) -> bool {
        self.resource == resource.resource && self.module == resource.module
    }

    /// Whether this is an instance of a resource of the configuration (PL33).
    pub fn is_of_config(&self, resource: &ConfigResource) -> bool {
        let names = self.module.0.iter().map(|step| &step.name);
        self.resource == resource.resource && names.eq(&resource.module.0)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Resource { mode, type_name, name } = self;
        let prefix = match mode {
            ResourceMode::Managed => "",
            ResourceMode::Data => "data.",
            ResourceMode::Ephemeral => "ephemeral.",
        };
        write!(out, "{prefix}{type_name}.{name}")
    }
}

impl fmt::Display for ConfigResource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.module.is_root() { "" } else { "." };
        write!(out, "{}{dot}{}", self.module, self.resource)
    }
}

impl fmt::Display for AbsResource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.module.is_root() { "" } else { "." };
        write!(out, "{}{dot}{}", self.module, self.resource)
    }
}

impl fmt::Display for AbsResourceInstance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.module.is_root() { "" } else { "." };
        write!(out, "{}{dot}{}{}", self.module, self.resource, self.key)
    }
}
