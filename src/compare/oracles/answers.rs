//! Comparison of single answers: values, violations, documents and refusals.

use planfuzz_core::value::Value;

use crate::case::{Call, Case, Shown, Task};
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::difference::{Class, Difference, difference};
use crate::compare::finding::{Excuse, Finding};
use crate::compare::judge::Judge;
use crate::compare::oracle::{Beside, Oracle, Question, Whose};
use crate::compare::signature::{Kind, Subjects};
use crate::compare::unwritten::are_written_alike;
use crate::subject::{Outcome, in_one_form};

pub(super) const NAME: &str = "comparison";

/// Why a difference in types alone is tolerated if an answer came over a line.
pub(super) const UNWRITTEN: &str = "a type that formats.md cannot write";

struct Comparison;

pub(super) fn make<'s>(_: &'s Judge, _: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    vec![Box::new(Comparison)]
}

impl Oracle for Comparison {
    fn name(&self) -> &'static str {
        NAME
    }

    fn beside(
        &self,
        question: &Question<'_>,
        first: &Answer<'_>,
        other: &Answer<'_>,
        result: &mut CaseResult<'_>,
    ) -> Option<Beside> {
        if !other.outcome.is_answer() || !first.outcome.is_answer() {
            return None;
        }
        result.compared(NAME, 1);
        let pair = (first.outcome, other.outcome);
        let both = call_of(question.case).map(|call| in_one_form(call, pair, question.dialect()));
        let pair = both.as_ref().map_or(pair, |(first, other)| (&**first, &**other));
        let Some(difference) = difference(pair.0, pair.1) else {
            let counter = match pair.0 {
                Outcome::Refused(_) => &mut result.summary.tally.both_refuse,
                _ => &mut result.summary.tally.agree,
            };
            *counter += 1;
            return Some(Beside::Same);
        };
        let shown = first.shown.max(other.shown);
        let is_unwritten = shown > Shown::Whole && is_unwritten(question, &difference, pair);
        let excuse = is_unwritten.then_some(Excuse::Unavoidable { reason: UNWRITTEN });
        let subjects = Subjects::pair(first.name, other.name);
        let finding = Finding { excuse, ..differ(question, &difference, subjects) };
        result.defer(Whose::of_engine(shown == Shown::Observed), finding);
        Some(Beside::Different)
    }
}

/// The call of a case with a single operation.
fn call_of(case: &Case) -> Option<&Call> {
    match &case.task {
        Task::Call(call) => Some(call),
        Task::Merge(_) => None,
    }
}

/// The finding of a difference between two subjects.
pub(super) fn differ(question: &Question<'_>, difference: &Difference, subjects: Subjects) -> Finding {
    let place = match difference.path.to_string() {
        root if root.is_empty() => "the root".to_owned(),
        path => path,
    };
    let what = format!("{subjects} differ at {place}: {}", difference.class.name().replace('_', " "));
    let signature = question.signature(Kind::Diverge(difference.class), Some(&difference.path), subjects);
    Finding::new(NAME, signature, what)
}

/// Whether a difference is only in types that the notation of formats.md cannot express: that of a null or unknown
/// or empty collection whose declared element type has `dynamic` inside. An answer that came over a line cannot have such a type.
pub(super) fn is_unwritten(question: &Question<'_>, found: &Difference, pair: (&Outcome, &Outcome)) -> bool {
    // Empty sets can differ by their types alone, too.
    let (Outcome::Value(first), Outcome::Value(other), Class::Type | Class::Elements) = (pair.0, pair.1, found.class)
    else {
        return false;
    };
    let declared = question.schema().map(|schema| schema.implied_type(question.dialect()));
    // S34: optional markers cannot be written either.
    let unmarked = |value: &Value| Value::from_parts(value.ty().strip_optional(), value.node().clone());
    declared.is_some_and(|ty| are_written_alike(&unmarked(first), &unmarked(other), &ty))
}
