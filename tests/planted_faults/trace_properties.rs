//! The properties of scenarios find planners that are wrong in no single run.

use planfuzz::case::Case;
use planfuzz::compare::trace_properties::check;
use planfuzz::generate::{Generator, Scenarios, Settings};
use planfuzz::subject::faults::{Dependence, Dependent};
use planfuzz_core::dialect::Dialect;

const COUNT: u64 = 300;

fn scenarios() -> impl Iterator<Item = Case> {
    let mut scenarios = Scenarios::new(Generator::new(Settings::MIXED).in_dialects(&Dialect::ALL), 22);
    (0..COUNT).map(move |number| scenarios.case(number))
}

#[test]
fn each_dependence_is_found_by_its_property() {
    for (on, property) in Dependence::ALL {
        let (mut found, mut others) = (0, Vec::new());
        for case in scenarios() {
            // A new one for each scenario: at the start, a planner that depends on its past is like every other.
            for (broken, message) in check(&Dependent::new(on), &case).broken {
                if broken == property {
                    found += 1;
                } else {
                    others.push(format!("{broken}: {message}"));
                }
            }
        }
        assert!(found > COUNT / 20, "{on:?} breaks {property} in {found} of {COUNT} runs");
        // A planner that depends on earlier questions breaks every property that asks twice.
        assert!(others.is_empty() || on == Dependence::Schemas, "{on:?}: {others:?}");
    }
}
