//! Findings: one type from the judge to the page.

use super::signature::{Kind, Signature};
use crate::subject::Outcome;

/// Something that is wrong in a case: what the judge finds, what is made smaller, sorted and written down.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What makes it the same as another.
    pub signature: Signature,
    /// The name of the oracle that found it.
    pub oracle: &'static str,
    /// What is wrong, in words.
    pub what: String,
    /// What each subject answered to the operation, by its name; empty where it was not asked for, and for a property of one planner.
    pub answers: Vec<(String, Outcome)>,
    /// Why it is expected, if it is.
    pub excuse: Option<Excuse>,
}

/// Why a finding is expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Excuse {
    /// An allow list names it.
    Allowed {
        /// What the list says.
        reason: String,
    },
    /// A real engine is known to do it.
    Known {
        /// The name of the entry.
        name: String,
        /// What the engine does.
        reason: String,
    },
    /// It is no mistake at all: the subject cannot help it.
    Unavoidable {
        /// Why.
        reason: &'static str,
    },
}

impl Excuse {
    /// The name of the known difference that it is.
    pub fn name(&self) -> Option<&str> {
        match self {
            Excuse::Known { name, .. } => Some(name),
            Excuse::Allowed { .. } | Excuse::Unavoidable { .. } => None,
        }
    }

    /// Why the finding is known, in words; nothing for what is no finding at all.
    pub fn in_words(&self) -> Option<String> {
        match self {
            Excuse::Allowed { reason } => Some(reason.clone()),
            Excuse::Known { name, reason } => Some(format!("{name}: {reason}")),
            Excuse::Unavoidable { .. } => None,
        }
    }
}

/// Two findings are the same where they are of one bucket and excused alike: in which words they are told does not matter.
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

/// What comes of judging a case.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// What is to be reported.
    pub findings: Vec<Finding>,
    /// What would be a finding if it were not expected.
    pub excused: Vec<Finding>,
}
