//! How an answer ended: a panic, a death or a timeout is a finding, whatever the operation. Operations that a subject was not asked are
//! counted.

use std::time::Duration;

use planfuzz_core::schema::nested_sets;
use planfuzz_engine::process::Crash;

use crate::case::Case;
use crate::case::scenario::NoAnswer;
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::finding::Finding;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Oracle, Question, Whose};
use crate::compare::signature::{Kind, Site, Subjects};
use crate::subject::{EngineStep, LeftOut, Outcome, WorkspaceAnswer};

pub(super) const NAME: &str = "endings";

struct Endings;

pub(super) fn make<'s>(_: &'s Judge, _: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    vec![Box::new(Endings)]
}

impl Oracle for Endings {
    fn name(&self) -> &'static str {
        NAME
    }

    fn alone(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        result.count(NAME, 1);
        match answer.outcome {
            Outcome::Crashed { site, message, .. } => crashed(question, answer, (site, message), result),
            Outcome::OverBudget { limit } => over_budget(question, answer, *limit, result),
            Outcome::LeftOut(LeftOut::NotAsked) => {}
            Outcome::LeftOut(reason) => result.summary.leave_out(answer.name, reason.reason()),
            Outcome::Trace(trace) => match trace.stopped.as_deref().map(|stopped| &stopped.halt) {
                // A planner should refuse if the engine crashes.
                None | Some(NoAnswer::Refused(_)) => {}
                Some(NoAnswer::Crashed { site, message }) => crashed(question, answer, (site, message), result),
                Some(NoAnswer::OverBudget { limit }) => over_budget(question, answer, *limit, result),
                Some(NoAnswer::LeftOut(reason)) => result.summary.leave_out(answer.name, reason),
            },
            Outcome::Workspace(workspace) => {
                if let WorkspaceAnswer::Engine { steps, .. } = &**workspace {
                    steps.iter().for_each(|step| engine_step(question, answer, step, result));
                }
            }
            Outcome::Value(_) | Outcome::Paths(_) | Outcome::Want(_) | Outcome::Refused(_) => {}
        }
    }
}

fn engine_step(question: &Question<'_>, answer: &Answer<'_>, step: &EngineStep, result: &mut CaseResult<'_>) {
    match step {
        EngineStep::Crashed(Crash { site, message }) => crashed(question, answer, (site, message), result),
        EngineStep::LeftOut(reason) => result.summary.leave_out(answer.name, reason.clone()),
        EngineStep::Agrees(_) | EngineStep::Differs(_) | EngineStep::Together { .. } => {}
    }
}

fn crashed(question: &Question<'_>, answer: &Answer<'_>, (site, message): (&str, &str), result: &mut CaseResult<'_>) {
    let whose = Whose::of_engine(answer.is_of_engine() && answer.is_crash_predicted);
    result.report(whose, crash(NAME, question, answer.name, (site, message)));
}

/// The finding of a crash of a subject, in an answer or in a call that an oracle made.
pub(super) fn crash(
    oracle: &'static str,
    question: &Question<'_>,
    name: &str,
    (site, message): (&str, &str),
) -> Finding {
    let signature = question.signature(Kind::Crash(Site::new(site)), None, Subjects::one(name));
    Finding::new(oracle, signature, format!("crash of {name} at {site}: {message}"))
}

/// A timeout of an engine is a known difference only if sets nest so deep that the engine is known to be slow.
fn over_budget(question: &Question<'_>, answer: &Answer<'_>, limit: Duration, result: &mut CaseResult<'_>) {
    let signature = question.signature(Kind::OverBudget, None, Subjects::one(answer.name));
    let what = format!("{} did not answer within {} ms", answer.name, limit.as_millis());
    let whose = Whose::of_engine(answer.is_of_engine() && question.schema().is_some_and(nested_sets::may_be_slow));
    result.report(whose, Finding::new(NAME, signature, what));
}
