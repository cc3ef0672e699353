//! The rules of workspaces, checked on every step that a planner played.

use planfuzz_workspace_cases::PlayedStep;
use planfuzz_workspace_rules::{RULES, Run};

use super::workspaces::{is_workspace, place_of};
use crate::case::Case;
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::difference::Place;
use crate::compare::finding::Finding;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Oracle, Question, Whose};
use crate::compare::signature::{Kind, RuleId, Subjects};
use crate::subject::{Outcome, WorkspaceAnswer};

pub(super) const NAME: &str = "workspace_rules";

struct WorkspaceRules;

pub(super) fn make<'s>(judge: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if is_workspace(case) && !judge.without_rules { vec![Box::new(WorkspaceRules)] } else { Vec::new() }
}

impl Oracle for WorkspaceRules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn alone(&self, question: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        let Outcome::Workspace(workspace) = answer.outcome else { return };
        if let WorkspaceAnswer::Played { played, .. } = &**workspace {
            played.steps.iter().for_each(|step| check(question, answer, step, result));
        }
    }
}

fn check(question: &Question<'_>, answer: &Answer<'_>, step: &PlayedStep, result: &mut CaseResult<'_>) {
    result.summary.workspaces.count_step(step);
    let whose = Whose::of_engine(answer.is_of_engine());
    let run = match Run::of_planner(&step.workspace, &step.planned, step.applied.as_ref()) {
        Ok(run) => run,
        Err(problem) => {
            let message = format!("the step cannot be shown as engines show it: {problem}");
            let finding = broken(NAME, question, (RuleId::new("shown"), &problem), answer.name, &message);
            return result.report(whose, finding);
        }
    };
    let held = run.check();
    for (info, count) in RULES.iter().zip(&held.checks) {
        result.summary.workspaces.count_rule(info.id, *count);
        result.checked(NAME, *count);
    }
    for rule in held.broken {
        let statement = RULES.iter().find(|info| info.id == rule.rule).map_or("", |info| info.statement);
        let message = format!("{}: {statement}: {}", rule.rule, rule.message);
        let place = (RuleId::new(rule.rule), PLACE);
        result.report(whose, broken(NAME, question, place, answer.name, &message));
    }
}

/// The place of a broken rule or law.
pub(super) const PLACE: &str = "workspace";

/// The finding of a broken rule or law.
pub(super) fn broken(
    oracle: &'static str,
    question: &Question<'_>,
    (rule, place): (RuleId, &str),
    name: &str,
    message: &str,
) -> Finding {
    let place = Place::Text(place_of(place));
    let signature = question.signature(Kind::RuleBroken(rule), Some(&place), Subjects::one(name));
    Finding::new(oracle, signature, format!("{name} breaks {message}"))
}
