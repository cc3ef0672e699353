//! The laws of workspaces: relations that must hold between a planner's results for related workspaces.

use planfuzz_workspace_cases::laws::{self, LawResult};

use super::endings::crash;
use super::workspace_rules::{PLACE, broken};
use super::workspaces::is_workspace;
use crate::case::{Call, Case, Op, Task};
use crate::compare::case_result::CaseResult;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Candidate, Oracle, Question, Whose};
use crate::compare::signature::RuleId;
use crate::guard::{Panic, guard};

pub(super) const NAME: &str = "workspace_laws";

struct Laws;

pub(super) fn make<'s>(judge: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    if is_workspace(case) && !judge.without_rules { vec![Box::new(Laws)] } else { Vec::new() }
}

impl Oracle for Laws {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, case: &Case, candidate: &Candidate<'_>, counts: &dyn Fn(Op) -> bool, result: &mut CaseResult<'_>) {
        let (Task::Call(Call::Workspace(workspace)), Some(planner)) = (&case.task, candidate.workspaces) else {
            return;
        };
        if !counts(Op::Workspace) {
            return;
        }
        let question = Question::of(case, Op::Workspace);
        let held = match guard(|| laws::hold(workspace, planner.0)) {
            Ok(Ok(held)) => held,
            Ok(Err(_)) => return result.summary.workspaces.count_unchecked("laws: the workspace cannot be played"),
            Err(Panic { site, message }) => {
                return result.report(Whose::Others, crash(NAME, &question, candidate.name, (&site, &message)));
            }
        };
        for (law, held) in held {
            result.summary.workspaces.count_law(law.id(), held != LawResult::Silent);
            match held {
                LawResult::Silent => {}
                LawResult::Holds => result.checked(NAME, 1),
                LawResult::Broken(why) => {
                    let message = format!("{}: {}: {why}", law.id(), law.statement());
                    let finding = broken(NAME, &question, (RuleId::new(law.id()), PLACE), candidate.name, &message);
                    result.report(Whose::Others, finding);
                }
            }
        }
    }
}
