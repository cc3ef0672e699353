//! The effects of targets and cycles, and the promise of a plan that has nothing to do (I132, I177, I180 to I183).
//!
//! I180 to I183 predict what both engines do and a user would not expect: a planner that does otherwise is not worse, but its runs are not
//! those of an engine.

use std::collections::BTreeSet;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::Diagnostic;

use crate::configuration::Repeats;
use crate::findings::RuleReport;
use crate::id::Id;
use crate::plan::is_selective;
use crate::run::{Changed, ObservedCall, PlanView, Run};
use crate::targets::Targets;

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    nothing_to_do(run, held);
    cycle(run, held);
    let Some(plan) = &run.plan else { return };
    if run.workspace.options.mode != Mode::Normal {
        return;
    }
    unreached(run, plan, held);
    if let Some(targets) = Targets::of(run).filter(|_| run.workspace.options.excludes.is_empty()) {
        replaced(run, plan, &targets, held);
        old_objects(run, plan, &targets, held);
        no_op_targets(run, plan, &targets, held);
    }
}

/// I177: a plan whose exit status says that there is nothing to do changes nothing.
fn nothing_to_do(run: &Run<'_>, held: &mut RuleReport) {
    if run.exits[0] == Some(0) {
        let mutating = run.calls[1].iter().find(|seen| seen.is_mutating());
        held.hold(Id::I177, mutating.is_none(), || {
            format!("a plan of nothing changes {:?}", mutating.map(|it| &it.about))
        });
    }
}

/// I181
fn cycle(run: &Run<'_>, held: &mut RuleReport) {
    if run.goes_round(0) {
        held.hold(Id::I181, run.calls[1].is_empty(), || "a plan with a cycle is applied".into());
    }
}

/// I132: a single block of the root without a change reaches a call that failed. An error without a call may be of any block.
fn unreached(run: &Run<'_>, plan: &PlanView, held: &mut RuleReport) {
    if is_selective(run) || !run.has_errors(0) {
        return;
    }
    let failed: Vec<&ObservedCall> =
        run.calls[0].iter().filter(|seen| seen.walk == "plan" && seen.has_failed()).collect();
    let errors = run.diagnostics[0].iter().filter(|one| Diagnostic::is_error(one)).count();
    let configs: Option<Vec<_>> = failed.iter().map(|seen| seen.config()).collect();
    let Some(configs) = configs.filter(|_| errors == failed.len()) else {
        return held.leave_out("I132: which evaluation failed is not shown");
    };
    let sources: BTreeSet<Option<usize>> = configs.iter().map(|config| run.configuration.index(config)).collect();
    let changed: BTreeSet<String> = plan.changes.iter().map(|change| change.address.to_string()).collect();
    for (index, block) in run.configuration.blocks.iter().enumerate() {
        let is_single = block.repeats_by == Repeats::No && block.address.module.0.is_empty();
        if !is_single || block.address.resource.mode != ResourceMode::Managed || changed.contains(&block.text) {
            continue;
        }
        let is_reason = |source: &Option<usize>| {
            source.is_none_or(|source| source == index || block.reach_in_plans.contains(&source))
        };
        held.hold(Id::I132, sources.iter().any(is_reason), || {
            format!("{} has no change, and reaches no error", block.text)
        });
    }
}

/// I182: only blocks that are kept force others to be created first.
fn replaced(run: &Run<'_>, plan: &PlanView, targets: &Targets<'_>, held: &mut RuleReport) {
    let blocks = &run.configuration.blocks;
    let kept = targets.kept_blocks();
    for change in plan.changes.iter().filter(|change| change.is_replacement()) {
        let Some(own) = run.configuration.index(&change.address.config_resource()) else { continue };
        let reaches = |index: &usize| *index == own || blocks[*index].reach_in_plans.contains(&own);
        let forces = |index: &usize| blocks[*index].creates_first && reaches(index);
        let wanted = kept.iter().any(forces);
        let is_first = change.action == "create,delete";
        held.hold(Id::I182, is_first == wanted, || {
            format!(
                "{} is {}, and something that is kept wants it created first: {wanted}",
                change.address, change.action
            )
        });
    }
}

/// I180: the old object of an instance that is created first stays if the instance is no target. OpenTofu may create none (I183).
fn old_objects(run: &Run<'_>, plan: &PlanView, targets: &Targets<'_>, held: &mut RuleReport) {
    let (Some(after), Some(0)) = (&run.after, run.exits[1]) else { return };
    let is_mere = |change: &&Changed| !targets.contain(&change.address);
    let is_made = |change: &&Changed| {
        run.calls[1].iter().any(|seen| seen.is_mutating() && seen.object() == Some(&change.address))
    };
    // The old object of a target, and a target without a block, wait for the old objects of their dependents, by the configuration or by
    // the stored lists: those are destroyed first.
    let is_destroyed = |change: &&Changed| matches!(&*change.action, "create,delete" | "delete");
    let is_old_target = |change: &&Changed| is_destroyed(change) && targets.contain(&change.address);
    let configs = plan.changes.iter().filter(is_old_target).map(|change| change.address.config_resource());
    let old_targets: Vec<_> = configs.map(|config| (run.configuration.index(&config), config.to_string())).collect();
    let before = run.prior.as_ref().unwrap_or(&run.before);
    let is_in_the_way = |change: &&Changed| {
        let block = run.configuration.block(&change.address.config_resource());
        let stored = before.current(&change.address);
        old_targets.iter().any(|(index, name)| {
            block.zip(*index).is_some_and(|(block, index)| block.reach.contains(&index))
                || stored.is_some_and(|stored| stored.dependencies.contains(name))
        })
    };
    let replaced = plan.changes.iter().filter(|change| change.action == "create,delete");
    for change in replaced.filter(is_mere).filter(is_made).filter(|change| !is_in_the_way(change)) {
        let mut deposed = after.objects.iter().filter(|kept| kept.address == change.address && kept.deposed.is_some());
        held.hold(Id::I180, deposed.next().is_some(), || {
            format!("the old object of {} is destroyed, which is no target", change.address)
        });
    }
}

/// I183: OpenTofu drops blocks that no change waits for before it looks at targets.
fn no_op_targets(run: &Run<'_>, plan: &PlanView, targets: &Targets<'_>, held: &mut RuleReport) {
    if run.workspace.dialect.engine() != Engine::OpenTofu || run.exits[1] != Some(0) {
        return;
    }
    // U24: a block is kept if an output or a check needs it by way of something else.
    if run.configuration.has_outputs_or_checks {
        return;
    }
    // A target that has no change here may still have a node.
    if !targets.each_contains(plan.changes.iter().map(|change| &change.address)) {
        return;
    }
    let is_target = |change: &&Changed| targets.contain(&change.address);
    let has_rules = |change: &Changed| {
        let block = run.configuration.block(&change.address.config_resource());
        block.is_none_or(|block| block.has_rules)
    };
    // A no-op with conditions has a node all the same (U15).
    let is_nothing = |change: &Changed| change.is_no_op() && !has_rules(change);
    if !plan.changes.iter().filter(is_target).all(is_nothing) {
        return;
    }
    let made = run.calls[1].iter().find(|seen| seen.is_mutating());
    held.hold(Id::I183, made.is_none(), || {
        format!("{:?} changes, and all targets are as they were", made.map(|seen| &seen.about))
    });
}
