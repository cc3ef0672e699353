//! Merges, scenarios, calls of the shared operations, and whole workspaces in one sequence of numbers.

use std::sync::Arc;

use super::cases::Cases;
use super::expressions::Expressions;
use super::file_calls::FileCalls;
use super::generator::Generator;
use super::scenarios::Scenarios;
use super::schema_calls::SchemaCalls;
use super::step_calls::StepCalls;
use super::value_calls::ValueCalls;
use super::workspaces::Workspaces;
use crate::case::{Call, Case, Task};
use crate::scenario::Command;

/// What a mix consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Share {
    /// The cases of [`Share::All`] or [`Share::Planned`], and whole workspaces, which take about half of the time.
    Everything {
        /// True for [`Share::All`]: with calls and expressions.
        calls: bool,
    },
    /// Merges with some scenarios, calls and expressions, such that merges and scenarios take a good part of the time each.
    #[default]
    All,
    /// As [`Share::All`], without calls and expressions: for subjects that do not answer these.
    Planned,
    /// Merges only.
    Merges,
    /// Scenarios only.
    Scenarios,
    /// Calls only, of these kinds.
    Calls(Calls),
    /// Expressions of the configuration language only.
    Expressions,
    /// Whole workspaces only.
    Workspaces,
    /// The first steps of scenarios, as plans instead of applies.
    Plans,
}

impl Share {
    /// The share of single resource instances, with calls and expressions or without.
    fn of_instances(calls: bool) -> Share {
        if calls { Share::All } else { Share::Planned }
    }
}

/// Kinds of calls of the shared operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Of values and msgpack.
    pub values: bool,
    /// Of schemas.
    pub schemas: bool,
    /// Of plan files and state files.
    pub files: bool,
    /// Of the pipelines of providers.
    pub steps: bool,
}

impl Calls {
    /// All kinds.
    pub const ALL: Calls = Calls { values: true, schemas: true, files: true, steps: true };
}

/// How many numbers of a period are merges, scenarios (both in whole groups that share a schema), calls and expressions.
const MERGES: u64 = 28;
const SCENARIOS: u64 = 4;
const CALLS: u64 = 16;
const EXPRESSIONS: u64 = 2;
const PLANNED: u64 = MERGES + SCENARIOS;
const PERIOD: u64 = PLANNED + CALLS + EXPRESSIONS;

/// One case in so many is a whole workspace, which costs as much as the others together.
const WORKSPACE_EVERY: u64 = 50;

/// How many calls of a round are of each kind.
const OF_SCHEMAS: u64 = 1;
const OF_STEPS: u64 = 2;
const OF_VALUES: u64 = 3;
const OF_FILES: u64 = 2;

/// The cases of a seed.
#[derive(Debug)]
pub struct Mix {
    share: Share,
    merges: Cases,
    scenarios: Scenarios,
    values: ValueCalls,
    schemas: SchemaCalls,
    files: FileCalls,
    refreshes: bool,
    steps: StepCalls,
    expressions: Expressions,
    workspaces: Workspaces,
}

impl Mix {
    /// The cases of a seed; all generators have the same settings.
    pub fn new([merges, scenarios, schemas, steps]: [Generator; 4], seed: u64, share: Share) -> Mix {
        Mix {
            share,
            values: ValueCalls::new(merges.dialects()[0], seed),
            files: FileCalls::new(merges.dialects(), seed),
            expressions: Expressions::new(merges.dialects(), seed),
            workspaces: Workspaces::new(merges.settings(), merges.dialects(), seed),
            merges: Cases::new(merges, seed),
            scenarios: Scenarios::new(scenarios, seed),
            schemas: SchemaCalls::new(schemas, seed),
            refreshes: true,
            steps: StepCalls::new(steps, seed),
        }
    }

    /// The same cases without refreshes in the scenarios: each step skips its refresh, and a refresh command becomes a plan.
    pub fn without_refreshes(self) -> Mix {
        Mix { refreshes: false, ..self }
    }

    /// Case number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let mut case = self.made(self.share, number);
        if let (false, Task::Call(Call::Scenario(scenario))) = (self.refreshes, &mut case.task) {
            for step in &mut Arc::make_mut(scenario).steps {
                step.options.skip_refresh = true;
                if step.command == Command::Refresh {
                    step.command = Command::Plan;
                }
            }
        }
        case
    }

    fn made(&mut self, share: Share, number: u64) -> Case {
        let (period, place) = (number / PERIOD, number % PERIOD);
        match (share, place) {
            (Share::Everything { calls }, _) => match (number / WORKSPACE_EVERY, number % WORKSPACE_EVERY) {
                (round, 0) => self.workspaces.case(round),
                (round, _) => self.made(Share::of_instances(calls), number - round - 1),
            },
            (Share::Merges, _) => self.merges.case(number),
            (Share::Scenarios, _) => self.scenarios.case(number),
            (Share::Plans, _) => self.scenarios.plan(number),
            (Share::Calls(kinds), _) => self.call(kinds, number),
            (Share::Workspaces, _) => self.workspaces.case(number),
            (Share::Expressions, _) => self.expressions.case(number),
            (Share::Planned, _) => {
                let (period, place) = (number / PLANNED, number % PLANNED);
                match place.checked_sub(MERGES) {
                    None => self.merges.case(period * MERGES + place),
                    Some(place) => self.scenarios.case(period * SCENARIOS + place),
                }
            }
            (Share::All, ..MERGES) => self.merges.case(period * MERGES + place),
            (Share::All, place) => match place - MERGES {
                place @ ..SCENARIOS => self.scenarios.case(period * SCENARIOS + place),
                place => match place - SCENARIOS {
                    place @ ..CALLS => self.call(Calls::ALL, period * CALLS + place),
                    place => self.expressions.case(period * EXPRESSIONS + place - CALLS),
                },
            },
        }
    }

    /// The chosen kinds take turns.
    fn call(&mut self, kinds: Calls, number: u64) -> Case {
        let share = |is_asked: bool, share: u64| if is_asked { share } else { 0 };
        let (schemas, steps) = (share(kinds.schemas, OF_SCHEMAS), share(kinds.steps, OF_STEPS));
        let files = share(kinds.files, OF_FILES);
        let values = share(kinds.values || schemas + steps + files == 0, OF_VALUES);
        let all = schemas + steps + values + files;
        let (round, mut place) = (number / all, number % all);
        let mut is_of = |share: u64| {
            let is = place < share;
            place -= if is { 0 } else { share };
            is.then(|| round * share + place)
        };
        if let Some(number) = is_of(schemas) {
            return self.schemas.case(number);
        }
        if let Some(number) = is_of(steps) {
            return self.steps.case(number);
        }
        match is_of(values) {
            Some(number) => self.values.case(number),
            None => self.files.case(round * files + place),
        }
    }

    /// How many resource types of the catalogue the first `count` cases visit.
    pub fn types_visited(&self, count: u64) -> usize {
        self.types_visited_by(self.share, count)
    }

    fn types_visited_by(&self, share: Share, count: u64) -> usize {
        match share {
            Share::Merges => self.merges.types_visited(count),
            Share::Scenarios | Share::Plans => self.scenarios.types_visited(count),
            Share::Calls(_) | Share::Expressions | Share::Workspaces => 0,
            Share::Everything { calls } => {
                self.types_visited_by(Share::of_instances(calls), count - count.div_ceil(WORKSPACE_EVERY))
            }
            // Merges and scenarios both go through the whole catalogue from different starts, so this is a lower bound.
            Share::All => self.merges.types_visited(count / PERIOD * MERGES),
            Share::Planned => self.merges.types_visited(count / PLANNED * MERGES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Settings;

    #[test]
    fn everything_has_workspaces_some_of_them_where_the_laws_are_asked() {
        let generators = [(); 4].map(|()| Generator::new(Settings::TINY));
        let mut mix = Mix::new(generators, 1, Share::Everything { calls: true });
        let is_workspace = |number: &u64| matches!(mix.case(*number).task, Task::Call(Call::Workspace(_)));
        let found: Vec<u64> = (0..8 * WORKSPACE_EVERY + 1).filter(is_workspace).collect();
        assert_eq!(found, (0..9).map(|round| round * WORKSPACE_EVERY).collect::<Vec<_>>());
        // A campaign asks the properties of every sixteenth case.
        assert_eq!(found.iter().filter(|number| number.is_multiple_of(16)).count(), 2);
    }

    #[test]
    fn l153_no_trace_refreshes_where_refreshes_are_left_out() {
        let generators = || [(); 4].map(|()| Generator::new(Settings::SMALL));
        let mut refreshing = 0;
        for is_left_out in [false, true] {
            let mix = Mix::new(generators(), 1, Share::Scenarios);
            let mut mix = if is_left_out { mix.without_refreshes() } else { mix };
            for number in 0..200 {
                let Task::Call(Call::Scenario(scenario)) = mix.case(number).task else { panic!("a scenario") };
                let refreshes = scenario.steps.iter().any(|step| !step.options.skip_refresh);
                assert!(!(is_left_out && refreshes), "{number}");
                refreshing += u32::from(refreshes);
            }
        }
        assert!(refreshing > 100, "{refreshing}");
    }
}
