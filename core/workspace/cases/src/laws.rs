//! Laws of section 10 of workspace-apply.md, held to a planner: a case is played, and then something is done that must not matter.
//!
//! A law speaks only where its conditions hold: nothing fails, nothing happens outside, no condition and no cycle stands in the way.
//! Where they do not, that is told too: a law that was never held says nothing.

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Options, Request, Trace, Workspace, WorkspacePlanner};

use crate::case::{Case, CaseError, Command};
use crate::model::{Simulated, World};
use crate::play::{Played, PlayedStep, play, step_of};

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// UL01: after an apply the next plan is empty.
    Idempotent,
    /// UL02: a destruction leaves nothing.
    DestroyedWhole,
    /// UL22: two plans are the same.
    PlannedTwice,
    /// UL15: without refresh, the same is planned.
    Unrefreshed,
    /// I175: a plan makes no mutating call.
    PlanTouchesNothing,
    /// I162, I164: what is stored is whole: dependencies are sorted, without repetition.
    StoredWhole,
}

/// What came of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// It holds.
    Holds,
    /// Its conditions do not hold.
    Silent,
    /// It does not hold.
    Broken(String),
}

impl Law {
    /// All of them.
    pub const ALL: [Law; 6] = [
        Law::Idempotent,
        Law::DestroyedWhole,
        Law::PlannedTwice,
        Law::Unrefreshed,
        Law::PlanTouchesNothing,
        Law::StoredWhole,
    ];

    /// Its id.
    pub fn id(self) -> &'static str {
        match self {
            Law::Idempotent => "UL01",
            Law::DestroyedWhole => "UL02",
            Law::PlannedTwice => "UL22",
            Law::Unrefreshed => "UL15",
            Law::PlanTouchesNothing => "I175",
            Law::StoredWhole => "I127",
        }
    }

    /// What it says, in a line.
    pub fn statement(self) -> &'static str {
        match self {
            Law::Idempotent => "after an apply the next plan is empty",
            Law::DestroyedWhole => "a destruction leaves nothing",
            Law::PlannedTwice => "two plans of one workspace are the same",
            Law::Unrefreshed => "where nothing happened outside, a plan without refresh is the same",
            Law::PlanTouchesNothing => "a plan makes no mutating call",
            Law::StoredWhole => "stored dependencies are a sorted set without the object itself",
        }
    }
}

/// Holds every law to the end of a case.
///
/// # Errors
/// A case that cannot be played.
pub fn hold(case: &Case, planner: &dyn WorkspacePlanner) -> Result<Vec<(Law, Held)>, CaseError> {
    Ok(hold_played(&play(case, planner)?, planner))
}

/// Holds every law to the end of a case that a planner played.
pub fn hold_played(played: &Played, planner: &dyn WorkspacePlanner) -> Vec<(Law, Held)> {
    let Some(last) = played.steps.last() else { return Vec::new() };
    let held = |law: Law| match law {
        Law::Idempotent => idempotent(last, planner),
        Law::DestroyedWhole => destroyed(last, planner),
        Law::PlannedTwice => planned_twice(last, planner),
        Law::Unrefreshed => unrefreshed(last, planner),
        Law::PlanTouchesNothing => touches_nothing(played),
        Law::StoredWhole => stored_whole(played),
    };
    Law::ALL.map(|law| (law, held(law))).to_vec()
}

/// The same workspace after a step, in a world where nothing happens.
fn again(last: &PlayedStep, options: Options) -> (Workspace, Simulated) {
    let mut workspace = last.workspace.clone();
    workspace.state = last.after().cloned();
    workspace.options = Options { variables: workspace.options.variables.clone(), ..options };
    let providers = Simulated { world: World::default(), ..last.providers.clone() };
    (workspace, providers)
}

/// Whether a step was applied whole, from end to end.
fn is_whole(last: &PlayedStep) -> bool {
    let options = &last.workspace.options;
    let is_plain = options.mode == Mode::Normal && options.targets.is_empty() && options.excludes.is_empty();
    let is_fine = last.applied.as_ref().is_some_and(|applied| applied.exit() == 0);
    is_plain && is_fine && last.providers.world == World::default() && options.replace.is_empty()
}

fn idempotent(last: &PlayedStep, planner: &dyn WorkspacePlanner) -> Held {
    if !is_whole(last) {
        return Held::Silent;
    }
    let (workspace, providers) = again(last, Options::default());
    let next = step_of(last.files.clone(), workspace, providers, Command::Plan, planner);
    let Some(plan) = &next.planned.plan else { return Held::Silent };
    if next.planned.is_errored() {
        return Held::Silent;
    }
    let has_late_data = plan.changes.iter().any(|change| change.addr.resource.mode == ResourceMode::Data);
    // I36: a replacement that fires others fires them once more where the trigger was replaced itself.
    match plan.applyable && !has_late_data {
        false => Held::Holds,
        true => {
            let change = plan.changes.iter().find(|change| !change.is_empty());
            Held::Broken(format!("the next plan has {:?}", change.map(planfuzz_core::plans::AddressedChange::action)))
        }
    }
}

fn destroyed(last: &PlayedStep, planner: &dyn WorkspacePlanner) -> Held {
    let (workspace, providers) = again(last, Options { mode: Mode::Destroy, ..Options::default() });
    let next = step_of(last.files.clone(), workspace, providers, Command::Apply, planner);
    let Some(applied) = next.applied.as_ref().filter(|applied| applied.exit() == 0) else { return Held::Silent };
    match applied.state.is_empty() {
        true => Held::Holds,
        false => Held::Broken("a destruction left something".into()),
    }
}

fn changes_of(step: &PlayedStep) -> Option<(Vec<String>, bool)> {
    let plan = step.planned.plan.as_ref().filter(|_| !step.planned.is_errored())?;
    let mut changes: Vec<String> = plan
        .changes
        .iter()
        .map(|change| format!("{} {:?} {:?}", change.addr, change.deposed(), change.action()))
        .collect();
    changes.sort();
    Some((changes, plan.applyable))
}

fn planned_twice(last: &PlayedStep, planner: &dyn WorkspacePlanner) -> Held {
    let (workspace, providers) = again(last, Options::default());
    let one = step_of(last.files.clone(), workspace.clone(), providers.clone(), Command::Plan, planner);
    let two = step_of(last.files.clone(), workspace, providers, Command::Plan, planner);
    match (changes_of(&one), changes_of(&two)) {
        (None, None) => Held::Silent,
        (one, two) if one == two => Held::Holds,
        _ => Held::Broken("two plans of one workspace differ".into()),
    }
}

fn unrefreshed(last: &PlayedStep, planner: &dyn WorkspacePlanner) -> Held {
    let plan = |refresh| {
        let (workspace, providers) = again(last, Options { refresh, ..Options::default() });
        changes_of(&step_of(last.files.clone(), workspace, providers, Command::Plan, planner))
    };
    match (plan(true), plan(false)) {
        (Some(one), Some(two)) if one.0 == two.0 => Held::Holds,
        (Some(_), Some(_)) => Held::Broken("the plan without refresh has other changes".into()),
        _ => Held::Silent,
    }
}

fn mutates(trace: &Trace) -> bool {
    trace.calls.iter().any(|made| matches!(made.call.request, Request::Apply { .. }))
}

fn touches_nothing(played: &Played) -> Held {
    match played.steps.iter().any(|step| mutates(&step.planned.trace)) {
        false => Held::Holds,
        true => Held::Broken("a plan made a mutating call".into()),
    }
}

fn stored_whole(played: &Played) -> Held {
    for step in played.steps.iter().filter_map(|step| step.applied.as_ref()) {
        for (address, _, instance) in step.state.instances() {
            for object in instance.current.iter().chain(instance.deposed.values()) {
                let names: Vec<&str> = object.dependencies.iter().map(|name| name.as_str()).collect();
                if !names.is_sorted() || names.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Held::Broken("stored dependencies are not a sorted set".into());
                }
                let own = address.config_resource().to_string();
                if names.contains(&own.as_str()) {
                    return Held::Broken("an object depends on itself".into());
                }
            }
        }
    }
    Held::Holds
}
