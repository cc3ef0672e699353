//! The metamorphic properties of the merge: relations that must hold between answers to related inputs.

use planfuzz_core::planner::Planner;

use super::endings::crash;
use crate::case::{Case, Merge, Op, Task};
use crate::compare::case_result::CaseResult;
use crate::compare::difference::Place;
use crate::compare::finding::Finding;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Candidate, Oracle, Question, Whose};
use crate::compare::properties;
use crate::compare::signature::{Kind, RuleId, Subjects};
use crate::guard::{Panic, guard};

pub(super) const NAME: &str = "properties";

struct Properties;

pub(super) fn make<'s>(_: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if matches!(case.task, Task::Merge(_)) { vec![Box::new(Properties)] } else { Vec::new() }
}

impl Oracle for Properties {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, case: &Case, candidate: &Candidate<'_>, counts: &dyn Fn(Op) -> bool, result: &mut CaseResult<'_>) {
        if let (Task::Merge(merge), Some(planner)) = (&case.task, candidate.planner) {
            check(case, merge, planner, counts, result);
        }
    }
}

fn check(case: &Case, merge: &Merge, planner: &dyn Planner, counts: &dyn Fn(Op) -> bool, result: &mut CaseResult<'_>) {
    let subjects = || Subjects::one(planner.name());
    let checked = match guard(|| properties::check(planner, merge, case.dialect)) {
        Ok(checked) => checked,
        Err(Panic { site, message }) => {
            let question = Question::of(case, Op::ProposedNew);
            let finding = crash(NAME, &question, planner.name(), (&site, &message));
            return result.report(Whose::Others, Finding { what: format!("crash of {message}"), ..finding });
        }
    };
    result.checked(NAME, checked.checks);
    for broken in checked.broken.into_iter().filter(|broken| counts(broken.op)) {
        let what = format!(
            "{} breaks {} at {:?}: {}",
            planner.name(),
            broken.property,
            broken.path.to_string(),
            broken.message
        );
        let kind = Kind::RuleBroken(RuleId::new(broken.property));
        let question = Question::of(case, broken.op);
        let signature = question.signature(kind, Some(&Place::Path(broken.path)), subjects());
        result.report(Whose::Others, Finding::new(NAME, signature, what));
    }
}
