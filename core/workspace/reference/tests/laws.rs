//! Every law of section 10 of workspace-apply.md is broken by a mistake that was planted for it, and holds without one.
//!
//! `cargo test -p planfuzz-workspace-reference --features faults --test laws -- --nocapture` prints after how many cases.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::laws::{Held, Law, hold_only};
use planfuzz_workspace_reference::planted::Planted;
use planfuzz_workspace_reference::{Reference, Shuffled};

/// How many cases may be needed.
const MOST: u64 = 1500;

/// The number of the first case in which a law does not hold.
fn first_broken(law: Law) -> Option<(u64, String)> {
    (0..MOST).find_map(|number| {
        let made = case(Settings::SMALL, Dialect::TERRAFORM_1_11, &mut Choices::seeded(5, number));
        match hold_only(&made.case, &Reference, Some(&Shuffled(number + 1)), law) {
            Ok(Held::Broken(why)) => Some((number, why)),
            _ => None,
        }
    })
}

#[test]
fn every_law_is_broken_by_a_planted_mistake() {
    let mut missed = Vec::new();
    for law in Law::ALL {
        let planted = Planted::all().iter().find(|planted| planted.shows == law.id());
        let Some(planted) = planted else {
            missed.push(format!("{law:?}: no mistake is planted for it"));
            continue;
        };
        let _here = planted.here();
        match first_broken(law) {
            Some((number, why)) => println!("{} {:<40} case {number}: {why}", law.id(), planted.name),
            None => missed.push(format!("{law:?}: {} is not found", planted.name)),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_law_is_broken_without_one() {
    for number in 0..200 {
        let made = case(Settings::SMALL, Dialect::TERRAFORM_1_11, &mut Choices::seeded(6, number));
        for law in Law::ALL {
            let held = hold_only(&made.case, &Reference, Some(&Shuffled(number + 1)), law).expect("a case");
            assert!(!matches!(held, Held::Broken(_)), "case {number}: {law:?}: {held:?}");
        }
    }
}
