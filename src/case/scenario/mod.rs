//! Scenarios: the history of one resource instance under a provider that is described by data.
//!
//! A scenario is a provider model, the stored and remote objects at the start, and steps: outside events, and
//! then a command. A planner plays it and calls the model's provider as it goes ([`play`]); the requests and answers of both are
//! the [`Trace`], on which subjects are compared and rules are checked.

mod fair;
mod form;
mod form_record;
mod form_trace;
mod place;
mod simulated_remote;
mod trace;
mod walker;

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
pub use place::type_at;
pub use simulated_remote::{Obligation, OutsideEvents, Promises, ScenarioProviders, SimulatedRemote};
pub use trace::{Ask, NoAnswer, Player, Stopped, Trace, Walk, play};
pub use walker::Walker;

/// The given part of the history of one resource instance.
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
    /// The steps.
    pub steps: Vec<Step>,
}

/// One step of a scenario: outside events, and then a command.
#[derive(Clone, Debug)]
pub struct Step {
    /// The events before the command, in order.
    pub outside: Vec<Outside>,
    /// The command that the user runs.
    pub command: Command,
    /// The options of the command.
    pub options: StepOptions,
    /// The configuration at plan.
    pub presence: Arc<Presence>,
    /// The configuration at apply, if it differs: unknowns are known then.
    pub at_apply: Option<Arc<Presence>>,
}

/// An event that happens to an instance outside its planner.
#[derive(Clone, Debug, PartialEq)]
pub enum Outside {
    /// The remote object changes.
    Drift {
        /// The path of the changed part.
        path: WrittenPath,
        /// Its new value.
        value: Value,
    },
    /// The remote object is deleted.
    Vanish,
    /// A remote object is created.
    Appear(Value),
    /// The user taints the stored object.
    Taint,
    /// The user untaints it.
    Untaint,
}

/// A command that the user runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A plan that is not applied.
    Plan,
    /// A plan, and its apply.
    Apply,
    /// A plan with an import, and its apply.
    Import {
        /// The id to import.
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
    /// Whether destroyed objects are only forgotten (L120).
    pub forget: bool,
}

impl Scenario {
    /// The values of the stored objects, which are the remote objects at the start unless the scenario lists others.
    pub fn stored_objects(state: &InstanceState) -> Vec<Value> {
        let objects = state.current.iter().chain(state.deposed.values());
        let values = objects.filter_map(|Object { stored, .. }| match stored {
            Stored::Value(value) => Some(value.clone()),
            Stored::Raw { .. } => None,
        });
        values.collect()
    }
}
