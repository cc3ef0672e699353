//! The properties hold for both planners, apply often, and are broken by spoiled planners.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Planner;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::spoiled::Spoiled;
use super::{ALL, CheckedProperties, check};
use crate::case::{Case, Merge, Task};
use crate::generate::{Cases, Generator, Settings};

/// The number of cases of each dialect that are checked with each planner.
const CASES: u64 = 8000;
/// The least number of them that every property has to apply to.
const LEAST: u64 = 400;

fn merges(dialect: Dialect, seed: u64, count: u64) -> impl Iterator<Item = Merge> {
    let mut cases = Cases::new(Generator::new(Settings::SMALL).in_dialects(&[dialect]), seed);
    (0..count).map(move |number| match cases.case(number) {
        Case { task: Task::Merge(merge), .. } => merge,
        Case { task: Task::Call(_), .. } => panic!("a generated case is a merge"),
    })
}

fn hold(planner: &dyn Planner, dialect: Dialect) {
    let mut applied = vec![0; ALL.len()];
    for (number, merge) in merges(dialect, 1, CASES).enumerate() {
        let checked = check(planner, &merge, dialect);
        assert!(checked.broken.is_empty(), "{} in {dialect}, case {number}: {:#?}", planner.name(), checked.broken);
        assert_eq!(checked.checks, u64::from(checked.applied.count_ones()));
        for (index, count) in applied.iter_mut().enumerate() {
            *count += u64::from(checked.applied >> index & 1);
        }
    }
    for (property, count) in ALL.iter().zip(applied) {
        assert!(count >= LEAST, "{} applied to {count} cases only in {dialect}", property.id);
    }
}

#[test]
fn all_properties_hold_for_the_reference_and_apply_often() {
    Dialect::ALL.into_iter().for_each(|dialect| hold(&Reference, dialect));
}

#[test]
fn all_properties_hold_for_the_optimized_planner_and_apply_often() {
    Dialect::ALL.into_iter().for_each(|dialect| hold(&Optimized, dialect));
}

#[test]
fn every_property_fails_for_a_planner_that_is_spoiled_in_it() {
    // MP25 asks no planner; its own test spoils the codec.
    for property in ALL.iter().filter(|property| property.id != "MP25") {
        let spoiled = Spoiled { property: property.id, refuses: false };
        assert!(!breaches(&spoiled).is_empty(), "{} does not notice: {}", property.id, property.summary);
    }
}

#[test]
fn refusing_one_of_two_equivalent_requests_breaks_a_property() {
    for property in ["MP11", "MP12", "MP24"] {
        let found = breaches(&Spoiled { property, refuses: true });
        assert!(found.iter().any(|message| message.starts_with("refused ")), "{property}: {found:?}");
    }
}

/// The messages of the first case in which a planner breaks the property that it is spoiled in.
fn breaches(spoiled: &Spoiled) -> Vec<String> {
    let of_case = |merge: Merge| {
        let CheckedProperties { broken, .. } = check(spoiled, &merge, Dialect::TERRAFORM_1_11);
        let broken = broken.into_iter().filter(|broken| broken.property == spoiled.property);
        broken.map(|broken| broken.message).collect::<Vec<_>>()
    };
    merges(Dialect::TERRAFORM_1_11, 2, 2000).map(of_case).find(|messages| !messages.is_empty()).unwrap_or_default()
}

#[test]
fn the_same_case_is_checked_the_same_way() {
    for merge in merges(Dialect::default(), 3, 200) {
        let applied = || check(&Reference, &merge, Dialect::default()).applied;
        assert_eq!(applied(), applied());
    }
}

#[test]
fn ids_are_those_of_the_specification_in_order() {
    let ids: Vec<String> = (1..=25).map(|number| format!("MP{number:02}")).collect();
    assert!(ALL.iter().map(|property| property.id).eq(ids.iter().map(String::as_str)));
}
