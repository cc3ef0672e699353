//! The saved objects: known, of the schema's type, without write-only values, with sensitive marks.

use super::calls::{Calls, value_of};
use super::findings::Findings;
use super::id::Id;
use super::{Lifecycle, show};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{ApplyWalk, Exchange};
use planfuzz_core::plans::Action;
use planfuzz_core::state::Object;
use planfuzz_core::value::PathSet;

/// I44, I49 for the state after an apply walk.
pub(super) fn check(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, walk: &ApplyWalk) {
    let state = &walk.applied.state;
    // A28: such engines do not drop write-only values there.
    let may_leak = of.dialect.decodes_write_only_strictly() && has_leaked(of, walk);
    for object in state.current.iter().chain(state.deposed.values()) {
        is_storable(of, findings, object, may_leak, calls.kind == ResourceKind::Managed);
    }
    if walk.applied.is_errored() {
        return;
    }
    let makes = calls.applies.is_some_and(|change| {
        let makes = !matches!(change.change.action, Action::Delete | Action::Forget) && !change.change.after.is_null();
        makes && calls.kind == ResourceKind::Managed
    });
    if let Some(object) = state.current.as_ref().filter(|_| makes) {
        is_marked(of, findings, calls, object);
    }
}

/// I49.
fn is_storable(of: &Lifecycle<'_>, findings: &mut Findings, object: &Object, may_leak: bool, is_managed: bool) {
    let Some(value) = value_of(object) else { return };
    let conforms = value.ty().conforms_to(of.ty());
    findings.hold(Id::I49, value.is_wholly_known() && conforms, || {
        format!("expected a known value of the implied type, found {}", show(value))
    });
    if may_leak || !is_managed {
        return;
    }
    let leak = of.leaks(value).unwrap_or_default().into_iter().next();
    findings.hold_at(Id::I49, leak.is_none(), || {
        (leak.unwrap_or_default(), "expected a write-only attribute to be null, found a value".to_owned())
    });
}

/// Whether something write-only was stored before, or answered.
fn has_leaked(of: &Lifecycle<'_>, walk: &ApplyWalk) -> bool {
    let state = &walk.request.state;
    let stored = state.current.iter().chain(state.deposed.values()).filter_map(value_of);
    let answered = walk.exchanges.iter().filter_map(|exchange| match exchange {
        Exchange::Apply(_, answer) => answer.new_state.as_ref(),
        Exchange::Upgrade(_, answer) => Some(&answer.upgraded),
        _ => None,
    });
    stored.chain(answered).any(|value| of.leaks(value).is_none_or(|leaks| !leaks.is_empty()))
}

/// I44.
fn is_marked(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, object: &Object) {
    let Some(value) = value_of(object) else { return };
    let Some(by_schema) = of.schema_marks(value) else { return };
    // If changes are ignored, the marks of the prior count instead.
    let of_config = calls.configured().filter(|_| !calls.ignores()).map(|configured| configured.config.sensitive());
    // A mark on a place that the planned object does not have is lost before the answer brings that place.
    let planned = calls.exchanges.iter().rev().find_map(|exchange| match exchange {
        Exchange::Plan(request, answer) if !request.config.is_null() => Some(&answer.planned),
        _ => None,
    });
    let sitting = of_config.map(|marks| planned.map_or_else(|| marks.clone(), |planned| marks.on(planned.view())));
    let by_config = sitting.map_or(PathSet::EMPTY, |marks| marks.on(value.view()));
    let missing = by_schema.union(&by_config).iter().find(|path| !object.sensitive.contains(path)).cloned();
    findings.hold_at(Id::I44, missing.is_none(), || {
        (missing.unwrap_or_default(), "expected a sensitive mark, found none".to_owned())
    });
}
