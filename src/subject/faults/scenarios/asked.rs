//! Faults planted in the requests to the planner.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    ApplyRequest, Configured, IgnoreChanges, Link, PlanRequest, Presence, PreventDestroy, Trigger,
};
use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::state::{InstanceState, Status};
use planfuzz_core::value::{Tri, Type, Value, WrittenPath, WrittenStep};

use super::super::catalogue::Fault;
use super::paths::{at, split_last};
use super::value_of;

/// Alters the request of a plan walk.
pub(super) fn plan(fault: Fault, dialect: Dialect, request: &mut PlanRequest) {
    match fault {
        Fault::RefreshNotSkipped => request.options.skip_refresh = false,
        Fault::RequestEndsTriggers if request.options.replace => {
            if let Presence::Configured(configured) = &mut request.presence {
                configured.lifecycle.replace_triggered_by.clear();
            }
        }
        _ => presence(fault, dialect, request.kind, &request.state, &mut request.presence),
    }
}

/// Alters the request of an apply walk.
pub(super) fn apply(fault: Fault, dialect: Dialect, request: &mut ApplyRequest) {
    match fault {
        Fault::OrderDecidedAnew => decide_order(request),
        Fault::NoOpConditionsSkipped => {
            let stays = request.changes.iter().any(|of| of.deposed.is_none() && of.change.action == Action::NoOp);
            if let (true, Presence::Configured(configured)) = (stays, &mut request.presence) {
                configured.preconditions.clear();
            }
        }
        Fault::TaintedProvisioned => {
            let destroys = |action| matches!(action, Action::Delete | Action::DeleteThenCreate);
            let is_destroyed = request.changes.iter().any(|of| of.deposed.is_none() && destroys(of.change.action));
            if let (true, Some(current)) = (is_destroyed, &mut request.state.current) {
                current.status = Status::Ready;
            }
        }
        _ => presence(fault, dialect, request.kind, &request.state, &mut request.presence),
    }
}

fn decide_order(request: &mut ApplyRequest) {
    let Presence::Configured(configured) = &request.presence else { return };
    let lifecycle = &configured.lifecycle;
    let creates_first = lifecycle.create_before_destroy || lifecycle.forced_create_before_destroy;
    for of in &mut request.changes {
        if matches!(of.change.action, Action::DeleteThenCreate | Action::CreateThenDelete) {
            of.change.action = if creates_first { Action::CreateThenDelete } else { Action::DeleteThenCreate };
        }
    }
}

fn presence(fault: Fault, dialect: Dialect, kind: ResourceKind, state: &InstanceState, presence: &mut Presence) {
    match presence {
        Presence::Configured(configured) => {
            ignore(fault, configured, state);
            trigger(fault, dialect, configured);
            other_facts(fault, kind, configured);
        }
        Presence::Orphan(orphan) if fault == Fault::OrphanMayBeDestroyed => {
            orphan.prevent_destroy = PreventDestroy::No;
        }
        Presence::Removed(orphan) if fault == Fault::RemovedDestroyed => {
            *presence = Presence::Orphan(orphan.clone());
        }
        Presence::Orphan(_) | Presence::Removed(_) => {}
    }
}

/// Removes the entries of `ignore_changes` that have no effect.
fn ignore(fault: Fault, configured: &mut Configured, state: &InstanceState) {
    let prior = state.current.as_ref().and_then(value_of).cloned();
    let config = configured.config.value();
    let IgnoreChanges::Some(entries) = &mut configured.lifecycle.ignore_changes else { return };
    match fault {
        Fault::IgnoredUnknownKept => {
            entries.retain(|entry| at(config, entry).is_none_or(|part| !part.is_unknown()));
        }
        Fault::IgnoreKeyNeedsMap => entries.retain(|entry| !has_key(entry) || is_of_map(config, entry)),
        Fault::IgnoreAbsentKeyKept => {
            entries.retain(|entry| !is_of_map(config, entry) || is_there(prior.as_ref(), entry));
        }
        Fault::IgnoreIndexDropped => {
            entries.retain(|entry| !matches!(entry.steps().last(), Some(WrittenStep::Index(_))));
        }
        _ => {}
    }
}

fn has_key(entry: &WrittenPath) -> bool {
    matches!(entry.steps().last(), Some(WrittenStep::Key(_)))
}

fn is_there(prior: Option<&Value>, entry: &WrittenPath) -> bool {
    prior.is_none_or(|prior| at(prior, entry).is_some())
}

fn is_of_map(config: &Value, entry: &WrittenPath) -> bool {
    let map = split_last(entry).and_then(|(outer, _)| at(config, &outer));
    has_key(entry) && map.is_some_and(|map| matches!(map.ty(), Type::Map(_)))
}

fn trigger(fault: Fault, dialect: Dialect, configured: &mut Configured) {
    for Trigger { changes, attribute } in &mut configured.lifecycle.replace_triggered_by {
        if fault == Fault::TriggerAttributeIgnored {
            *attribute = None;
        }
        for change in changes {
            match fault {
                Fault::TriggerUpdateOnly if change.action.is_replace() => change.action = Action::NoOp,
                Fault::TriggerOnCreate if !dialect.is_triggered_by_creation() && change.action == Action::Create => {
                    change.action = Action::Update;
                }
                Fault::TriggerMarksIgnored => {
                    change.before = Marked::plain(change.before.value().clone());
                    change.after = Marked::plain(change.after.value().clone());
                }
                _ => {}
            }
        }
    }
}

fn other_facts(fault: Fault, kind: ResourceKind, configured: &mut Configured) {
    match fault {
        Fault::IndirectDependencyRead | Fault::ReferenceNotWaitedFor if kind == ResourceKind::Data => {
            let link = if fault == Fault::ReferenceNotWaitedFor { Link::Reference } else { Link::Transitive };
            let unseen = configured.dependencies.iter_mut().filter(|dependency| dependency.link == link);
            unseen.for_each(|dependency| dependency.actions.clear());
        }
        Fault::CheckNestedUnsaid => configured.in_check = false,
        Fault::UnknownConditionFails => {
            let conditions = configured.preconditions.iter_mut().chain(&mut configured.postconditions);
            conditions.filter(|holds| **holds == Tri::Unknown).for_each(|holds| *holds = Tri::False);
        }
        Fault::PostconditionsUnheld => configured.postconditions.clear(),
        Fault::ContinueIgnored => {
            configured.provisioners.iter_mut().for_each(|provisioner| provisioner.on_failure_continue = false);
        }
        _ => {}
    }
}
