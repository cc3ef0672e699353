//! Comparison of whole workspaces, step by step.
//!
//! Two planners are compared by calls, their contents and required order, plans, states and diagnostics ([`agree`]).
//! From the first step in which they differ, the second planner gets the state that the first left, so that no difference is a
//! consequence of an earlier one.

use planfuzz_core::json::Json;
use planfuzz_workspace::run::{Difference as RunDifference, Kind as RunDifferenceKind};
use planfuzz_workspace_cases::PlayedStep;
use planfuzz_workspace_cases::agree::{self, Agreement};
use planfuzz_workspace_cases::signature::{first_signature, signature};

use super::answers::differ;
use super::endings::crash;
use crate::case::{Call, Case, Task, first_reported};
use crate::compare::answers::Answer;
use crate::compare::case_result::CaseResult;
use crate::compare::difference::{Class, Difference, Place};
use crate::compare::finding::Finding;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Beside, Oracle, Question, Whose};
use crate::compare::signature::{Kind, Subjects};
use crate::guard::{Panic, guard};
use crate::subject::{EngineStep, Outcome, PlannerOfWorkspaces, WorkspaceAnswer};

pub(super) const NAME: &str = super::answers::NAME;

struct Steps;

pub(super) fn make<'s>(_: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if is_workspace(case) { vec![Box::new(Steps)] } else { Vec::new() }
}

/// Whether a case is a whole workspace.
pub(super) fn is_workspace(case: &Case) -> bool {
    matches!(case.task, Task::Call(Call::Workspace(_)))
}

impl Oracle for Steps {
    fn name(&self) -> &'static str {
        NAME
    }

    fn alone(&self, _: &Question<'_>, answer: &Answer<'_>, result: &mut CaseResult<'_>) {
        if let Outcome::Workspace(workspace) = answer.outcome {
            count_own(workspace, result);
        }
    }

    fn beside(
        &self,
        question: &Question<'_>,
        first: &Answer<'_>,
        other: &Answer<'_>,
        result: &mut CaseResult<'_>,
    ) -> Option<Beside> {
        let (Outcome::Workspace(mine), Outcome::Workspace(theirs)) = (first.outcome, other.outcome) else {
            return None;
        };
        // An engine is compared with a planner only; two engines cannot be compared with each other.
        let (planned, answer) = match (&**mine, &**theirs) {
            (engine @ WorkspaceAnswer::Engine { .. }, played @ WorkspaceAnswer::Played { .. }) => (played, engine),
            (mine, theirs) => (mine, theirs),
        };
        let Some(planner) = planner_of(planned) else {
            result.summary.leave_out(other.name, "an engine beside an engine: a planner has to stand first");
            return Some(Beside::Same);
        };
        let differs = compare((question, first.name, other), (planner, planned), answer, result);
        if differs || matches!(&**theirs, WorkspaceAnswer::Engine { .. }) {
            return Some(Beside::Different);
        }
        // An equal answer is not checked alone, so its counts are added here.
        count_own(theirs, result);
        Some(Beside::Same)
    }
}

/// Adds the counts that a planner reports about its own work.
fn count_own(answer: &WorkspaceAnswer, result: &mut CaseResult<'_>) {
    if let WorkspaceAnswer::Played { counted, .. } = answer {
        result.summary.workspaces.count_own(counted);
    }
}

/// Compares the steps of a planner with those of another answer; returns whether they differ.
fn compare(
    (question, first, other): (&Question<'_>, &str, &Answer<'_>),
    (planner, planned): (PlannerOfWorkspaces, &WorkspaceAnswer),
    answer: &WorkspaceAnswer,
    result: &mut CaseResult<'_>,
) -> bool {
    let is_engine = matches!(answer, WorkspaceAnswer::Engine { .. });
    let mut differs = false;
    for (index, (mine, theirs)) in planned.played().steps.iter().zip(&answer.played().steps).enumerate() {
        let found = match answer {
            // Both start from the same state until they differ.
            WorkspaceAnswer::Played { .. } if !differs => Ok(Some(agree::differences(mine, theirs))),
            WorkspaceAnswer::Played { planner: other, .. } => guard(|| of_step(mine, *other)),
            WorkspaceAnswer::Engine { leader, steps, .. } => match steps.get(index) {
                None | Some(EngineStep::LeftOut(_) | EngineStep::Crashed(_)) => continue,
                Some(EngineStep::Agrees(_)) if leader.0.name() == planner.0.name() => Ok(Some(Vec::new())),
                Some(EngineStep::Agrees(_)) => guard(|| of_step(theirs, planner)),
                Some(EngineStep::Differs(recorded)) => guard(|| Some(recorded.replay(planner.0).differences)),
                Some(EngineStep::Together { what, .. }) => {
                    let text = format!("only together with other cases: {what}");
                    Ok(Some(vec![RunDifference { kind: RunDifferenceKind::Broken, text }]))
                }
            },
        };
        let found = match found {
            Ok(None) => {
                result.summary.workspaces.count_unchecked("a step that a planner does not cover");
                continue;
            }
            Ok(Some(found)) => Ok(found),
            Err(panic) => Err(panic),
        };
        result.compared(NAME, 1);
        differs |= !matches!(&found, Ok(found) if found.is_empty());
        match found {
            Ok(found) if found.is_empty() => result.summary.tally.agree += 1,
            Ok(found) => report(question, (first, other.name), is_engine, found, result),
            Err(Panic { site, message }) => {
                let whose = Whose::of_engine(other.is_of_engine() && other.is_crash_predicted);
                result.report(whose, crash(NAME, question, other.name, (&site, &message)));
            }
        }
    }
    differs
}

/// Reports the one of the differences that explains the others. One that is expected explains itself alone: the others are looked at too.
fn report(
    question: &Question<'_>,
    names: (&str, &str),
    is_engine: bool,
    mut found: Vec<RunDifference>,
    result: &mut CaseResult<'_>,
) {
    let whose = Whose::of_engine(is_engine);
    while let Some(general) = first_signature(&found) {
        let (of_it, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| signature(one) == general);
        let Some(leading) = of_it.first() else { return };
        let finding = finding(question, names, is_engine, (leading, &general));
        let is_expected = result.would_excuse(&finding.signature, whose);
        result.report(whose, finding);
        if !is_expected {
            return;
        }
        found = others;
    }
}

/// The finding of a difference, with its signature without names.
fn finding(
    question: &Question<'_>,
    (first, other): (&str, &str),
    is_engine: bool,
    (leading, general): (&RunDifference, &str),
) -> Finding {
    let class = class_of(leading.kind);
    let text = match is_engine {
        true => leading.text.clone(),
        false => leading.text.replace(agree::FIRST, first).replace(agree::SECOND, other),
    };
    let plain = general.split_once(": ").map_or(general, |(_, rest)| rest);
    let finding = differ(question, &Difference { class, path: Place::Text(text) }, Subjects::pair(first, other));
    let place = Place::Text(place_of(plain));
    let signature = question.signature(Kind::Diverge(class), Some(&place), Subjects::pair(first, other));
    Finding { signature, ..finding }
}

/// The differences of a planner in a step that another planner played; `None` if it does not cover the step.
fn of_step(step: &PlayedStep, planner: PlannerOfWorkspaces) -> Option<Vec<RunDifference>> {
    match agree::step_of(step, planner.0) {
        Agreement::Different(found) => Some(found),
        Agreement::Same => Some(Vec::new()),
        Agreement::Refused(_) => None,
    }
}

fn planner_of(answer: &WorkspaceAnswer) -> Option<PlannerOfWorkspaces> {
    match answer {
        WorkspaceAnswer::Played { planner, .. } => Some(*planner),
        WorkspaceAnswer::Engine { .. } => None,
    }
}

/// The class of a difference of workspaces.
fn class_of(kind: RunDifferenceKind) -> Class {
    match kind {
        RunDifferenceKind::ExtraCall | RunDifferenceKind::MissingCall => Class::Request,
        RunDifferenceKind::Order => Class::Order,
        RunDifferenceKind::Diagnostics => Class::Diagnostics,
        RunDifferenceKind::Plan => Class::Form,
        RunDifferenceKind::Changes | RunDifferenceKind::Relevant => Class::Changes,
        RunDifferenceKind::Drift => Class::Drift,
        RunDifferenceKind::Outputs => Class::Outputs,
        RunDifferenceKind::Checks => Class::Checks,
        RunDifferenceKind::Flags => Class::Applyable,
        RunDifferenceKind::State | RunDifferenceKind::Raised => Class::State,
        RunDifferenceKind::Exit => Class::Exit,
        RunDifferenceKind::Broken => Class::Answer,
    }
}

/// The difference between two answers to a recorded run, each given as its differences from the record; `None` if neither has any.
pub(in crate::compare) fn run_difference(first: &Json, second: &Json) -> Option<Difference> {
    let (kind, text) = first_reported(second).or_else(|| first_reported(first))?;
    let class = RunDifferenceKind::of_word(kind).map_or(Class::Answer, class_of);
    Some(Difference { class, path: Place::Text(text.to_owned()) })
}

/// The longest place of a signature.
const MAX_PLACE: usize = 80;

/// The place of a signature: the text of the difference, without names, keys and numbers.
pub(super) fn place_of(text: &str) -> String {
    let mut place = String::new();
    for char in text.chars() {
        match char {
            char if char.is_ascii_alphanumeric() => place.push(char.to_ascii_lowercase()),
            _ if !place.ends_with('_') && !place.is_empty() => place.push('_'),
            _ => {}
        }
        if place.len() >= MAX_PLACE {
            break;
        }
    }
    place.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::*;
    use crate::case::{CaseFile, Op};
    use crate::compare::allow::Allowances;
    use crate::compare::oracles;
    use crate::compare::summary::Summary;

    const CASE: &str = r#"{"format":1,"dialect":"terraform-1.11","op":"workspace","files":{},"providers":{},"models":{},
        "steps":[{"command":"plan"}]}"#;

    /// The signatures of the findings and of the expected ones, where two parts of a step differ and the list allows some.
    fn judged(allowed: &str) -> (Vec<String>, Vec<String>) {
        let case = CaseFile::from_json(&Json::parse(CASE).expect("JSON")).expect("a case").case;
        let judge = Judge { allowances: Allowances::parse(allowed).expect("a list"), ..Judge::default() };
        let (oracles, mut summary) = (oracles::of(&judge, &case), Summary::default());
        let mut result = CaseResult::new(&oracles, case.dialect, &mut summary);
        let question = Question { op: Op::Workspace, case: &case, request: None, answers: (&[], 0) };
        let differs = |kind, text: &str| RunDifference { kind, text: text.to_owned() };
        let both = vec![
            differs(RunDifferenceKind::State, "the state differs"),
            differs(RunDifferenceKind::Diagnostics, "a warning is missing"),
        ];
        report(&question, ("a", "b"), false, both, &mut result);
        let judged = result.close();
        let all = |of: Vec<Finding>| of.iter().map(|finding| finding.signature.to_string()).collect();
        (all(judged.findings), all(judged.excused))
    }

    #[test]
    fn an_expected_difference_does_not_hide_the_others() {
        let (found, none) = judged("");
        let [diagnostics] = &found[..] else { panic!("{found:?}") };
        assert!(diagnostics.contains("diagnostics") && none.is_empty(), "{diagnostics}");
        let allow = |signature: &str| format!(r#"{{"signature": "{signature}", "reason": "by design"}}"#) + "\n";
        let (found, expected) = judged(&allow(diagnostics));
        assert_eq!(&expected, std::slice::from_ref(diagnostics));
        let [state] = &found[..] else { panic!("{found:?}") };
        assert!(state.contains("diverge:state"), "{state}");
        let (found, expected) = judged(&(allow(diagnostics) + &allow(state)));
        assert_eq!((found.len(), expected.len()), (0, 2));
    }
}
