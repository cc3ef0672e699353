//! The rules of the merge, checked on single answers.

use std::cell::OnceCell;

use planfuzz_core::value::Path;
use planfuzz_rules::{Answered, Rules};

use super::answers::{UNWRITTEN, is_unwritten};
use crate::case::{Call, Case, Shown, Task};
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::difference::{Place, difference};
use crate::compare::finding::{Excuse, Finding};
use crate::compare::judge::{Arbiter, Judge};
use crate::compare::oracle::{Oracle, Question, Whose};
use crate::compare::signature::{Kind, RuleId, Subjects};
use crate::compare::unwritten::are_written_alike;
use crate::subject::{Outcome, answer_request};

pub(super) const NAME: &str = "rules";

struct MergeRules<'s> {
    case: &'s Case,
    arbiter: Option<Arbiter>,
    /// Deriving the rules from the schema takes longer than checking them on an answer.
    rules: OnceCell<Option<Rules<'s>>>,
}

pub(super) fn make<'s>(judge: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if judge.without_rules || matches!(case.task, Task::Call(Call::Scenario(_))) || case.schema().is_none() {
        return Vec::new();
    }
    vec![Box::new(MergeRules { case, arbiter: judge.arbiter, rules: OnceCell::new() })]
}

impl Oracle for MergeRules<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn alone(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        let answered = match answer.outcome {
            Outcome::Value(value) => Answered::Value(value),
            Outcome::Paths(paths) => Answered::Violations(paths),
            Outcome::Refused(_) => Answered::Refused,
            _ => return,
        };
        let rules = self.rules.get_or_init(|| self.case.schema().map(|schema| Rules::new(schema, self.case.dialect)));
        let (Some(rules), Some(request)) = (rules, question.request) else { return };
        let checked = rules.check(request, answered);
        result.checked(NAME, checked.checks);
        if checked.broken.is_empty() {
            return;
        }
        let is_written = answer.shown > Shown::Whole;
        let is_right = is_written && self.is_right_as_written(question, answer.outcome);
        for broken in checked.broken {
            let subjects = Subjects::one(answer.name);
            let is_excused = is_right || is_written && self.is_right_at(question, answer.outcome, &broken.path);
            let excuse = is_excused.then_some(Excuse::Unavoidable { reason: UNWRITTEN });
            let what =
                format!("{subjects} breaks {} at {:?}: {}", broken.rule, broken.path.to_string(), broken.message);
            let kind = Kind::RuleBroken(RuleId::new(broken.rule));
            let signature = question.signature(kind, Some(&Place::Path(broken.path)), subjects);
            let finding = Finding { excuse, ..Finding::new(NAME, signature, what) };
            result.report(Whose::of_engine(answer.is_of_engine()), finding);
        }
    }
}

impl MergeRules<'_> {
    /// Whether an answer that came over a line and breaks a rule equals a right planner's answer, except for types that
    /// formats.md cannot write: then the notation is the reason for the breach.
    fn is_right_as_written(&self, question: &Question<'_>, found: &Outcome) -> bool {
        self.is_as(question, found, &|right| {
            difference(right, found).is_some_and(|difference| is_unwritten(question, &difference, (right, found)))
        })
    }

    /// The same of the part at a path: a mistake elsewhere does not make the notation the planner's fault.
    fn is_right_at(&self, question: &Question<'_>, found: &Outcome, path: &Path) -> bool {
        let part = |outcome: &Outcome| match outcome {
            Outcome::Value(value) => value.view().apply_path(path).map(|part| part.to_value()),
            _ => None,
        };
        let Some(of_found) = part(found) else { return false };
        self.is_as(question, found, &|right| {
            part(right)
                .is_some_and(|right| right.ty() != of_found.ty() && are_written_alike(&right, &of_found, of_found.ty()))
        })
    }

    /// Whether a right planner's answer, to a call that has values, is of a kind.
    fn is_as(&self, question: &Question<'_>, found: &Outcome, is_right: &dyn Fn(&Outcome) -> bool) -> bool {
        let (Outcome::Value(_), Some(schema), Some(request)) = (found, question.schema(), question.request) else {
            return false;
        };
        let arbitrate = |Arbiter(planner): Arbiter| {
            is_right(&answer_request(&*planner.prepare(schema, question.dialect()), request))
        };
        question.whole_answers().any(is_right) || self.arbiter.is_some_and(arbitrate)
    }
}
