//! Outputs (PL70, PL71).

use std::fmt;

use super::module::ModuleInstance;

/// An output of an instance of a module. Prints as `output.name` or `module.a[0].output.name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutputAddress {
    /// The instance of the module.
    pub module: ModuleInstance,
    /// The name.
    pub name: String,
}

impl OutputAddress {
    /// An output of the root.
    pub fn of_root(name: &str) -> OutputAddress {
        OutputAddress { module: ModuleInstance::ROOT, name: name.to_owned() }
    }
}

impl fmt::Display for OutputAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.module.is_root() { "" } else { "." };
        write!(out, "{}{dot}output.{}", self.module, self.name)
    }
}
