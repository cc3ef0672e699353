//! Checks which sides each action has (PL06; section 10.2 of lifecycle.md).

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::Action;

use crate::artifact::Release;
use crate::lint::case::ChangeCase;
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "I16-create-sides",
        severity: Severity::Error,
        must: "A creation has no object before and one after.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(create),
    },
    Check {
        id: "I15-update-sides",
        severity: Severity::Error,
        must: "An update has an object before and one after.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(update),
    },
    Check {
        id: "I17-replace-sides",
        severity: Severity::Error,
        must: "A replacement has an object before and one after.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(replace),
    },
    Check {
        id: "I19-delete-sides",
        severity: Severity::Error,
        must: "What is destroyed or forgotten has an object before and none after.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(delete),
    },
    Check {
        id: "L141-read-sides",
        severity: Severity::Error,
        must: "A read has no object before and one after.",
        spec: "lifecycle.md section 13",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(read),
    },
    Check {
        id: "L97-read-mode",
        severity: Severity::Error,
        must: "Data resources are read, and nothing else is; they are created, updated and replaced by no plan.",
        spec: "lifecycle.md section 10",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(mode),
    },
    Check {
        id: "PL10-deposed-action",
        severity: Severity::Error,
        must: "A deposed object is destroyed, forgotten or left as it is.",
        spec: "plans.md section 4",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(deposed),
    },
];

fn sides(case: &ChangeCase<'_>, before: bool, after: bool) -> CheckOutcome {
    let mut faults = Vec::new();
    let name = case.action();
    for (side, found, wanted) in
        [("before", !case.change.before.is_null(), before), ("after", !case.change.after.is_null(), after)]
    {
        match (found, wanted) {
            (true, false) => faults.push(Fault::new(format!("{name} has an object {side}; expected none"))),
            (false, true) => faults.push(Fault::new(format!("{name} has no object {side}; expected one"))),
            _ => {}
        }
    }
    CheckOutcome::none(faults)
}

fn create(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::Create {
        return CheckOutcome::DoesNotApply;
    }
    sides(case, false, true)
}

fn update(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::Update {
        return CheckOutcome::DoesNotApply;
    }
    sides(case, true, true)
}

fn replace(case: &ChangeCase<'_>) -> CheckOutcome {
    if !case.action().is_replace() && case.action() != Action::ForgetThenCreate {
        return CheckOutcome::DoesNotApply;
    }
    sides(case, true, true)
}

fn delete(case: &ChangeCase<'_>) -> CheckOutcome {
    match (case.action(), case.change.id.mode()) {
        // L146: in a destroy plan both are null.
        (Action::Delete, Some(ResourceMode::Data)) => sides(case, !case.change.before.is_null(), false),
        (Action::Delete | Action::Forget, _) => sides(case, true, false),
        _ => CheckOutcome::DoesNotApply,
    }
}

fn read(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::Read {
        return CheckOutcome::DoesNotApply;
    }
    // 0.15 has the stored object before a read.
    case.since(Release::new(1, 11), Release::new(1, 11), || sides(case, false, true))
}

fn mode(case: &ChangeCase<'_>) -> CheckOutcome {
    let Some(mode) = case.change.id.mode() else { return CheckOutcome::DoesNotApply };
    match (mode, case.action()) {
        (ResourceMode::Data, Action::Read | Action::Delete | Action::NoOp) => CheckOutcome::Held,
        (ResourceMode::Data, action) => {
            CheckOutcome::hold(false, || format!("{action} of a data resource; expected Read"))
        }
        (_, action) => {
            CheckOutcome::hold(action != Action::Read, || "Read of a managed resource; expected another action".into())
        }
    }
}

fn deposed(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.change.id.deposed.is_none() {
        return CheckOutcome::DoesNotApply;
    }
    let action = case.action();
    let is_one = matches!(action, Action::Delete | Action::Forget | Action::NoOp);
    CheckOutcome::hold(is_one, || format!("{action} of a deposed object; expected Delete, Forget or NoOp"))
}
