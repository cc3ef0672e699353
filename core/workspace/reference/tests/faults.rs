//! Planted mistakes of the reference planner of workspaces, each found by comparison with the planner without it, and minimized.

use planfuzz_workspace_cases::agree::{Agreement, step_of};
use planfuzz_workspace_cases::hunt::{differ, hunt, made, sampled};
use planfuzz_workspace_cases::play;
use planfuzz_workspace_reference::Reference;
use planfuzz_workspace_reference::faults::Fault;

/// How many workspaces are tried for each.
const CASES: u64 = 4_000;

/// One mistake of so many is hunted, unless all are asked for.
const EVERY: usize = 8;

#[test]
fn every_fault_is_found_and_made_small() {
    let mut wrong = Vec::new();
    for fault in Fault::ALL.iter().copied().step_by(sampled(EVERY)) {
        let Some(caught) = hunt(&Reference, fault.planner(), 5, CASES) else {
            wrong.push(format!("{} is not found", fault.name()));
            continue;
        };
        let (resources, steps) = (caught.resources, caught.small.steps.len());
        println!("{:45} case {:5}, {resources} resources, {steps} steps", fault.name(), caught.number);
        // A mistake that is made every other time shows in one of two.
        let shows = (0..2).any(|_| differ(&caught.small, &Reference, fault.planner()));
        assert!(shows, "{}: not in the small case", fault.name());
        if resources > 3 || steps > 2 {
            wrong.push(format!(
                "{}: {resources} resources, {steps} steps: {}",
                fault.name(),
                caught.small.to_json().to_compact()
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn without_a_fault_nothing_is_found() {
    for number in 0..60 {
        let played = play(&made(5, number), &Reference).expect("a case that can be played");
        for step in &played.steps {
            let agreement = step_of(step, &Reference);
            assert!(matches!(agreement, Agreement::Same), "case {number}: {agreement:?}");
        }
    }
}
