//! The plan walk: the parts that both kinds of resources have in common.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Drift, Plan, PlanRequest, Presence, Provider, Refusal, summary};
use planfuzz_core::plans::{Action, Marked, Mode};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{Type, Value, raw_equals};

use super::super::operations::Program;
use super::unknowns::without_unknowns;
use super::walk::{Phase, Walk, survive};
use super::{data, managed};

/// One instance's part of a plan walk.
pub(in super::super) fn plan(
    program: &Program,
    request: &PlanRequest,
    provider: &mut dyn Provider,
) -> Result<Plan, Refusal> {
    let mut walk = Walk::new(program, provider, Phase::Plan);
    let mut plan = walked(&mut walk, request)?;
    plan.diagnostics = walk.diagnostics;
    plan.applyable = is_applyable(&plan, request);
    Ok(plan)
}

fn walked(walk: &mut Walk<'_>, request: &PlanRequest) -> Result<Plan, Refusal> {
    if let Presence::Configured(configured) = &request.presence
        && survive(walk.validate_statically(request.kind, configured))?.is_none()
    {
        return Ok(Plan::default());
    }
    if request.options.replace && request.mode != Mode::Normal {
        walk.error(summary::UNSUPPORTED_MODE, "L154");
        return Ok(Plan::default());
    }
    match request.kind {
        ResourceKind::Data => data::plan(walk, request),
        ResourceKind::Managed => {
            let mut plan = managed::plan(walk, request)?;
            plan.drift = drift(&plan, walk.null(), request);
            // LD26: only an object that an import left here can have unknowns.
            if request.options.import.is_some()
                && let Some(Object { stored: Stored::Value(value), .. }) = &mut plan.previous_run.current
            {
                *value = without_unknowns(value.clone());
            }
            Ok(plan)
        }
    }
}

/// L157.
fn is_applyable(plan: &Plan, request: &PlanRequest) -> bool {
    !plan.is_errored()
        && match request.mode {
            Mode::RefreshOnly => {
                request.kind == ResourceKind::Managed && !same_state(&plan.previous_run, &plan.refreshed)
            }
            Mode::Normal | Mode::Destroy => plan.changes.iter().any(|change| !change.is_empty()),
        }
}

/// L160, L170: whether the changes come from a second walk, over a state that is refreshed and in which the moves are made.
pub(super) fn is_second_walk(request: &PlanRequest) -> bool {
    request.mode == Mode::Destroy && !request.options.skip_refresh
}

/// L170.
fn drift(plan: &Plan, null: Value, request: &PlanRequest) -> Option<Drift> {
    if is_second_walk(request) {
        return None;
    }
    let previous = plan.previous_run.current.as_ref()?;
    let Stored::Value(_) = previous.stored else { return drift_of_unread(previous, null.ty(), request) };
    let before = marked(previous)?;
    let (action, after) = match plan.refreshed.current.as_ref().and_then(marked) {
        None => (Action::Delete, Marked::plain(null)),
        Some(after) if !before.raw_equals(&after) => (Action::Update, after),
        Some(after) if request.options.moved_from.is_some() => (Action::NoOp, after),
        Some(_) => return None,
    };
    Some(Drift { action, before, after })
}

/// L170: an object that an error left unread is the same in both states, so only a move can be reported. It is reported where the
/// JSON fits the type of the present schema.
fn drift_of_unread(object: &Object, ty: &Type, request: &PlanRequest) -> Option<Drift> {
    let (true, Stored::Raw { attributes, .. }) = (request.options.moved_from.is_some(), &object.stored) else {
        return None;
    };
    let value = Value::from_stored_json_or_absent(attributes, ty).ok()?;
    let unread = Marked::new(value, &object.sensitive);
    Some(Drift { action: Action::NoOp, before: unread.clone(), after: unread })
}

/// The value of a stored object with its marks, where it has been read.
pub(super) fn marked(object: &Object) -> Option<Marked> {
    match &object.stored {
        Stored::Value(value) => Some(Marked::new(value.clone(), &object.sensitive)),
        Stored::Raw { .. } => None,
    }
}

fn same_state(a: &InstanceState, b: &InstanceState) -> bool {
    let same_current = match (&a.current, &b.current) {
        (None, None) => true,
        (Some(a), Some(b)) => same_object(a, b),
        _ => false,
    };
    same_current
        && a.deposed.len() == b.deposed.len()
        && a.deposed.iter().zip(&b.deposed).all(|(a, b)| a.0 == b.0 && same_object(a.1, b.1))
}

fn same_object(a: &Object, b: &Object) -> bool {
    let same_stored = match (&a.stored, &b.stored) {
        (Stored::Value(a), Stored::Value(b)) => raw_equals(a.view(), b.view()),
        (Stored::Raw { version: a_version, attributes: a }, Stored::Raw { version: b_version, attributes: b }) => {
            a_version == b_version && a == b
        }
        _ => false,
    };
    same_stored
        && a.private == b.private
        && a.status == b.status
        && a.dependencies == b.dependencies
        && a.create_before_destroy == b.create_before_destroy
        && a.sensitive == b.sensitive
        && a.skip_destroy == b.skip_destroy
}
