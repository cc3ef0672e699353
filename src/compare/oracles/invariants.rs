//! The lifecycle invariants that a planner breaks in a run.

use std::rc::Rc;

use planfuzz_rules::{BrokenInvariant, Party};

use super::trace_rules::{TraceRules, in_words};
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::difference::Place;
use crate::compare::finding::Finding;
use crate::compare::oracle::{Oracle, Question, Whose};
use crate::compare::signature::{Kind, RuleId, Subjects};
use crate::subject::Outcome;

pub(super) const NAME: &str = "invariants";

/// The invariants that planners have to keep.
pub(super) struct Invariants<'s>(pub(super) Rc<TraceRules<'s>>);

impl Oracle for Invariants<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn alone(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        let Outcome::Trace(trace) = answer.outcome else { return };
        let Some(check) = self.0.check(question, answer, trace) else { return };
        self.report_predicted(question, answer, result);
        result.checked(NAME, check.checks.iter().sum());
        result.summary.traces.count_checks(&check.checks);
        for broken in &check.broken {
            let Some(subjects) = self.blamed(broken, answer.name) else { continue };
            let whose = Whose::of_engine(answer.is_of_engine() && subjects.is_one(answer.name));
            result.report(whose, breach(NAME, question, broken, subjects, check.besides(broken)));
        }
    }

    fn again(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        self.report_predicted(question, answer, result);
    }
}

impl Invariants<'_> {
    /// The subjects to blame for a broken invariant; `None` if only the provider is.
    ///
    /// It is the planner, or, for a broken claim of the provider, possibly either of the two.
    fn blamed(&self, broken: &BrokenInvariant, subject: &str) -> Option<Subjects> {
        match broken.fault {
            _ if broken.is_of_planner() => Some(Subjects::one(subject)),
            Party::Either if self.0.providers => Some(Subjects::beside_provider(subject)),
            Party::Either => Some(Subjects::one(subject)),
            Party::Core | Party::Provider => None,
        }
    }

    /// Reports what both an engine and a planner of its dialect break: the planner is right to predict it, the engine is wrong.
    fn report_predicted(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        let Outcome::Trace(trace) = answer.outcome else { return };
        if !answer.is_of_engine() {
            return;
        }
        let Some(check) = self.0.check(question, answer, trace) else { return };
        for broken in &check.predicted {
            let words = "; a planner of the dialect predicts it";
            result.report(Whose::Engine, breach(NAME, question, broken, Subjects::one(answer.name), words));
        }
    }
}

/// The finding of a broken invariant.
pub(super) fn breach(
    oracle: &'static str,
    question: &Question<'_>,
    broken: &BrokenInvariant,
    subjects: Subjects,
    besides: &str,
) -> Finding {
    let what = format!("{subjects} breaks {}{besides}", in_words(broken));
    let place = Place::Text(broken.path.to_string());
    let kind = Kind::RuleBroken(RuleId::new(broken.invariant));
    Finding::new(oracle, question.signature(kind, Some(&place), subjects), what)
}
