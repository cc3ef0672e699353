//! The interface of oracles: checks that can find a wrong answer.
//!
//! An oracle is made for a case (and all that are judged like it), and is called at several points of the judgement. Each method
//! does nothing by default, so an oracle implements only those at which it has something to report. A new kind of oracle or of answer is
//! a new file in `oracles/` and a line in its list.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Request};
use planfuzz_core::schema::Schema;

use super::answers::{Answer, Answers};
use super::case_result::CaseResult;
use super::difference::Place;
use super::finding::Excuse;
use super::signature::{Kind, PlaceKind, Signature, Subjects};
use crate::case::{Case, Op, Shown};
use crate::subject::{LeftOut, Outcome, PlannerOfWorkspaces};

/// A check that can find a wrong answer.
pub trait Oracle {
    /// The name in findings and counts.
    fn name(&self) -> &'static str;

    /// Counts features of the case that the first subject's answer shows, whether or not something is found.
    fn survey(&self, _question: &Question<'_>, _first: &Answer<'_>, _result: &mut CaseResult<'_>) {}

    /// Checks one answer alone.
    fn alone(&self, _question: &Question<'_>, _answer: &Answer<'_>, _result: &mut CaseResult<'_>) {}

    /// Compares the first subject's answer with another; `None` if the oracle does not compare such answers.
    fn beside(
        &self,
        _question: &Question<'_>,
        _first: &Answer<'_>,
        _other: &Answer<'_>,
        _result: &mut CaseResult<'_>,
    ) -> Option<Beside> {
        None
    }

    /// Checks an answer that equals the first subject's, which was checked alone.
    fn again(&self, _question: &Question<'_>, _answer: &Answer<'_>, _result: &mut CaseResult<'_>) {}

    /// Asks a planner other cases that are derived from this one. Reports what it finds for the operations that count.
    fn ask(
        &self,
        _case: &Case,
        _candidate: &Candidate<'_>,
        _counts: &dyn Fn(Op) -> bool,
        _result: &mut CaseResult<'_>,
    ) {
    }

    /// Whether a finding is expected.
    fn excuse(&self, _signature: &Signature, _whose: Whose, _dialect: Dialect) -> Ruling {
        Ruling::NotMine
    }
}

/// The result of comparing two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The answers are equal, so the other one need not be checked alone.
    Same,
    /// The answers differ, or the other one is incomplete.
    Different,
}

/// Whether a finding is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The oracle does not decide.
    NotMine,
    /// It is not expected.
    Stands,
    /// It is expected.
    Excused(Excuse),
}

/// The kind of subject that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A real engine: the finding may be a known difference.
    Engine,
    /// A planner of this suite, a program behind a pipe, or a provider.
    Others,
}

impl Whose {
    /// `Engine` if `is_engine`, else `Others`.
    pub fn of_engine(is_engine: bool) -> Whose {
        if is_engine { Whose::Engine } else { Whose::Others }
    }
}

/// A planner of this process that can be asked about other cases.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// The name of the subject.
    pub name: &'a str,
    /// The planner of instances, if there is one.
    pub planner: Option<&'a dyn Planner>,
    /// The planner of workspaces, if there is one.
    pub workspaces: Option<PlannerOfWorkspaces>,
}

/// One operation of a case, and the answers to it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The operation.
    pub op: Op,
    /// The case.
    pub case: &'q Case,
    /// The request to planners, if the operation is one.
    pub request: Option<Request<'q>>,
    /// The answers of all subjects, and the number of the operation.
    pub(super) answers: (&'q [Answers<'q>], usize),
}

impl<'q> Question<'q> {
    /// An operation of a case without answers, for findings of [`Oracle::ask`].
    pub fn of(case: &'q Case, op: Op) -> Question<'q> {
        Question { op, case, request: None, answers: (&[], 0) }
    }

    /// The schema, if the case has one.
    pub fn schema(&self) -> Option<&'q Schema> {
        self.case.schema().map(|schema| &**schema)
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.case.dialect
    }

    /// The answers of the subjects whose answers are fully visible.
    pub fn whole_answers(&self) -> impl Iterator<Item = &'q Outcome> {
        let (answers, index) = self.answers;
        let whole = answers.iter().filter(|answers| answers.shown == Shown::Whole);
        whole.map(move |answers| &answers.outcomes[index]).filter(|outcome| outcome.is_answer())
    }

    /// The signature of a finding. Without a place it is at the root.
    pub fn signature(&self, kind: Kind, place: Option<&Place>, subjects: Subjects) -> Signature {
        let place = match (place, self.schema()) {
            (Some(place), Some(schema)) => PlaceKind::of(&schema.block, place),
            (Some(Place::Text(summary)), None) => PlaceKind::of_text(summary),
            _ => PlaceKind::Root,
        };
        Signature { op: self.op, kind, place, subjects }
    }
}

/// Whether the question was not meant for a subject, so that its missing answer means nothing.
pub(super) fn is_not_its_own(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::LeftOut(LeftOut::NotAsked))
}
