//! The requests to a planner for one resource instance, and its answers: the plan walk and the apply walk.
//!
//! Both walks call the provider as they go. Where engines leave the order of calls open, it is fixed here so that traces
//! can be compared: the current object comes before deposed ones, and these come by their keys.

use super::diagnostic::Diagnostic;
use super::facts::{PlanOptions, Presence};
use crate::address::ResourceKind;
use crate::plans::{Action, Marked, Mode, ResourceInstanceChange};
use crate::state::InstanceState;

/// The input of one instance's part of a plan walk: everything Core looks at.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// Managed or data.
    pub kind: ResourceKind,
    /// The mode of the plan.
    pub mode: Mode,
    /// The options of the user.
    pub options: PlanOptions,
    /// The stored objects, before upgrades.
    pub state: InstanceState,
    /// The configuration, if there is one.
    pub presence: Presence,
}

/// One instance's part of a plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The stored objects after upgrades (L07).
    pub previous_run: InstanceState,
    /// The same after the refresh: the state from which the apply starts.
    pub refreshed: InstanceState,
    /// At most one change for the current object, first, and one for each deposed one, by key (I51).
    pub changes: Vec<ResourceInstanceChange>,
    /// The change outside of the engine, if there is one (L170).
    pub drift: Option<Drift>,
    /// The value of the instance in expressions (L180 to L182); `None` where it is left out.
    pub working: Option<Marked>,
    /// Whether the plan may be applied (L157).
    pub applyable: bool,
    /// Errors and warnings, in any order.
    pub diagnostics: Vec<Diagnostic>,
}

/// The change outside of the engine (L170): a delete, an update, or a no-op of an instance that was moved.
#[derive(Clone, Debug)]
pub struct Drift {
    /// Delete, Update or NoOp.
    pub action: Action,
    /// The object as it was last known.
    pub before: Marked,
    /// The object as it was found; null of its type where it is gone.
    pub after: Marked,
}

/// One instance's part of an apply walk.
///
/// The plan it applies has no errors (A74).
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// Managed or data.
    pub kind: ResourceKind,
    /// The options of the user at the time of the plan.
    pub options: PlanOptions,
    /// The refreshed state of the plan.
    pub state: InstanceState,
    /// The changes of the plan.
    pub changes: Vec<ResourceInstanceChange>,
    /// The configuration at the time of the apply, in which unknowns of the plan are known. An orphan has none.
    pub presence: Presence,
}

/// The result of an apply.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// The saved objects.
    pub state: InstanceState,
    /// Errors and warnings, in any order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Plan {
    /// Whether the plan has errors (L158).
    pub fn is_errored(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

impl Applied {
    /// Whether the apply had errors.
    pub fn is_errored(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
