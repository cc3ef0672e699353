//! The state after an apply (I127, I159, I161 to I166, I168, I169, I173).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Outcome, Request, canonical_value};

use crate::apply::stays_deposed;
use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::{About, PlanView, Run, StateView, StoredObject};

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    let (Some(plan), Some(after)) = (&run.plan, &run.after) else { return };
    let options = &run.workspace.options;
    let is_whole = run.exits[1] == Some(0) && !options.is_selective();
    lists(run, after, held);
    objects(run, plan, after, held);
    untouched(run, plan, after, held);
    outputs(run, plan, after, held, is_whole);
    for address in after.checks.keys() {
        // If an apply ends before it begins, as with a cycle, the stored checks stay.
        let stays = run.exits[1] != Some(0) && run.calls[1].is_empty() && run.before.checks.contains_key(address);
        let is_planned = plan.checks.contains(address) || stays;
        held.hold(Id::I173, is_planned, || format!("{address} has a result and was not planned"));
    }
    if is_whole {
        let stays = stays_deposed(run);
        let is_left = |kept: &&StoredObject| kept.deposed.is_some() && !stays.contains(&kept.address);
        let new = after.objects.iter().filter(is_left).find(|kept| !was_deposed(run, after, kept));
        held.hold(Id::I163, new.is_none(), || format!("a new deposed object is left: {new:?}"));
        held.hold(Id::I165, after.without_instances.is_empty(), || {
            format!("{} has no instances", after.without_instances.join(", "))
        });
        if options.mode == Mode::Destroy && stays.is_empty() {
            let is_empty = after.resources == 0 && after.outputs.is_empty();
            held.hold(Id::I169, is_empty, || format!("{} resources are left", after.resources));
        }
    }
    if let Some(raised) = run.raised {
        let text =
            |state: &StateView| -> BTreeSet<String> { state.objects.iter().map(|kept| format!("{kept:?}")).collect() };
        let is_other = text(&run.before) != text(after) || run.before.outputs != after.outputs;
        held.hold(Id::I168, raised || !is_other, || "the state is another, and the serial did not rise".into());
    }
}

/// Whether a deposed object was there before the run, at its address or, if it moved, at one where it no longer is.
pub(crate) fn was_deposed(run: &Run<'_>, after: &StateView, kept: &StoredObject) -> bool {
    let is_there = |address: &AbsResourceInstance| {
        after.objects.iter().any(|one| one.deposed == kept.deposed && one.address == *address)
    };
    let mut before = run.before.objects.iter().filter(|before| before.deposed == kept.deposed);
    before.any(|before| before.address == kept.address || !is_there(&before.address))
}

/// I127, I164
fn lists(run: &Run<'_>, after: &StateView, held: &mut RuleReport) {
    let mut lists: BTreeMap<String, Vec<&StoredObject>> = BTreeMap::new();
    for kept in &after.objects {
        lists.entry(kept.address.config_resource().to_string()).or_default().push(kept);
    }
    let made: BTreeSet<_> = run.calls[1]
        .iter()
        .filter(|seen| matches!(&seen.call.request, Request::Apply { planned, .. } if !planned.is_null()))
        // If a creation failed and left nothing, the previous object is stored again, with its list.
        .filter(|seen| matches!(&seen.answer.outcome, Some(Outcome::Object { value, .. }) if !value.is_null()))
        .filter_map(|seen| seen.object())
        .collect();
    for kept in after.objects.iter().filter(|kept| kept.deposed.is_none()) {
        let own = kept.address.config_resource();
        let is_sorted = kept.dependencies.windows(2).all(|pair| pair[0] < pair[1]);
        // What is not made keeps its list, and an object that moved may list the one that was here before.
        let is_kept = || {
            let mut before = run.before.objects.iter();
            run.before.current(&kept.address).is_none() || before.any(|one| one.dependencies == kept.dependencies)
        };
        let is_excused = || !made.contains(&kept.address) && is_kept();
        let has_self = kept.dependencies.contains(&own.to_string()) && !is_excused();
        held.hold(Id::I127, is_sorted && !has_self, || format!("{} lists {:?}", kept.address, kept.dependencies));
        let Some(block) = run.configuration.block(&own).filter(|_| made.contains(&kept.address)) else { continue };
        if kept.address.resource.mode != ResourceMode::Managed {
            continue;
        }
        for &index in &block.reach {
            let named = &run.configuration.blocks[index].text;
            let is_listed = kept.dependencies.contains(named) || *named == own.to_string();
            let rule = if block.direct.contains(&index) { Id::I127 } else { Id::I164 };
            if rule == Id::I164 && run.workspace.dialect.engine() == Engine::OpenTofu {
                held.leave_out("I164: what OpenTofu lists of what is reached through whole modules is not known");
                continue;
            }
            held.hold(rule, is_listed, || format!("{} does not list {named}", kept.address));
        }
    }
}

/// I161, I162
fn objects(run: &Run<'_>, plan: &PlanView, after: &StateView, held: &mut RuleReport) {
    let mut current = BTreeSet::new();
    for kept in &after.objects {
        match &kept.deposed {
            None => held.hold(Id::I162, current.insert(&kept.address), || format!("{} has two objects", kept.address)),
            Some(_) => {
                let creates_first =
                    |change: &crate::run::Changed| change.address == kept.address && change.action == "create,delete";
                let is_right = was_deposed(run, after, kept) || plan.changes.iter().any(creates_first);
                held.hold(Id::I162, is_right, || format!("{} is deposed for no reason", kept.address));
            }
        }
    }
    for seen in &run.calls[1] {
        let (Request::Apply { prior, .. }, About::Object(address, None)) = (&seen.call.request, &seen.about) else {
            continue;
        };
        let is_made = matches!(&seen.answer.outcome, Some(Outcome::Object { value, .. }) if !value.is_null());
        if prior.is_null() && is_made {
            let is_there = after.current(address).is_some();
            held.hold(Id::I161, is_there, || format!("{address} was created and is not stored"));
        }
    }
}

/// I159
fn untouched(run: &Run<'_>, plan: &PlanView, after: &StateView, held: &mut RuleReport) {
    let Some(prior) = &run.prior else {
        return held.leave_out("I159: the refreshed state is not known");
    };
    // U04: an apply with a cycle writes nothing, so that the state stays as it was before the refresh.
    if run.goes_round(1) {
        return held.leave_out("I159: an apply that goes round writes nothing");
    }
    let called: BTreeSet<_> = run.calls[1].iter().filter_map(|seen| seen.object()).collect();
    let has_failed = run.exits[1] != Some(0);
    for change in plan.changes.iter().filter(|change| change.deposed.is_none()) {
        let is_managed = change.address.resource.mode == ResourceMode::Managed;
        if !is_managed || called.contains(&change.address) || change.action == "forget" {
            continue;
        }
        let [was, is] = [prior, after].map(|state| state.current(&change.address).map(|kept| &kept.json));
        // A16: what is created first has its old object set aside before anything of it is evaluated; built-in objects need no call for that.
        // Values that the plan did not know can be of a wrong type, so that it fails before its first call.
        // In OpenTofu an instance in a module with a key does not wait for its block (U33), so its values can fail before the first call.
        let may_fail_early = || {
            let is_alone = run.workspace.dialect.separates_module_instances();
            let block = run.configuration.block(&change.address.config_resource());
            plan.checks.contains(&change.address.to_string())
                || block.is_some_and(|block| !block.reach.is_empty())
                || is_alone && change.address.module.0.iter().any(|step| step.key != InstanceKey::None)
        };
        let is_set_aside = || {
            let mut aside =
                after.objects.iter().filter(|kept| kept.deposed.is_some() && kept.address == change.address);
            has_failed
                && change.action == "create,delete"
                && is.is_none()
                && may_fail_early()
                && aside.any(|kept| was.is_some_and(|was| is_same_but_for_key(was, &kept.json)))
        };
        let is_kept = was == is || is_set_aside();
        held.hold(Id::I159, is_kept, || format!("{} made no call and is stored otherwise", change.address));
    }
}

/// Whether an object is stored as a deposed one just as it was stored as the current one.
fn is_same_but_for_key(current: &Json, deposed: &Json) -> bool {
    let (Json::Object(current), Json::Object(deposed)) = (current, deposed) else { return false };
    let mut rest = deposed.iter().filter(|(name, _)| &**name != "deposed");
    current.iter().all(|member| rest.next() == Some(member)) && rest.next().is_none()
}

/// I166
fn outputs(run: &Run<'_>, plan: &PlanView, after: &StateView, held: &mut RuleReport, is_whole: bool) {
    if run.workspace.options.mode == Mode::Destroy || !is_whole {
        return;
    }
    for name in after.outputs.keys() {
        let is_configured = run.configuration.outputs.contains(name);
        held.hold(Id::I166, is_configured, || format!("output {name} is stored and not configured"));
    }
    for (name, (action, value)) in &plan.outputs {
        let Some(value) = value.as_ref().filter(|_| action != "delete") else { continue };
        let found = after.outputs.get(name);
        let is_null = matches!(value, Json::Null);
        let is_tofu = run.workspace.dialect.engine() == Engine::OpenTofu;
        let is_right = if is_null { found.is_none() || is_tofu } else { found.is_some_and(|found| same(found, value)) };
        held.hold(Id::I166, is_right, || format!("output {name} is stored as {found:?}"));
    }
}

/// Whether two values are equal, with members in any order.
fn same(one: &Json, other: &Json) -> bool {
    canonical_value(one) == canonical_value(other)
}
