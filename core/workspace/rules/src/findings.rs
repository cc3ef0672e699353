//! The results of checking the rules against a run: how often each was checked, and where one is broken.

use crate::id::{Id, RULES};

/// How many broken places are kept.
const MOST: usize = 200;

/// The results of checking all rules against a run.
#[derive(Clone, Debug)]
pub struct RuleReport {
    /// How often each rule was checked, in the order of [`RULES`].
    pub checks: Vec<u64>,
    /// The places where a rule is broken; if there are very many, the first ones.
    pub broken: Vec<Broken>,
    /// The reason for each part of the run that could not be checked, in the order of the checks.
    pub left_out: Vec<&'static str>,
}

/// A place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule, one of [`RULES`].
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
}

impl Default for RuleReport {
    fn default() -> RuleReport {
        RuleReport { checks: vec![0; RULES.len()], broken: Vec::new(), left_out: Vec::new() }
    }
}

impl RuleReport {
    /// Checks a rule; `message` is called only if the rule is broken.
    pub(crate) fn hold(&mut self, rule: Id, holds: bool, message: impl FnOnce() -> String) {
        self.checks[rule as usize] += 1;
        if !holds && self.broken.len() < MOST {
            self.broken.push(Broken { rule: rule.name(), message: message() });
        }
    }

    /// Notes that a part of the run cannot be checked.
    pub(crate) fn leave_out(&mut self, why: &'static str) {
        self.left_out.push(why);
    }

    /// How often a rule was checked.
    pub fn count(&self, rule: &str) -> u64 {
        RULES.iter().position(|info| info.id == rule).map_or(0, |index| self.checks[index])
    }
}
