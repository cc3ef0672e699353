//! Planted mistakes of the optimized planner: the comparison with the reference finds every one, and minimizes it.

#![cfg(feature = "faults")]

use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_cases::hunt::{Caught, differ, hunt_in, resources, sampled};
use planfuzz_workspace_optimized::faults::{Fault, Faulty};
use planfuzz_workspace_optimized::{Incremental, Optimized};
use planfuzz_workspace_reference::Reference;

mod edited;

/// How many workspaces are tried for each.
const CASES: u64 = 12_000;

/// One mistake of so many is hunted, unless all are asked for.
const EVERY: usize = 8;

/// Whether a mistake is one of planning again.
fn is_incremental(fault: Fault) -> bool {
    fault.rule() == Fault::INCREMENTAL
}

#[test]
fn every_fault_is_found_and_made_small() {
    each_is_found(&Reference, |fault| {
        (!is_incremental(fault) && fault.rule() != Fault::CONCURRENT)
            .then(|| Box::new(*fault.planner()) as Box<dyn WorkspacePlanner>)
    });
}

#[test]
fn every_fault_of_planning_again_is_found_and_made_small() {
    each_is_found(&Optimized, |fault| {
        is_incremental(fault).then(|| Box::new(Faulty(fault, Incremental)) as Box<dyn WorkspacePlanner>)
    });
}

fn each_is_found(right: &dyn WorkspacePlanner, planner: impl Fn(Fault) -> Option<Box<dyn WorkspacePlanner>>) {
    let (mut wrong, mut tried) = (Vec::new(), 0);
    let of_kind = Fault::ALL.iter().copied().filter_map(|fault| Some((fault, planner(fault)?)));
    for (fault, planner) in of_kind.step_by(sampled(EVERY)) {
        tried += 1;
        let curated = edited::cases().into_iter().find(|case| differ(case, right, &*planner));
        let curated = curated.filter(|_| is_incremental(fault)).map(|small| Caught {
            number: 0,
            resources: resources(&small),
            small,
        });
        let Some(caught) = curated.or_else(|| hunt_in(fault.dialect(), right, &*planner, 3, CASES)) else {
            wrong.push(format!("{} is not found", fault.name()));
            continue;
        };
        let (resources, steps) = (caught.resources, caught.small.steps.len());
        println!("{:45} case {:5}, {resources} resources, {steps} steps", fault.name(), caught.number);
        assert!(differ(&caught.small, right, &*planner), "{}: not in the small case", fault.name());
        // An added or removed reference takes the blocks at both of its ends, before and after.
        let most = if is_incremental(fault) { [6, 3] } else { [3, 2] };
        if resources > most[0] || steps > most[1] {
            wrong.push(format!(
                "{}: {resources} resources, {steps} steps: {}",
                fault.name(),
                caught.small.to_json().to_compact()
            ));
        }
    }
    assert!(tried * sampled(EVERY) >= 10, "only {tried}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
