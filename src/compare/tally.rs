//! How often each verdict was reached.

use planfuzz_core::record;

use super::signature::Kind;

/// How often each verdict was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Comparisons in which both gave the same answer.
    pub agree: u64,
    /// Comparisons in which both refused.
    pub both_refuse: u64,
    /// Findings that are expected.
    pub tolerated: u64,
    /// Comparisons in which the subjects disagree.
    pub diverge: u64,
    /// Answers that break a rule or a property.
    pub rule_broken: u64,
    /// Panics and deaths.
    pub crash: u64,
    /// Answers that did not come in time.
    pub over_budget: u64,
}

record!(Tally, "verdicts": agree, both_refuse, tolerated, diverge, rule_broken, crash, over_budget);

impl Tally {
    /// Counts one finding that nothing excuses.
    pub fn count_finding(&mut self, kind: &Kind) {
        let counter = match kind {
            Kind::Diverge(_) => &mut self.diverge,
            Kind::RuleBroken(_) => &mut self.rule_broken,
            Kind::Crash(_) => &mut self.crash,
            Kind::OverBudget => &mut self.over_budget,
        };
        *counter += 1;
    }

    /// Adds the counts of another tally.
    pub fn add(&mut self, other: &Tally) {
        let Tally { agree, both_refuse, tolerated, diverge, rule_broken, crash, over_budget } = other;
        self.agree += agree;
        self.both_refuse += both_refuse;
        self.tolerated += tolerated;
        self.diverge += diverge;
        self.rule_broken += rule_broken;
        self.crash += crash;
        self.over_budget += over_budget;
    }

    /// Verdicts that are findings.
    pub fn findings(&self) -> u64 {
        self.diverge + self.rule_broken + self.crash + self.over_budget
    }
}
