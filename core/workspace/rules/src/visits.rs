//! Which objects were visited, and what is stored of the others (I123, I128, I131, I137, I157, I160, I167, I171, I179).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{InstanceKey, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Value, raw_equals};
use planfuzz_workspace::canonical_value;
use planfuzz_workspace::{Diagnostic, Outcome, Request};

use crate::configuration::Repeats;
use crate::findings::RuleReport;
use crate::id::Id;
use crate::plan::{is_moved_again, is_selective};
use crate::run::{About, Changed, ObservedCall, PlanView, Run, StateView, StoredObject};
use crate::targets::Targets;

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    blocked(run, held);
    configured(run, held);
    let Some(plan) = &run.plan else { return };
    if run.workspace.options.mode == Mode::Normal && !is_selective(run) && !run.has_errors(0) {
        visited(run, plan, held);
        match &run.prior {
            Some(prior) => closed(plan, prior, held),
            None => held.leave_out("I128: the refreshed state is not known"),
        }
    }
    let Some(after) = &run.after else { return };
    not_held_back(run, plan, held);
    answered(run, after, held);
    known_outputs(run, plan, after, held);
    known_arguments(run, held);
    selected(run, held);
}

/// I123: nothing moves to an address whose object stays. A blocked move is reported, but not beside an error of the walk; a cycle is found
/// after the walk.
fn blocked(run: &Run<'_>, held: &mut RuleReport) {
    let is_blocked_move = |one: &Diagnostic| one.summary == "Unresolved resource instance address changes";
    if run.diagnostics[0].iter().any(is_blocked_move) {
        let is_of_walk = |one: &Diagnostic| one.is_error() && !one.goes_round();
        let has_failed = run.diagnostics[0].iter().any(is_of_walk);
        held.hold(Id::I123, !has_failed, || "a blocked move is reported beside an error".into());
    }
    let changes = run.plan.iter().flat_map(|plan| &plan.changes).filter(|change| change.deposed.is_none());
    let moved: Vec<&Changed> = changes.filter(|change| change.previous.is_some()).collect();
    if is_moved_again(run) {
        return;
    }
    for change in &moved {
        let was_there = run.before.current(&change.address).is_some();
        let went = moved.iter().any(|other| other.previous.as_ref() == Some(&change.address));
        held.hold(Id::I123, !was_there || went, || format!("{} moves to where something is", change.address));
    }
}

/// I137: a configured provider is that of a block, of a stored object, or of an import (G49).
fn configured(run: &Run<'_>, held: &mut RuleReport) {
    for seen in run.calls[0].iter().filter(|seen| matches!(seen.call.request, Request::Configure { .. })) {
        let types = run.workspace.schemas.provider(&seen.call.provider.to_string()).map(|provider| &provider.types);
        let is_its =
            |mode: ResourceMode, name: &str| types.is_some_and(|types| types.contains_key(&(mode, name.to_owned())));
        let of_block = run.configuration.blocks.iter().any(|block| {
            let resource = &block.address.resource;
            is_its(resource.mode, &resource.type_name)
        });
        // A moved object without a block can be of a type that nothing else has.
        let visited = run.calls[0].iter().filter_map(|seen| seen.object());
        let mut objects = run.before.objects.iter().map(|kept| &kept.address).chain(visited);
        // G52: the provider of a stored object is configured even if it lacks the type.
        let quoted = format!("[\"{}\"]", seen.call.provider);
        let of_object = objects.any(|address| is_its(address.resource.mode, &address.resource.type_name))
            || run.before.objects.iter().any(|kept| kept.provider.contains(&quoted));
        let imported = &run.configuration.imported_nowhere;
        let of_import = imported.iter().any(|resource| is_its(resource.mode, &resource.type_name))
            || run.configuration.import_providers.contains(&seen.call.provider.to_string());
        held.hold(Id::I137, of_block || of_object || of_import, || {
            format!("{:?} is configured for nothing", seen.about)
        });
    }
}

/// I131: a single block of the root has a change.
fn visited(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let changed: BTreeSet<String> = plan.changes.iter().map(|change| change.address.to_string()).collect();
    for block in &run.configuration.blocks {
        let is_single = block.repeats_by == Repeats::No && block.address.module.0.is_empty();
        if is_single && block.address.resource.mode == ResourceMode::Managed {
            held.hold(Id::I131, changed.contains(&block.text), || format!("{} has no change", block.text));
        }
    }
}

/// I128: an unchanged object lists everything that the unchanged objects in its list list.
fn closed(plan: &PlanView, prior: &StateView, held: &mut RuleReport) {
    let is_renewed = |change: &&Changed| change.is_no_op() && change.deposed.is_none();
    let renewed: BTreeSet<String> =
        plan.changes.iter().filter(is_renewed).map(|change| change.address.to_string()).collect();
    let mut lists: BTreeMap<String, &Vec<String>> = BTreeMap::new();
    let is_current = |kept: &&crate::run::StoredObject| kept.deposed.is_none() && kept.is_managed;
    for kept in prior.objects.iter().filter(is_current) {
        if renewed.contains(&kept.address.to_string()) {
            lists.insert(kept.address.config_resource().to_string(), &kept.dependencies);
        }
    }
    for (user, list) in &lists {
        for named in list.iter().filter_map(|name| lists.get(name)) {
            let missing = named.iter().find(|name| *name != user && !list.contains(name));
            held.hold(Id::I128, missing.is_none(), || format!("{user} does not list {missing:?}, which it reaches"));
        }
    }
}

/// I157: a change that made no call is related to a failed call, or to another change that made no call for that reason.
fn not_held_back(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let failed: Vec<&ObservedCall> = run.calls[1].iter().filter(|seen| seen.has_failed()).collect();
    let errors = run.diagnostics[1].iter().filter(|one| one.is_error()).count();
    // An error without a call may hold back anything.
    if failed.is_empty() || errors != failed.len() || is_selective(run) {
        return;
    }
    // A failed call without an object, as that of a provider, may hold back any object.
    if failed.iter().any(|seen| seen.object().is_none()) || run.workspace.options.mode == Mode::RefreshOnly {
        return;
    }
    let asked: BTreeSet<_> = run.calls[1].iter().filter_map(ObservedCall::object).collect();
    let acts = |change: &&Changed| {
        let is_due = !change.is_no_op() && !matches!(change.action.as_str(), "read" | "forget");
        is_due && change.address.resource.mode != ResourceMode::Data
    };
    let half = |seen: &'_ ObservedCall| match &seen.call.request {
        Request::Apply { planned, .. } => Some((seen.object()?.clone(), planned.is_null())),
        _ => None,
    };
    let halves: BTreeSet<_> = run.calls[1].iter().filter_map(half).collect();
    let was_made = |change: &Changed, drops: bool| halves.contains(&(change.address.clone(), drops));
    // A replacement with one half held back holds back others, although it made calls itself.
    let is_halved = |change: &&Changed| {
        let is_replacement = matches!(change.action.as_str(), "delete,create" | "create,delete");
        is_replacement && !(was_made(change, true) && was_made(change, false))
    };
    let is_silent = |change: &&Changed| !asked.contains(&change.address) || is_halved(change);
    let unasked = plan.changes.iter().filter(acts).filter(is_silent);
    let mut silent: Vec<(&Changed, String)> =
        unasked.map(|change| (change, change.address.config_resource().to_string())).collect();
    let mut reasons: Vec<String> =
        failed.iter().filter_map(|seen| seen.config()).map(|config| config.to_string()).collect();
    // U39: data of checks wait for all changes, so that each failure holds them back, and they hold back what waits for their dependents.
    let is_of_check = |change: &&Changed| {
        let block = run.configuration.block(&change.address.config_resource());
        change.action == "read" && block.is_some_and(|block| block.in_check) && !asked.contains(&change.address)
    };
    let of_checks = plan.changes.iter().filter(is_of_check);
    reasons.extend(of_checks.map(|change| change.address.config_resource().to_string()));
    while let Some(reason) = reasons.pop() {
        let (explained, rest) =
            silent.into_iter().partition::<Vec<_>, _>(|(_, own)| is_related(run, plan, own, &reason));
        for (change, own) in explained {
            if !asked.contains(&change.address) {
                held.hold(Id::I157, true, String::new);
            }
            reasons.push(own);
        }
        silent = rest;
    }
    for (change, _) in silent.into_iter().filter(|(change, _)| !asked.contains(&change.address)) {
        held.hold(Id::I157, false, || format!("{} made no call, and waits for nothing that failed", change.address));
    }
}

/// Whether one of two resources reaches the other: by configuration, or by what is stored: lists, and the provider of an object, which waits
/// for what its configuration names and for the call of its module.
fn is_related(run: &Run<'_>, plan: &PlanView, one: &str, other: &str) -> bool {
    let blocks = &run.configuration.blocks;
    // An object that has moved has the list that was stored at its previous address.
    let name = |kept: &StoredObject| {
        let moved = plan.changes.iter().find(|change| change.previous.as_ref() == Some(&kept.address));
        moved.map_or(&kept.address, |change| &change.address).config_resource().to_string()
    };
    // The changes of a destruction have no moves (G12), but the state that it refreshed has them.
    let refreshed = run.prior.iter().flat_map(|prior| &prior.objects);
    let stored: Vec<(String, &StoredObject)> =
        run.before.objects.iter().chain(refreshed).map(|kept| (name(kept), kept)).collect();
    let reaches = |from: &str, to: &str| {
        let block = blocks.iter().find(|block| block.text == from);
        let configured = block.is_some_and(|block| block.reach.iter().any(|&index| blocks[index].text == to));
        let of_provider = |kept: &StoredObject| {
            let reach = run.configuration.providers.get(&kept.provider);
            reach.is_some_and(|reach| reach.iter().any(|&index| blocks[index].text == to))
        };
        let mut kept = stored.iter().filter(|(name, _)| name == from).map(|(_, kept)| kept);
        configured || kept.any(|kept| kept.dependencies.iter().any(|name| name == to) || of_provider(kept))
    };
    // Two resources with a common dependency may wait for each other through its replacement.
    let shared = |name: &str| reaches(one, name) && reaches(other, name);
    one == other
        || reaches(one, other)
        || reaches(other, one)
        || blocks.iter().any(|block| shared(&block.text) || reaches(&block.text, one) && reaches(&block.text, other))
        || stored.iter().any(|(name, _)| shared(name))
}

fn schema<'r>(run: &Run<'r>, seen: &ObservedCall) -> Option<&'r Schema> {
    let provider = run.workspace.schemas.provider(&seen.call.provider.to_string())?;
    provider.types.get(&(ResourceMode::Managed, seen.call.type_name.as_ref()?.to_string()))
}

/// I160: the object of an answer is stored as it is.
fn answered(run: &Run<'_>, after: &StateView, held: &mut RuleReport) {
    for seen in run.calls[1].iter().filter(|seen| !seen.has_failed()) {
        let (Request::Apply { planned, .. }, About::Object(address, None)) = (&seen.call.request, &seen.about) else {
            continue;
        };
        let Some(Outcome::Object { value, .. }) = &seen.answer.outcome else { continue };
        let Some(kept) = after.current(address) else { continue };
        // A07: an answer that is not as planned, or holds an unknown value, fails the apply instead of being stored.
        if planned.is_null() || value.is_null() || !value.is_wholly_known() || run.has_errors(1) {
            continue;
        }
        let Some(answered) = answered_json(run, seen, value) else { continue };
        let is_same = kept.json.member("attributes") == Some(&answered);
        held.hold(Id::I160, is_same, || format!("{address} is not stored as it was answered"));
    }
}

/// The value that a call answered, in the canonical form in which objects of a state are read; `None` if it is of no type that could be stored.
pub(crate) fn answered_json(run: &Run<'_>, seen: &ObservedCall, value: &Value) -> Option<Json> {
    let ty = schema(run, seen)?.implied_type(run.workspace.dialect);
    value.view().to_stored_json(&ty).ok().map(|json| canonical_value(&json))
}

/// I167: an output whose value was known in the plan is stored with that value, whatever failed.
fn known_outputs(run: &Run<'_>, plan: &PlanView, after: &StateView, held: &mut RuleReport) {
    if run.workspace.options.mode == Mode::Destroy || run.exits[1] != Some(1) {
        return;
    }
    if run.goes_round(1) {
        return held.leave_out("I167: an apply that goes round writes nothing");
    }
    for (name, (action, value)) in &plan.outputs {
        let Some(value) = value.as_ref().filter(|value| action != "delete" && **value != Json::Null) else { continue };
        let found = after.outputs.get(name);
        let is_same = found.is_some_and(|found| canonical_value(found) == canonical_value(value));
        held.hold(Id::I167, is_same, || format!("output {name} was known, and is stored as {found:?}"));
    }
}

/// Whether an instance with a key is stored with deposed objects alone, or beside a current one that is to be destroyed.
fn has_hidden_deposed(run: &Run<'_>) -> bool {
    // What an engine refreshed is not shown: what was stored before it stands for that.
    let objects = &run.prior.as_ref().unwrap_or(&run.before).objects;
    let (deposed, current): (Vec<&StoredObject>, Vec<&StoredObject>) =
        objects.iter().partition(|kept| kept.deposed.is_some());
    if deposed.is_empty() {
        return false;
    }
    // Drift tells which of them the refresh did not find any more.
    let changes = run.plan.iter().flat_map(|plan| plan.changes.iter().chain(&plan.drift));
    let deleted = changes.filter(|change| change.deposed.is_none() && change.action == "delete");
    let deleted: BTreeSet<_> = deleted.map(|change| &change.address).collect();
    let staying: BTreeSet<_> = current.iter().map(|kept| &kept.address).filter(|of| !deleted.contains(of)).collect();
    deposed.iter().any(|kept| kept.address.key != InstanceKey::None && !staying.contains(&kept.address))
}

/// I171: an argument that was known in the plan is the same in the apply.
fn known_arguments(run: &Run<'_>, held: &mut RuleReport) {
    // U41: what was known without such an instance is unknown with it.
    if has_hidden_deposed(run) {
        return;
    }
    let configs = |phase: usize| {
        run.calls[phase].iter().filter(|seen| seen.walk == "plan" || seen.walk == "apply").filter_map(|seen| {
            let Request::Plan { config, .. } = &seen.call.request else { return None };
            (!config.is_null()).then_some((&seen.about, config))
        })
    };
    let planned: BTreeMap<&About, &Value> = configs(0).collect();
    for (about, config) in configs(1) {
        let Some(before) = planned.get(about) else { continue };
        let names = config.ty().as_object().map_or(&[][..], |object| object.attributes());
        for name in names.iter().map(|attribute| attribute.name.as_str()) {
            let (Some(was), Some(is)) = (before.view().member(name), config.view().member(name)) else { continue };
            let agrees = !was.is_wholly_known() || raw_equals(was, is);
            held.hold(Id::I171, agrees, || format!("{name} of {about:?} was known, and is sent otherwise"));
        }
    }
}

/// I179: every change of an apply with targets is of a target or something that a target reaches; in a destruction, of something that
/// reaches a target.
fn selected(run: &Run<'_>, held: &mut RuleReport) {
    let Some(targets) = Targets::of(run) else { return };
    let reached = targets.reached(|block| &block.reach);
    for seen in run.calls[1].iter().filter(|seen| seen.is_mutating()) {
        let About::Object(address, deposed) = &seen.about else { continue };
        let is_right = match run.workspace.options.mode {
            Mode::Destroy => targets.contain(address) || targets.are_behind(address),
            _ => targets.keep(address, deposed.is_some(), &reached),
        };
        held.hold(Id::I179, is_right, || format!("{address} is no target, and is changed"));
    }
}
