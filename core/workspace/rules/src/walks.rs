//! The calls that a walk may make, and how often (I101 to I106, I112, I115, I125, I136, I138, I150, I154, I155, I175 to I178).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Request, builtin};

use crate::findings::RuleReport;
use crate::id::Id;
use crate::run::{About, ObservedCall, Run};

pub(crate) fn check(run: &Run<'_>, held: &mut RuleReport) {
    validation(run, held);
    for phase in 0..2 {
        providers(run, held, phase);
        overlaps(run, held, phase);
        ephemeral(run, held, phase);
        upgrades(run, held, phase);
    }
    plan_calls(run, held);
    imports(run, held);
}

/// I105, I106
fn validation(run: &Run<'_>, held: &mut RuleReport) {
    // G15: the command `import` has no validation walk.
    if run.calls[0].iter().any(|seen| seen.walk == "import") {
        return;
    }
    let of_walk = || run.calls[0].iter().filter(|seen| seen.walk == "validate");
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for call in of_walk() {
        let name = call.call.request.name();
        held.hold(Id::I105, name.starts_with("validate"), || format!("the validation walk calls {name}"));
        if let About::Block(block) = &call.about {
            *seen.entry(block).or_default() += 1;
        }
    }
    let failed = of_walk().any(ObservedCall::has_failed);
    for block in &run.configuration.blocks {
        let count = seen.get(block.text.as_str()).copied().unwrap_or(0);
        let goes_on = run.calls[0].iter().any(|call| call.walk != "validate");
        let wanted = if goes_on && !failed { 1..=1 } else { 0..=1 };
        held.hold(Id::I105, wanted.contains(&count), || format!("{} is validated {count} times", block.text));
    }
    let later = run.calls[0].iter().find(|call| call.walk != "validate");
    held.hold(Id::I106, !failed || later.is_none(), || "a failed validation walk is not the last".into());
}

/// I101, I102, I155
fn providers(run: &Run<'_>, held: &mut RuleReport, phase: usize) {
    let rule = if phase == 0 { Id::I101 } else { Id::I155 };
    let calls = &run.calls[phase];
    let configures: Vec<usize> =
        (0..calls.len()).filter(|&index| matches!(calls[index].call.request, Request::Configure { .. })).collect();
    let mut once: BTreeSet<(usize, &About)> = BTreeSet::new();
    for &index in &configures {
        let seen = &calls[index];
        held.hold(Id::I102, once.insert((seen.node.walk, &seen.about)), || {
            format!("{:?} is configured twice in {}", seen.about, seen.walk)
        });
    }
    for (index, seen) in calls.iter().enumerate() {
        let (Some(configured), About::Object(..)) = (&seen.call.configured, &seen.about) else {
            held.hold(rule, seen.object().is_none(), || {
                format!("{:?} is asked before anything is configured", seen.about)
            });
            continue;
        };
        let is_its = |other: &&usize| {
            let other = &calls[**other];
            let config = match &other.call.request {
                Request::Configure { config } => config,
                _ => return false,
            };
            other.node.walk == seen.node.walk && other.call.provider == seen.call.provider && config == configured
        };
        let found = configures
            .iter()
            .find(|other| is_its(other) && !calls[**other].has_failed() && run.is_before(phase, **other, index));
        held.hold(rule, found.is_some(), || {
            format!("{} of {:?} comes before its provider is configured", seen.call.request.name(), seen.about)
        });
    }
}

/// I104, I154
fn overlaps(run: &Run<'_>, held: &mut RuleReport, phase: usize) {
    let rule = if phase == 0 { Id::I104 } else { Id::I154 };
    // E190: calls of the engine's own provider cannot be observed.
    let watched = run.calls[phase].iter().filter(|seen| !builtin::is_asked(&seen.call));
    let times: Option<Vec<(u64, u64)>> = watched.map(|seen| seen.times).collect();
    let Some(times) = times else {
        return held.leave_out("I104, I154: no schedule is known, only an order");
    };
    let mut ends: Vec<(u64, i64)> = times.iter().flat_map(|&(start, finish)| [(start, 1), (finish, -1)]).collect();
    ends.sort_unstable();
    let (mut now, mut most) = (0_i64, 0_i64);
    for (_, step) in ends {
        now += step;
        most = most.max(now);
    }
    let allowed = i64::try_from(run.workspace.options.parallelism).unwrap_or(i64::MAX);
    held.hold(rule, most <= allowed, || format!("{most} calls overlap, {allowed} may"));
}

/// I138: after an error an ephemeral object may stay open.
fn ephemeral(run: &Run<'_>, held: &mut RuleReport, phase: usize) {
    if run.has_errors(phase) {
        return;
    }
    let mut open: BTreeMap<(usize, String), i64> = BTreeMap::new();
    for seen in &run.calls[phase] {
        let step = match &seen.call.request {
            Request::Open { .. } if !seen.has_failed() => 1,
            Request::Close { .. } => -1,
            _ => continue,
        };
        let about = seen.object().map_or_else(String::new, ToString::to_string);
        *open.entry((seen.node.walk, about)).or_default() += step;
    }
    for ((walk, about), left) in open {
        held.hold(Id::I138, left == 0, || format!("walk {walk} opens {about} {left} times more than it closes it"));
    }
}

/// I136
fn upgrades(run: &Run<'_>, held: &mut RuleReport, phase: usize) {
    let mut seen_once = BTreeSet::new();
    for seen in &run.calls[phase] {
        let (Request::Upgrade { .. }, About::Object(address, deposed)) = (&seen.call.request, &seen.about) else {
            continue;
        };
        let is_managed = address.resource.mode == ResourceMode::Managed;
        let is_first = seen_once.insert((seen.node, address, deposed));
        held.hold(Id::I136, is_managed && is_first, || format!("{address} is upgraded again in {}", seen.walk));
    }
}

/// I112, I115, I150, I175, I176
fn plan_calls(run: &Run<'_>, held: &mut RuleReport) {
    let options = &run.workspace.options;
    let refreshes_only = options.mode == Mode::RefreshOnly;
    let imported: BTreeSet<_> = run.calls[0]
        .iter()
        .filter(|seen| matches!(seen.call.request, Request::Import { .. }))
        .filter_map(ObservedCall::object)
        .collect();
    for seen in &run.calls[0] {
        held.hold(Id::I175, !seen.is_mutating(), || format!("a plan changes {:?}", seen.about));
        let name = seen.call.request.name();
        if !options.refresh && name == "read" {
            let is_import = seen.object().is_some_and(|address| imported.contains(address));
            held.hold(Id::I115, is_import, || format!("{:?} is read without refresh", seen.about));
        }
        if refreshes_only && name == "plan" {
            let is_stored = run.workspace.dialect.engine() == Engine::Terraform;
            let is_orphan = matches!(&seen.call.request, Request::Plan { config, .. } if config.is_null());
            held.hold(Id::I176, is_orphan && is_stored, || format!("a refresh plans {:?}", seen.about));
        }
    }
    for seen in &run.calls[1] {
        let name = seen.call.request.name();
        let is_looked = matches!(name, "read" | "import" | "move");
        held.hold(Id::I150, !is_looked, || format!("an apply calls {name} of {:?}", seen.about));
        if refreshes_only {
            held.hold(Id::I176, !seen.is_mutating(), || format!("a refresh changes {:?}", seen.about));
        }
    }
}

/// I125, I178
fn imports(run: &Run<'_>, held: &mut RuleReport) {
    let Some(plan) = &run.plan else { return };
    for change in plan.changes.iter().filter(|change| change.is_import) {
        let own = run.calls[0].iter().filter(|seen| seen.object() == Some(&change.address) && seen.walk == "plan");
        let names: Vec<&str> = own.map(|seen| seen.call.request.name()).collect();
        let is_right = names.first() == Some(&"import") && names.get(1) == Some(&"read") && !names.contains(&"upgrade");
        held.hold(Id::I125, is_right, || format!("the import of {} calls {}", change.address, names.join(", ")));
        let was_there = run.before.current(&change.address).is_some();
        let was_moved = plan.changes.iter().any(|other| other.previous.as_ref() == Some(&change.address));
        held.hold(Id::I125, !was_there || was_moved, || format!("{} is imported and was stored", change.address));
        let count = names.iter().filter(|name| **name == "import").count();
        held.hold(Id::I178, count == 1, || format!("{} is imported {count} times", change.address));
    }
}
