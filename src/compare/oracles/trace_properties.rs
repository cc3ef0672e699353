//! The properties of scenario runs, as an oracle.

use super::endings::crash;
use crate::case::{Case, Op};
use crate::compare::case_result::CaseResult;
use crate::compare::finding::Finding;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Candidate, Oracle, Question, Whose};
use crate::compare::signature::{Kind, RuleId, Subjects};
use crate::compare::trace_properties::{self, OP};
use crate::guard::{Panic, guard};

pub(super) const NAME: &str = "trace_properties";

struct TraceProperties;

pub(super) fn make<'s>(_: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if case.scenario().is_some() { vec![Box::new(TraceProperties)] } else { Vec::new() }
}

impl Oracle for TraceProperties {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, case: &Case, candidate: &Candidate<'_>, counts: &dyn Fn(Op) -> bool, result: &mut CaseResult<'_>) {
        let Some(planner) = candidate.planner.filter(|_| counts(OP)) else { return };
        let question = Question::of(case, OP);
        let checked = match guard(|| trace_properties::check(planner, case)) {
            Ok(checked) => checked,
            Err(Panic { site, message }) => {
                return result.report(Whose::Others, crash(NAME, &question, candidate.name, (&site, &message)));
            }
        };
        result.checked(NAME, checked.applied.len() as u64);
        for (property, message) in checked.broken {
            let subjects = Subjects::one(candidate.name);
            let what = format!("{subjects} breaks {property}: {message}");
            let signature = question.signature(Kind::RuleBroken(RuleId::new(property)), None, subjects);
            result.report(Whose::Others, Finding::new(NAME, signature, what));
        }
    }
}
