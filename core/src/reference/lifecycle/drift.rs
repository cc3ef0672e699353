//! Drift (section 16).

use crate::planner::{Drift, PlanRequest};
use crate::plans::{Action, Marked, Mode};
use crate::state::{InstanceState, Object, Stored};
use crate::value::Type;

/// L170, L172.
pub(super) fn drift(
    request: &PlanRequest,
    ty: &Type,
    previous_run: &InstanceState,
    refreshed: &InstanceState,
) -> Option<Drift> {
    let before = marked(previous_run.current.as_ref()?)?;
    let Some(after) = &refreshed.current else {
        return Some(Drift { action: Action::Delete, before, after: Marked::null(ty.clone()) });
    };
    let after = marked(after)?;
    if !before.raw_equals(&after) {
        return Some(Drift { action: Action::Update, before, after });
    }
    let is_listed = request.mode == Mode::RefreshOnly && request.options.moved_from.is_some();
    is_listed.then_some(Drift { action: Action::NoOp, before, after })
}

/// The value of an object that was read.
pub(super) fn marked(object: &Object) -> Option<Marked> {
    match &object.stored {
        Stored::Value(value) => Some(Marked::new(value.clone(), &object.sensitive)),
        Stored::Raw { .. } => None,
    }
}
