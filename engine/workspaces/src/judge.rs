//! Verdicts of an engine on many questions.
//!
//! Problem: a run of an engine costs a tenth of a second, however little it is asked, and may end by chance. Idea: questions of one likeness
//! share a run, which is divided where anything differs. Guarantee: each question has one verdict; a difference names as few questions as
//! show it, and counts only if repeating does not explain it.

use planfuzz_engine::process::Crash;
use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace::run::{Difference, Recorded, Replay};
use planfuzz_workspace_cases::merge::{AnswerSize, Question, merged};
use planfuzz_workspace_cases::signature::first_signature;

use crate::chance::{Chance, may_race};
use crate::halted;
use crate::live::{Asked, Live, LiveError};
use crate::served::Served;

/// A difference between the planner and the engine, with the smallest set of questions that shows it.
#[derive(Debug)]
pub struct EngineDifference {
    /// What it is, without names.
    pub signature: String,
    /// The question: one, or several that differ only together.
    pub question: Question,
    /// How many questions it holds.
    pub together: usize,
    /// Every difference.
    pub differences: Vec<Difference>,
    /// The engine's run; `None` if it gave no answer.
    pub recorded: Option<Recorded>,
}

/// The result of a question.
#[derive(Debug)]
pub enum Verdict {
    /// Both did the same.
    Agrees {
        /// The engine's run, if the question was alone in it.
        alone: Option<Box<Recorded>>,
    },
    /// They differ.
    Differs(Box<EngineDifference>),
    /// They differ only together with other questions; the first of these has the finding.
    Together,
    /// The engine gave no answer.
    NoAnswer {
        /// The reason, the same text for all such runs.
        reason: String,
        /// More about it.
        text: String,
        /// The crash, if it crashed.
        crash: Option<Crash>,
    },
}

/// How many questions of one likeness share a run.
pub const BATCH: usize = 24;

/// Runs questions of one likeness on the engine and compares it with the planner; returns a verdict for each.
pub fn verdicts(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question]) -> Vec<Verdict> {
    let Some(whole) = merged(questions) else { return Vec::new() };
    let (recorded, replay) = match replayed(live, planner, &whole) {
        Ok(both) => both,
        Err(_) if questions.len() > 1 => return halves(live, planner, questions),
        Err(no_answer) => return vec![no_answer],
    };
    let Some(signature) = first_signature(&replay.differences) else {
        return agreeing(live, planner, questions, (recorded, &replay));
    };
    if replay.planned.trace.asks_for_imports_of_nothing() && questions.len() == 1 {
        return vec![no_answer(
            "an import of what is stored and has no block: a race with the visit that plans its deletion",
        )];
    }
    let finding = EngineDifference {
        signature,
        question: whole,
        together: questions.len(),
        differences: replay.differences,
        recorded: Some(recorded),
    };
    if questions.len() == 1 {
        let differs = |live: &mut Live, one: &Question| {
            Ok::<_, Verdict>(together(live, planner, std::slice::from_ref(one))?.is_some())
        };
        let chance = Chance::of(&questions[0], &replay.planned);
        return vec![match chance.filter(|chance| chance.explains(live, &questions[0], differs)) {
            Some(chance) => no_answer(chance.reason),
            None => Verdict::Differs(Box::new(finding)),
        }];
    }
    let verdicts = halves(live, planner, questions);
    if may_race(&finding.question, &replay.planned) {
        return verdicts;
    }
    unless_explained(live, planner, questions, (finding, verdicts))
}

/// The verdicts on questions that differ in one run, given those on the halves: if none of these differs, the difference is one that shows
/// together alone. Those that got no answer may be what differed, so they are left out of the search.
fn unless_explained(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
    (finding, mut verdicts): (EngineDifference, Vec<Verdict>),
) -> Vec<Verdict> {
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Differs(_) | Verdict::Together)) {
        return verdicts;
    }
    let is_agreed = |index: &usize| matches!(verdicts[*index], Verdict::Agrees { .. });
    let agreed: Vec<usize> = (0..questions.len()).filter(is_agreed).collect();
    let left: Vec<Question> = agreed.iter().map(|&index| questions[index].clone()).collect();
    let found = if left.len() > 1 { fewest(live, planner, &left) } else { None };
    // If each agrees in a run of its own, the difference beside the others may be a matter of chance.
    let by_chance = || {
        let signature = format!("in one of two runs: {}", finding.signature);
        (agreed.len() == questions.len()).then_some(EngineDifference { signature, ..finding })
    };
    let Some(found) = found.or_else(by_chance) else { return verdicts };
    for &index in &agreed {
        verdicts[index] = Verdict::Together;
    }
    verdicts[agreed[0]] = Verdict::Differs(Box::new(found));
    verdicts
}

/// The verdicts on questions that show no difference in one run.
fn agreeing(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
    (recorded, replay): (Recorded, &Replay),
) -> Vec<Verdict> {
    if questions.len() == 1 {
        return vec![Verdict::Agrees { alone: Some(Box::new(recorded)) }];
    }
    // One question kept the plan of all from being shown, or what follows from the schedule of one may have excused another.
    if recorded.is_unshown() || !replay.tolerated.is_empty() {
        return halves(live, planner, questions);
    }
    let extent: AnswerSize = questions.iter().map(|question| question.size).sum();
    // Parts that one question hid from another were not compared.
    if AnswerSize::of(&replay.planned, replay.applied.as_ref()).is_less_than(&extent) {
        return halves(live, planner, questions);
    }
    questions.iter().map(|_| Verdict::Agrees { alone: None }).collect()
}

fn no_answer(reason: &str) -> Verdict {
    Verdict::NoAnswer { reason: reason.to_owned(), text: reason.to_owned(), crash: None }
}

/// As few of the questions as show a difference together that none of them shows alone; `None` if all of them do not show it again.
fn fewest(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question]) -> Option<EngineDifference> {
    let mut kept = questions.to_vec();
    let mut finding = together(live, planner, &kept).ok()??;
    let mut size = kept.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < kept.len() {
            let rest: Vec<Question> = kept.iter().take(at).chain(kept.iter().skip(at + size)).cloned().collect();
            match together(live, planner, &rest) {
                Ok(Some(smaller)) => (kept, finding) = (rest, smaller),
                Ok(None) | Err(_) => at += size,
            }
        }
        size /= 2;
    }
    Some(finding)
}

/// The difference that questions show in one run, if any; an error if the engine gave no answer.
fn together(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
) -> Result<Option<EngineDifference>, Verdict> {
    let Some(question) = merged(questions) else { return Ok(None) };
    let (recorded, replay) = replayed(live, planner, &question)?;
    let differences = replay.differences;
    let Some(signature) = first_signature(&differences) else { return Ok(None) };
    let (together, recorded) = (questions.len(), Some(recorded));
    Ok(Some(EngineDifference { signature, question, together, differences, recorded }))
}

/// The engine's run of a question, and the planner's replay of it.
fn replayed(live: &mut Live, planner: &dyn WorkspacePlanner, whole: &Question) -> Result<(Recorded, Replay), Verdict> {
    let recorded = asked(live, planner, whole)?;
    let replay = recorded.replay(planner);
    Ok((recorded, replay))
}

fn halves(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question]) -> Vec<Verdict> {
    let (one, other) = questions.split_at(questions.len() / 2);
    let mut verdicts = self::verdicts(live, planner, one);
    verdicts.extend(self::verdicts(live, planner, other));
    verdicts
}

/// The engine's run of a question.
fn asked(live: &mut Live, planner: &dyn WorkspacePlanner, whole: &Question) -> Result<Recorded, Verdict> {
    let no_answer = |reason: String, text: String| Verdict::NoAnswer { reason, text, crash: None };
    let (workspace, providers) = whole.workspace().map_err(|error| {
        let text = format!("cannot be used: {error}");
        no_answer(text.clone(), text)
    })?;
    let asked =
        Asked { files: whole.files.clone(), state: whole.state.clone(), workspace, command: whole.command.clone() };
    let mut recorded = live.ask("live", &asked, Served::simulated(providers.clone())).map_err(|error| {
        let text = error.to_string();
        match error {
            LiveError::Crashed(crash) => Verdict::NoAnswer { reason: "crashed".to_owned(), text, crash: Some(crash) },
            LiveError::Strange { what, .. } => no_answer(what.to_owned(), text),
            _ => no_answer(text.clone(), text),
        }
    })?;
    if recorded.workspace.options.interrupt.is_some() {
        let seen = halted::interrupt(planner, &recorded, &mut &providers);
        let text = || "nodes whose calls look alike or are not seen, and a signal between them".to_owned();
        recorded.workspace.options.interrupt = Some(seen.ok_or_else(|| no_answer(text(), text()))?);
    }
    Ok(recorded)
}
