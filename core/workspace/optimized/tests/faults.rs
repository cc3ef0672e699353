//! Mistakes made on purpose in the optimized planner: the comparison with the reference finds every one, and makes it small.

#![cfg(feature = "faults")]

use planfuzz_workspace_cases::hunt::{differ, hunt};
use planfuzz_workspace_optimized::faults::Fault;
use planfuzz_workspace_reference::Reference;

/// How many workspaces are tried for each.
const CASES: u64 = 4_000;

#[test]
fn every_fault_is_found_and_made_small() {
    let mut wrong = Vec::new();
    for fault in Fault::ALL.iter().copied() {
        let Some(caught) = hunt(&Reference, fault.planner(), 3, CASES) else {
            wrong.push(format!("{} is not found", fault.name()));
            continue;
        };
        let (resources, steps) = (caught.resources, caught.small.steps.len());
        println!("{:45} case {:5}, {resources} resources, {steps} steps", fault.name(), caught.number);
        assert!(differ(&caught.small, &Reference, fault.planner()), "{}: not in the small case", fault.name());
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
