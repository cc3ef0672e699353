//! The hunt for a planted fault of a planner: it runs generated cases until one shows the fault, and minimizes that one.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace::WorkspacePlanner;

use crate::agree::{Agreement, agree};
use crate::case::Case;
use crate::generate::{Choices, Settings, case};
use crate::pairs;
use crate::shrink::shrink;

/// How many attempts minimizing may take.
const ATTEMPTS: usize = 2_500;

/// The result of a hunt.
#[derive(Clone, Debug)]
pub struct Caught {
    /// The number of the first case that shows it.
    pub number: u64,
    /// That case, minimized.
    pub small: Case,
    /// How many resources the small case has.
    pub resources: usize,
}

/// `every`, or 1 if `PLANFUZZ_ALL_FAULTS` is set in the environment: a gate tests one of so many planted faults.
pub fn sampled(every: usize) -> usize {
    if std::env::var_os("PLANFUZZ_ALL_FAULTS").is_some() { 1 } else { every }
}

/// Whether two planners differ in a case.
pub fn differ(case: &Case, right: &dyn WorkspacePlanner, wrong: &dyn WorkspacePlanner) -> bool {
    agree(case, right, wrong)
        .is_ok_and(|steps| steps.iter().any(|agreement| matches!(agreement, Agreement::Different(_))))
}

/// Case number `number` of a hunt: all sizes in turns, and every fourth a pair of actions.
pub fn made(seed: u64, number: u64) -> Case {
    made_in(Dialect::TERRAFORM_1_11, seed, number)
}

/// [`made`] in a dialect.
pub fn made_in(dialect: Dialect, seed: u64, number: u64) -> Case {
    if number % 4 == 3 {
        return pairs::pair(number as usize * 7 % pairs::COUNT, dialect);
    }
    let sizes = [Settings::TINY, Settings::SMALL, Settings::MEDIUM];
    case(sizes[(number % 3) as usize], dialect, &mut Choices::seeded(seed, number)).case
}

/// Searches so many cases for one in which the planner `wrong` differs from `right`.
pub fn hunt(right: &dyn WorkspacePlanner, wrong: &dyn WorkspacePlanner, seed: u64, cases: u64) -> Option<Caught> {
    hunt_in(Dialect::TERRAFORM_1_11, right, wrong, seed, cases)
}

/// [`hunt()`] in a dialect.
pub fn hunt_in(
    dialect: Dialect,
    right: &dyn WorkspacePlanner,
    wrong: &dyn WorkspacePlanner,
    seed: u64,
    cases: u64,
) -> Option<Caught> {
    let number = (0..cases).find(|number| differ(&made_in(dialect, seed, *number), right, wrong))?;
    let small = shrink(&made_in(dialect, seed, number), ATTEMPTS, right, &mut |case| differ(case, right, wrong));
    let resources = resources(&small);
    Some(Caught { number, small, resources })
}

/// How many resource blocks a case has: the most that its files declare at the beginning or after an edit.
pub fn resources(case: &Case) -> usize {
    let of_file = |file: &Json| -> usize {
        let kinds = ["resource", "data", "ephemeral"].into_iter().filter_map(|kind| file.member(kind));
        let types = kinds.flat_map(|kind| kind.expect_object().unwrap_or_default());
        types.map(|(_, blocks)| blocks.expect_object().map_or(0, <[_]>::len)).sum()
    };
    let mut files = case.files.clone();
    let count = |files: &std::collections::BTreeMap<String, Json>| files.values().map(of_file).sum();
    let mut most: usize = count(&files);
    for step in &case.steps {
        crate::case::edited(&mut files, step);
        most = most.max(count(&files));
    }
    most
}
