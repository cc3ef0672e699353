//! Verdicts: what came of one comparison. Never a boolean.

use planfuzz_core::json::Json;

use super::difference::Difference;
use super::signature::Signature;

/// What came of one comparison or check.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Both subjects gave the same answer.
    Agree,
    /// Both refused, as for an input on which the engine crashes.
    BothRefuse,
    /// A finding that a named allowance expects.
    Tolerated {
        /// The signature that is allowed.
        signature: Signature,
        /// The name of the known difference that it is, if it is one.
        name: Option<String>,
        /// Why.
        reason: String,
    },
    /// The subjects disagree.
    Diverge {
        /// The bucket.
        signature: Signature,
        /// Where and how.
        difference: Difference,
    },
    /// A subject's answer breaks a rule or a property.
    RuleBroken {
        /// The bucket.
        signature: Signature,
        /// The rule and the place, in words.
        message: String,
    },
    /// A subject panicked or died.
    Crash {
        /// The bucket.
        signature: Signature,
        /// What it said.
        message: String,
    },
    /// A subject did not answer in time.
    OverBudget {
        /// The bucket.
        signature: Signature,
        /// The limit, in words.
        message: String,
    },
}

impl Verdict {
    /// The bucket, for a verdict that is a finding.
    pub fn signature(&self) -> Option<&Signature> {
        match self {
            Verdict::Agree | Verdict::BothRefuse | Verdict::Tolerated { .. } => None,
            Verdict::Diverge { signature, .. }
            | Verdict::RuleBroken { signature, .. }
            | Verdict::Crash { signature, .. }
            | Verdict::OverBudget { signature, .. } => Some(signature),
        }
    }
}

/// How often each verdict was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Comparisons in which both gave the same answer.
    pub agree: u64,
    /// Comparisons in which both refused.
    pub both_refuse: u64,
    /// Findings that an allowance expects.
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

impl Tally {
    /// Counts one verdict.
    pub fn count(&mut self, verdict: &Verdict) {
        let counter = match verdict {
            Verdict::Agree => &mut self.agree,
            Verdict::BothRefuse => &mut self.both_refuse,
            Verdict::Tolerated { .. } => &mut self.tolerated,
            Verdict::Diverge { .. } => &mut self.diverge,
            Verdict::RuleBroken { .. } => &mut self.rule_broken,
            Verdict::Crash { .. } => &mut self.crash,
            Verdict::OverBudget { .. } => &mut self.over_budget,
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

    /// The counts by the names of verdicts.
    pub fn to_json(&self) -> Json {
        let Tally { agree, both_refuse, tolerated, diverge, rule_broken, crash, over_budget } = *self;
        let verdicts = [
            ("agree", agree),
            ("both_refuse", both_refuse),
            ("tolerated", tolerated),
            ("diverge", diverge),
            ("rule_broken", rule_broken),
            ("crash", crash),
            ("over_budget", over_budget),
        ];
        Json::object(verdicts.map(|(name, count)| (name, Json::int(count))))
    }

    /// Verdicts that are findings.
    pub fn findings(&self) -> u64 {
        self.diverge + self.rule_broken + self.crash + self.over_budget
    }
}
