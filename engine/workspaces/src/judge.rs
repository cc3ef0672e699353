//! Many questions in one run; where anything differs they are divided, until one alone shows it.

use std::collections::BTreeMap;

use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace::run::{Difference, Kind, Recorded};
use planfuzz_workspace_cases::merge::{Question, merged};
use planfuzz_workspace_cases::signature::first_signature;

use crate::live::{Asked, Live, LiveError};

/// A difference between the planner and the engine, with the smallest set of questions that shows it.
#[derive(Debug)]
pub struct Finding {
    /// What it is, without names.
    pub signature: String,
    /// The question: one, or several that differ only together.
    pub question: Question,
    /// How many questions it holds.
    pub together: usize,
    /// Every difference.
    pub differences: Vec<Difference>,
    /// What the engine did; nothing where it gave no answer.
    pub recorded: Option<Recorded>,
}

/// What came of questions.
#[derive(Debug, Default)]
pub struct Tally {
    /// Questions to which both did the same.
    pub agreed: u64,
    /// Of them those that were alone in their run.
    pub alone: u64,
    /// Calls that were compared.
    pub calls: u64,
    /// What differs.
    pub findings: Vec<Finding>,
    /// Questions that could not be asked, by the reason.
    pub left_out: BTreeMap<String, u64>,
}

/// Puts questions of one likeness to the engine and compares what it did with the planner.
pub fn judge(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question], tally: &mut Tally) {
    let Some(whole) = merged(questions) else { return };
    let asked = match whole.workspace() {
        Ok((workspace, providers)) => Asked {
            files: whole.files.clone(),
            state: whole.state.clone(),
            workspace,
            providers,
            command: whole.command,
        },
        Err(error) => {
            return divide(live, planner, questions, tally, |tally| {
                *tally.left_out.entry(format!("cannot be used: {error}")).or_default() += 1;
            });
        }
    };
    let recorded = match live.ask("live", &asked) {
        Ok(recorded) => recorded,
        Err(error) => {
            let reason = match &error {
                LiveError::Strange { what, .. } => (*what).to_owned(),
                other => other.to_string(),
            };
            let (signature, whole) = (format!("Engine: {reason}"), whole.clone());
            let text = error.to_string();
            return divide(live, planner, questions, tally, |tally| {
                *tally.left_out.entry(reason).or_default() += 1;
                let (differences, recorded) = (vec![Difference { kind: Kind::Broken, text }], None);
                tally.findings.push(Finding { signature, question: whole, together: 1, differences, recorded });
            });
        }
    };
    let replay = recorded.replay(planner);
    let Some(signature) = first_signature(&replay.differences) else {
        tally.agreed += questions.len() as u64;
        tally.alone += u64::from(questions.len() == 1);
        tally.calls += recorded.exchanges.iter().map(|calls| calls.len() as u64).sum::<u64>();
        return;
    };
    let found = tally.findings.len();
    let left_out: u64 = tally.left_out.values().sum();
    if questions.len() > 1 {
        let (one, other) = questions.split_at(questions.len() / 2);
        judge(live, planner, one, tally);
        judge(live, planner, other, tally);
        if tally.findings.len() > found || tally.left_out.values().sum::<u64>() > left_out {
            return;
        }
        tally.agreed -= questions.len() as u64;
    }
    let (together, differences) = (questions.len(), replay.differences);
    tally.findings.push(Finding { signature, question: whole, together, differences, recorded: Some(recorded) });
}

/// Asks the halves; a question that is alone is left out.
fn divide(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
    tally: &mut Tally,
    leave_out: impl FnOnce(&mut Tally),
) {
    if questions.len() < 2 {
        return leave_out(tally);
    }
    let (one, other) = questions.split_at(questions.len() / 2);
    judge(live, planner, one, tally);
    judge(live, planner, other, tally);
}
