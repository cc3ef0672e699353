//! A life as data: configurations, and what is done with them in order.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_engine::plugin::{Category, IdentitySchema};

use crate::hidden::Hidden;

/// A life that is to be played with a provider.
#[derive(Clone, Debug)]
pub struct Script {
    /// The address of the type ([`Category::address`]).
    pub type_name: String,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// The form of its identities, if it has any.
    pub identity: Option<Arc<IdentitySchema>>,
    /// Configurations: objects of the type that the schema implies, wholly known.
    pub configs: Vec<Value>,
    /// What is done, in order.
    pub acts: Vec<Act>,
}

/// One thing done. Numbers are those of configurations.
#[derive(Clone, Debug)]
pub enum Act {
    /// It is planned, with parts of the configuration unknown.
    Open(usize, Hidden),
    /// It is planned.
    Plan(usize),
    /// What was planned last is stored as if it had been applied; what is unknown in it becomes something.
    Settle,
    /// It is planned and applied.
    Apply(usize),
    /// It is planned with a replacement asked for, and applied.
    Replace(usize),
    /// What is there is read and saved.
    Refresh,
    /// What is stored is forgotten and imported by its id.
    Import(usize),
    /// The same by its identity, where the type has a form of them.
    ImportIdentity(usize),
    /// Its destruction is planned.
    PlanDestroy,
    /// It is destroyed.
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

    /// The configuration that it is about.
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
    /// What the type is to a planner: an ephemeral resource is read as data are, and closed again.
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

    /// Whether anything is applied.
    pub fn applies(&self) -> bool {
        let is_planned =
            |act: &Act| matches!(act, Act::Open(..) | Act::Plan(_) | Act::Settle | Act::Refresh | Act::PlanDestroy);
        !self.acts.iter().all(is_planned)
    }
}
