//! The reasons for replacing a configured object (sections 9 and 10).

use super::Lifecycle;
use super::calls::{Calls, Part, value_of};
use super::findings::Findings;
use super::fits::{self, Asked};
use super::id::Id;
use planfuzz_core::planner::{PlanAnswer, PlanChange, PlanWalk};
use planfuzz_core::plans::{Action, ActionReason, Mode, ResourceInstanceChange};
use planfuzz_core::state::Status;
use planfuzz_core::value::WrittenPath;

/// Whether the refreshed object is tainted.
pub(super) fn is_tainted(walk: &PlanWalk) -> bool {
    let current = walk.plan.refreshed.current.as_ref();
    current.is_some_and(|object| object.status == Status::Tainted && value_of(object).is_none_or(|of| !of.is_null()))
}

/// Whether an action replaces an object by a new one.
pub(super) fn is_replacement(action: Action) -> bool {
    action.is_replace() || action == Action::ForgetThenCreate
}

/// I13, I15, I17, I18 for the change of a configured object whose first plan call this is.
pub(super) fn check(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    calls: &Calls<'_>,
    walk: &PlanWalk,
    change: &ResourceInstanceChange,
    (request, answer): (&PlanChange, &PlanAnswer),
) {
    if walk.request.mode != Mode::Normal {
        return;
    }
    let is_replaced = is_replacement(change.change.action);
    if is_replaced {
        has_true_reason(findings, calls, walk, change);
    }
    let is_asked_for = calls.options.replace && !request.prior.is_null();
    findings.hold(Id::I15, is_replaced || !is_asked_for, || {
        format!("expected the replacement that the user asks for, found {}", change.change.action)
    });
    let has_second = calls.find(Part::Second).is_some();
    findings.hold(Id::I13, is_replaced || !has_second, || {
        format!("expected one plan call for {}, found two", change.change.action)
    });
    if calls.ignores() && answer.legacy_type_system {
        // L42 changes the answer before its paths are looked at.
        return;
    }
    let asked = |path: &WrittenPath| match request.prior.is_null() {
        true => Asked::Unchanged,
        false => fits::asked(of.schema, &request.prior, &answer.planned, path),
    };
    let asked: Vec<_> = answer.requires_replace.iter().map(|path| (path, asked(path))).collect();
    if asked.iter().any(|(_, asked)| *asked == Asked::Open) {
        return;
    }
    kept_paths(findings, change, &asked);
    let is_kept = asked.iter().any(|(_, asked)| *asked == Asked::Kept);
    findings.hold(Id::I15, !is_kept || is_replacement(change.change.action), || {
        format!("expected a replacement, as a path that requires one changes, found {}", change.change.action)
    });
    let blames_provider = change.reason == ActionReason::ReplaceBecauseCannotUpdate;
    findings.hold(Id::I13, is_kept || !blames_provider, || {
        "expected no replacement, as no path that requires one changes".to_owned()
    });
}

/// I13, I18: the paths that the change keeps.
fn kept_paths(findings: &mut Findings, change: &ResourceInstanceChange, asked: &[(&WrittenPath, Asked)]) {
    let is_replacement = is_replacement(change.change.action);
    for (path, asked) in asked {
        let is_stored = change.required_replace.contains(path);
        if *asked == Asked::Kept {
            let message = || "expected a path that requires replacement to be kept, found none".to_owned();
            findings.hold_at(Id::I18, is_stored || !is_replacement, || ((*path).clone(), message()));
        } else {
            let message = || "expected no path that does not change, found one".to_owned();
            findings.hold_at(Id::I13, !is_stored, || ((*path).clone(), message()));
        }
    }
    let given: std::collections::BTreeSet<_> = asked.iter().map(|(path, _)| *path).collect();
    for path in change.required_replace.iter() {
        let message = || "expected a path that the provider gave, found another".to_owned();
        findings.hold_at(Id::I18, given.contains(path), || (path.clone(), message()));
    }
    if is_replacement && change.reason == ActionReason::ReplaceBecauseCannotUpdate {
        let message = || "expected paths that require the replacement, found none".to_owned();
        findings.hold(Id::I18, !change.required_replace.is_empty(), message);
    }
}

/// I17: the reason.
fn has_true_reason(findings: &mut Findings, calls: &Calls<'_>, walk: &PlanWalk, change: &ResourceInstanceChange) {
    let triggers = calls.configured().is_some_and(|configured| !configured.lifecycle.replace_triggered_by.is_empty());
    let holds = match change.reason {
        ActionReason::ReplaceBecauseTainted => is_tainted(walk),
        ActionReason::ReplaceByRequest => calls.options.replace && !is_tainted(walk),
        ActionReason::ReplaceBecauseCannotUpdate => !calls.options.replace && !is_tainted(walk),
        ActionReason::ReplaceByTriggers => triggers,
        _ => false,
    };
    findings.hold(Id::I17, holds, || format!("expected a true reason for a replacement, found {}", change.reason));
}
