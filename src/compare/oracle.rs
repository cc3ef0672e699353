//! What an oracle is: whatever can tell that an answer is wrong.
//!
//! An oracle is made for a case (and all that are prepared like it), and is asked at the places where it has something to say. Those at
//! which it has nothing to say it leaves out: each method does nothing unless an oracle writes it. A new kind of oracle or of answer is a
//! new file in `oracles/` and a line in its list.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Request};
use planfuzz_core::schema::Schema;

use super::answers::{Answer, Answers};
use super::difference::Place;
use super::docket::Docket;
use super::finding::Excuse;
use super::signature::{Kind, PlaceKind, Signature, Subjects};
use crate::case::{Case, Op, Shown};
use crate::subject::{LeftOut, Outcome, Workspaces};

/// Whatever can tell that an answer is wrong.
pub trait Oracle {
    /// The name in findings and counts.
    fn name(&self) -> &'static str;

    /// Counts what the first subject's answer shows of the case, whatever comes of it.
    fn survey(&self, _question: &Question<'_>, _first: &Answer<'_>, _docket: &mut Docket<'_>) {}

    /// Checks one answer alone.
    fn alone(&self, _question: &Question<'_>, _answer: &Answer<'_>, _docket: &mut Docket<'_>) {}

    /// Compares the first subject's answer with another; nothing where the oracle does not compare answers like these.
    fn beside(
        &self,
        _question: &Question<'_>,
        _first: &Answer<'_>,
        _other: &Answer<'_>,
        _docket: &mut Docket<'_>,
    ) -> Option<Beside> {
        None
    }

    /// Checks an answer that is the same as one that was checked alone.
    fn again(&self, _question: &Question<'_>, _answer: &Answer<'_>, _docket: &mut Docket<'_>) {}

    /// Asks a planner about other cases that are made of this one, and reports what is found of the operations that count.
    fn ask(&self, _case: &Case, _candidate: &Candidate<'_>, _counts: &dyn Fn(Op) -> bool, _docket: &mut Docket<'_>) {}

    /// Whether a finding is expected.
    fn excuse(&self, _signature: &Signature, _whose: Whose, _dialect: Dialect) -> Ruling {
        Ruling::NotMine
    }
}

/// What comes of comparing two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// They are the same, so that the other one need not be checked alone.
    Same,
    /// They are not, or the other one did not come to its end.
    Different,
}

/// Whether a finding is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The oracle does not say.
    NotMine,
    /// It is not.
    Stands,
    /// It is.
    Excused(Excuse),
}

/// Of whom a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of a real engine: what it did may be known of it.
    Engine,
    /// Of a planner of this suite, a program behind a pipe, or a provider.
    Others,
}

impl Whose {
    /// Of an engine, if so.
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
    pub workspaces: Option<Workspaces>,
}

/// One operation of a case, to which answers are judged.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The operation.
    pub op: Op,
    /// The case.
    pub case: &'q Case,
    /// What planners are asked, if it is a request.
    pub request: Option<Request<'q>>,
    /// The answers of all subjects, and the number of the operation.
    pub(super) answers: (&'q [Answers<'q>], usize),
}

impl<'q> Question<'q> {
    /// An operation of a case to which there are no answers: what a planner is asked beside it is judged.
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

    /// The answers of the subjects of which everything is seen.
    pub fn whole_answers(&self) -> impl Iterator<Item = &'q Outcome> {
        let (answers, index) = self.answers;
        let whole = answers.iter().filter(|answers| answers.shown == Shown::Whole);
        whole.map(move |answers| &answers.outcomes[index]).filter(|outcome| outcome.is_answer())
    }

    /// The signature of a finding; without a place it is at the root.
    pub fn signature(&self, kind: Kind, place: Option<&Place>, subjects: Subjects) -> Signature {
        let place = match (place, self.schema()) {
            (Some(place), Some(schema)) => PlaceKind::of(&schema.block, place),
            (Some(Place::Text(summary)), None) => PlaceKind::of_text(summary),
            _ => PlaceKind::Root,
        };
        Signature { op: self.op, kind, place, subjects }
    }
}

/// Whether the question is not one for a subject, so that its silence says nothing.
pub(super) fn is_not_its_own(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::LeftOut(LeftOut::NotAsked))
}
