//! The promises that a provider breaks in a run.
//!
//! A broken promise is not a finding if the planner reports it, or may ignore it; but a provider that was made well-behaved must not
//! break any. If providers are judged, every broken promise is a finding, tolerated if Core tolerates it.

use std::rc::Rc;

use planfuzz_rules::Party;

use super::invariants::breach;
use super::trace_rules::TraceRules;
use crate::case::scenario::Obligation;
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::finding::{Excuse, Finding};
use crate::compare::oracle::{Oracle, Question, Whose};
use crate::compare::signature::Subjects;
use crate::subject::Outcome;

pub(super) const NAME: &str = "promises";

/// Why breaches of a legacy provider are tolerated.
const LEGACY: &str = "a provider of the legacy type system";

/// The invariants that providers have to keep.
pub(super) struct ProviderPromises<'s>(pub(super) Rc<TraceRules<'s>>);

impl Oracle for ProviderPromises<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn alone(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        let Outcome::Trace(trace) = answer.outcome else { return };
        let Some(check) = self.0.check(question, answer, trace) else { return };
        result.summary.traces.count_promises(check.promises.standing);
        result.count(NAME, u64::from(check.promises.standing == Obligation::Held));
        let of_provider =
            check.broken.iter().filter(|broken| broken.fault == Party::Provider && !broken.is_of_planner());
        for broken in of_provider {
            let besides = check.besides(broken);
            if besides.is_empty() && !self.0.providers {
                continue;
            }
            let excuse = broken.tolerated.then_some(Excuse::Unavoidable { reason: LEGACY });
            let finding = breach(NAME, question, broken, Subjects::provider(), besides);
            result.report(Whose::Others, Finding { excuse, ..finding });
        }
    }
}
