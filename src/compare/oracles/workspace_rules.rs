//! The rules of workspaces, checked on every step that a planner played, and that an engine ran alone and as the planner.

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
use crate::guard::guard;
use crate::subject::{EngineStep, Outcome, WorkspaceAnswer};

pub(super) const NAME: &str = "workspace_rules";

/// What is not checked of a run that several cases share.
const SHARED_RUN: &str =
    "the rules of a step that ran together with those of other cases, and its own exit code, flags and serial";

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
        match &**workspace {
            WorkspaceAnswer::Played { played, .. } => {
                for step in &played.steps {
                    result.summary.workspaces.count_step(step);
                    let run = Run::of_planner(&step.workspace, step.done());
                    check((question, answer), run.map_err(|problem| problem.to_string()), result);
                }
            }
            WorkspaceAnswer::Engine { leader, steps, .. } => {
                let alone = steps.iter().filter_map(|step| match step {
                    EngineStep::Agrees(recorded) => recorded.as_ref(),
                    _ => None,
                });
                let shared = steps.iter().filter(|step| matches!(step, EngineStep::Agrees(None)));
                shared.for_each(|_| result.summary.workspaces.count_unchecked(SHARED_RUN));
                for recorded in alone {
                    // A planner that panics here has panicked in its own answer, where it is reported.
                    let Ok(replay) = guard(|| recorded.replay(leader.0)) else { continue };
                    if recorded.is_unshown() {
                        result.summary.workspaces.count_unchecked("the contents of a plan that the engine cannot show");
                    }
                    for tolerated in &replay.tolerated {
                        result.summary.workspaces.count_unchecked(tolerated.name);
                    }
                    for why in &replay.not_compared {
                        result.summary.workspaces.count_unchecked(why);
                    }
                    let run = Run::of_engine(recorded, &replay);
                    check((question, answer), run.map_err(|problem| problem.to_string()), result);
                }
            }
        }
    }
}

/// Checks the rules on a run. The schedule of an engine's run is its own; a step in which it differs from the planner is no such run,
/// as the planner's calls show what each of its calls was about.
fn check((question, answer): (&Question<'_>, &Answer<'_>), run: Result<Run<'_>, String>, result: &mut CaseResult<'_>) {
    let whose = Whose::of_engine(answer.is_of_engine());
    let run = match run {
        Ok(run) => run,
        Err(problem) => {
            let message = format!("the step cannot be shown as engines show it: {problem}");
            let finding = broken(NAME, question, (RuleId::new("shown"), &problem), answer.name, &message);
            return result.report(whose, finding);
        }
    };
    let held = run.check();
    held.left_out.iter().for_each(|why| result.summary.workspaces.count_unchecked(why));
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
