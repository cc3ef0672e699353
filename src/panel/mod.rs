//! Panels: subjects with their judge.
//!
//! A campaign, a fuzz target, triage, a replay and the shrinker all ask a panel what is wrong in a case. For them it is the one
//! place that asks the subjects, has their answers judged, checks the properties, and makes the case smaller while it shows the same.
//! So no caller judges less than another by forgetting a part.

mod minimize;
mod panels;

use std::sync::Arc;

use crate::case::Case;
use crate::compare::{Answers, Finding, Judge, Judged, Signature, Sitting, Summary};
use crate::shrink::{Shrunk, shrink};
use crate::subject::{Outcome, Subject};

pub use minimize::{Bounds, Minimized, Small};
pub use panels::{Panels, Start};

/// Subjects and their judge.
pub struct Panel {
    subjects: Vec<Box<dyn Subject>>,
    judge: Arc<Judge>,
}

/// What to look for in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything: properties too, which ask a planner some thirty times more.
    Whole,
    /// What the answers themselves show: differences, crashes and broken rules.
    Answers,
}

/// The answers of all subjects to some cases: by subject, case and operation.
pub struct Batch(Vec<Vec<Vec<Outcome>>>);

/// The result of asking a panel one case.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What each subject answered, by its name.
    pub outcomes: Vec<(String, Vec<Outcome>)>,
    /// The findings, in the order of the operations, each with the answers to its own.
    pub findings: Vec<Finding>,
    /// The findings that are expected.
    pub excused: Vec<Finding>,
}

impl Panel {
    /// A panel; the first subject is compared with every other.
    pub fn new(subjects: Vec<Box<dyn Subject>>, judge: Arc<Judge>) -> Panel {
        Panel { subjects, judge }
    }

    /// The subjects.
    pub fn subjects(&self) -> &[Box<dyn Subject>] {
        &self.subjects
    }

    /// The names of the subjects.
    pub fn names(&self) -> Vec<String> {
        self.subjects.iter().map(|subject| subject.name().to_owned()).collect()
    }

    /// The name of the first subject.
    pub fn first(&self) -> String {
        self.subjects.first().map(|subject| subject.name().to_owned()).unwrap_or_default()
    }

    /// The judge.
    pub fn judge(&self) -> &Arc<Judge> {
        &self.judge
    }

    /// The subject that can no longer answer, and why.
    pub fn trouble(&self) -> Option<(String, String)> {
        self.subjects.iter().find_map(|subject| Some((subject.name().to_owned(), subject.trouble()?)))
    }

    /// Asks every subject the cases.
    pub fn answer(&mut self, cases: &[Case]) -> Batch {
        Batch(self.subjects.iter_mut().map(|subject| subject.answer(cases)).collect())
    }

    /// Judges the answers to one case of a batch.
    pub fn judge_answers(
        &self,
        sitting: &Sitting<'_>,
        case: &Case,
        (batch, index): (&Batch, usize),
        summary: &mut Summary,
    ) -> Judged {
        let answers: Vec<Answers<'_>> = self
            .subjects
            .iter()
            .zip(&batch.0)
            .map(|(subject, outcomes)| Answers::of(&**subject, &outcomes[index]))
            .collect();
        sitting.judge(case, &answers, summary)
    }

    /// Adds the subjects' answers to its operation to a finding.
    pub fn add_answers(&self, finding: &mut Finding, case: &Case, (batch, index): (&Batch, usize)) {
        let Some(at) = case.ops().iter().position(|op| *op == finding.signature.op) else { return };
        let named = self.subjects.iter().zip(&batch.0);
        let answers = named.filter_map(|(subject, of)| Some((subject.name().to_owned(), of[index].get(at)?.clone())));
        finding.answers = answers.collect();
    }

    /// Checks the properties on a case, with every subject that is a planner of this process.
    pub fn properties(&self, case: &Case, summary: &mut Summary) -> Vec<Finding> {
        let subjects = self.subjects.iter();
        subjects.flat_map(|subject| self.judge.properties_of(case, &**subject, |_| true, summary)).collect()
    }

    /// Asks the subjects a case and judges their answers.
    pub fn ask(&mut self, case: &Case, extent: Extent, summary: &mut Summary) -> Asked {
        let all: Vec<usize> = (0..self.subjects.len()).collect();
        self.ask_some(&all, case, extent, summary)
    }

    /// As [`Panel::ask`], with only the subjects that a signature is about.
    pub fn ask_about(&mut self, about: &Signature, case: &Case, extent: Extent, summary: &mut Summary) -> Asked {
        let first = self.first();
        let is_needed = |number: &usize| about.is_about(self.subjects[*number].name(), &first);
        let needed: Vec<usize> = (0..self.subjects.len()).filter(is_needed).collect();
        self.ask_some(&needed, case, extent, summary)
    }

    fn ask_some(&mut self, asked: &[usize], case: &Case, extent: Extent, summary: &mut Summary) -> Asked {
        let answer = |number: &usize| {
            let subject = &mut self.subjects[*number];
            let outcomes = subject.answer(std::slice::from_ref(case)).pop().unwrap_or_default();
            (subject.name().to_owned(), outcomes)
        };
        let outcomes: Vec<(String, Vec<Outcome>)> = asked.iter().map(answer).collect();
        let asked: Vec<&dyn Subject> = asked.iter().map(|number| &*self.subjects[*number]).collect();
        let answers = asked.iter().zip(&outcomes).map(|(subject, (_, outcomes))| Answers::of(*subject, outcomes));
        let answers: Vec<Answers<'_>> = answers.collect();
        let Judged { mut findings, excused } = self.judge.sit(case).judge(case, &answers, summary);
        if extent == Extent::Whole {
            for subject in asked {
                findings.extend(self.judge.properties_of(case, subject, |_| true, summary));
            }
        }
        let ops = case.ops();
        for finding in &mut findings {
            let Some(at) = ops.iter().position(|op| *op == finding.signature.op) else { continue };
            let of_op = outcomes.iter().filter_map(|(name, all)| Some((name.clone(), all.get(at)?.clone())));
            finding.answers = of_op.collect();
        }
        Asked { outcomes, findings, excused }
    }

    /// The finding with a signature, if a case shows it.
    pub fn shown(&mut self, case: &Case, signature: &Signature, extent: Extent) -> Option<Finding> {
        let asked = self.ask(case, extent, &mut Summary::default());
        asked.findings.into_iter().find(|finding| finding.signature == *signature)
    }

    /// Whether a case shows a signature.
    pub fn shows(&mut self, case: &Case, signature: &Signature, extent: Extent) -> bool {
        self.shown(case, signature, extent).is_some()
    }

    /// Makes a case smaller while it shows a signature, asking at most `budget` times and as long as `goes_on`.
    pub fn shrink(
        &mut self,
        case: &Case,
        (signature, extent): (&Signature, Extent),
        budget: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Shrunk {
        shrink(case, budget, &mut |smaller| goes_on() && self.shows(smaller, signature, extent))
    }
}
