//! Checks of reasons, and of the actions that they go with (PL12, L127, L128).

use planfuzz_core::address::InstanceKey;
use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::{Action, ActionReason, Mode};

use crate::artifact::Release;
use crate::lint::case::{ChangeCase, List};
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault, Why};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "PL12-reason-action",
        severity: Severity::Error,
        must: "A reason goes with the action.",
        spec: "plans.md section 4",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(action),
    },
    Check {
        id: "PL12-reason-known",
        severity: Severity::Error,
        must: "A reason is one that the engine has.",
        spec: "plans.md section 4",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(known),
    },
    Check {
        id: "I17-replace-reason",
        severity: Severity::Error,
        must: "A replacement has a reason.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(replacement),
    },
    Check {
        id: "L128-no-reason",
        severity: Severity::Error,
        must: "Deposed objects, and all in a destroy plan, are destroyed without a reason.",
        spec: "lifecycle.md section 12",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(none),
    },
    Check {
        id: "L127-reason-key",
        severity: Severity::Error,
        must: "The reason for a destruction fits the address: an index for the count, a string for each, a module for a module.",
        spec: "lifecycle.md section 12",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(key),
    },
    Check {
        id: "L141-read-reason",
        severity: Severity::Error,
        must: "A read has a reason.",
        spec: "lifecycle.md section 13",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(read),
    },
];

/// The table of PL12.
fn goes_with(reason: ActionReason, action: Action) -> bool {
    let replaces = action.is_replace() || action == Action::ForgetThenCreate;
    match reason {
        ActionReason::None => true,
        ActionReason::ReplaceBecauseTainted
        | ActionReason::ReplaceByRequest
        | ActionReason::ReplaceBecauseCannotUpdate => replaces,
        ActionReason::ReplaceByTriggers => replaces || action == Action::Create,
        // T11 keeps the reason where the object is only forgotten (L129).
        ActionReason::DeleteBecauseNoResourceConfig
        | ActionReason::DeleteBecauseWrongRepetition
        | ActionReason::DeleteBecauseCountIndex
        | ActionReason::DeleteBecauseEachKey
        | ActionReason::DeleteBecauseNoModule
        | ActionReason::DeleteBecauseNoMoveTarget
        | ActionReason::DeleteBecauseEnabledFalse => matches!(action, Action::Delete | Action::Forget),
        ActionReason::ReadBecauseConfigUnknown
        | ActionReason::ReadBecauseDependencyPending
        | ActionReason::ReadBecauseCheckNested => action == Action::Read,
        ActionReason::ForgotBecauseLifecycleDestroyInState | ActionReason::ForgotBecauseLifecycleDestroyInConfig => {
            matches!(action, Action::Forget | Action::ForgetThenCreate)
        }
    }
}

fn action(case: &ChangeCase<'_>) -> CheckOutcome {
    let Some(reason) = case.change.reason.filter(|reason| *reason != ActionReason::None) else {
        return CheckOutcome::DoesNotApply;
    };
    let action = case.action();
    CheckOutcome::hold(goes_with(reason, action), || {
        format!("{action} for the reason {}, which goes with other actions", reason.name())
    })
}

fn known(case: &ChangeCase<'_>) -> CheckOutcome {
    let producer = &case.file.artifact.producer;
    match case.change.reason {
        Some(ActionReason::None) => CheckOutcome::DoesNotApply,
        None => match producer.is_since(Release::new(1, 18), Release::new(1, 14)) {
            None => CheckOutcome::Cannot(Why::NoVersion),
            Some(true) => CheckOutcome::Cannot(Why::OtherVersion),
            Some(false) => {
                CheckOutcome::hold(false, || format!("a reason that {producer} does not have; expected one of its own"))
            }
        },
        Some(reason) => {
            let is_opentofu = matches!(
                reason,
                ActionReason::DeleteBecauseEnabledFalse
                    | ActionReason::ForgotBecauseLifecycleDestroyInState
                    | ActionReason::ForgotBecauseLifecycleDestroyInConfig
            );
            CheckOutcome::hold(!is_opentofu || producer.engine == Engine::OpenTofu, || {
                format!("the reason {}, which only OpenTofu has, in a plan of {producer}", reason.name())
            })
        }
    }
}

fn replacement(case: &ChangeCase<'_>) -> CheckOutcome {
    if !case.action().is_replace() || case.list != List::Changes {
        return CheckOutcome::DoesNotApply;
    }
    // 0.15 has reasons, but not in JSON; files of 1.7 have them.
    case.since(Release::new(1, 2), Release::new(1, 6), || {
        CheckOutcome::hold(case.change.reason != Some(ActionReason::None), || {
            format!("{} without a reason; expected why it is replaced", case.action())
        })
    })
}

fn none(case: &ChangeCase<'_>) -> CheckOutcome {
    let destroys = case.file.plan().is_some_and(|plan| plan.mode == Some(Mode::Destroy));
    if case.action() != Action::Delete || case.list != List::Changes || !(destroys || case.change.id.deposed.is_some())
    {
        return CheckOutcome::DoesNotApply;
    }
    let what = if destroys { "in a destroy plan" } else { "of a deposed object" };
    CheckOutcome::hold(case.change.reason == Some(ActionReason::None), || {
        format!("Delete {what} with a reason; expected none")
    })
}

fn key(case: &ChangeCase<'_>) -> CheckOutcome {
    let (Some(reason), Some(address)) = (case.change.reason, &case.change.id.address) else {
        return CheckOutcome::DoesNotApply;
    };
    let (fits, wanted) = match reason {
        ActionReason::DeleteBecauseCountIndex => (matches!(address.key, InstanceKey::Int(_)), "a whole number as key"),
        ActionReason::DeleteBecauseEachKey => (matches!(address.key, InstanceKey::Text(_)), "a string as key"),
        ActionReason::DeleteBecauseNoModule => (!address.module.is_root(), "an instance of a module"),
        _ => return CheckOutcome::DoesNotApply,
    };
    CheckOutcome::none(match fits {
        true => Vec::new(),
        false => vec![Fault::new(format!("the reason {}; expected {wanted} in the address", reason.name()))],
    })
}

fn read(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.action() != Action::Read || case.list != List::Changes {
        return CheckOutcome::DoesNotApply;
    }
    // Files of 1.5 have reasons, those of 0.15 do not.
    case.since(Release::new(1, 5), Release::new(1, 6), || {
        CheckOutcome::hold(case.change.reason != Some(ActionReason::None), || {
            "Read without a reason; expected why it is put off to the apply".to_owned()
        })
    })
}
