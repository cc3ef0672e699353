//! Faults planted in the result of a plan walk.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    Configured, Diagnostic, IgnoreChanges, KeyKind, Plan, PlanRequest, Presence, Provider, Refusal, Severity,
    ValidateConfig, summary,
};
use planfuzz_core::plans::{Action, ActionReason, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::state::{Status, Stored};
use planfuzz_core::value::{PathSet, Text, Tri, Type, WrittenPath, equals};

use super::super::catalogue::Fault;
use super::between::Calls;
use super::paths::covers;
use super::{Walks, marks, provider, value_of};

/// Alters the plan.
///
/// # Errors
/// Refuses where the reference does when further calls are made.
pub(super) fn spoil(
    walks: &Walks<'_>,
    fault: Fault,
    request: &PlanRequest,
    calls: &Calls,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    refreshed(walks, fault, request, calls, plan);
    whole(fault, request, plan);
    diagnostics(walks, fault, calls, plan)?;
    let Plan { previous_run, refreshed, changes, .. } = plan;
    let Some(of) = changes.iter_mut().find(|of| of.deposed.is_none()) else { return Ok(()) };
    let known_as = [previous_run.current.as_ref(), refreshed.current.as_ref()];
    action(fault, of);
    reason(fault, request, of);
    if let Some(configured) = request.presence.configured() {
        altered_marks(walks, fault, configured, calls, of);
        marks::planned(fault, configured, calls, of);
        replacement(fault, configured, calls, of);
    }
    match fault {
        Fault::DeleteUntyped if of.change.action == Action::Delete => of.change.after = Marked::null(Type::Dynamic),
        Fault::DeletePrivateOfObject if of.change.action == Action::Delete => {
            of.private = known_as[1].map(|object| object.private.clone()).unwrap_or_default();
        }
        Fault::ForgetKeepsPrivate if of.change.action == Action::Forget => {
            of.private = request.state.current.as_ref().map(|object| object.private.clone()).unwrap_or_default();
        }
        Fault::SavedPlanForgets => {
            changes.iter_mut().for_each(marks::forget);
            changes.iter_mut().for_each(|of| of.required_replace = PathSet::EMPTY);
        }
        Fault::ImportUnsaid => of.change.importing = None,
        Fault::RequestPathsUnrecorded if of.reason == ActionReason::ReplaceByRequest => {
            of.required_replace = PathSet::EMPTY;
        }
        Fault::OrphanOfOtherEngine if of.change.action == Action::Delete && request.mode == Mode::Normal => {
            let other = usize::from(!walks.dialect.refreshes_orphans_first());
            if let Some((object, value)) = known_as[other].and_then(|object| Some((object, value_of(object)?))) {
                of.change.before = Marked::new(value.clone(), &object.sensitive);
            }
        }
        Fault::DataBeforePrior if of.change.action == Action::Read => {
            if let Some(value) = request.state.current.as_ref().and_then(value_of) {
                of.change.before = Marked::plain(value.clone());
            }
        }
        _ => {}
    }
    Ok(())
}

/// Makes additional calls after a plan walk.
pub(super) fn ask_more(fault: Fault, request: &PlanRequest, plan: &Plan, provider: &mut dyn Provider) {
    let is_refused =
        plan.diagnostics.iter().any(|diagnostic| diagnostic.is_error() && diagnostic.summary == summary::PRECONDITION);
    if let (Fault::PreconditionAfterValidate, true, Some(configured)) =
        (fault, is_refused, request.presence.configured())
    {
        provider.validate(ValidateConfig { config: configured.config.value().clone() });
    }
}

fn refreshed(walks: &Walks<'_>, fault: Fault, request: &PlanRequest, calls: &Calls, plan: &mut Plan) {
    let Some(current) = &mut plan.refreshed.current else { return };
    match fault {
        Fault::RefreshClearsTaint if !request.options.skip_refresh => current.status = Status::Ready,
        Fault::RefreshForgetsDependencies if !request.options.skip_refresh => {
            if let Some(configured) = request.presence.configured() {
                current.dependencies = addresses(configured);
            }
        }
        Fault::DependenciesUnsorted if !calls.reads.is_empty() => {
            if let Some(configured) = request.presence.configured() {
                unsorted(configured, &mut current.dependencies);
            }
        }
        Fault::NullBlocksStored if !calls.reads.is_empty() && marks::has_legacy_answer(calls) => {
            let nulls = value_of(current).and_then(|value| provider::without_blocks(walks.schema, value).ok());
            current.stored = nulls.map_or_else(|| current.stored.clone(), Stored::Value);
        }
        _ => {}
    }
}

/// The same addresses in the order in which they were collected: those of the configuration first (B091).
pub(super) fn unsorted(configured: &Configured, stored: &mut Vec<Text>) {
    let mut collected: Vec<Text> = Vec::with_capacity(stored.len());
    for address in configured.dependencies.iter().map(|of| &of.address).chain(&*stored) {
        if stored.contains(address) && !collected.contains(address) {
            collected.push(address.clone());
        }
    }
    *stored = collected;
}

/// The addresses of the dependencies (L18).
fn addresses(configured: &Configured) -> Vec<Text> {
    let mut addresses: Vec<Text> = configured.dependencies.iter().map(|of| of.address.clone()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

fn whole(fault: Fault, request: &PlanRequest, plan: &mut Plan) {
    let is_import = plan.changes.iter().any(|of| of.change.importing.is_some());
    match fault {
        Fault::DataOrphanVisible if request.kind == ResourceKind::Data => {
            let stored = request.state.current.as_ref().and_then(value_of);
            if let (Presence::Orphan(_), Some(value)) = (&request.presence, stored) {
                plan.working = Some(Marked::plain(value.clone()));
            }
        }
        Fault::DeposedGoneDropped => {
            plan.changes.retain(|of| of.deposed.is_none() || of.change.action != Action::NoOp);
        }
        Fault::ImportNotPrevious if is_import => plan.previous_run.current = None,
        Fault::ImportNotApplyable if is_import => {
            plan.applyable &= plan.changes.iter().any(|of| of.change.action != Action::NoOp);
        }
        Fault::ErroredApplyable if plan.is_errored() => {
            plan.applyable = plan.changes.iter().any(|of| !of.is_empty());
        }
        Fault::MarksNoDrift => {
            let is_of_marks = plan
                .drift
                .as_ref()
                .is_some_and(|drift| drift.action == Action::Update && drift.before.value() == drift.after.value());
            if is_of_marks {
                plan.drift = None;
            }
        }
        Fault::PreventedUnrecorded if plan.diagnostics.iter().any(|diagnostic| diagnostic.rule == "L111") => {
            plan.changes.retain(|of| of.deposed.is_some());
        }
        _ => {}
    }
}

fn diagnostics(walks: &Walks<'_>, fault: Fault, calls: &Calls, plan: &mut Plan) -> Result<(), Refusal> {
    match fault {
        Fault::ReplacementNotPrevented => {
            let is_replaced = |of: &ResourceInstanceChange| of.deposed.is_none() && of.change.action.is_replace();
            if plan.changes.iter().any(is_replaced) {
                let prevented = walks.dialect.destruction_prevented();
                plan.diagnostics.retain(|diagnostic| diagnostic.summary != prevented);
            }
        }
        Fault::SecondCallChecked => {
            if let (false, Some((asked, answer))) = (plan.is_errored(), calls.second_plan()) {
                let found = walks.reference.assert_plan_valid(&asked.prior, &asked.config, &answer.planned)?;
                let blamed = found.iter().map(|violation| WrittenPath::from(&violation.path));
                plan.diagnostics.extend(blamed.map(|path| Diagnostic::error(summary::INVALID_PLAN, path, "L47")));
            }
        }
        Fault::WarningsOfNothingImported if plan.diagnostics.iter().any(|of| of.summary == summary::IMPORT_ABSENT) => {
            let warned = calls.reads.iter().flat_map(|(_, answer)| &answer.remarks);
            let kept = warned.filter(|remark| remark.severity == Severity::Warning);
            plan.diagnostics.extend(kept.map(|remark| Diagnostic {
                severity: remark.severity,
                summary: remark.summary.as_str().to_owned().into(),
                path: WrittenPath::default(),
                rule: "L21",
            }));
        }
        Fault::WriteOnlyBesideUnknownUnreported => {
            let is_root = |diagnostic: &Diagnostic| diagnostic.path == WrittenPath::default();
            let of_upgrade = |diagnostic: &Diagnostic| diagnostic.summary == summary::INVALID_STATE_UPGRADE;
            if plan.diagnostics.iter().any(|diagnostic| of_upgrade(diagnostic) && is_root(diagnostic)) {
                plan.diagnostics.retain(|diagnostic| !of_upgrade(diagnostic) || is_root(diagnostic));
            }
        }
        _ => {}
    }
    Ok(())
}

fn action(fault: Fault, of: &mut ResourceInstanceChange) {
    if of.change.action != Action::Update {
        return;
    }
    let (before, after) = (&of.change.before, &of.change.after);
    let are_equal = before.value() == after.value();
    let is_no_change = match fault {
        Fault::UnknownIsNoChange => equals(before.value().view(), after.value().view()) == Tri::Unknown,
        Fault::MarksCounted => are_equal && before.sensitive().len() == after.sensitive().len(),
        Fault::MarksAloneNoUpdate => are_equal,
        _ => false,
    };
    if is_no_change {
        of.change.action = Action::NoOp;
    }
}

fn reason(fault: Fault, request: &PlanRequest, of: &mut ResourceInstanceChange) {
    let is_tainted = request.state.current.as_ref().is_some_and(|object| object.status == Status::Tainted);
    let is_numbered = matches!(&request.presence, Presence::Orphan(orphan) if orphan.key == KeyKind::Index);
    let is_pending = request.presence.configured().is_some_and(|configured| {
        let mut actions = configured.dependencies.iter().flat_map(|of| &of.actions);
        actions.any(|action| *action != Action::NoOp)
    });
    of.reason = match (fault, of.reason) {
        (Fault::TaintLosesToRequest, ActionReason::ReplaceBecauseTainted) if request.options.replace => {
            ActionReason::ReplaceByRequest
        }
        (Fault::TaintWinsOverTrigger, ActionReason::ReplaceByTriggers) if is_tainted => {
            ActionReason::ReplaceBecauseTainted
        }
        (Fault::DeleteBecauseTainted, _) if is_tainted && of.change.action == Action::Delete => {
            ActionReason::ReplaceBecauseTainted
        }
        (Fault::MovedOrphanUnsaid, ActionReason::DeleteBecauseNoMoveTarget) => {
            ActionReason::DeleteBecauseNoResourceConfig
        }
        (Fault::WrongRepetitionAsIndex, ActionReason::DeleteBecauseWrongRepetition) if is_numbered => {
            ActionReason::DeleteBecauseCountIndex
        }
        (Fault::UnknownConfigUnsaid, ActionReason::ReadBecauseConfigUnknown) if is_pending => {
            ActionReason::ReadBecauseDependencyPending
        }
        (_, right) => right,
    };
}

fn altered_marks(
    walks: &Walks<'_>,
    fault: Fault,
    configured: &Configured,
    calls: &Calls,
    of: &mut ResourceInstanceChange,
) {
    let after = &of.change.after;
    let config = configured.config.sensitive();
    let marks = match fault {
        Fault::SchemaMarksForgotten if matches!(of.change.action, Action::Create | Action::Update) => config.clone(),
        Fault::SecondCallSchemaMarks if calls.second_plan().is_some() && of.change.action.is_replace() => {
            let of_schema = walks.schema.sensitive_paths(after.value().view(), walks.dialect).unwrap_or_default();
            after.sensitive().union(&of_schema.iter().map(WrittenPath::from).collect())
        }
        Fault::IgnoredMarksSurvive if !of.change.before.is_null() && !of.change.action.is_replace() => {
            let is_ignored = |path: &&WrittenPath| match &configured.lifecycle.ignore_changes {
                IgnoreChanges::All => true,
                IgnoreChanges::Some(entries) => entries.iter().any(|entry| covers(entry, path)),
            };
            after.sensitive().union(&config.iter().filter(is_ignored).cloned().collect())
        }
        _ => return,
    };
    of.change.after = Marked::new(after.value().clone(), &marks);
    let differ = of.change.after.sensitive() != of.change.before.sensitive();
    if fault == Fault::IgnoredMarksSurvive && of.change.action == Action::NoOp && differ {
        of.change.action = Action::Update;
    }
}

/// Makes a change a replacement if the provider was forced to plan one.
fn replacement(fault: Fault, configured: &Configured, calls: &Calls, of: &mut ResourceInstanceChange) {
    let (Fault::EveryPathReplaces, Some((second, paths))) = (fault, &calls.forced) else { return };
    if !matches!(of.change.action, Action::NoOp | Action::Update) {
        return;
    }
    let lifecycle = &configured.lifecycle;
    let creates_first = lifecycle.create_before_destroy || lifecycle.forced_create_before_destroy;
    of.change.action = if creates_first { Action::CreateThenDelete } else { Action::DeleteThenCreate };
    of.change.after = Marked::new(second.planned.clone(), configured.config.sensitive());
    of.reason = ActionReason::ReplaceBecauseCannotUpdate;
    of.required_replace = paths.iter().cloned().collect();
    of.private = second.private.clone();
}
