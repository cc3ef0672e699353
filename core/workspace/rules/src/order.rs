//! The required order of calls, and the calls that must not follow a failure (I100, I103, I114, I152, I156, I170, I174).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{HALTED, HaltPoint, Request};

use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::{About, ObservedCall, Run};

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    references(run, held);
    failures(run, held);
    destroy_plans(run, held);
    applies(run, held);
    signal(run, held);
}

/// I174: after a signal no new call begins, and no call waits for one that was under way.
fn signal(run: &Run<'_>, held: &mut RuleReport) {
    let (Some(interrupt), Some(_)) = (&run.workspace.options.interrupt, run.exits[1]) else { return };
    let trace = &run.traces[1];
    let node = |seen: &ObservedCall| trace.order.walks.get(seen.node.walk)?.nodes.get(seen.node.node);
    let is_deed = |seen: &&ObservedCall| matches!(seen.call.request, Request::Apply { .. } | Request::ReadData { .. });
    let mut under_way = Vec::new();
    for seen in run.calls[1].iter().filter(is_deed) {
        let Some(name) = node(seen) else { return held.leave_out("I174: a call of no node") };
        let halt = interrupt.halts(name);
        held.hold(Id::I174, halt != HaltPoint::Before, || format!("{name} had not begun, and is called"));
        under_way.extend(Some(seen).filter(|_| halt == HaltPoint::After));
    }
    for seen in run.calls[1].iter().filter(is_deed) {
        let awaited = under_way.iter().find(|other| trace.order.precedes(other.node, seen.node));
        held.hold(Id::I174, awaited.is_none(), || format!("{:?} is called after what was under way", seen.about));
    }
    let halted = run.diagnostics[1].iter().filter(|one| one.summary == HALTED).count();
    // U70b: a failed deletion of a deposed object has only its own error.
    let has_own = |seen: &&&ObservedCall| matches!(seen.about, About::Object(_, Some(_))) && seen.has_failed();
    let alone = under_way.iter().filter(has_own).count();
    held.hold(Id::I174, halted >= 2 * (under_way.len() - alone), || format!("{halted} errors report a halt"));
}

/// The calls of each block in each walk of the plan that evaluates it; deposed objects do not count as their block's.
fn by_block(run: &Run<'_>) -> BTreeMap<(usize, usize), Vec<usize>> {
    let mut found: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (index, seen) in run.calls[0].iter().enumerate() {
        let evaluates = matches!(seen.walk.as_str(), "plan" | "refresh before destroy");
        if let (true, About::Object(address, None)) = (evaluates, &seen.about)
            && !matches!(seen.call.request, Request::Close { .. })
            && let Some(block) = run.configuration.index(&address.config_resource())
        {
            found.entry((seen.node.walk, block)).or_default().push(index);
        }
    }
    found
}

/// I100
fn references(run: &Run<'_>, held: &mut RuleReport) {
    let calls = by_block(run);
    for ((walk, block), own) in &calls {
        for other in &run.configuration.blocks[*block].reach {
            let Some(before) = calls.get(&(*walk, *other)).filter(|_| other != block) else { continue };
            for (first, then) in before.iter().flat_map(|first| own.iter().map(move |then| (*first, *then))) {
                held.hold(Id::I100, run.is_before(0, first, then), || {
                    let name = |index: usize| {
                        let seen = &run.calls[0][index];
                        format!("{} of {:?}", seen.call.request.name(), seen.object().map(ToString::to_string))
                    };
                    format!("{} does not wait for {}", name(then), name(first))
                });
            }
        }
    }
}

/// I103, I156
fn failures(run: &Run<'_>, held: &mut RuleReport) {
    for (phase, rule) in [(0, Id::I103), (1, Id::I156)] {
        let evaluates = |seen: &ObservedCall| matches!(seen.walk.as_str(), "plan" | "refresh before destroy" | "apply");
        let is_own = |seen: &&ObservedCall| {
            let in_check =
                seen.config().and_then(|config| run.configuration.block(&config)).is_some_and(|block| block.in_check);
            evaluates(seen) && seen.has_failed() && !in_check && !matches!(seen.call.request, Request::Close { .. })
        };
        for failed in run.calls[phase].iter().filter(is_own) {
            let (About::Object(address, None), Some(block)) =
                (&failed.about, failed.config().and_then(|config| run.configuration.index(&config)))
            else {
                continue;
            };
            let is_deletion = matches!(&failed.call.request, Request::Apply { planned, .. } if planned.is_null());
            if is_deletion || run.workspace.options.mode == Mode::Destroy && phase == 1 {
                continue;
            }
            let mut are_left_out = true;
            for later in run.calls[phase].iter().filter(|seen| seen.node.walk == failed.node.walk) {
                let (About::Object(other, None), Some(reach)) = (
                    &later.about,
                    later.config().and_then(|config| run.configuration.block(&config)).map(|block| &block.whole),
                ) else {
                    continue;
                };
                // An apply destroys without regard to references, and in OpenTofu each instance of a module is on its own.
                let destroys = matches!(&later.call.request, Request::Apply { planned, .. } if planned.is_null());
                let is_alone = phase == 1 && (destroys || !is_together(run, address, other) || is_upgrade(later));
                if reach.contains(&block) && !is_alone && !matches!(later.call.request, Request::Close { .. }) {
                    held.hold(rule, false, || format!("{other} is asked although {address} failed"));
                    are_left_out = false;
                }
            }
            // Only where something refers to what failed can a rule be broken.
            let mut others = run.configuration.blocks.iter().enumerate().filter(|(index, _)| *index != block);
            if are_left_out && others.any(|(_, other)| other.whole.contains(&block)) {
                held.hold(rule, true, String::new);
            }
        }
    }
}

/// A visit of an apply that destroys begins with an upgrade.
fn is_upgrade(seen: &ObservedCall) -> bool {
    matches!(seen.call.request, Request::Upgrade { .. })
}

/// Whether two instances wait for each other: in OpenTofu only within one instance of a module, or within the root (U33).
fn is_together(run: &Run<'_>, one: &AbsResourceInstance, other: &AbsResourceInstance) -> bool {
    run.workspace.dialect.engine() == Engine::Terraform
        || one.module == other.module
        || (one.module.is_root() && other.module.is_root())
}

/// I114: in the order of the lists that are stored when the destroying walk begins.
fn destroy_plans(run: &Run<'_>, held: &mut RuleReport) {
    let Some(prior) = &run.prior else {
        return held.leave_out("I114: the refreshed state is not known");
    };
    let mut planned: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, seen) in run.calls[0].iter().enumerate() {
        if let ("destroy", Request::Plan { .. }, About::Object(address, None)) =
            (seen.walk.as_str(), &seen.call.request, &seen.about)
        {
            planned.entry(address.config_resource().to_string()).or_default().push(index);
        }
    }
    for (index, seen) in run.calls[0].iter().enumerate() {
        let About::Object(address, None) = &seen.about else { continue };
        if seen.walk != "destroy" || !matches!(seen.call.request, Request::Plan { .. }) {
            continue;
        }
        for dependency in prior.current(address).iter().flat_map(|kept| &kept.dependencies) {
            for &other in planned.get(dependency).into_iter().flatten() {
                let Some(of) = run.calls[0][other].object() else { continue };
                if is_apart(address, of) || *dependency == address.config_resource().to_string() {
                    continue;
                }
                held.hold(Id::I114, run.is_before(0, index, other), || format!("{of} is planned before {address}"));
            }
        }
    }
}

/// G84, U33: whether two instances are in different instances of one module.
fn is_apart(one: &AbsResourceInstance, other: &AbsResourceInstance) -> bool {
    one.module != other.module && one.module.module() == other.module.module()
}

/// I152
fn applies(run: &Run<'_>, held: &mut RuleReport) {
    let calls = &run.calls[1];
    let making = |seen: &ObservedCall| match (&seen.call.request, &seen.about) {
        (Request::Apply { planned, .. }, About::Object(_, None)) => !planned.is_null(),
        (Request::ReadData { .. }, About::Object(..)) => true,
        _ => false,
    };
    let destroying =
        |seen: &ObservedCall| matches!(&seen.call.request, Request::Apply { planned, .. } if planned.is_null());
    let of = |wanted: &dyn Fn(&ObservedCall) -> bool| -> Vec<usize> {
        (0..calls.len()).filter(|&index| wanted(&calls[index]) && calls[index].object().is_some()).collect()
    };
    let (makes, destroys) = (of(&making), of(&destroying));
    let message = |then: usize, first: usize| {
        let name = |index: usize| calls[index].object().map_or_else(String::new, ToString::to_string);
        format!("{} does not wait for {}", name(then), name(first))
    };
    // U30, U31: an instance is made after everything that its block names as a whole.
    for &then in &makes {
        let Some(block) = calls[then].config().and_then(|config| run.configuration.block(&config)) else { continue };
        for &first in &makes {
            let Some(other) = calls[first].config().and_then(|config| run.configuration.index(&config)) else {
                continue;
            };
            let (Some(a), Some(b)) = (calls[first].object(), calls[then].object()) else { continue };
            let is_its_own = calls[then].config() == calls[first].config();
            if block.whole.contains(&other) && !is_its_own && is_together(run, a, b) {
                held.hold(Id::I152, run.is_before(1, first, then), || message(then, first));
            }
        }
    }
    // U34: halves of a replacement.
    let actions: BTreeMap<&AbsResourceInstance, &str> = run
        .plan
        .iter()
        .flat_map(|plan| &plan.changes)
        .map(|change| (&change.address, change.action.as_str()))
        .collect();
    for (&make, &destroy) in makes.iter().flat_map(|make| destroys.iter().map(move |destroy| (make, destroy))) {
        let (Some(a), Some(b)) = (calls[make].object(), calls[destroy].object()) else { continue };
        if a != b || a.resource.mode != ResourceMode::Managed {
            continue;
        }
        let is_deposed = matches!(&calls[destroy].about, About::Object(_, Some(_)));
        match (actions.get(a), is_deposed) {
            (_, true) => held.hold(Id::I152, run.is_before(1, make, destroy), || message(destroy, make)),
            (Some(&"delete,create"), false) => {
                let (first, then) = if run.is_before(1, make, destroy) && stored_flag(run, a) {
                    (make, destroy)
                } else {
                    (destroy, make)
                };
                held.hold(Id::I152, run.is_before(1, first, then), || message(then, first));
            }
            _ => {}
        }
    }
    stored_order(run, held, &destroys);
}

/// Whether the stored object has the flag `create_before_destroy`.
fn stored_flag(run: &Run<'_>, address: &AbsResourceInstance) -> bool {
    let stored = run.prior.as_ref().unwrap_or(&run.before).current(address);
    stored.is_some_and(|kept| kept.json.member("create_before_destroy").is_some())
}

/// U36, I170: dependents by stored lists are destroyed first.
fn stored_order(run: &Run<'_>, held: &mut RuleReport, destroys: &[usize]) {
    let calls = &run.calls[1];
    let destroys_all = run.workspace.options.mode == Mode::Destroy;
    for seen in calls.iter().filter(|seen| destroys_all && seen.is_mutating()) {
        let is_deletion = matches!(&seen.call.request, Request::Apply { planned, .. } if planned.is_null());
        held.hold(Id::I170, is_deletion, || format!("a destroy makes {:?}", seen.about));
    }
    let Some(prior) = &run.prior else {
        return held.leave_out("I152, I170: stored lists as they were refreshed are not known");
    };
    let blocks: BTreeSet<String> =
        run.configuration.blocks.iter().filter(|block| block.in_check).map(|block| block.text.clone()).collect();
    for &first in destroys {
        let (Some(address), About::Object(_, deposed)) = (calls[first].object(), &calls[first].about) else { continue };
        if blocks.contains(&address.config_resource().to_string()) || deposed.is_some() {
            continue;
        }
        let Some(kept) = prior.current(address) else { continue };
        for dependency in &kept.dependencies {
            for &then in destroys {
                let (Some(other), About::Object(_, None)) = (calls[then].object(), &calls[then].about) else {
                    continue;
                };
                let is_named = other.config_resource().to_string() == *dependency;
                if is_named && !is_apart(address, other) && other.config_resource() != address.config_resource() {
                    // U36: an edge that would close a cycle is left out, except where everything is destroyed.
                    if !destroys_all && prior.current(other).is_some_and(|other| other.provider != kept.provider) {
                        held.leave_out("I152: destructions of two provider configurations");
                        continue;
                    }
                    let rule = if destroys_all { Id::I170 } else { Id::I152 };
                    held.hold(rule, run.is_before(1, first, then), || format!("{other} is destroyed before {address}"));
                }
            }
        }
    }
}
