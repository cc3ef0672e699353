//! What lives are counted by: how often each invariant was held, each action planned, each reason given, each promise of a
//! provider broken.

use std::collections::BTreeMap;

use planfuzz_core::plans::{Action, ActionReason};
use planfuzz_core::rules::{INVARIANT_COUNT, INVARIANTS};

use crate::scenario::Life;

/// How often things occurred in lives, in the order of their tables.
#[derive(Clone, Debug)]
pub struct LifeCounts {
    invariants: [u64; INVARIANT_COUNT],
    actions: [u64; Action::ALL.len()],
    reasons: [u64; ActionReason::ALL.len()],
    promises: [u64; INVARIANT_COUNT],
}

impl Default for LifeCounts {
    fn default() -> LifeCounts {
        LifeCounts {
            invariants: [0; INVARIANT_COUNT],
            actions: [0; Action::ALL.len()],
            reasons: [0; ActionReason::ALL.len()],
            promises: [0; INVARIANT_COUNT],
        }
    }
}

impl LifeCounts {
    /// Counts the changes that a life's plans hold.
    pub fn count_changes(&mut self, life: &Life) {
        for change in life.steps.iter().flat_map(|step| &step.plan.plan.changes) {
            self.actions[change.change.action as usize] += 1;
            self.reasons[change.reason as usize] += 1;
        }
    }

    /// Counts how often each invariant was held against a life.
    pub fn count_checks(&mut self, checks: &[u64; INVARIANT_COUNT]) {
        sum(&mut self.invariants, checks);
    }

    /// Counts an invariant that a provider broke which was made to break none.
    pub fn count_broken_promise(&mut self, invariant: &str) {
        if let Some(index) = INVARIANTS.iter().position(|info| info.id == invariant) {
            self.promises[index] += 1;
        }
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &LifeCounts) {
        let LifeCounts { invariants, actions, reasons, promises } = other;
        sum(&mut self.invariants, invariants);
        sum(&mut self.actions, actions);
        sum(&mut self.reasons, reasons);
        sum(&mut self.promises, promises);
    }

    /// The invariants by id, those that never were held among them.
    pub fn invariants(&self) -> BTreeMap<&'static str, u64> {
        INVARIANTS.iter().map(|info| info.id).zip(self.invariants).collect()
    }

    /// The invariants that providers broke which were made to break none, by id.
    pub fn broken_promises(&self) -> BTreeMap<&'static str, u64> {
        let counted = INVARIANTS.iter().map(|info| info.id).zip(self.promises);
        counted.filter(|(_, count)| *count > 0).collect()
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
