//! Merges and scenarios in one row of numbers.

use super::cases::Cases;
use super::generator::Generator;
use super::lives::Lives;
use crate::case::Case;

/// What a mix is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Share {
    /// Some scenarios among the merges, such that each takes a good part of the time.
    #[default]
    Both,
    /// Merges only.
    Merges,
    /// Scenarios only.
    Scenarios,
    /// The first steps of scenarios, of which a plan is made where an apply would be.
    Plans,
}

/// The numbers of a period, and how many of them are scenarios: whole groups that share a schema.
const PERIOD: u64 = 32;
const SCENARIOS: u64 = 4;

/// The cases of a seed.
#[derive(Debug)]
pub struct Mix {
    share: Share,
    merges: Cases,
    scenarios: Lives,
}

impl Mix {
    /// The cases of a seed; both generators have the same settings.
    pub fn new([merges, scenarios]: [Generator; 2], seed: u64, share: Share) -> Mix {
        Mix { share, merges: Cases::new(merges, seed), scenarios: Lives::new(scenarios, seed) }
    }

    /// Case number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        const MERGES: u64 = PERIOD - SCENARIOS;
        let (period, place) = (number / PERIOD, number % PERIOD);
        match (self.share, place.checked_sub(MERGES)) {
            (Share::Merges, _) => self.merges.case(number),
            (Share::Scenarios, _) => self.scenarios.case(number),
            (Share::Plans, _) => self.scenarios.plan(number),
            (Share::Both, None) => self.merges.case(period * MERGES + place),
            (Share::Both, Some(place)) => self.scenarios.case(period * SCENARIOS + place),
        }
    }

    /// How many resource types of the catalogue the first `count` cases visit.
    pub fn types_visited(&self, count: u64) -> usize {
        let of_period = |each: u64| count / PERIOD * each;
        match self.share {
            Share::Merges => self.merges.types_visited(count),
            Share::Scenarios | Share::Plans => self.scenarios.types_visited(count),
            // Both go through the whole catalogue, from different starts: at least as many as one of them.
            Share::Both => self.merges.types_visited(of_period(PERIOD - SCENARIOS)),
        }
    }
}
