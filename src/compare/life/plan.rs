//! What a planner says of a plan.

use planfuzz_core::planner::{Drift, Plan};
use planfuzz_core::plans::{Change, ResourceInstanceChange};

use super::eye::{Apart, Eye};
use super::state::{compare_diagnostics, compare_states};
use crate::compare::difference::Class;
use crate::subject::Shown;

/// Compares two plans, in the order in which a reader would.
pub(super) fn compare(eye: &mut Eye<'_>, first: &Plan, second: &Plan) -> Result<(), Apart> {
    let Plan { previous_run, refreshed, changes, drift, working, applyable, diagnostics } = first;
    let objects = |change: &ResourceInstanceChange| change.deposed.clone();
    if changes.iter().map(objects).eq(second.changes.iter().map(objects)) {
        for (first, second) in changes.iter().zip(&second.changes) {
            let changed = change(eye, first, second).map_err(|apart| match &first.deposed {
                None => apart.within("change"),
                Some(key) => apart.within(&format!("change of deposed {}", key.as_str())),
            });
            eye.go_past(changed)?;
        }
    } else {
        eye.go_past(Err(Apart::new(Class::Changes, "what is changed")))?;
    }
    let drifted = eye.option(Class::Drift, "drift", (drift.as_ref(), second.drift.as_ref()), compare_drifts);
    eye.go_past(drifted)?;
    if eye.shown() < Shown::Observed {
        let workings = (working.as_ref(), second.working.as_ref());
        let seen = eye.option(Class::Working, "working", workings, |eye, first, second| {
            eye.marked(Class::Working, "working", first, second)
        });
        eye.go_past(seen)?;
        let applied = eye.same(Class::Applyable, "applyable", applyable, &second.applyable);
        eye.go_past(applied)?;
    }
    let stored = compare_states(eye, previous_run, &second.previous_run);
    eye.go_past(stored.map_err(|apart| apart.within("previous run")))?;
    let stored = compare_states(eye, refreshed, &second.refreshed);
    eye.go_past(stored.map_err(|apart| apart.within("refreshed")))?;
    eye.go_past(compare_diagnostics(diagnostics, &second.diagnostics))
}

fn change(eye: &mut Eye<'_>, first: &ResourceInstanceChange, second: &ResourceInstanceChange) -> Result<(), Apart> {
    let ResourceInstanceChange { moved_from, deposed: _, change, reason, required_replace, private } = first;
    let Change { action, before, after, importing } = change;
    let other = &second.change;
    if *action != other.action {
        return Err(Apart::new(Class::Action, format!("{action} or {}", other.action)));
    }
    if *reason != second.reason {
        return Err(Apart::new(Class::Reason, format!("{reason} or {}", second.reason)));
    }
    eye.marked(Class::Before, "before", before, &other.before)?;
    eye.marked(Class::After, "after", after, &other.after)?;
    eye.paths(Class::RequiredReplace, "required replace", required_replace, &second.required_replace)?;
    eye.same(Class::Private, "private", private, &second.private)?;
    eye.same(Class::Importing, "importing", importing, &other.importing)?;
    eye.same(Class::MovedFrom, "moved from", moved_from, &second.moved_from)
}

fn compare_drifts(eye: &mut Eye<'_>, first: &Drift, second: &Drift) -> Result<(), Apart> {
    let Drift { action, before, after } = first;
    eye.same(Class::Drift, "drift: action", action, &second.action)?;
    eye.marked(Class::Drift, "drift: before", before, &second.before)?;
    eye.marked(Class::Drift, "drift: after", after, &second.after)
}
