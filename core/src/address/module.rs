//! Modules and their instances (PL70, PL71).

use std::cmp::Ordering;
use std::fmt;

use super::key::InstanceKey;

/// A module of the configuration: the names of the calls that lead to it, none for the root.
///
/// Prints as `module.a.module.b`, the root as the empty text. The order is by depth, then by name (PL74).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Module(pub Vec<String>);

/// An instance of a module; the root has no steps.
///
/// Prints as `module.a[0].module.b["k"]`, the root as the empty text. The order is by depth, then step by step
/// (PL74).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModuleInstance(pub Vec<ModuleStep>);

/// One call on the way to an instance of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleStep {
    /// The name of the call.
    pub name: String,
    /// Which of its instances.
    pub key: InstanceKey,
}

impl Module {
    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

impl ModuleInstance {
    /// The root.
    pub const ROOT: ModuleInstance = ModuleInstance(Vec::new());

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The module, whichever its instance.
    pub fn module(&self) -> Module {
        Module(self.0.iter().map(|step| step.name.clone()).collect())
    }

    /// Whether this is an instance, with any key, of the call of a name in `parent` (PL37).
    pub fn is_of_call(&self, parent: &ModuleInstance, call: &str) -> bool {
        self.0.split_last().is_some_and(|(last, before)| before == parent.0 && last.name == call)
    }
}

impl fmt::Display for Module {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            write!(out, "{dot}module.{name}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ModuleInstance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ModuleStep { name, key }) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            write!(out, "{dot}module.{name}{key}")?;
        }
        Ok(())
    }
}

impl Ord for Module {
    fn cmp(&self, other: &Module) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Module {
    fn partial_cmp(&self, other: &Module) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ModuleInstance {
    fn cmp(&self, other: &ModuleInstance) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for ModuleInstance {
    fn partial_cmp(&self, other: &ModuleInstance) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
