//! The properties hold for both planners, apply often, and fail for planners that are spoiled.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::optimized::Optimized;
use planfuzz_core::planner::Planner;
use planfuzz_core::reference::Reference;

use super::spoiled::Spoiled;
use super::{ALL, check};
use crate::case::{Case, Task};
use crate::generate::{Cases, Generator, Settings};

pub(super) fn cases(settings: Settings, dialect: Dialect, seed: u64) -> Cases {
    Cases::new(Generator::new(settings).in_dialects(&[dialect]), seed)
}

/// Puts cases to the properties and counts for each how often it applied.
fn hold(planner: &dyn Planner, dialect: Dialect, settings: Settings, count: u64, seed: u64) -> Vec<u64> {
    let mut applied = vec![0; ALL.len()];
    let mut cases = cases(settings, dialect, seed);
    let mut broken: std::collections::BTreeMap<&str, (u64, String)> = Default::default();
    for number in 0..count {
        let Case { task: Task::Merge(merge), .. } = cases.case(number) else { panic!("a merge") };
        let checked = check(planner, &merge, dialect);
        for one in checked.broken {
            let size = format!("{merge:?}").len();
            let entry = broken.entry(one.property).or_insert((0, String::new()));
            entry.0 += 1;
            let text =
                format!("{size:8} case {number} in {dialect}: {} at {}: {}", one.property, one.path, one.message);
            if entry.1.is_empty() || text < entry.1 {
                entry.1 = text;
            }
        }
        for (index, count) in applied.iter_mut().enumerate() {
            *count += u64::from(checked.applied >> index & 1);
        }
    }
    assert!(broken.is_empty(), "{} breaks {broken:#?}", planner.name());
    applied
}

#[test]
fn all_properties_hold_for_both_planners_and_apply_often() {
    for dialect in Dialect::ALL {
        for planner in [&Reference as &dyn Planner, &Optimized] {
            let applied = hold(planner, dialect, Settings::SMALL, 30_000, 1);
            for (property, count) in ALL.iter().zip(applied) {
                assert!(count >= 50, "{} applied to {count} cases only in {dialect}", property.id);
            }
        }
    }
}

#[test]
fn every_property_fails_for_a_planner_that_is_spoiled_in_it() {
    // MP25 asks no planner; its own test spoils the codec.
    for property in ALL.iter().filter(|property| property.id != "MP25") {
        let spoiled = Spoiled(property.id);
        let mut cases = cases(Settings::SMALL, Dialect::TERRAFORM_1_11, 2);
        let breaks = (0..2000).any(|number| {
            let Case { task: Task::Merge(merge), dialect, .. } = cases.case(number) else { panic!("a merge") };
            check(&spoiled, &merge, dialect).broken.iter().any(|broken| broken.property == property.id)
        });
        assert!(breaks, "{} does not notice: {}", property.id, property.summary);
    }
}

#[test]
fn ids_are_those_of_the_specification_in_order() {
    let ids: Vec<String> = (1..=25).map(|number| format!("MP{number:02}")).collect();
    assert!(ALL.iter().map(|property| property.id).eq(ids.iter().map(String::as_str)));
}

#[test]
#[ignore = "a report, for people: counts and time of a long run"]
fn report() {
    for dialect in Dialect::ALL {
        for (name, settings) in Settings::PRESETS {
            let count = if name == "mixed" {
                25_000
            } else if name == "large" || name == "hostile" {
                300
            } else {
                4000
            };
            let mut made = cases(settings.clone(), dialect, 9);
            let merges: Vec<_> = (0..count)
                .map(|n| match made.case(n).task {
                    Task::Merge(m) => m,
                    _ => panic!(),
                })
                .collect();
            for planner in [&Reference as &dyn Planner, &Optimized] {
                let mut slowest = std::time::Duration::ZERO;
                let start = std::time::Instant::now();
                for m in &merges {
                    let s = std::time::Instant::now();
                    let _ = check(planner, m, dialect);
                    slowest = slowest.max(s.elapsed());
                }
                println!(
                    "{dialect} {name} {}: {:?} a case, slowest {slowest:?}",
                    planner.name(),
                    start.elapsed() / count as u32
                );
            }
            let applied = hold(&Optimized, dialect, settings.clone(), count, 9);
            println!("{dialect} {name} {:?}", ALL.iter().map(|p| p.id).zip(&applied).collect::<Vec<_>>());
            hold(&Reference, dialect, settings.clone(), count, 9);
        }
    }
}
