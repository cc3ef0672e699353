//! The contents of a plan (I107 to I111, I113, I116 to I122, I124, I126, I129, I130, I133 to I135, I139).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::planner::Remark;
use planfuzz_core::plans::Mode;
use planfuzz_language::config::StepKind;
use planfuzz_workspace::{Diagnostic, Outcome, Request};

use crate::configuration::{Repeats, resource};
use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::{About, Changed, ObservedCall, PlanView, Run};
use crate::targets::{self, Targets};

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    diagnostics(run, held);
    let Some(plan) = &run.plan else { return };
    let mode = run.workspace.options.mode;
    flags(run, plan, held);
    unique(run, plan, held);
    outputs(run, plan, held);
    drift(run, plan, held);
    selected(run, plan, held);
    relevant(run, plan, held);
    match mode {
        Mode::Destroy => destroy(run, plan, held),
        Mode::RefreshOnly => {
            held.hold(Id::I112, plan.changes.is_empty(), || format!("a refresh changes {}", plan.changes[0].address));
        }
        _ => {
            whole(run, plan, held);
            for change in &plan.changes {
                place(run, change, held);
                reason(run, change, held);
                forgotten(run, change, held);
                replaced(run, change, held);
                deferred(run, plan, change, held);
            }
            read_now(run, plan, held);
        }
    }
}

pub(crate) fn is_selective(run: &Run<'_>) -> bool {
    run.workspace.options.is_selective()
}

/// I117, I118, I130
fn flags(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let errored = run.has_errors(0);
    // An error of the graph of the apply is reported, but does not set the flag of the plan (G11).
    let is_late = run.goes_round(0);
    held.hold(Id::I118, plan.errored == errored || is_late, || format!("errored is {}", plan.errored));
    if plan.errored {
        let others = [plan.applyable, plan.complete];
        held.hold(Id::I118, !others.contains(&Some(true)), || "an errored plan is applyable or complete".into());
    }
    if let Some(complete) = plan.complete.filter(|_| !plan.errored) {
        let is_whole = !is_selective(run);
        let rule = if is_whole { Id::I117 } else { Id::I116 };
        held.hold(rule, complete == is_whole, || format!("complete is {complete}"));
    }
    if let (Some(applyable), Mode::Normal) = (plan.applyable, run.workspace.options.mode) {
        let acts = |change: &Changed| !change.is_no_op() || change.previous.is_some() || change.is_import;
        let has_effect = plan.changes.iter().any(acts) || plan.outputs.values().any(|(action, _)| action != "no-op");
        let wanted = has_effect && !plan.errored;
        held.hold(Id::I130, applyable == wanted, || {
            format!("applyable is {applyable}, and there is something to apply: {has_effect}")
        });
    }
}

/// I111, I121, I122
fn unique(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let (mut seen, mut previous) = (BTreeSet::new(), BTreeSet::new());
    for change in &plan.changes {
        let is_new = seen.insert((&change.address, &change.deposed));
        held.hold(Id::I111, is_new, || format!("{} has two changes", change.address));
        let Some(from) = &change.previous else { continue };
        held.hold(Id::I122, previous.insert((from, &change.deposed)), || format!("{from} moves to two places"));
        // G12: before a destruction, moves are found again in the refreshed state.
        if is_moved_again(run) {
            held.leave_out("I121, I123: moves that are found again before a destruction");
            continue;
        }
        let was_there = run.before.objects.iter().any(|kept| kept.address == *from);
        held.hold(Id::I121, was_there, || format!("{} was not in the state", from));
    }
}

/// Whether a change with a previous address may come from a move that was found again after a refresh (G12).
pub(crate) fn is_moved_again(run: &Run<'_>) -> bool {
    run.workspace.options.mode == Mode::Destroy && run.workspace.options.refresh
}

/// I107
fn whole(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    if is_selective(run) || run.has_errors(0) {
        return;
    }
    let mut changes: BTreeMap<(&AbsResourceInstance, &Option<String>), u64> = BTreeMap::new();
    for change in &plan.changes {
        let from = change.previous.as_ref().unwrap_or(&change.address);
        *changes.entry((from, &change.deposed)).or_default() += 1;
    }
    let gone = run.calls[0]
        .iter()
        .filter(|seen| matches!(&seen.answer.outcome, Some(Outcome::Object { value, .. }) if value.is_null()))
        .filter(|seen| matches!(seen.call.request, Request::Read { .. }));
    let (mut gone_current, mut gone_keys) = (BTreeSet::new(), BTreeSet::new());
    for seen in gone {
        match &seen.about {
            About::Object(address, None) => drop(gone_current.insert(address)),
            About::Object(_, Some(key)) => drop(gone_keys.insert(key)),
            _ => {}
        }
    }
    for kept in run.before.objects.iter().filter(|kept| kept.is_managed) {
        let count = changes.get(&(&kept.address, &kept.deposed)).copied().unwrap_or(0);
        let is_gone = match &kept.deposed {
            None => gone_current.contains(&kept.address) || moved_gone(plan, &gone_current, &kept.address),
            // A deposed object keeps its key where it moves.
            Some(key) => gone_keys.contains(key),
        };
        let least = u64::from(!is_gone);
        held.hold(Id::I107, (least..=1).contains(&count), || format!("{} has {count} changes", kept.address));
    }
}

/// Whether an object was found gone under the address that it moved to; a plan that drops it does not show the move.
fn moved_gone(plan: &PlanView, gone: &BTreeSet<&AbsResourceInstance>, from: &AbsResourceInstance) -> bool {
    let is_here = |drift: &&Changed| drift.previous.as_ref() == Some(from);
    plan.drift.iter().find(is_here).is_some_and(|drift| gone.contains(&drift.address))
}

/// I108, I109, I110
fn place(run: &Run<'_>, change: &Changed, held: &mut RuleReport) {
    if change.deposed.is_some() {
        return;
    }
    let address = &change.address;
    let block = run.configuration.block(&address.config_resource());
    let from = change.previous.as_ref().unwrap_or(address);
    let was_there = run.before.objects.iter().any(|kept| kept.address == *from);
    held.hold(Id::I108, block.is_some() || was_there, || format!("{address} is neither configured nor stored"));
    let is_dropped = change.action == "delete" || change.action == "forget";
    let fits = block.is_some_and(|block| block.repeats_by.fits(&address.key));
    if !is_dropped {
        held.hold(Id::I109, fits, || format!("{address} is no instance of a block"));
    }
    // The text shows that an instance is there only for a single block in the root.
    let is_there = fits && address.module.is_root() && block.is_some_and(|block| block.repeats_by == Repeats::No);
    if is_there || is_dropped {
        held.hold(Id::I110, !(is_there && is_dropped), || format!("{address} is dropped although it is configured"));
    }
}

/// I134
fn reason(run: &Run<'_>, change: &Changed, held: &mut RuleReport) {
    let has_block = run.configuration.block(&change.address.config_resource()).is_some();
    let wants_block = match change.reason.as_str() {
        "delete_because_count_index" | "delete_because_each_key" | "delete_because_wrong_repetition" => true,
        "delete_because_no_resource_config" => false,
        _ => return,
    };
    held.hold(Id::I134, has_block == wants_block, || {
        format!("{} has the reason {}, and a block: {has_block}", change.address, change.reason)
    });
}

/// I124
fn forgotten(run: &Run<'_>, change: &Changed, held: &mut RuleReport) {
    let may_forget = matches!(change.action.as_str(), "forget" | "delete");
    if !may_forget || run.workspace.dialect.engine() != Engine::Terraform {
        return;
    }
    let address = &change.address;
    if change.action == "delete" {
        // The reverse: an object that a `removed` block names is not destroyed, except an instance of a block that is still there.
        let is_kept = run.configuration.block(&address.config_resource()).is_none()
            && run.configuration.removed.iter().any(|(module, from)| names(module, from, address));
        held.hold(Id::I124, !is_kept, || format!("{address} is destroyed, and a block keeps it"));
        return;
    }
    let is_named = run.configuration.removed.iter().any(|(module, from)| names(module, from, address));
    held.hold(Id::I124, is_named, || format!("{address} is forgotten, and no block asks for it"));
    let asked = run.calls[0].iter().find(|seen| {
        seen.walk == "plan"
            && seen.about == crate::run::About::Object(address.clone(), change.deposed.clone())
            && matches!(seen.call.request, Request::Read { .. } | Request::Plan { .. })
    });
    // An import whose target has no block asks about stored objects (G49).
    let is_imported = run.configuration.imported_nowhere.contains(&address.resource) && address.module.0.is_empty();
    held.hold(Id::I124, asked.is_none() || is_imported, || format!("{address} is forgotten, and asked about"));
}

/// Whether a reference in a module names an object, its resource or a module around it.
fn names(module: &[String], from: &planfuzz_language::config::Traversal, address: &AbsResourceInstance) -> bool {
    let mut path = module.to_vec();
    let mut at = from.clone();
    while &*at.root == "module" {
        let mut steps = at.steps.into_iter().filter(|step| !matches!(step.kind, StepKind::Index(_)));
        let mut name = || match steps.next().map(|step| step.kind) {
            Some(StepKind::Attribute(name)) => Some(name),
            _ => None,
        };
        let Some(call) = name() else { return false };
        path.push(call.to_string());
        match name() {
            Some(root) => (at.root, at.steps) = (root, steps.collect()),
            None => return address.module.module().0.starts_with(&path),
        }
    }
    let found = resource(&at).map(|(resource, _)| resource);
    found.as_ref() == Some(&address.resource) && address.module.module().0 == path
}

/// I126
fn replaced(run: &Run<'_>, change: &Changed, held: &mut RuleReport) {
    let Some(own) = run.configuration.index(&change.address.config_resource()) else { return };
    if !change.is_replacement() || is_selective(run) {
        return;
    }
    let forces = |block: &crate::configuration::Block| block.creates_first && block.reach_in_plans.contains(&own);
    let wanted = run.configuration.blocks[own].creates_first || run.configuration.blocks.iter().any(forces);
    let is_first = change.action == "create,delete";
    held.hold(Id::I126, is_first == wanted, || {
        format!("{} is {}, and something wants it created first: {wanted}", change.address, change.action)
    });
}

/// I119
fn deferred(run: &Run<'_>, plan: &PlanView, change: &Changed, held: &mut RuleReport) {
    if change.reason != "read_because_dependency_pending" {
        return;
    }
    let Some(block) = run.configuration.block(&change.address.config_resource()) else { return };
    let acts = |other: &&Changed| !other.is_no_op() && other.deposed.is_none();
    let is_reached = |other: &Changed| {
        let own = run.configuration.index(&other.address.config_resource());
        // An orphan has no block; it is reached with its module.
        own.is_none_or(|index| block.reach_in_plans.contains(&index))
    };
    let found = plan.changes.iter().filter(acts).any(is_reached);
    held.hold(Id::I119, found, || format!("{} waits for nothing that changes", change.address));
}

/// I120
fn read_now(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    for seen in run.calls[0].iter().filter(|seen| seen.walk == "plan") {
        let (Request::ReadData { .. }, Some(address)) = (&seen.call.request, seen.object()) else { continue };
        let Some(block) = run.configuration.block(&address.config_resource()) else { continue };
        if block.in_check || block.has_rules {
            continue;
        }
        let is_named = |change: &&Changed| {
            let apart =
                change.address.module != address.module && change.address.module.module() == address.module.module();
            let own = run.configuration.index(&change.address.config_resource());
            !apart
                && change.deposed.is_none()
                && change.address.resource.mode == ResourceMode::Managed
                && own.is_some_and(|index| block.direct.contains(&index))
        };
        let changing = plan.changes.iter().filter(is_named).find(|change| !change.is_no_op());
        held.hold(Id::I120, changing.is_none(), || format!("{address} is read although {:?} changes", changing));
    }
}

/// I113
fn destroy(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    for change in &plan.changes {
        let is_right = matches!(change.action.as_str(), "delete" | "no-op" | "forget");
        held.hold(Id::I113, is_right, || format!("a destroy plan has {} of {}", change.action, change.address));
    }
    let Some(prior) = &run.prior else {
        return held.leave_out("I113: the refreshed state is not known");
    };
    if run.has_errors(0) || is_selective(run) {
        return;
    }
    // Data that the refresh deferred are not there any more.
    for kept in prior.objects.iter().filter(|kept| kept.is_managed) {
        let is_its = |change: &Changed| change.address == kept.address && change.deposed == kept.deposed;
        held.hold(Id::I113, plan.changes.iter().any(is_its), || format!("{} is left by a destroy plan", kept.address));
    }
}

/// I129
fn outputs(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let (configured, stored) = (&run.configuration.outputs, &run.before.outputs);
    for name in plan.outputs.keys() {
        let is_known = configured.contains(name) || stored.contains_key(name);
        held.hold(Id::I129, is_known, || format!("output {name} is neither configured nor stored"));
    }
    if run.has_errors(0) || is_selective(run) || run.workspace.options.mode == Mode::Destroy {
        return;
    }
    for name in configured.iter().chain(stored.keys()) {
        let is_ephemeral = !configured.contains(name) && !stored.contains_key(name);
        held.hold(Id::I129, is_ephemeral || plan.outputs.contains_key(name), || format!("output {name} has no change"));
    }
}

/// I135
fn drift(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let options = &run.workspace.options;
    let is_empty = options.mode != Mode::Destroy || !options.refresh || plan.drift.is_empty();
    held.hold(Id::I135, is_empty, || "a destroy plan with refresh has drift".into());
    for drift in &plan.drift {
        let from = drift.previous.as_ref().unwrap_or(&drift.address);
        let is_stored = run.before.current(from).is_some_and(|kept| kept.is_managed);
        // An imported object was there before it was read, if only for this plan.
        let imports = |seen: &ObservedCall| matches!(seen.call.request, Request::Import { .. });
        let is_imported = || {
            run.calls[0].iter().any(|seen| imports(seen) && seen.object() == Some(&drift.address) && !seen.has_failed())
        };
        held.hold(Id::I135, is_stored || is_imported(), || format!("{} drifts and was not stored", drift.address));
    }
}

/// I116
fn selected(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let options = &run.workspace.options;
    let excludes = targets::read(run, &options.excludes);
    for change in &plan.changes {
        let is_excluded = excludes.iter().any(|exclude| targets::contains(exclude, &change.address));
        // G112: the text does not show whether its module instance is there.
        let may_be_orphan = || {
            let has_block = run.configuration.block(&change.address.config_resource()).is_some();
            has_block && !change.address.module.is_root() && matches!(change.action.as_str(), "delete" | "forget")
        };
        held.hold(Id::I116, !is_excluded || may_be_orphan(), || format!("{} is excluded and changes", change.address));
    }
    let Some(targets) = Targets::of(run).filter(|_| options.mode != Mode::Destroy) else { return };
    let reached = targets.reached(|block| &block.reach_in_plans);
    // The references of an import whose target has no block are kept, too (G49).
    let may_come_along = !run.configuration.imported_nowhere.is_empty();
    for change in &plan.changes {
        let is_kept = may_come_along || targets.keep(&change.address, change.deposed.is_some(), &reached);
        held.hold(Id::I116, is_kept, || format!("{} is no target and changes", change.address));
    }
}

/// I139: blocks that an error leaves out are not checked.
fn relevant(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    let Some(relevant) = &plan.relevant else { return held.leave_out("I139: no relevant attributes are reported") };
    for of in relevant {
        let is_configured = run.configuration.block(of).is_some() || run.configuration.in_contents.contains(of);
        held.hold(Id::I139, is_configured, || format!("{of} has no block, and a relevant attribute"));
    }
    for change in plan.changes.iter().filter(|change| !change.is_no_op()) {
        let Some(block) = run.configuration.block(&change.address.config_resource()) else { continue };
        let named = block.arguments.iter().map(|index| &run.configuration.blocks[*index].address);
        let missing = named.clone().find(|named| !relevant.contains(named));
        held.hold(Id::I139, missing.is_none(), || {
            format!("{} changes and names {missing:?}, of which nothing is relevant", change.address)
        });
    }
}

/// I133: every diagnostic of a provider in the last walk of a plan is reported, except warnings of the second plan call of a replacement,
/// which repeat those of the first (L47), and of the read that finds an imported object gone: what engines report is that it is not there.
fn diagnostics(run: &Run<'_>, held: &mut RuleReport) {
    if run.workspace.options.mode == Mode::Destroy || run.plan.is_none() {
        return;
    }
    let mut reported: Vec<&Diagnostic> = run.diagnostics[0].iter().collect();
    let (mut planned, mut imported) = (BTreeSet::new(), BTreeSet::new());
    for seen in run.calls[0].iter().filter(|seen| seen.walk == "plan") {
        if matches!(seen.call.request, Request::Import { .. }) {
            imported.insert(&seen.about);
        }
        let finds_nothing = matches!(&seen.answer.outcome, Some(Outcome::Object { value, .. }) if value.is_null());
        let is_gone = finds_nothing && imported.contains(&seen.about);
        let in_check =
            seen.config().and_then(|config| run.configuration.block(&config)).is_some_and(|block| block.in_check);
        let is_repeated = matches!(seen.call.request, Request::Plan { .. }) && !planned.insert(&seen.about);
        let is_due = |remark: &&Remark| !in_check && (remark.is_error() || !is_repeated && !is_gone);
        for remark in seen.answer.remarks.iter().filter(is_due) {
            let is_it = |one: &&Diagnostic| one.is_error() == remark.is_error() && *one.summary == *remark.summary;
            let found = reported.iter().position(is_it);
            if let Some(index) = found {
                reported.swap_remove(index);
            }
            held.hold(Id::I133, found.is_some(), || format!("{:?} is not reported", remark.summary));
        }
    }
}
