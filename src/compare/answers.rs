//! The answers of subjects, in the form that the judge takes.

use std::cell::OnceCell;

use super::oracles::TraceCheck;
use crate::case::Shown;
use crate::subject::{Outcome, Subject};

/// The answers of a subject to one case: an outcome for each operation.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    /// The subject's name.
    pub subject: &'a str,
    /// The outcomes, in the order of [`crate::case::Case::ops`].
    pub outcomes: &'a [Outcome],
    /// How much of them is visible.
    pub shown: Shown,
    /// Whether those to shared operations come from the code that all planners share.
    pub is_of_shared_code: bool,
}

impl<'a> Answers<'a> {
    /// The answers of a subject.
    pub fn of(subject: &'a dyn Subject, outcomes: &'a [Outcome]) -> Answers<'a> {
        let is_of_shared_code = subject.answers_with_shared_code();
        Answers { subject: subject.name(), outcomes, shown: subject.shows(), is_of_shared_code }
    }

    /// The answer to one operation.
    pub(super) fn answer(&self, all: &[Answers<'_>], index: usize) -> Answer<'a> {
        Answer {
            name: self.subject,
            shown: self.shown,
            is_of_shared_code: self.is_of_shared_code,
            outcome: &self.outcomes[index],
            is_crash_predicted: is_crash_predicted(all, &self.outcomes[index], index),
            trace_check: OnceCell::new(),
        }
    }
}

/// Whether a planner that was asked the same call refuses where this subject crashed.
fn is_crash_predicted(all: &[Answers<'_>], crashed: &Outcome, index: usize) -> bool {
    match crashed {
        Outcome::Crashed { predicted: true, .. } => true,
        Outcome::Crashed { .. } | Outcome::Trace(_) => {
            let mut planners = all.iter().filter(|answers| answers.shown < Shown::Observed);
            planners.any(|planner| planner.outcomes[index].predicts(crashed))
        }
        _ => false,
    }
}

/// The answer of a subject to one operation.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The subject's name.
    pub name: &'a str,
    /// How much of the answer is visible.
    pub shown: Shown,
    /// Whether the answer to a shared operation comes from the code that all planners share.
    pub is_of_shared_code: bool,
    /// The answer, or why there is none.
    pub outcome: &'a Outcome,
    /// Whether a planner refuses the call in which the subject crashed.
    pub is_crash_predicted: bool,
    /// The result of checking the invariants on a run, cached because two oracles use it.
    pub(super) trace_check: OnceCell<TraceCheck>,
}

impl Answer<'_> {
    /// Whether the answer is of a real engine. Known differences apply only to engines, never to this suite's planners.
    pub fn is_of_engine(&self) -> bool {
        self.shown == Shown::Observed
    }
}
