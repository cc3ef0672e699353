//! Checks of the properties of a plan (L151, L152, L157, L158, PL40, PF11 and section 2.1 of plan-files.md).

use planfuzz_core::plans::{Action, Mode};

use crate::artifact::{ObjectChange, Plan};
use crate::lint::check::{Check, Needs, PLAN_FILE, PLANS, Run, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault, Why};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "L157-applyable",
        severity: Severity::Error,
        must: "A plan is applyable if there are changes and no errors.",
        spec: "lifecycle.md section 14",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(applyable),
    },
    Check {
        id: "L157-complete",
        severity: Severity::Error,
        must: "A plan is complete if there are no errors, nothing is put off, and it is not restricted to a part.",
        spec: "lifecycle.md section 14",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(complete),
    },
    Check {
        id: "L151-refresh-only",
        severity: Severity::Error,
        must: "A plan that only refreshes has no changes of objects.",
        spec: "lifecycle.md section 14",
        needs: Needs::Nothing,
        kinds: PLAN_FILE,
        run: Run::Whole(refresh_only),
    },
    Check {
        id: "L152-destroy",
        severity: Severity::Error,
        must: "A plan that destroys everything creates, updates and replaces nothing.",
        spec: "lifecycle.md section 14",
        needs: Needs::Nothing,
        kinds: PLAN_FILE,
        run: Run::Whole(destroy),
    },
    Check {
        id: "PF21-timestamp",
        severity: Severity::Error,
        must: "The time of a plan is RFC 3339 in UTC with whole seconds.",
        spec: "plan-files.md section 2.1",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(timestamp),
    },
    Check {
        id: "PF11-one-state",
        severity: Severity::Error,
        must: "Both states of a plan file are versions of one state: they have one lineage and one serial, where they have any.",
        spec: "plan-files.md section 1",
        needs: Needs::Nothing,
        kinds: PLAN_FILE,
        run: Run::Whole(one_state),
    },
];

/// PL40.
fn has_changes(plan: &Plan) -> bool {
    let is_change = |change: &ObjectChange| {
        change.action != Action::NoOp || change.previous.is_some() || change.importing.is_some()
    };
    plan.changes.iter().any(is_change) || plan.outputs.iter().any(|output| output.action != Action::NoOp)
}

fn applyable(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let (Some(applyable), Some(errored)) = (plan.applyable, plan.errored) else {
        return CheckOutcome::Cannot(Why::NotInFile);
    };
    match (applyable, errored, has_changes(plan)) {
        (true, true, _) => {
            CheckOutcome::hold(false, || "applyable, and with errors; expected it not to be applyable".into())
        }
        (false, false, true) => CheckOutcome::hold(false, || {
            "not applyable, with changes and without errors; expected it to be applyable".into()
        }),
        // In refresh-only mode drift alone is applyable too; JSON does not record the mode.
        (true, false, false) if plan.changes.is_empty() && !plan.drift.is_empty() => {
            CheckOutcome::Cannot(Why::NotInFile)
        }
        (true, false, false) if plan.mode == Some(Mode::RefreshOnly) => CheckOutcome::Held,
        (true, false, false) => {
            CheckOutcome::hold(false, || "applyable, and without changes; expected it not to be applyable".into())
        }
        _ => CheckOutcome::Held,
    }
}

fn complete(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let Some(complete) = plan.complete else { return CheckOutcome::Cannot(Why::NotInFile) };
    let mut faults = Vec::new();
    if complete && plan.errored == Some(true) {
        faults.push(Fault::new("complete, and with errors; expected it not to be complete"));
    }
    if complete && !plan.deferred.is_empty() {
        faults.push(Fault::new("complete, and with changes that are put off; expected it not to be complete"));
    }
    if complete && plan.targeted == Some(true) {
        faults.push(Fault::new("complete, and restricted to a part; expected it not to be complete"));
    }
    if !complete && plan.errored == Some(false) && plan.deferred.is_empty() && plan.targeted == Some(false) {
        faults.push(Fault::new("not complete, and nothing is left out; expected it to be complete"));
    }
    CheckOutcome::none(faults)
}

fn refresh_only(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan().filter(|plan| plan.mode == Some(Mode::RefreshOnly)) else {
        return CheckOutcome::DoesNotApply;
    };
    let message = "a change in a plan that only refreshes; expected none";
    CheckOutcome::none(plan.changes.iter().map(|change| Fault::of(&change.id, message)).collect())
}

fn destroy(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan().filter(|plan| plan.mode == Some(Mode::Destroy)) else {
        return CheckOutcome::DoesNotApply;
    };
    let is_other = |change: &&ObjectChange| !matches!(change.action, Action::Delete | Action::Forget | Action::NoOp);
    let others = plan.changes.iter().filter(is_other);
    let fault = |change: &ObjectChange| {
        let message = format!("{} in a plan that destroys everything; expected Delete, Forget or NoOp", change.action);
        Fault::of(&change.id, message)
    };
    CheckOutcome::none(others.map(fault).collect())
}

fn timestamp(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let Some(timestamp) = &plan.timestamp else { return CheckOutcome::Cannot(Why::NotInFile) };
    // Files from before 1.5 have none.
    if timestamp.is_empty() {
        return CheckOutcome::Cannot(Why::NotInFile);
    }
    let is_time = timestamp.ends_with('Z') && !timestamp.contains('.') && humantime::parse_rfc3339(timestamp).is_ok();
    CheckOutcome::hold(is_time, || "a time of another form; expected one like 2025-01-02T03:04:05Z".to_owned())
}

fn one_state(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let (Some(prior), Some(previous)) = (&plan.prior, &plan.previous) else { return CheckOutcome::DoesNotApply };
    // Terraform 1.11 leaves both out of the state of the previous run.
    if previous.lineage.as_deref() == Some("") && previous.serial == Some(0) {
        return CheckOutcome::Held;
    }
    let mut faults = Vec::new();
    if prior.lineage != previous.lineage {
        faults.push(Fault::new("the refreshed state has another lineage than that of the previous run; expected one"));
    }
    if prior.serial != previous.serial {
        faults.push(Fault::new("the refreshed state has another serial than that of the previous run; expected one"));
    }
    CheckOutcome::none(faults)
}
