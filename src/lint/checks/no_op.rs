//! Checks of changes that change nothing, and of those that change something (I14, I15, L170).

use planfuzz_core::plans::Action;

use crate::artifact::{Kind, Release};
use crate::lint::case::{ChangeCase, List};
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault, Why};
use crate::lint::same::same_marks;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "I14-no-op-equal",
        severity: Severity::Error,
        must: "What is left as it is, is known, and the same before and after, in what is sensitive too.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(no_op),
    },
    Check {
        id: "I15-update-differs",
        severity: Severity::Error,
        must: "An update changes something: the value, or what is sensitive in it.",
        spec: "lifecycle.md section 21",
        needs: Needs::Schema,
        kinds: PLANS,
        run: Run::Change(update),
    },
];

fn no_op(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::NoOp {
        return CheckOutcome::DoesNotApply;
    }
    let Some(is_same) = case.is_same_value() else {
        return case.typed(|_| CheckOutcome::DoesNotApply);
    };
    let mut faults = Vec::new();
    if !is_same {
        faults.push(Fault::new("NoOp with other values after than before, or unknown ones; expected the same, known"));
    }
    if !marks_are_same(case) {
        faults.push(Fault::new("NoOp with other sensitive parts after than before; expected the same"));
    }
    CheckOutcome::none(faults)
}

/// The first version with drift in its present form: before, drift had neither addresses nor moves.
pub(super) const DRIFT: Release = Release::new(1, 1);

/// Whether both sides have the same sensitive parts.
fn marks_are_same(case: &ChangeCase<'_>) -> bool {
    let (before, after) = (&case.change.before, &case.change.after);
    match &case.typed {
        Ok(typed) => typed.before().sensitive() == typed.after().sensitive(),
        Err(_) => {
            let sorted = |paths: &[planfuzz_core::value::WrittenPath]| {
                let mut paths = paths.to_vec();
                paths.sort();
                paths
            };
            sorted(before.sensitive()) == sorted(after.sensitive())
                && same_marks(before.sensitive_tree(), after.sensitive_tree())
        }
    }
}

fn update(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::Update {
        return CheckOutcome::DoesNotApply;
    }
    if case.is_same_value() == Some(false) || !marks_are_same(case) {
        return CheckOutcome::Held;
    }
    if case.list == List::Drift {
        return case.since(DRIFT, DRIFT, || same_update(case));
    }
    same_update(case)
}

/// The outcome for an update that changes nothing: broken, unless the file cannot show the difference.
fn same_update(case: &ChangeCase<'_>) -> CheckOutcome {
    let kind = case.file.artifact.kind;
    case.typed(|typed| {
        // JSON has no types of dynamic values (JS26), so two values that differ in them look the same.
        if kind == Kind::PlanJson && typed.schema.ty.has_dynamic() {
            return CheckOutcome::Cannot(Why::NotInFile);
        }
        let what = if case.list == List::Drift { "a change outside" } else { "Update" };
        CheckOutcome::hold(false, || {
            format!("{what} with the same value and sensitive parts before and after; expected a difference")
        })
    })
}
