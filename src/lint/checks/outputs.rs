//! Checks of changes of root outputs (PL60, L190 to L195, section 4.4 of plan-files.md).

use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;
use planfuzz_core::value::Type;

use crate::artifact::{Encoded, Kind};
use crate::lint::case::{OutputCase, is_same_encoded};
use crate::lint::check::{Check, Needs, PLAN_JSON, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault, Why};
use crate::lint::same::same;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "PL60-output-action",
        severity: Severity::Error,
        must: "An output is created, updated, deleted or left as it is.",
        spec: "plans.md section 8",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Output(action),
    },
    Check {
        id: "L190-output-sides",
        severity: Severity::Error,
        must: "A created output has no value before, a deleted one none after, and one left as it is, the same.",
        spec: "lifecycle.md section 18",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Output(sides),
    },
    Check {
        id: "L195-output-sensitive",
        severity: Severity::Error,
        must: "Both values of an output are called sensitive, or neither is.",
        spec: "lifecycle.md section 18",
        needs: Needs::Nothing,
        kinds: PLAN_JSON,
        run: Run::Output(sensitive),
    },
    Check {
        id: "JS40-planned-output",
        severity: Severity::Error,
        must: "The planned values have every output that is not deleted, with what the change has after where that is known.",
        spec: "plan-files.md section 4.5",
        needs: Needs::Nothing,
        kinds: PLAN_JSON,
        run: Run::Output(planned),
    },
];

fn action(case: &OutputCase<'_>) -> CheckOutcome {
    let action = case.output.action;
    let is_one = matches!(action, Action::NoOp | Action::Create | Action::Update | Action::Delete);
    CheckOutcome::hold(is_one, || format!("{action} of an output; expected NoOp, Create, Update or Delete"))
}

fn sides(case: &OutputCase<'_>) -> CheckOutcome {
    let (before, after) = (&case.output.before, &case.output.after);
    match case.output.action {
        Action::Create => {
            CheckOutcome::hold(before.is_null(), || "Create of an output with a value before; expected none".into())
        }
        Action::Delete => {
            CheckOutcome::hold(after.is_null(), || "Delete of an output with a value after; expected none".into())
        }
        Action::NoOp => {
            let is_same = match case.file.artifact.kind {
                Kind::PlanFile => packed_same(before, after),
                _ => is_same_encoded(before, after),
            };
            match is_same {
                None => CheckOutcome::Cannot(Why::NotInFile),
                Some(is_same) => CheckOutcome::hold(is_same, || {
                    "NoOp of an output with another value after than before, or an unknown one; expected the same, known".into()
                }),
            }
        }
        Action::Update => update(case),
        _ => CheckOutcome::DoesNotApply,
    }
}

/// Outputs are written with the dynamic type, so values contain their types.
fn packed_same(before: &Encoded, after: &Encoded) -> Option<bool> {
    let (before, after) = (before.decode(&Type::Dynamic).ok()?, after.decode(&Type::Dynamic).ok()?);
    Some(before.value() == after.value() && after.value().is_wholly_known())
}

/// L192: a known value that is equal, and as sensitive as before, is no update. Files do not record what was sensitive before, so
/// only outputs that are not sensitive are checked.
fn update(case: &OutputCase<'_>) -> CheckOutcome {
    if case.output.sensitive != Some(false) || case.file.artifact.kind != Kind::PlanFile {
        return CheckOutcome::DoesNotApply;
    }
    match packed_same(&case.output.before, &case.output.after) {
        None => CheckOutcome::Cannot(Why::NotInFile),
        Some(is_same) => CheckOutcome::hold(!is_same, || {
            "Update of an output with the same value before and after; expected a difference".into()
        }),
    }
}

fn sensitive(case: &OutputCase<'_>) -> CheckOutcome {
    match (case.output.before.sensitive_tree(), case.output.after.sensitive_tree()) {
        (Some(Json::Bool(before)), Some(Json::Bool(after))) => CheckOutcome::hold(before == after, || {
            "an output called sensitive on one side only; expected both, or neither".into()
        }),
        (None, _) | (_, None) => CheckOutcome::Cannot(Why::NotInFile),
        _ => CheckOutcome::hold(false, || "an output called sensitive in part; expected true or false".into()),
    }
}

fn planned(case: &OutputCase<'_>) -> CheckOutcome {
    if case.file.plan().is_none_or(|plan| plan.planned.is_none()) {
        return CheckOutcome::Cannot(Why::NotInFile);
    }
    let output = case.output;
    let found = case.file.planned_output(&output.name);
    match (found, output.action == Action::Delete) {
        (None, true) => CheckOutcome::Held,
        (Some(_), true) => {
            CheckOutcome::hold(false, || "deleted, and among the planned values; expected it not to be there".into())
        }
        (None, false) => {
            CheckOutcome::hold(false, || "changed, and not among the planned values; expected it there".into())
        }
        (Some(found), false) => {
            let mut faults = Vec::new();
            let is_known = output.after.has_unknown() == Some(false);
            let after = output.after.as_json().unwrap_or(&Json::Null);
            match &found.value {
                Some(value) if is_known && !same(value, after) => {
                    faults.push(Fault::new(
                        "another value among the planned values than after the change; expected the same",
                    ));
                }
                None if is_known && !output.after.is_null() => {
                    faults.push(Fault::new(
                        "known after the change, and without a value among the planned values; expected it there",
                    ));
                }
                _ => {}
            }
            if output.sensitive.is_some_and(|sensitive| !sensitive && found.sensitive) {
                faults.push(Fault::new(
                    "sensitive among the planned values, and not in the change; expected the change to mark it",
                ));
            }
            CheckOutcome::none(faults)
        }
    }
}
