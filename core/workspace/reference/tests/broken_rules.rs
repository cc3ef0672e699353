//! Each rule of workspaces reports a planted break: a correct run is changed by hand until the rule does not hold.

mod common;

use common::{curated, recorded};
use planfuzz_core::address::{AbsResourceInstance, InstanceKey, Notation, ProviderSource};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_core::value::{Type, Value};
use planfuzz_workspace::order::{Order, PartWalk, WalkOrder};
use planfuzz_workspace::{Command, Diagnostic, HALTED, Outcome, Request};
use planfuzz_workspace_reference::Reference;
use planfuzz_workspace_rules::{About, Changed, ObservedCall, RULES, Run, StateView, StoredObject};

/// How many places of a run are tried.
const MOST: usize = 60;

/// Changes a run at its n-th place, if that is possible.
type Bend = fn(&mut Run<'_>, usize) -> Option<()>;

fn nowhere() -> AbsResourceInstance {
    Notation { engine: Engine::Terraform }.instance("w_thing.nowhere").expect("an address")
}

/// Removes all order from a phase, in times and in edges.
fn unordered(run: &mut Run<'_>, phase: usize) {
    let mut order = Order::default();
    for walk in &run.traces[phase].order.walks {
        order.push(WalkOrder { waits_for: vec![Vec::new(); walk.nodes.len()], ..walk.clone() });
    }
    run.traces[phase].order = order;
    run.calls[phase].iter_mut().for_each(|seen| seen.times = seen.times.map(|_| (1, 1_000_000)));
}

fn nth<T>(list: &mut [T], n: usize, is_wanted: impl Fn(&T) -> bool) -> Option<&mut T> {
    list.iter_mut().filter(|one| is_wanted(one)).nth(n)
}

/// Makes a call once more.
fn again(run: &mut Run<'_>, phase: usize, n: usize, is_wanted: impl Fn(&ObservedCall) -> bool) -> Option<()> {
    let seen = nth(&mut run.calls[phase], n, is_wanted)?.clone();
    run.calls[phase].push(seen);
    Some(())
}

fn change<'r>(run: &'r mut Run<'_>, n: usize, is_wanted: impl Fn(&Changed) -> bool) -> Option<&'r mut Changed> {
    nth(&mut run.plan.as_mut()?.changes, n, is_wanted)
}

fn fail(run: &mut Run<'_>, phase: usize, n: usize, is_wanted: impl Fn(&ObservedCall) -> bool) -> Option<()> {
    nth(&mut run.calls[phase], n, is_wanted)?.answer.outcome = None;
    Some(())
}

fn stored<'r>(
    run: &'r mut Run<'_>,
    n: usize,
    is_wanted: impl Fn(&StoredObject) -> bool,
) -> Option<&'r mut StoredObject> {
    nth(&mut run.after.as_mut()?.objects, n, is_wanted)
}

fn is_apply(seen: &ObservedCall) -> bool {
    matches!(seen.call.request, Request::Apply { .. })
}

fn once(n: usize) -> Option<()> {
    (n == 0).then_some(())
}

fn is_mode(run: &Run<'_>, mode: Mode) -> Option<()> {
    (run.workspace.options.mode == mode).then_some(())
}

/// An instance beside the one that is the only target.
fn sibling(run: &Run<'_>) -> Option<AbsResourceInstance> {
    let [target] = &run.workspace.options.targets[..] else { return None };
    let mut address = Notation { engine: run.workspace.dialect.engine() }.instance(target).ok()?;
    address.key = InstanceKey::Int(999);
    Some(address)
}

const BENDS: &[(&str, Bend)] = &[
    ("I100", |run, n| {
        unordered(run, 0);
        once(n)
    }),
    ("I101", |run, n| {
        unordered(run, 0);
        once(n)
    }),
    ("I102", |run, n| again(run, 0, n, |seen| matches!(seen.call.request, Request::Configure { .. }))),
    ("I103", |run, n| fail(run, 0, n, |seen| seen.walk == "plan" && seen.object().is_some())),
    ("I104", |run, n| {
        unordered(run, 0);
        once(n)
    }),
    ("I105", |run, n| again(run, 0, n, |seen| matches!(seen.about, About::Block(_)))),
    ("I106", |run, n| fail(run, 0, n, |seen| seen.walk == "validate")),
    ("I107", |run, n| {
        let index = (n < run.plan.as_ref()?.changes.len()).then_some(n)?;
        run.plan.as_mut()?.changes.remove(index);
        Some(())
    }),
    ("I107", |run, n| {
        let is_read = |seen: &ObservedCall| matches!(&seen.call.request, Request::Read { .. });
        let is_deposed = |seen: &ObservedCall| matches!(&seen.about, About::Object(_, Some(_)));
        let seen = nth(&mut run.calls[0], n, |seen| is_read(seen) && is_deposed(seen))?;
        let Some(Outcome::Object { value, .. }) = &mut seen.answer.outcome else { return None };
        *value = Value::null(Type::Dynamic);
        let address = seen.object()?.clone();
        let changes = &mut run.plan.as_mut()?.changes;
        let current = changes.iter().position(|change| change.address == address && change.deposed.is_none())?;
        changes.remove(current);
        Some(())
    }),
    ("I108", |run, n| {
        change(run, n, |_| true)?.address = nowhere();
        Some(())
    }),
    ("I109", |run, n| {
        change(run, n, |change| change.action == "create")?.address = nowhere();
        Some(())
    }),
    ("I110", |run, n| {
        change(run, n, |change| change.action == "no-op")?.action = "delete".into();
        Some(())
    }),
    ("I111", |run, n| {
        let one = change(run, n, |_| true)?.clone();
        run.plan.as_mut()?.changes.push(one);
        Some(())
    }),
    ("I112", |run, n| {
        is_mode(run, Mode::RefreshOnly)?;
        let action = "create".to_owned();
        let one = Changed {
            address: nowhere(),
            previous: None,
            deposed: None,
            action,
            reason: String::new(),
            is_import: false,
        };
        run.plan.as_mut()?.changes.push(one);
        once(n)
    }),
    ("I113", |run, n| {
        is_mode(run, Mode::Destroy)?;
        change(run, n, |_| true)?.action = "create".into();
        Some(())
    }),
    ("I114", |run, n| {
        unordered(run, 0);
        once(n)
    }),
    ("I115", |run, n| {
        let seen = nth(&mut run.calls[0], n, |seen| seen.walk == "plan" && seen.object().is_some())?;
        seen.call.request = Request::Read { current: Value::null(Type::Dynamic), private: Default::default() };
        Some(())
    }),
    ("I116", |run, n| {
        let plan = run.plan.as_mut().filter(|plan| plan.complete == Some(false) && !plan.errored)?;
        plan.complete = Some(true);
        once(n)
    }),
    ("I116", |run, n| {
        is_mode(run, Mode::Normal)?;
        let of_sibling = sibling(run)?;
        change(run, n, |_| true)?.address = of_sibling;
        Some(())
    }),
    ("I116", |run, n| {
        is_mode(run, Mode::Normal)?;
        let of_sibling = sibling(run)?;
        let change = change(run, n, |_| true)?;
        (change.address, change.deposed) = (of_sibling, Some("ffffffff".into()));
        Some(())
    }),
    ("I117", |run, n| {
        run.plan.as_mut()?.complete = Some(false);
        once(n)
    }),
    ("I118", |run, n| {
        let plan = run.plan.as_mut()?;
        plan.errored = !plan.errored;
        once(n)
    }),
    ("I119", |run, n| {
        let deferred = "read_because_dependency_pending";
        change(run, n, |change| change.reason == deferred)?;
        for other in run.plan.as_mut()?.changes.iter_mut().filter(|change| change.reason != deferred) {
            other.action = "no-op".into();
        }
        run.plan.as_mut()?.changes.retain(|change| change.reason != deferred || change.action != "no-op");
        Some(())
    }),
    ("I120", |run, n| {
        change(run, n, |change| change.action == "no-op")?.action = "update".into();
        Some(())
    }),
    ("I121", |run, n| {
        change(run, n, |_| true)?.previous = Some(nowhere());
        Some(())
    }),
    ("I122", |run, n| {
        let from = run.plan.as_ref()?.changes.first()?.address.clone();
        run.plan.as_mut()?.changes.iter_mut().for_each(|change| change.previous = Some(from.clone()));
        once(n)
    }),
    ("I123", |run, n| {
        change(run, n, |change| change.action == "no-op")?.previous = Some(nowhere());
        Some(())
    }),
    ("I124", |run, n| {
        change(run, n, |change| change.action == "delete")?.action = "forget".into();
        Some(())
    }),
    ("I125", |run, n| {
        change(run, n, |change| !change.is_import)?.is_import = true;
        Some(())
    }),
    ("I126", |run, n| {
        let change = change(run, n, |change| change.action.contains(','))?;
        change.action = if change.action == "create,delete" { "delete,create" } else { "create,delete" }.into();
        Some(())
    }),
    ("I127", |run, n| {
        stored(run, n, |kept| kept.dependencies.len() > 1)?.dependencies.reverse();
        Some(())
    }),
    ("I128", |run, n| {
        let prior = run.prior.as_mut()?;
        nth(&mut prior.objects, n, |kept| !kept.dependencies.is_empty())?.dependencies.push("w_thing.nowhere".into());
        Some(())
    }),
    ("I129", |run, n| {
        let name = run.plan.as_ref()?.outputs.keys().nth(n)?.clone();
        run.plan.as_mut()?.outputs.remove(&name);
        Some(())
    }),
    ("I130", |run, n| {
        let applyable = &mut run.plan.as_mut()?.applyable;
        *applyable = Some(!(*applyable)?);
        once(n)
    }),
    ("I131", |run, n| {
        let index = (n < run.plan.as_ref()?.changes.len()).then_some(n)?;
        run.plan.as_mut()?.changes.remove(index);
        Some(())
    }),
    ("I132", |run, n| {
        let index = (n < run.plan.as_ref()?.changes.len()).then_some(n)?;
        run.plan.as_mut()?.changes.remove(index);
        Some(())
    }),
    ("I133", |run, n| {
        run.diagnostics[0].clear();
        once(n)
    }),
    ("I134", |run, n| {
        change(run, n, |_| true)?.reason = "delete_because_count_index".into();
        Some(())
    }),
    ("I135", |run, n| {
        let one = change(run, n, |_| true)?.clone();
        run.plan.as_mut()?.drift.push(Changed { address: nowhere(), previous: None, ..one });
        Some(())
    }),
    ("I136", |run, n| again(run, 0, n, |seen| matches!(seen.call.request, Request::Upgrade { .. }))),
    ("I137", |run, n| {
        let seen = nth(&mut run.calls[0], n, |seen| matches!(seen.call.request, Request::Configure { .. }))?;
        seen.call.provider = ProviderSource::default_of(Engine::Terraform, "nobodys");
        Some(())
    }),
    ("I138", |run, n| again(run, 0, n, |seen| matches!(seen.call.request, Request::Open { .. }))),
    ("I139", |run, n| {
        run.plan.as_mut()?.relevant.as_mut()?.push(nowhere().config_resource());
        once(n)
    }),
    ("I150", |run, n| again(run, 1, n, is_apply)),
    ("I151", |run, n| {
        run.calls[1].retain(|seen| !is_apply(seen));
        once(n)
    }),
    ("I152", |run, n| {
        unordered(run, 1);
        once(n)
    }),
    ("I154", |run, n| {
        unordered(run, 1);
        once(n)
    }),
    ("I155", |run, n| {
        run.calls[1].iter_mut().for_each(|seen| {
            if matches!(seen.call.request, Request::Configure { .. }) {
                seen.answer.outcome = None;
            }
        });
        once(n)
    }),
    ("I156", |run, n| fail(run, 1, n, is_apply)),
    ("I157", |run, n| {
        let failed = run.calls[1].iter().filter(|seen| seen.has_failed()).count();
        let address =
            run.plan.as_ref()?.changes.iter().filter(|change| change.action == "create").nth(n)?.address.clone();
        run.calls[1].retain(|seen| seen.object() != Some(&address));
        let still = run.calls[1].iter().filter(|seen| seen.has_failed()).count();
        (failed == still).then_some(())
    }),
    ("I158", |run, n| {
        run.exits[1] = Some(1 - run.exits[1]?);
        once(n)
    }),
    ("I159", |run, n| {
        stored(run, n, |kept| kept.deposed.is_none())?.json = Json::Null;
        Some(())
    }),
    // What was set aside before its own visit failed is stored otherwise.
    ("I159", |run, n| {
        let called: Vec<_> = run.calls[1].iter().filter_map(ObservedCall::object).cloned().collect();
        stored(run, n, |kept| kept.deposed.is_some() && !called.contains(&kept.address))?.json = Json::Null;
        Some(())
    }),
    ("I160", |run, n| {
        stored(run, n, |kept| kept.is_managed)?.json = Json::Null;
        Some(())
    }),
    ("I161", |run, n| {
        let objects = &mut run.after.as_mut()?.objects;
        let index = (n < objects.len()).then_some(n)?;
        objects.remove(index);
        Some(())
    }),
    ("I162", |run, n| {
        let one = stored(run, n, |_| true)?.clone();
        run.after.as_mut()?.objects.push(one);
        Some(())
    }),
    ("I162", |run, n| {
        let mut one = stored(run, n, |kept| kept.deposed.is_some())?.clone();
        one.address = nowhere();
        run.after.as_mut()?.objects.push(one);
        Some(())
    }),
    ("I163", |run, n| {
        stored(run, n, |_| true)?.deposed = Some("ffffffff".into());
        Some(())
    }),
    ("I164", |run, n| {
        stored(run, n, |kept| !kept.dependencies.is_empty())?.dependencies.clear();
        Some(())
    }),
    ("I165", |run, n| {
        run.after.as_mut()?.without_instances.push("w_thing.nowhere".into());
        once(n)
    }),
    ("I166", |run, n| {
        run.after.as_mut()?.outputs.clear();
        once(n)
    }),
    ("I167", |run, n| {
        run.after.as_mut()?.outputs.clear();
        once(n)
    }),
    ("I168", |run, n| {
        run.raised = run.raised.map(|raised| !raised);
        once(n)
    }),
    ("I169", |run, n| {
        is_mode(run, Mode::Destroy)?;
        run.after.as_mut()?.resources += 1;
        once(n)
    }),
    ("I170", |run, n| {
        is_mode(run, Mode::Destroy)?;
        unordered(run, 1);
        once(n)
    }),
    ("I171", |run, n| {
        let is_made =
            |seen: &ObservedCall| matches!(&seen.call.request, Request::Plan { config, .. } if !config.is_null());
        let seen = nth(&mut run.calls[1], n, is_made)?;
        if let Request::Plan { config, .. } = &mut seen.call.request {
            let names = config.ty().as_object()?.attributes().to_vec();
            let nulls = names.into_iter().map(|attribute| (attribute.name, Value::null(attribute.ty)));
            *config = Value::object(nulls.collect());
        }
        Some(())
    }),
    ("I172", |run, n| {
        nth(&mut run.calls[1], n, |seen| seen.object().is_some())?.about = About::Object(nowhere(), None);
        Some(())
    }),
    ("I173", |run, n| {
        run.after.as_mut()?.checks.insert("check.nowhere".into(), "pass".into());
        once(n)
    }),
    ("I174", |run, n| {
        run.workspace.options.interrupt.as_ref()?;
        run.diagnostics[1].retain(|one| one.summary != HALTED);
        once(n)
    }),
    ("I175", |run, n| {
        let seen = nth(&mut run.calls[1], n, is_apply)?.clone();
        run.calls[0].push(seen);
        Some(())
    }),
    ("I176", |run, n| {
        is_mode(run, Mode::RefreshOnly)?;
        let seen = nth(&mut run.calls[0], n, |seen| seen.walk == "plan" && seen.object().is_some())?;
        let null = || Value::null(Type::Dynamic);
        let config = Value::object(Vec::new());
        seen.call.request = Request::Plan { prior: null(), config, proposed: null(), private: Default::default() };
        Some(())
    }),
    ("I177", |run, n| {
        run.exits[0] = Some(0);
        once(n)
    }),
    ("I178", |run, n| again(run, 0, n, |seen| matches!(seen.call.request, Request::Import { .. }))),
    ("I179", |run, n| {
        if run.workspace.options.targets.is_empty() {
            return None;
        }
        let mut seen = nth(&mut run.calls[1], 0, is_apply)?.clone();
        let mut blocks = run.calls[0].iter().filter_map(|seen| match &seen.about {
            About::Block(text) => Notation { engine: Engine::Terraform }.instance(text).ok(),
            _ => None,
        });
        seen.about = About::Object(blocks.nth(n)?, None);
        run.calls[1].push(seen);
        Some(())
    }),
    ("I179", |run, n| {
        is_mode(run, Mode::Destroy)?;
        let of_sibling = sibling(run)?;
        nth(&mut run.calls[1], n, is_apply)?.about = About::Object(of_sibling, None);
        Some(())
    }),
    ("I179", |run, n| {
        is_mode(run, Mode::Normal)?;
        let of_sibling = sibling(run)?;
        nth(&mut run.calls[1], n, is_apply)?.about = About::Object(of_sibling, Some("ffffffff".into()));
        Some(())
    }),
    ("I180", |run, n| {
        run.after.as_mut()?.objects.retain(|kept| kept.deposed.is_none());
        once(n)
    }),
    ("I181", |run, n| {
        run.diagnostics[0].push(Diagnostic::error("Cycle: w_thing.a, w_thing.b"));
        once(n)
    }),
    ("I182", |run, n| {
        let change = change(run, n, |change| change.action.contains(','))?;
        change.action = if change.action == "create,delete" { "delete,create" } else { "create,delete" }.into();
        Some(())
    }),
    ("I183", |run, n| {
        run.plan.as_mut()?.changes.iter_mut().for_each(|change| change.action = "no-op".into());
        once(n)
    }),
    ("I184", |run, n| {
        run.written.take()?;
        once(n)
    }),
    ("I184", |run, n| {
        run.written.as_ref()?.objects.first()?;
        run.diagnostics[0].push(Diagnostic::error("Something"));
        run.before = StateView::default();
        once(n)
    }),
    ("I185", |run, n| {
        let objects = &mut run.written.as_mut()?.objects;
        let twice = objects.get(n)?.clone();
        objects.push(twice);
        Some(())
    }),
    ("I185", |run, n| {
        run.written.as_mut()?.objects.get_mut(n)?.deposed = Some("ffffffff".into());
        Some(())
    }),
    ("I185", |run, n| {
        run.written.as_mut()?.objects.get_mut(n)?.dependencies = vec!["w_thing.b".into(), "w_thing.a".into()];
        Some(())
    }),
    ("I186", |run, n| {
        run.written.as_mut()?.objects.get_mut(n)?.json = Json::object([("attributes", Json::Null)]);
        Some(())
    }),
    ("I186", |run, n| {
        let objects = &mut run.written.as_mut()?.objects;
        (n < objects.len()).then(|| objects.remove(n))?;
        Some(())
    }),
    ("I187", |run, n| {
        let objects = &mut run.written.as_mut()?.objects;
        let mut more = nth(objects, n, |kept| kept.is_managed)?.clone();
        more.address = nowhere();
        objects.push(more);
        Some(())
    }),
    ("I187", |run, n| {
        run.written.as_mut()?.outputs.insert("nowhere".into(), Json::Null);
        once(n)
    }),
    ("I187", |run, n| {
        matches!(run.command, Command::Import(_)).then_some(())?;
        run.written.as_mut()?.objects.get_mut(n)?.dependencies = vec!["w_thing.nowhere".into()];
        Some(())
    }),
    ("I190", |run, n| {
        let is_made =
            |seen: &ObservedCall| matches!(&seen.call.request, Request::Plan { config, .. } if !config.is_null());
        let seen = nth(&mut run.calls[0], n, is_made)?;
        if let Request::Plan { proposed, prior, .. } = &mut seen.call.request {
            *proposed = Value::null(prior.ty().clone());
        }
        Some(())
    }),
    ("I191", |run, n| {
        let part = run.traces[0].parts.get_mut(n)?;
        if let PartWalk::Plan(plan) = &mut part.walk {
            plan.exchanges.pop();
        }
        Some(())
    }),
];

/// Removes from `open` the changes that break their rule somewhere in a run.
fn try_all(run: &Run<'_>, open: &mut Vec<(&'static str, Bend)>) {
    open.retain(|(rule, bend)| {
        let breaks = |n: usize| {
            let mut bent = run.clone();
            bend(&mut bent, n)?;
            Some(bent.check().broken.iter().any(|broken| broken.rule == *rule))
        };
        !(0..MOST).map_while(breaks).any(|is_broken| is_broken)
    });
}

#[test]
fn every_rule_refuses_a_run_that_is_bent_against_it() {
    let mut open: Vec<(&str, Bend)> = BENDS.to_vec();
    let is_bent = |id: &&str| BENDS.iter().any(|(rule, _)| rule == id);
    let unbent: Vec<&str> = RULES.iter().map(|info| info.id).filter(|id| !is_bent(id)).collect();
    assert!(unbent.is_empty(), "without a planted break: {unbent:?}");
    let runs = [recorded("terraform.jsonl.gz"), recorded("opentofu.jsonl.gz")];
    for recorded in runs.iter().flat_map(|runs| runs.iter().rev()) {
        if open.is_empty() {
            break;
        }
        let replay = recorded.replay(&Reference);
        try_all(&Run::of_engine(recorded, &replay).expect("a run of an engine"), &mut open);
        let own = Run::of_planner(&recorded.workspace, replay.done(&recorded.command));
        try_all(&own.expect("a run of the reference"), &mut open);
    }
    for (_, step) in curated() {
        let own = Run::of_planner(&step.workspace, step.done());
        try_all(&own.expect("a run of the reference"), &mut open);
    }
    let left: Vec<&str> = open.iter().map(|(rule, _)| *rule).collect();
    assert!(open.is_empty(), "not refused: {left:?}");
}
