//! Checks of changes made outside (L170, L171).

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::{Action, ActionReason};

use crate::artifact::Release;
use crate::lint::case::{ChangeCase, List};
use crate::lint::check::{Check, Needs, PLAN_FILE, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault, Why};

use super::no_op::DRIFT;
use super::prior::is_value;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "L170-drift-action",
        severity: Severity::Error,
        must: "What changed outside is a current managed object, updated, gone, or only moved.",
        spec: "lifecycle.md section 16",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(action),
    },
    Check {
        id: "L171-drift-bare",
        severity: Severity::Error,
        must: "What changed outside has no private data, no reason and no paths that ask for replacement.",
        spec: "lifecycle.md section 16",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(bare),
    },
    Check {
        id: "L170-drift-after",
        severity: Severity::Error,
        must: "What changed outside is, after, what the refreshed state has.",
        spec: "lifecycle.md section 16",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(after),
    },
    Check {
        id: "L170-drift-before",
        severity: Severity::Error,
        must: "What changed outside was, before, what the state of the previous run has.",
        spec: "lifecycle.md section 16",
        needs: Needs::Schema,
        kinds: PLAN_FILE,
        run: Run::Change(before),
    },
];

fn is_drift(case: &ChangeCase<'_>) -> bool {
    case.list == List::Drift
}

fn action(case: &ChangeCase<'_>) -> CheckOutcome {
    if !is_drift(case) {
        return CheckOutcome::DoesNotApply;
    }
    let mut faults = Vec::new();
    match case.action() {
        Action::Update | Action::Delete => {}
        Action::NoOp if case.change.previous.is_some() => {}
        Action::NoOp => faults.push(Fault::new("NoOp outside of what did not move; expected a change or a move")),
        action => faults.push(Fault::new(format!("{action} outside; expected Update, Delete, or NoOp of what moved"))),
    }
    if case.change.id.mode() == Some(ResourceMode::Data) {
        faults.push(Fault::new("a change outside of a data resource; expected managed ones only"));
    }
    // Earlier versions compared deposed objects too.
    if case.change.id.deposed.is_some()
        && case.file.artifact.producer.is_since(Release::new(1, 11), Release::new(1, 11)) == Some(true)
    {
        faults.push(Fault::new("a change outside of a deposed object; expected current ones only"));
    }
    CheckOutcome::none(faults)
}

fn bare(case: &ChangeCase<'_>) -> CheckOutcome {
    if !is_drift(case) {
        return CheckOutcome::DoesNotApply;
    }
    let change = case.change;
    let mut faults = Vec::new();
    if change.reason != Some(ActionReason::None) {
        faults.push(Fault::new("a change outside with a reason; expected none"));
    }
    if change.private.as_ref().is_some_and(|private| !private.is_none()) {
        faults.push(Fault::new("a change outside with private data; expected none"));
    }
    CheckOutcome::none(faults)
}

fn after(case: &ChangeCase<'_>) -> CheckOutcome {
    if !is_drift(case) || case.change.id.deposed.is_some() {
        return CheckOutcome::DoesNotApply;
    }
    let Some(plan) = case.file.plan() else { return CheckOutcome::DoesNotApply };
    if plan.is_redacted {
        return CheckOutcome::Cannot(Why::NotInFile);
    }
    case.since(DRIFT, DRIFT, || is_in_prior(case))
}

fn is_in_prior(case: &ChangeCase<'_>) -> CheckOutcome {
    match (case.file.prior(&case.change.id), case.change.after.is_null()) {
        (None, true) => CheckOutcome::Held,
        (Some(_), true) => {
            CheckOutcome::hold(false, || "gone outside, and in the refreshed state; expected it not to be there".into())
        }
        (None, false) => {
            CheckOutcome::hold(false, || "changed outside, and not in the refreshed state; expected it there".into())
        }
        (Some(object), false) => match is_value(case, &case.change.after, object) {
            Err(why) => CheckOutcome::Cannot(why),
            Ok(is_same) => CheckOutcome::hold(is_same, || {
                "another value after than in the refreshed state; expected the same".into()
            }),
        },
    }
}

fn before(case: &ChangeCase<'_>) -> CheckOutcome {
    if !is_drift(case) {
        return CheckOutcome::DoesNotApply;
    }
    match case.file.previous(&case.change.id) {
        None => CheckOutcome::hold(false, || {
            "changed outside, and not in the state of the previous run; expected it there".into()
        }),
        Some(object) => match is_value(case, &case.change.before, object) {
            Err(why) => CheckOutcome::Cannot(why),
            Ok(is_same) => CheckOutcome::hold(is_same, || {
                "another value before than in the state of the previous run; expected the same".into()
            }),
        },
    }
}
