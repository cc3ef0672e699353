//! Checks changes against the state that the plan starts from (L52, L123, I16, I39).

use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::value::{Tri, equals};

use crate::artifact::{Encoded, Release, StateObject};
use crate::lint::case::{ChangeCase, List};
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault, Why};
use crate::lint::same::same;

use super::no_op::DRIFT;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "L52-before-is-prior",
        severity: Severity::Error,
        must: "What a change has before is the object of the refreshed state.",
        spec: "lifecycle.md section 7",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(before),
    },
    Check {
        id: "I16-create-is-new",
        severity: Severity::Error,
        must: "What is created is not in the refreshed state.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(create),
    },
    Check {
        id: "I39-tainted",
        severity: Severity::Error,
        must: "A tainted object is neither updated nor left as it is.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(tainted),
    },
    Check {
        id: "I17-tainted-reason",
        severity: Severity::Error,
        must: "What is replaced because it is tainted, is.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(tainted_reason),
    },
    Check {
        id: "L122-nothing-forgotten",
        severity: Severity::Error,
        must: "In a complete plan every managed object of the refreshed state has a change.",
        spec: "lifecycle.md section 12",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Whole(covered),
    },
];

/// Whether the file has the state that the plan starts from.
fn has_prior(file: &IndexedFile<'_>) -> bool {
    file.plan().is_some_and(|plan| plan.prior.is_some())
}

/// Whether an object's value is the one that a change has on one side; the reason if that cannot be decided.
pub(super) fn is_value(case: &ChangeCase<'_>, encoded: &Encoded, object: &StateObject) -> Result<bool, Why> {
    if let (Some(a), Some(b)) = (encoded.as_json(), object.value.as_json())
        && matches!(encoded, Encoded::Shown(_))
    {
        return Ok(same(a, b));
    }
    let read = |typed: Result<_, _>| typed.map_err(|untyped| crate::lint::case::why(&untyped));
    let typed = read(case.file.read(&object.id, &[encoded, &object.value], object.schema_version))?;
    if !typed.is_same_version {
        return Err(Why::OtherSchemaVersion);
    }
    Ok(equals(typed.before().value().view(), typed.after().value().view()) == Tri::True)
}

fn before(case: &ChangeCase<'_>) -> CheckOutcome {
    let is_managed = case.change.id.mode() == Some(ResourceMode::Managed);
    if case.list != List::Changes || !is_managed || case.change.before.is_null() {
        return CheckOutcome::DoesNotApply;
    }
    if !has_prior(case.file) {
        return CheckOutcome::Cannot(Why::NotInFile);
    }
    let is_removed = matches!(case.action(), Action::Delete | Action::Forget);
    // L123: orphans, and objects that are only forgotten, are planned as they were before the refresh.
    let has_drift_list = case.file.artifact.producer.is_since(DRIFT, DRIFT) == Some(true);
    if is_removed && (!has_drift_list || case.file.drifted(&case.change.id).is_some()) {
        return CheckOutcome::Cannot(Why::Drifted);
    }
    match case.file.prior(&case.change.id) {
        None => CheckOutcome::hold(false, || {
            format!("{} of an object that the refreshed state does not have; expected it there", case.action())
        }),
        Some(object) => match is_value(case, &case.change.before, object) {
            Err(why) => CheckOutcome::Cannot(why),
            Ok(is_same) => CheckOutcome::hold(is_same, || {
                "another value before than in the refreshed state; expected the same".to_owned()
            }),
        },
    }
}

fn create(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::Create || !case.is_current() {
        return CheckOutcome::DoesNotApply;
    }
    if !has_prior(case.file) {
        return no_prior(case.file);
    }
    CheckOutcome::hold(case.file.prior(&case.change.id).is_none(), || {
        "Create of what the refreshed state has; expected it not to be there".to_owned()
    })
}

/// The outcome without a prior state. JSON leaves an empty state out (JS01); in a redacted plan it may have been
/// removed.
fn no_prior(file: &IndexedFile<'_>) -> CheckOutcome {
    match file.plan() {
        Some(plan) if !plan.is_redacted => CheckOutcome::Held,
        _ => CheckOutcome::Cannot(Why::NotInFile),
    }
}

fn tainted(case: &ChangeCase<'_>) -> CheckOutcome {
    let is_kept = matches!(case.action(), Action::Update | Action::NoOp);
    let Some(object) = case.file.prior(&case.change.id).filter(|_| is_kept && case.is_current()) else {
        return CheckOutcome::DoesNotApply;
    };
    CheckOutcome::hold(!object.tainted, || format!("{} of a tainted object; expected a replacement", case.action()))
}

fn tainted_reason(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.change.reason != Some(ActionReason::ReplaceBecauseTainted) {
        return CheckOutcome::DoesNotApply;
    }
    match case.file.prior(&case.change.id) {
        None => CheckOutcome::Cannot(Why::NotInFile),
        Some(object) => CheckOutcome::hold(object.tainted, || {
            "replaced because it is tainted, and the refreshed state has it untainted; expected a tainted object"
                .to_owned()
        }),
    }
}

fn covered(file: &IndexedFile<'_>) -> CheckOutcome {
    let Some(plan) = file.plan() else { return CheckOutcome::DoesNotApply };
    let Some(prior) = &plan.prior else { return CheckOutcome::DoesNotApply };
    // A refresh-only plan has no changes, and JSON does not record the mode.
    let is_refresh = plan.mode == Some(Mode::RefreshOnly) || (plan.mode.is_none() && plan.changes.is_empty());
    let is_whole = match file.artifact.producer.engine {
        Engine::Terraform => plan.complete,
        Engine::OpenTofu => plan.targeted.map(|targeted| !targeted && plan.errored == Some(false)),
    };
    match (is_whole, file.artifact.producer.is_since(Release::new(1, 9), Release::new(1, 6))) {
        _ if is_refresh => return CheckOutcome::DoesNotApply,
        (Some(true), Some(true)) => {}
        (Some(false), _) => return CheckOutcome::DoesNotApply,
        (None, _) => return CheckOutcome::Cannot(Why::NotInFile),
        (_, None) => return CheckOutcome::Cannot(Why::NoVersion),
        (_, Some(false)) => return CheckOutcome::Cannot(Why::OtherVersion),
    }
    let managed = prior.objects.iter().filter(|object| object.id.mode() == Some(ResourceMode::Managed));
    let lost = managed.filter(|object| file.change(&object.id).is_none());
    let message = "in the refreshed state, and without a change in a complete plan; expected one, NoOp at least";
    CheckOutcome::none(lost.map(|object| Fault::of(&object.id, message)).collect())
}
