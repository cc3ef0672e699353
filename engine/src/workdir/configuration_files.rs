//! A walk as configuration files.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::json::Json;
use planfuzz_core::state::{DeposedKey, InstanceState, Object};
use planfuzz_core::value::Text;

use super::names::{GONE, Names};
use crate::helper::Helper;

/// One walk as configuration files.
#[derive(Clone, Debug)]
pub struct ConfigurationFiles {
    /// The names that it uses.
    pub names: Names,
    /// The address of the instance in the run.
    pub address: String,
    /// Its address in the run before it is moved.
    pub moved_from: Option<String>,
    /// Addresses, as a configuration writes them, of all that the instance depends on in the run, and the walk's own name for each; `None`
    /// if only the run needs it.
    pub dependencies: Vec<(String, Option<Text>)>,
    /// The resources beside it. In an apply the plan has a no-op for each stored one.
    pub helpers: Vec<Helper>,
    /// The objects in the state.
    pub objects: Vec<Placed>,
    /// Arguments of the command.
    pub flags: Vec<String>,
    /// Whether a run of this walk ends before anything is planned, including the other walks in it.
    pub alone: bool,
    /// Whether the static validation includes a block that stands for no instance of the walk.
    pub validates_block: bool,
    pub(super) statements: Vec<Statement>,
}

impl ConfigurationFiles {
    /// The address of the check block that the instance stands in, if it does.
    pub fn check(&self) -> Option<String> {
        self.statements.iter().find_map(|statement| match statement {
            Statement::Check { check, .. } => Some(format!("check.{check}")),
            _ => None,
        })
    }
}

/// An object and where it is in a state.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The module: `module.gone[0]`; empty for the root.
    pub module: String,
    /// Managed or data.
    pub kind: ResourceKind,
    /// The resource type.
    pub type_name: String,
    /// The resource's name.
    pub name: &'static str,
    /// The key of the instance.
    pub key: Option<Key>,
    /// The key if it is deposed.
    pub deposed: Option<DeposedKey>,
    /// The source address of the provider.
    pub provider: String,
    /// The object.
    pub object: Object,
}

/// The key of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A number.
    Index(u64),
    /// A string.
    Text(Text),
}

/// A part of a configuration.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Resource {
        kind: ResourceKind,
        type_name: String,
        name: &'static str,
        gone: bool,
        body: Json,
    },
    /// A data resource in a check of this name.
    Check {
        check: String,
        type_name: String,
        body: Json,
    },
    Local {
        name: String,
        value: Json,
    },
    Moved {
        from: String,
        to: String,
    },
    Removed {
        from: String,
    },
    Import {
        to: String,
        id: String,
    },
}

/// Where the instance is.
#[derive(Clone, Debug, Default)]
pub(super) struct Seated {
    pub(super) gone: bool,
    pub(super) key: Option<Key>,
}

impl Seated {
    /// The address of the instance under a name.
    pub(super) fn address(&self, names: Names, kind: ResourceKind, name: &str) -> String {
        let module = if self.gone { format!("{}.", self.module()) } else { String::new() };
        let key = match &self.key {
            None => String::new(),
            Some(Key::Index(index)) => format!("[{index}]"),
            Some(Key::Text(text)) => format!("[{}]", super::expression::quoted(text)),
        };
        format!("{module}{}{key}", names.resource(kind, name))
    }

    /// The address of the resource under a name, as statements write it.
    pub(super) fn resource(&self, names: Names, name: &str) -> String {
        let module = if self.gone { format!("module.{GONE}.") } else { String::new() };
        format!("{module}{}", names.resource(ResourceKind::Managed, name))
    }

    fn module(&self) -> String {
        if self.gone { format!("module.{GONE}[0]") } else { String::new() }
    }

    /// The stored objects of the instance, with the run's names of its dependencies.
    pub(super) fn placed(
        &self,
        names: Names,
        kind: ResourceKind,
        name: &'static str,
        state: &InstanceState,
        dependencies: &[(String, Option<Text>)],
    ) -> Vec<Placed> {
        let current = state.current.iter().map(|object| (None, object));
        let deposed = state.deposed.iter().map(|(key, object)| (Some(key.clone()), object));
        let place = |(deposed, object): (Option<DeposedKey>, &Object)| Placed {
            module: self.module(),
            kind,
            type_name: names.type_name(),
            name,
            key: self.key.clone(),
            deposed,
            provider: names.provider_address.source(),
            object: renamed(object, dependencies),
        };
        current.chain(deposed).map(place).collect()
    }
}

fn renamed(object: &Object, dependencies: &[(String, Option<Text>)]) -> Object {
    let mut object = object.clone();
    let mut renamed: Vec<Text> = Vec::with_capacity(object.dependencies.len());
    for address in &object.dependencies {
        let runs = dependencies.iter().filter(|(_, asked)| asked.as_ref() == Some(address));
        let before = renamed.len();
        renamed.extend(runs.map(|(run, _)| Text::new(run)));
        if renamed.len() == before {
            renamed.push(address.clone());
        }
    }
    renamed.sort_unstable();
    object.dependencies = renamed;
    object
}
