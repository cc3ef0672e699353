//! Comparison of plans.

use planfuzz_core::planner::{Drift, Plan};
use planfuzz_core::plans::{Change, ResourceInstanceChange};

use super::comparator::{Apart, Comparator};
use super::state::{compare_diagnostics, compare_states};
use crate::compare::difference::Class;
use crate::subject::Shown;

/// Compares two plans, in the order in which a reader would.
pub(super) fn compare(comparator: &mut Comparator<'_>, first: &Plan, second: &Plan) -> Result<(), Apart> {
    let Plan { previous_run, refreshed, changes, drift, working, applyable, diagnostics } = first;
    let objects = |change: &ResourceInstanceChange| change.deposed.clone();
    if changes.iter().map(objects).eq(second.changes.iter().map(objects)) {
        for (first, second) in changes.iter().zip(&second.changes) {
            let changed = change(comparator, first, second).map_err(|apart| match &first.deposed {
                None => apart.within("change"),
                Some(key) => apart.within(&format!("change of deposed {}", key.as_str())),
            });
            comparator.go_past(changed)?;
        }
    } else {
        comparator.go_past(Err(Apart::new(Class::Changes, "what is changed")))?;
    }
    let drifted = comparator.option(Class::Drift, "drift", (drift.as_ref(), second.drift.as_ref()), compare_drifts);
    comparator.go_past(drifted)?;
    if comparator.shown() < Shown::Observed {
        let workings = (working.as_ref(), second.working.as_ref());
        let seen = comparator.option(Class::Working, "working", workings, |comparator, first, second| {
            comparator.marked(Class::Working, "working", first, second)
        });
        comparator.go_past(seen)?;
        let applied = comparator.same(Class::Applyable, "applyable", applyable, &second.applyable);
        comparator.go_past(applied)?;
    }
    let stored = compare_states(comparator, previous_run, &second.previous_run);
    comparator.go_past(stored.map_err(|apart| apart.within("previous run")))?;
    let stored = compare_states(comparator, refreshed, &second.refreshed);
    comparator.go_past(stored.map_err(|apart| apart.within("refreshed")))?;
    comparator.go_past(compare_diagnostics(diagnostics, &second.diagnostics))
}

fn change(
    comparator: &mut Comparator<'_>,
    first: &ResourceInstanceChange,
    second: &ResourceInstanceChange,
) -> Result<(), Apart> {
    let ResourceInstanceChange { moved_from, deposed: _, change, reason, required_replace, private } = first;
    let Change { action, before, after, importing } = change;
    let other = &second.change;
    if *action != other.action {
        return Err(Apart::new(Class::Action, format!("{action} or {}", other.action)));
    }
    if *reason != second.reason {
        return Err(Apart::new(Class::Reason, format!("{reason} or {}", second.reason)));
    }
    comparator.marked(Class::Before, "before", before, &other.before)?;
    comparator.marked(Class::After, "after", after, &other.after)?;
    comparator.paths(Class::RequiredReplace, "required replace", required_replace, &second.required_replace)?;
    comparator.same(Class::Private, "private", private, &second.private)?;
    comparator.same(Class::Importing, "importing", importing, &other.importing)?;
    comparator.same(Class::MovedFrom, "moved from", moved_from, &second.moved_from)
}

fn compare_drifts(comparator: &mut Comparator<'_>, first: &Drift, second: &Drift) -> Result<(), Apart> {
    let Drift { action, before, after } = first;
    comparator.same(Class::Drift, "drift: action", action, &second.action)?;
    comparator.marked(Class::Drift, "drift: before", before, &second.before)?;
    comparator.marked(Class::Drift, "drift: after", after, &second.after)
}
