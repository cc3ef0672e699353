//! Mistakes of the planner of workspaces, each found by comparison with the planner that has none, and made small.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::between::between;
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::shrink::shrink;
use planfuzz_workspace_cases::{Case, play};
use planfuzz_workspace_reference::Reference;
use planfuzz_workspace_reference::faults::Fault;

/// How many workspaces are tried for each.
const CASES: u64 = 20_000;

/// How many questions making one small may take.
const ATTEMPTS: usize = 1_500;

/// Whether a case shows a fault.
fn shows(case: &Case, fault: Fault) -> bool {
    let Ok(played) = play(case, &Reference) else { return false };
    played.steps.iter().any(|step| !between((&Reference, step), (fault.planner(), step)).is_empty())
}

fn made(number: u64) -> Case {
    let sizes = [Settings::TINY, Settings::SMALL, Settings::MEDIUM];
    case(sizes[(number % 3) as usize], Dialect::TERRAFORM_1_11, &mut Choices::seeded(5, number)).case
}

#[test]
fn every_fault_is_found_and_made_small() {
    let mut missed = Vec::new();
    for fault in Fault::ALL.iter().copied() {
        let Some(number) = (0..CASES).find(|number| shows(&made(*number), fault)) else {
            missed.push(fault.name());
            continue;
        };
        let small = shrink(&made(number), ATTEMPTS, &mut |case| shows(case, fault));
        let bytes: usize = small.files.values().map(|file| file.to_compact().len()).sum();
        println!("{:45} case {number:5}, {} steps, {bytes} bytes of files", fault.name(), small.steps.len());
        assert!(shows(&small, fault), "{}: the small case shows it no more", fault.name());
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn without_a_fault_nothing_is_found() {
    for number in 0..60 {
        let played = play(&made(number), &Reference).expect("a case that can be played");
        for step in &played.steps {
            let found = between((&Reference, step), (&Reference, step));
            assert!(found.is_empty(), "case {number}: {found:?}");
        }
    }
}
