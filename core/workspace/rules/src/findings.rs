//! What holding the rules against a run gives: how often each was held, and where one is broken.

use crate::id::{Id, RULES};

/// How many broken places are kept.
const MOST: usize = 200;

/// What came of it.
#[derive(Clone, Debug)]
pub struct Held {
    /// How often each rule was held, in the order of [`RULES`].
    pub checks: Vec<u64>,
    /// Where one is broken; of very many the first.
    pub broken: Vec<Broken>,
    /// What could not be looked at, and why, in the order in which it was met.
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

impl Default for Held {
    fn default() -> Held {
        Held { checks: vec![0; RULES.len()], broken: Vec::new(), left_out: Vec::new() }
    }
}

impl Held {
    /// Holds a rule; what is wrong is only put into words where it is.
    pub(crate) fn hold(&mut self, rule: Id, holds: bool, message: impl FnOnce() -> String) {
        self.checks[rule as usize] += 1;
        if !holds && self.broken.len() < MOST {
            self.broken.push(Broken { rule: rule.name(), message: message() });
        }
    }

    /// Notes what cannot be looked at.
    pub(crate) fn leave_out(&mut self, why: &'static str) {
        self.left_out.push(why);
    }

    /// How often a rule was held.
    pub fn count(&self, rule: &str) -> u64 {
        RULES.iter().position(|info| info.id == rule).map_or(0, |index| self.checks[index])
    }
}
