//! Comparison of scenario runs: each walk is one comparison.

use super::answers::{UNWRITTEN, differ};
use crate::case::{Case, Shown};
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::difference::{Class, Difference};
use crate::compare::finding::{Excuse, Finding};
use crate::compare::judge::Judge;
use crate::compare::oracle::{Beside, Oracle, Question, Whose};
use crate::compare::signature::{Kind, Subjects};
use crate::compare::trace::{Compared, View, compare_past};
use crate::subject::Outcome;

pub(super) const NAME: &str = super::answers::NAME;

struct Scenarios;

pub(super) fn make<'s>(_: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if case.scenario().is_some() { vec![Box::new(Scenarios)] } else { Vec::new() }
}

impl Oracle for Scenarios {
    fn name(&self) -> &'static str {
        NAME
    }

    fn survey(&self, _: &Question<'_>, first: &Answer<'_>, result: &mut CaseResult<'_>) {
        result.summary.steps += first.outcome.steps();
        if let Outcome::Trace(trace) = first.outcome {
            result.summary.traces.count_changes(trace);
        }
    }

    fn beside(
        &self,
        question: &Question<'_>,
        first: &Answer<'_>,
        other: &Answer<'_>,
        result: &mut CaseResult<'_>,
    ) -> Option<Beside> {
        let (Outcome::Trace(first_trace), Outcome::Trace(other_trace)) = (first.outcome, other.outcome) else {
            return None;
        };
        let shown = first.shown.max(other.shown);
        let whose = Whose::of_engine(shown == Shown::Observed);
        let subjects = Subjects::pair(first.name, other.name);
        let declared = question.schema().filter(|_| shown > Shown::Whole);
        let declared = declared.map(|schema| schema.implied_type(question.dialect()));
        let version = question.schema().map(|schema| schema.version);
        let view = View { shown, declared: declared.as_ref(), version };
        let excuses = |difference: &Difference| {
            let kind = Kind::Diverge(difference.class);
            result.would_excuse(&question.signature(kind, Some(&difference.path), subjects.clone()), whose)
        };
        let compared = compare_past(first_trace, other_trace, view, &excuses);
        let Compared { alike, both_refuse, unwritten, passed, difference } = compared;
        let is_different = difference.is_some() || !passed.is_empty();
        let ended = u64::from(both_refuse || difference.is_some());
        result.compared(NAME, alike + passed.len() as u64 + ended);
        result.summary.tally.agree += alike;
        result.summary.tally.both_refuse += u64::from(both_refuse);
        for _ in 0..unwritten {
            let signature = question.signature(Kind::Diverge(Class::Type), None, subjects.clone());
            let excuse = Some(Excuse::Unavoidable { reason: UNWRITTEN });
            let finding = Finding { excuse, ..Finding::new(NAME, signature, UNWRITTEN.to_owned()) };
            result.report(Whose::Others, finding);
        }
        for difference in passed.iter().chain(&difference) {
            result.report(whose, differ(question, difference, subjects.clone()));
        }
        Some(if is_different || !other_trace.is_whole() { Beside::Different } else { Beside::Same })
    }
}
