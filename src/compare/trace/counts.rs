//! Counts of scenario runs: how often each invariant was checked, each action planned, each reason given, and how many providers
//! were held to their promises.

use std::collections::BTreeMap;

use planfuzz_core::plans::{Action, ActionReason};
use planfuzz_rules::{INVARIANT_COUNT, INVARIANTS};

use crate::scenario::{Obligation, Trace};

/// How often things occurred in runs, in the order of their tables.
#[derive(Clone, Debug)]
pub struct TraceCounts {
    invariants: [u64; INVARIANT_COUNT],
    actions: [u64; Action::ALL.len()],
    reasons: [u64; ActionReason::ALL.len()],
    /// Runs of well-behaved providers: those held to their promises, and those in which the promises are waived.
    promises: [u64; 2],
}

impl Default for TraceCounts {
    fn default() -> TraceCounts {
        TraceCounts {
            invariants: [0; INVARIANT_COUNT],
            actions: [0; Action::ALL.len()],
            reasons: [0; ActionReason::ALL.len()],
            promises: [0; 2],
        }
    }
}

impl TraceCounts {
    /// Counts the changes in the plans of a run.
    pub fn count_changes(&mut self, trace: &Trace) {
        for change in trace.steps.iter().flat_map(|step| &step.plan.plan.changes) {
            self.actions[change.change.action as usize] += 1;
            self.reasons[change.reason as usize] += 1;
        }
    }

    /// Counts how often each invariant was checked on a run.
    pub fn count_checks(&mut self, checks: &[u64; INVARIANT_COUNT]) {
        sum(&mut self.invariants, checks);
    }

    /// Counts a run by the promises of its provider.
    pub fn count_promises(&mut self, standing: Obligation) {
        match standing {
            Obligation::None => {}
            Obligation::Held => self.promises[0] += 1,
            Obligation::Waived => self.promises[1] += 1,
        }
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &TraceCounts) {
        let TraceCounts { invariants, actions, reasons, promises } = other;
        sum(&mut self.invariants, invariants);
        sum(&mut self.actions, actions);
        sum(&mut self.reasons, reasons);
        sum(&mut self.promises, promises);
    }

    /// The counts of checks by invariant, those that were never checked included.
    pub fn invariants(&self) -> BTreeMap<&'static str, u64> {
        INVARIANTS.iter().map(|info| info.id).zip(self.invariants).collect()
    }

    /// The runs of well-behaved providers, by whether these are held to their promises.
    pub fn promises(&self) -> BTreeMap<&'static str, u64> {
        ["held", "waived"].into_iter().zip(self.promises).collect()
    }

    /// The actions by name.
    pub fn actions(&self) -> BTreeMap<&'static str, u64> {
        Action::ALL.iter().map(|action| action.name()).zip(self.actions).collect()
    }

    /// The reasons by name.
    pub fn reasons(&self) -> BTreeMap<&'static str, u64> {
        let name = |reason: &ActionReason| match reason {
            ActionReason::None => "none",
            reason => reason.name(),
        };
        ActionReason::ALL.iter().map(name).zip(self.reasons).collect()
    }
}

fn sum(counts: &mut [u64], more: &[u64]) {
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
}
