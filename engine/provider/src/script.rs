//! A run as data: configurations, and the acts on them in order.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_engine::plugin::{Category, IdentitySchema};

use crate::hidden::Hidden;

/// A run that can be played with a provider.
#[derive(Clone, Debug)]
pub struct Script {
    /// The address of the type ([`Category::address`]).
    pub type_name: String,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// Its identity schema, if it has one.
    pub identity: Option<Arc<IdentitySchema>>,
    /// Configurations: objects of the type that the schema implies, wholly known.
    pub configs: Vec<Value>,
    /// The acts, in order.
    pub acts: Vec<Act>,
}

/// One act. The number is that of its configuration.
#[derive(Clone, Debug)]
pub enum Act {
    /// Plans it, with parts of the configuration unknown.
    Open(usize, Hidden),
    /// Plans it.
    Plan(usize),
    /// Stores the last planned object as if it had been applied, with values in place of unknowns.
    Settle,
    /// Plans and applies it.
    Apply(usize),
    /// Plans it with a forced replacement, and applies it.
    Replace(usize),
    /// Reads the object and saves the result.
    Refresh,
    /// Forgets the stored object and imports it by its id.
    Import(usize),
    /// Forgets the stored object and imports it by its identity, if the type has an identity schema.
    ImportIdentity(usize),
    /// Plans the destruction.
    PlanDestroy,
    /// Destroys the object.
    Destroy,
}

impl Act {
    /// The name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Act::Open(..) => "open",
            Act::Plan(_) => "plan",
            Act::Settle => "settle",
            Act::Apply(_) => "apply",
            Act::Replace(_) => "replace",
            Act::Refresh => "refresh",
            Act::Import(_) => "import",
            Act::ImportIdentity(_) => "import_identity",
            Act::PlanDestroy => "plan_destroy",
            Act::Destroy => "destroy",
        }
    }

    /// Its configuration.
    pub fn config(&self) -> Option<usize> {
        match self {
            Act::Open(index, _)
            | Act::Plan(index)
            | Act::Apply(index)
            | Act::Replace(index)
            | Act::Import(index)
            | Act::ImportIdentity(index) => Some(*index),
            Act::Settle | Act::Refresh | Act::PlanDestroy | Act::Destroy => None,
        }
    }
}

impl Script {
    /// The kind of the type for a planner: an ephemeral resource is read like data, and closed again.
    pub fn kind(&self) -> ResourceKind {
        match Category::of_address(&self.type_name).0 {
            Category::Resource => ResourceKind::Managed,
            Category::Data | Category::Ephemeral => ResourceKind::Data,
        }
    }

    /// The configuration of an act.
    pub fn config_of(&self, act: &Act) -> Option<Value> {
        let config = self.configs.get(act.config()?)?;
        match act {
            Act::Open(_, hidden) => Some(hidden.hide(config)),
            _ => Some(config.clone()),
        }
    }

    /// Whether an act may apply something.
    pub fn applies(&self) -> bool {
        let is_planned =
            |act: &Act| matches!(act, Act::Open(..) | Act::Plan(_) | Act::Settle | Act::Refresh | Act::PlanDestroy);
        !self.acts.iter().all(is_planned)
    }
}
