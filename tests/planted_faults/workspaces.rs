//! Mistakes of planners of whole workspaces: a campaign finds them, and makes the case small. `kills` hunts all of them; here every twenty-fourth.

use planfuzz::case::{Call, Case, Task};
use planfuzz::kills::{Hunted, workspace};
use planfuzz::subject::faults::WorkspaceFault;
use planfuzz_workspace_cases::hunt::{resources, sampled};

use super::common::on_every_core;
use super::{SEEDS, bounds};

/// One of so many is hunted.
const EVERY: usize = 24;

/// The bound of a campaign.
const CASES: u64 = 20_000;

/// How many resources and steps a small case has, at most.
const SMALL: (usize, usize) = (3, 2);

fn size(case: &Case) -> (usize, usize) {
    match &case.task {
        Task::Call(Call::Workspace(workspace)) => (resources(workspace), workspace.steps.len()),
        _ => (0, 0),
    }
}

#[test]
fn mistakes_of_planners_of_workspaces_are_found_and_made_small() {
    let all: Vec<WorkspaceFault> = WorkspaceFault::all().collect();
    assert!(all.len() >= 80, "only {} are planted", all.len());
    let sample: Vec<WorkspaceFault> = all.into_iter().skip(1).step_by(sampled(EVERY)).collect();
    let hunted: Vec<Hunted> =
        on_every_core(sample.len(), |number| workspace::hunt(sample[number], SEEDS[0], &bounds(CASES)));
    let mut problems = Vec::new();
    for (fault, hunted) in sample.iter().zip(hunted) {
        let Some(catch) = hunted.found() else {
            problems.push(format!("{}: not found in {} cases: {hunted:?}", fault.name(), hunted.cases));
            continue;
        };
        let (resources, steps) = size(&catch.shrunk.case);
        if resources > SMALL.0 || steps > SMALL.1 {
            problems.push(format!("{}: {resources} resources, {steps} steps", fault.name()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
