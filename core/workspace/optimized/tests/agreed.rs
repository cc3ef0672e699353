//! A fixed number of generated cases and pairs of actions, put to both planners: every step is the same, but for the commands that the
//! optimized planner says it does not cover; they are counted and printed.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::agree::{Came, agree};
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::{Case, pairs};
use planfuzz_workspace_optimized::Optimized;
use planfuzz_workspace_reference::Reference;

/// What the optimized planner does not cover of generated cases.
const UNCOVERED: [&str; 3] = ["the command import", "the command refresh", "saved plans"];

/// Puts cases to both; there are at least so many steps.
fn hold(cases: impl Iterator<Item = (u64, Case)>, least: usize) {
    let (mut steps, mut refused) = (0, 0);
    for (number, case) in cases {
        for (step, came) in agree(&case, &Reference, &Optimized).expect("a case").iter().enumerate() {
            match came {
                Came::Same => steps += 1,
                Came::Refused(why) if UNCOVERED.iter().any(|what| why.ends_with(what)) => refused += 1,
                Came::Refused(_) | Came::Different(_) => panic!("case {number}, step {step}: {came:?}"),
            }
        }
    }
    println!("{steps} steps are the same, {refused} not covered");
    assert!(steps >= least, "only {steps} steps");
}

fn generated(settings: Settings, seed: u64, count: u64) -> impl Iterator<Item = (u64, Case)> {
    let made = move |number| case(settings, Dialect::TERRAFORM_1_11, &mut Choices::seeded(seed, number)).case;
    (0..count).map(move |number| (number, made(number)))
}

#[test]
fn small_workspaces_are_the_same() {
    hold(generated(Settings::SMALL, 5, 250), 450);
}

#[test]
fn medium_workspaces_are_the_same() {
    hold(generated(Settings::MEDIUM, 5, 40), 100);
}

#[test]
fn pairs_of_actions_are_the_same() {
    let numbers = (0..pairs::COUNT as u64).step_by(7);
    hold(numbers.map(|number| (number, pairs::pair(number as usize, Dialect::TERRAFORM_1_11))), 380);
}
