//! Checks the planned values against the changes (JS40 to JS42).

use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;

use crate::lint::case::ChangeCase;
use crate::lint::check::{Check, Needs, PLAN_JSON, Run, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault, Why};
use crate::lint::same::same;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "JS41-planned-values",
        severity: Severity::Error,
        must: "The planned values have every current object that is changed and not destroyed, with what the change has after.",
        spec: "plan-files.md section 4.5",
        needs: Needs::Nothing,
        kinds: PLAN_JSON,
        run: Run::Change(values),
    },
    Check {
        id: "JS41-planned-changes",
        severity: Severity::Error,
        must: "The planned values have nothing else.",
        spec: "plan-files.md section 4.5",
        needs: Needs::Nothing,
        kinds: PLAN_JSON,
        run: Run::Whole(changes),
    },
];

fn values(case: &ChangeCase<'_>) -> CheckOutcome {
    if !case.is_current() {
        return CheckOutcome::DoesNotApply;
    }
    if case.file.plan().is_none_or(|plan| plan.planned.is_none()) {
        return CheckOutcome::Cannot(Why::NotInFile);
    }
    let planned = case.file.planned(&case.change.id);
    let Some(planned) = planned else {
        return CheckOutcome::hold(case.action() == Action::Delete, || {
            format!("{} of what the planned values do not have; expected it there", case.action())
        });
    };
    if case.action() == Action::Delete {
        return CheckOutcome::hold(false, || {
            "Delete of what the planned values have; expected it not to be there".into()
        });
    }
    // Where no attribute is known, the file has no values.
    let value = planned.value.as_json().filter(|json| !is_empty(json)).unwrap_or(&Json::Null);
    let after = case.change.after.as_json().filter(|json| !is_empty(json)).unwrap_or(&Json::Null);
    CheckOutcome::hold(same(value, after), || {
        "another value among the planned values than after the change; expected the same".to_owned()
    })
}

fn is_empty(json: &Json) -> bool {
    matches!(json, Json::Object(members) if members.is_empty())
}

fn changes(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(planned) = file.plan().and_then(|plan| plan.planned.as_ref()) else { return CheckOutcome::DoesNotApply };
    let lost = planned.objects.iter().filter(|object| file.change(&object.id).is_none());
    let message = "among the planned values, and without a change; expected one";
    CheckOutcome::none(lost.map(|object| Fault::of(&object.id, message)).collect())
}
