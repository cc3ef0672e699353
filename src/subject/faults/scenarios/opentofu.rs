//! Faults in decisions where OpenTofu differs from Terraform: each answers as Terraform would, or as an incomplete implementation.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Engine;
use planfuzz_core::planner::{
    ApplyRequest, Configured, Plan, PlanRequest, Presence, Provider, ReadResource, ValidateConfig, summary,
};
use planfuzz_core::plans::{Action, ActionReason, Marked};
use planfuzz_core::state::{InstanceState, Object, Private};
use planfuzz_core::value::{PathSet, Type, Value, ValueError, WrittenPath};

use super::super::catalogue::Fault;
use super::between::Calls;
use super::{Walks, value_of};

/// Alters the request of a plan walk.
pub(super) fn asked(walks: &Walks<'_>, fault: Fault, request: &mut PlanRequest) {
    if walks.dialect.engine() != Engine::OpenTofu {
        return;
    }
    let PlanRequest { state, presence, options, .. } = request;
    match (fault, presence) {
        (Fault::OpenTofuFlagUnreadBesideBlock, Presence::Orphan(orphan)) if orphan.block => {
            state.current.iter_mut().for_each(|object| object.skip_destroy = false);
        }
        (Fault::OpenTofuDeposedFlagUnread, _) => {
            state.deposed.values_mut().for_each(|object| object.skip_destroy = false);
        }
        (Fault::OpenTofuRemovedDeposedUnrefreshed, Presence::Removed(_)) if state.current.is_none() => {
            options.skip_refresh = true;
        }
        _ => {}
    }
}

/// Alters the answer to a read.
pub(super) fn read(fault: Fault, new_state: Value) -> Value {
    if fault != Fault::OpenTofuReadUnknownsNulled || new_state.is_wholly_known() {
        return new_state;
    }
    let known = new_state.view().transform(&mut |_, part| {
        Ok::<_, ValueError>(if part.is_unknown() { Value::null(part.ty().clone()) } else { part })
    });
    known.unwrap_or(new_state)
}

/// Alters the plan.
pub(super) fn planned(walks: &Walks<'_>, fault: Fault, request: &PlanRequest, plan: &mut Plan) {
    if walks.dialect.engine() != Engine::OpenTofu {
        return;
    }
    let is_forgotten = |diagnostic: &_| is(diagnostic, summary::FORGOTTEN);
    match fault {
        Fault::OpenTofuForgetUnexplained => {
            let forgotten = plan.changes.iter_mut().filter(|of| of.change.action == Action::Forget);
            let is_by_lifecycle = |reason| {
                matches!(
                    reason,
                    ActionReason::ForgotBecauseLifecycleDestroyInConfig
                        | ActionReason::ForgotBecauseLifecycleDestroyInState
                )
            };
            for change in forgotten.filter(|of| !is_by_lifecycle(of.reason)) {
                change.reason = ActionReason::None;
            }
        }
        Fault::OpenTofuForgetUnreported => plan.diagnostics.retain(|diagnostic| !is_forgotten(diagnostic)),
        Fault::OpenTofuAbsentDeposedPassedBy => {
            for of in &mut plan.changes {
                if of.change.action == Action::Forget && of.change.before.is_null() {
                    of.reason = ActionReason::None;
                    of.change.action = Action::NoOp;
                    of.change.before = Marked::null(Type::Dynamic);
                    of.change.after = Marked::null(Type::Dynamic);
                    let warning = plan.diagnostics.iter().position(is_forgotten);
                    warning.map(|index| plan.diagnostics.remove(index));
                }
            }
        }
        Fault::OpenTofuImportUnmarked if plan.changes.iter().any(|of| of.change.importing.is_some()) => {
            plan.previous_run.current.iter_mut().for_each(|object| object.sensitive = PathSet::EMPTY);
        }
        Fault::OpenTofuImportFlagUnstored if plan.changes.iter().any(|of| of.change.importing.is_some()) => {
            plan.refreshed.current.iter_mut().for_each(|object| {
                (object.create_before_destroy, object.skip_destroy) = (false, false);
            });
        }
        Fault::OpenTofuDataMarkedBySchema if request.kind == ResourceKind::Data => {
            mark_by_schema(walks, &mut plan.refreshed);
        }
        _ => {}
    }
}

/// Makes additional calls after a plan walk.
pub(super) fn ask_more(
    walks: &Walks<'_>,
    fault: Fault,
    (request, calls): (&PlanRequest, &Calls),
    plan: &Plan,
    provider: &mut dyn Provider,
) {
    let has_diagnostic = |summary| plan.diagnostics.iter().any(|diagnostic| is(diagnostic, summary));
    if walks.dialect.engine() != Engine::OpenTofu {
        return;
    }
    match (fault, &request.presence) {
        (Fault::OpenTofuManyImportedRead, _) if has_diagnostic(summary::IMPORT_MANY) && calls.reads.is_empty() => {
            let current = Value::null(walks.schema.implied_type(walks.dialect));
            provider.read(ReadResource { current, private: Private::NONE });
        }
        (Fault::OpenTofuEphemeralValidated, Presence::Configured(configured))
            if has_diagnostic(summary::EPHEMERAL_CONTEXT) =>
        {
            provider.validate(ValidateConfig { config: Configured::at_static_validation(configured) });
        }
        _ => {}
    }
}

/// Alters the saved state of an apply.
pub(super) fn saved(walks: &Walks<'_>, fault: Fault, request: &ApplyRequest, state: &mut InstanceState) {
    if walks.dialect.engine() != Engine::OpenTofu {
        return;
    }
    match (fault, &request.presence) {
        (Fault::OpenTofuForcedFlagSaved, Presence::Configured(configured)) => {
            let acts = request.changes.iter().any(|of| {
                let action = of.change.action;
                of.deposed.is_none() && (matches!(action, Action::Create | Action::Update) || action.is_replace())
            });
            if acts && configured.lifecycle.forced_create_before_destroy {
                state.current.iter_mut().for_each(|object| object.create_before_destroy = true);
            }
        }
        (Fault::OpenTofuDataMarkedBySchema, _) if request.kind == ResourceKind::Data => mark_by_schema(walks, state),
        _ => {}
    }
}

fn mark_by_schema(walks: &Walks<'_>, state: &mut InstanceState) {
    let Some(object) = &mut state.current else { return };
    let paths = |object: &Object| walks.schema.sensitive_paths(value_of(object)?.view(), walks.dialect).ok();
    if let Some(paths) = paths(object) {
        let marks: PathSet = paths.iter().map(WrittenPath::from).collect();
        object.sensitive = object.sensitive.union(&marks);
    }
}

fn is(diagnostic: &planfuzz_core::planner::Diagnostic, summary: &str) -> bool {
    diagnostic.summary == summary
}
