//! Plans made again after edits are the plans from scratch: the same calls, changes, states, diagnostics and order. The edits are those that
//! the generator makes between the steps of a case, and what the step before left in the state.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace::CallId;
use planfuzz_workspace_cases::agree::{Came, step_of};
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::{Case, pairs, play};
use planfuzz_workspace_optimized::{Incremental, Optimized};

mod edited;

/// Puts cases to both; at least so many plans are made again in part.
fn hold(cases: impl Iterator<Item = (u64, Case)>, least: u64) {
    let (mut parts, mut wholes) = (0, 0);
    for (number, case) in cases {
        let incremental = Incremental::default();
        let played = play::play(&case, &Optimized).expect("a case");
        for (at, step) in played.steps.iter().enumerate() {
            let came = step_of(step, &incremental);
            assert!(matches!(came, Came::Same), "case {number}, step {at}: {came:?}");
        }
        let counts = incremental.counts();
        (parts, wholes) = (parts + counts.parts, wholes + counts.wholes);
    }
    println!("{parts} in part, {wholes} as a whole");
    assert!(parts >= least, "only {parts} in part, {wholes} as a whole");
}

fn generated(settings: Settings, seed: u64, count: u64) -> impl Iterator<Item = (u64, Case)> {
    let made = move |number| case(settings, Dialect::TERRAFORM_1_11, &mut Choices::seeded(seed, number)).case;
    (0..count).map(move |number| (number, made(number)))
}

#[test]
fn edits_that_the_generator_seldom_makes_are_planned_again_as_from_scratch() {
    hold((0..).zip(edited::cases()), 9);
}

#[test]
fn small_workspaces_are_planned_again_as_from_scratch() {
    hold(generated(Settings::SMALL, 25, 400), 60);
}

#[test]
fn medium_workspaces_are_planned_again_as_from_scratch() {
    hold(generated(Settings::MEDIUM, 25, 60), 10);
}

#[test]
fn pairs_of_actions_are_planned_again_as_from_scratch() {
    hold(
        (0..pairs::COUNT as u64)
            .step_by(3)
            .map(|number| (number, pairs::pair(number as usize, Dialect::TERRAFORM_1_11))),
        60,
    );
}

/// What is compared elsewhere has no order; what is handed out has that of a plan from scratch.
#[test]
fn calls_and_changes_come_in_the_order_of_a_plan_from_scratch() {
    let mut compared = 0;
    for (number, case) in generated(Settings::SMALL, 26, 150) {
        let incremental = Incremental::default();
        for step in &play::play(&case, &Optimized).expect("a case").steps {
            let mut providers = &step.providers;
            let again = planfuzz_workspace::WorkspacePlanner::plan(&incremental, &step.workspace, &mut providers);
            let calls = |trace: &planfuzz_workspace::Trace| {
                (0..trace.calls.len()).map(|call| trace.describe(CallId(call))).collect::<Vec<_>>()
            };
            assert_eq!(calls(&again.trace), calls(&step.planned.trace), "case {number}");
            let changes = |planned: &planfuzz_workspace::Planned| {
                planned.plan.iter().flat_map(|plan| &plan.changes).map(|one| one.addr.to_string()).collect::<Vec<_>>()
            };
            assert_eq!(changes(&again), changes(&step.planned), "case {number}");
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared}");
}
