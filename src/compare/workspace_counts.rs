//! Counts of workspaces: how often each rule and each law was checked, and what was done in the steps.

use std::collections::BTreeMap;

use planfuzz_workspace_cases::PlayedStep;
use planfuzz_workspace_cases::laws::Law;
use planfuzz_workspace_optimized::SHARED_OUT;
use planfuzz_workspace_rules::RULES;

/// The table of the counts that the incremental planner reports about its own work.
pub const PLANNED_AGAIN: &str = "planned_again";

/// The table of what rules could not be checked on, by the reason.
pub const UNCHECKED: &str = "unchecked";

/// The table of the counts that the planner with several workers reports about its own work.
const WORKERS: &str = "workers";

/// How often things occurred in the workspaces of a run, by name.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceCounts {
    steps: u64,
    calls: u64,
    rules: BTreeMap<&'static str, u64>,
    laws: BTreeMap<&'static str, u64>,
    silent: BTreeMap<&'static str, u64>,
    unchecked: BTreeMap<&'static str, u64>,
    own: BTreeMap<&'static str, u64>,
}

impl WorkspaceCounts {
    /// Counts a step that a planner played.
    pub fn count_step(&mut self, step: &PlayedStep) {
        self.steps += 1;
        let applied = step.applied.as_ref().map_or(0, |applied| applied.trace.calls.len());
        self.calls += (step.planned.trace.calls.len() + applied) as u64;
    }

    /// Counts how often a rule was checked on a step.
    pub fn count_rule(&mut self, rule: &'static str, count: u64) {
        if count > 0 {
            *self.rules.entry(rule).or_default() += count;
        }
    }

    /// Counts a part of a step that a rule could not be checked on.
    pub fn count_unchecked(&mut self, why: &'static str) {
        *self.unchecked.entry(why).or_default() += 1;
    }

    /// Counts a law. `spoke` is true if its conditions held, so that it was checked.
    pub fn count_law(&mut self, law: &'static str, spoke: bool) {
        let counts = if spoke { &mut self.laws } else { &mut self.silent };
        *counts.entry(law).or_default() += 1;
    }

    /// Counts what planners report about their own work.
    pub fn count_own(&mut self, counted: &[(&'static str, u64)]) {
        counted.iter().for_each(|(name, count)| *self.own.entry(name).or_default() += count);
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &WorkspaceCounts) {
        let WorkspaceCounts { steps, calls, rules, laws, silent, unchecked, own } = other;
        self.steps += steps;
        self.calls += calls;
        let mine = [&mut self.rules, &mut self.laws, &mut self.silent, &mut self.unchecked, &mut self.own];
        for (mine, other) in mine.into_iter().zip([rules, laws, silent, unchecked, own]) {
            other.iter().for_each(|(name, count)| *mine.entry(name).or_default() += count);
        }
    }

    /// All tables by name. Those of rules and laws include the ones that were never checked; they are left out if no step was played.
    pub fn tables(&self) -> Vec<(&'static str, BTreeMap<&'static str, u64>)> {
        let own = |of: &'static str, is_its: &dyn Fn(&str) -> bool| {
            let counts: BTreeMap<_, _> =
                self.own.iter().filter(|(name, _)| is_its(name)).map(|(n, c)| (*n, *c)).collect();
            Some((of, counts)).filter(|(_, counts)| !counts.is_empty())
        };
        let again = own(PLANNED_AGAIN, &|name| name != SHARED_OUT);
        let own = again.into_iter().chain(own(WORKERS, &|name| name == SHARED_OUT));
        if self.steps == 0 {
            return own.collect();
        }
        let of = |names: &[&'static str], counts: &BTreeMap<&'static str, u64>| {
            names.iter().map(|name| (*name, counts.get(name).copied().unwrap_or(0))).collect()
        };
        let rules: Vec<&'static str> = RULES.iter().map(|info| info.id).collect();
        let laws: Vec<&'static str> = Law::ALL.iter().map(|law| law.id()).collect();
        let played = BTreeMap::from([("steps", self.steps), ("calls", self.calls)]);
        let tables = [
            ("rules", of(&rules, &self.rules)),
            ("laws", of(&laws, &self.laws)),
            ("silent_laws", of(&laws, &self.silent)),
            (UNCHECKED, self.unchecked.clone()),
            ("played", played),
        ];
        tables.into_iter().chain(own).collect()
    }
}
