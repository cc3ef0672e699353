//! Scenarios: the life of one resource instance under a provider that is data, and what comes of it.
//!
//! A scenario is a provider model, what is stored and what is there when it begins, and steps: what happens outside, and
//! then a command. It is played with a planner, which asks the model's provider as it goes ([`play`]); what both said is
//! the [`Life`] that subjects are compared on and rules are held against.

mod fair;
mod form;
mod form_life;
mod form_record;
mod life;
mod place;
mod walker;
mod world;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::Presence;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{Text, Value, WrittenPath};
use planfuzz_pipelines::model::Model;

pub use form::SCHEMA_MEMBERS;
pub use life::{Ask, Life, NoAnswer, Player, Stopped, Walk, play};
pub use place::type_at;
pub use walker::Walker;
pub use world::{Happenings, Promises, SimulatedRemote, Stage, Standing};

/// The life of one resource instance, as far as it is given.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The schema that Core sees, valid in the case's dialect.
    pub schema: Arc<Schema>,
    /// Managed or data.
    pub kind: ResourceKind,
    /// The provider.
    pub model: Arc<Model>,
    /// What is stored at the start.
    pub state: InstanceState,
    /// The remote objects at the start, the newest one first.
    pub remote: Vec<Value>,
    /// What happens.
    pub steps: Vec<Step>,
}

/// One step of a scenario: what happens outside, and then a command.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happens before the command, in order.
    pub outside: Vec<Outside>,
    /// What the user runs.
    pub command: Command,
    /// How.
    pub options: StepOptions,
    /// What is configured when the plan is made.
    pub presence: Arc<Presence>,
    /// What is configured when the plan is applied, where it is not the same: what was unknown is known then.
    pub at_apply: Option<Arc<Presence>>,
}

/// What happens to an instance without its planner.
#[derive(Clone, Debug, PartialEq)]
pub enum Outside {
    /// Somebody changes the remote object.
    Drift {
        /// Where.
        path: WrittenPath,
        /// What is there then.
        value: Value,
    },
    /// Somebody deletes the remote object.
    Vanish,
    /// Somebody makes a remote object.
    Appear(Value),
    /// The user taints the stored object.
    Taint,
    /// The user takes that back.
    Untaint,
}

/// What the user runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A plan, which is thrown away.
    Plan,
    /// A plan, and its apply.
    Apply,
    /// The same, with an import.
    Import {
        /// What the provider is asked for.
        id: Text,
    },
    /// A refresh-only plan, and its apply.
    Refresh,
    /// A destroy plan, and its apply.
    Destroy,
}

/// How a command is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepOptions {
    /// Whether the refresh is skipped (L153).
    pub skip_refresh: bool,
    /// `-replace` names the instance (L154).
    pub replace: bool,
    /// The address before moves (L160).
    pub moved_from: Option<Text>,
    /// Whether what is destroyed is only forgotten (L120).
    pub forget: bool,
}

impl Scenario {
    /// The remote objects that the stored ones are of: what is there at the start where nothing is said.
    pub fn stored_objects(state: &InstanceState) -> Vec<Value> {
        let objects = state.current.iter().chain(state.deposed.values());
        let values = objects.filter_map(|Object { stored, .. }| match stored {
            Stored::Value(value) => Some(value.clone()),
            Stored::Raw { .. } => None,
        });
        values.collect()
    }
}
