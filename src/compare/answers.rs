//! What subjects answered, as the judge gets it.

use std::cell::OnceCell;

use super::oracles::LifeCheck;
use crate::case::Shown;
use crate::subject::{Outcome, Subject};

/// What a subject answered to one case: an outcome for each operation.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    /// The subject's name.
    pub subject: &'a str,
    /// The outcomes, in the order of [`crate::case::Case::ops`].
    pub outcomes: &'a [Outcome],
    /// How much of them is seen.
    pub shown: Shown,
}

impl<'a> Answers<'a> {
    /// The answers of a subject.
    pub fn of(subject: &'a dyn Subject, outcomes: &'a [Outcome]) -> Answers<'a> {
        Answers { subject: subject.name(), outcomes, shown: subject.shows() }
    }

    /// The answer to one operation.
    pub(super) fn answer(&self, all: &[Answers<'_>], index: usize) -> Answer<'a> {
        Answer {
            name: self.subject,
            shown: self.shown,
            outcome: &self.outcomes[index],
            is_crash_foretold: is_crash_foretold(all, &self.outcomes[index], index),
            life_check: OnceCell::new(),
        }
    }
}

/// Whether a planner beside a subject that crashed refuses the very call in which it did.
fn is_crash_foretold(all: &[Answers<'_>], crashed: &Outcome, index: usize) -> bool {
    match crashed {
        Outcome::Crashed { foretold: true, .. } => true,
        Outcome::Crashed { .. } | Outcome::Life(_) => {
            let mut planners = all.iter().filter(|answers| answers.shown < Shown::Observed);
            planners.any(|planner| planner.outcomes[index].foretells(crashed))
        }
        _ => false,
    }
}

/// What a subject answered to one operation.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The subject's name.
    pub name: &'a str,
    /// How much of the answer is seen.
    pub shown: Shown,
    /// The answer, or why there is none.
    pub outcome: &'a Outcome,
    /// Whether a planner refuses the very call in which the subject crashed.
    pub is_crash_foretold: bool,
    /// What came of holding a life against the invariants: two oracles ask for it.
    pub(super) life_check: OnceCell<LifeCheck>,
}

impl Answer<'_> {
    /// Whether it is of a real engine: what it does may be known of it. Of no planner of ours anything is.
    pub fn is_of_engine(&self) -> bool {
        self.shown == Shown::Observed
    }
}
