//! The properties hold for both planners, apply often, and fail for planners that are spoiled.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::optimized::Optimized;
use planfuzz_core::planner::Planner;
use planfuzz_core::reference::Reference;

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
            let text = format!("{size:8} case {number} in {dialect}: {} at {}: {}", one.property, one.path, one.message);
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
            println!("{dialect} {} {:?}", planner.name(), ALL.iter().map(|p| p.id).zip(&applied).collect::<Vec<_>>());
            for (property, count) in ALL.iter().zip(applied) {
                assert!(count >= 50, "{} applied to {count} cases only in {dialect}", property.id);
            }
        }
    }
}
