//! Findings: one type from the judge to the report.

use super::signature::{Kind, Signature};
use crate::subject::Outcome;

/// A bug that shows in a case: found by the judge, minimized, sorted and reported.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Identifies the bucket: findings with the same signature are the same.
    pub signature: Signature,
    /// The name of the oracle that found it.
    pub oracle: &'static str,
    /// What is wrong, in words.
    pub what: String,
    /// The answer of each subject to the operation, by its name; empty if it was not asked for, and for a property of one planner.
    pub answers: Vec<(String, Outcome)>,
    /// Why the finding is expected; `None` if it is not.
    pub excuse: Option<Excuse>,
}

/// Why a finding is expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Excuse {
    /// An allow list names it.
    Allowed {
        /// The reason that the list gives.
        reason: String,
    },
    /// A real engine is known to do it.
    Known {
        /// The name of the entry.
        name: String,
        /// What the engine does.
        reason: String,
    },
    /// It is not a bug: the subject cannot avoid it.
    Unavoidable {
        /// Why.
        reason: &'static str,
    },
}

impl Excuse {
    /// The name of the known difference, if it is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Excuse::Known { name, .. } => Some(name),
            Excuse::Allowed { .. } | Excuse::Unavoidable { .. } => None,
        }
    }

    /// Why the finding is known, in words; `None` if it is not a bug at all.
    pub fn in_words(&self) -> Option<String> {
        match self {
            Excuse::Allowed { reason } => Some(reason.clone()),
            Excuse::Known { name, reason } => Some(format!("{name}: {reason}")),
            Excuse::Unavoidable { .. } => None,
        }
    }
}

/// Two findings are the same if they have the same signature and excuse; the wording does not matter.
impl PartialEq for Finding {
    fn eq(&self, other: &Finding) -> bool {
        (&self.signature, &self.excuse) == (&other.signature, &other.excuse)
    }
}

impl Eq for Finding {}

impl Finding {
    /// A finding that nothing excuses yet.
    pub fn new(oracle: &'static str, signature: Signature, what: String) -> Finding {
        Finding { signature, oracle, what, answers: Vec::new(), excuse: None }
    }

    /// Whether two answers differ.
    pub fn is_difference(&self) -> bool {
        matches!(self.signature.kind, Kind::Diverge(_))
    }
}

/// The result of judging a case.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The findings to report.
    pub findings: Vec<Finding>,
    /// The findings that are expected.
    pub excused: Vec<Finding>,
}
