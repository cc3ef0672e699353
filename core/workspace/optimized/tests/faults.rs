//! Mistakes made on purpose in the optimized planner: the comparison with the reference finds every one.

#![cfg(feature = "faults")]

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::agree::{Came, agree};
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::{Case, pairs};
use planfuzz_workspace_optimized::faults::{Fault, plant};
use planfuzz_workspace_optimized::{NOT_COVERED, Optimized};
use planfuzz_workspace_reference::Reference;

/// How many cases of each kind are tried.
const TRIED: u64 = 1200;

fn shows(case: &Case) -> bool {
    let came = agree(case, &Reference, &Optimized, NOT_COVERED).expect("a case");
    came.iter().any(|came| matches!(came, Came::Different(_)))
}

/// The number of the first case that shows a mistake.
fn found(fault: Fault) -> Option<u64> {
    plant(Some(fault));
    let number = (0..TRIED).find(|&number| {
        let choices = &mut Choices::seeded(3, number);
        let pair = pairs::pair(number as usize * 7 % pairs::COUNT, Dialect::TERRAFORM_1_11);
        let settings = if number % 8 == 7 { Settings::MEDIUM } else { Settings::SMALL };
        shows(&case(settings, Dialect::TERRAFORM_1_11, choices).case) || (number % 4 == 0 && shows(&pair))
    });
    plant(None);
    number
}

#[test]
fn every_planted_mistake_is_found() {
    let all: Vec<(Fault, Option<u64>)> = Fault::ALL.iter().map(|&fault| (fault, found(fault))).collect();
    for (fault, number) in &all {
        println!(
            "{fault:?}: {}",
            number.map_or("not found".to_owned(), |number| format!("after {} cases", number + 1))
        );
    }
    let lost: Vec<Fault> = all.iter().filter(|(_, number)| number.is_none()).map(|(fault, _)| *fault).collect();
    assert!(lost.is_empty(), "not found: {lost:?}");
}
