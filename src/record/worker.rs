//! One worker of a recording.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

use planfuzz_core::json::Json;

use super::runs::{self, RecordedStep};
use super::store::Line;
use super::traits::{outcome_in_words, traits_of, traits_of_run};
use super::{Entry, Participants};
use crate::case::{Call, Case, Recorded, Task, Vector, reported_differences};
use crate::compare::Expected;
use crate::scenario::{NoAnswer, Trace};
use crate::subject::{LeftOut, Outcome, Shown, Subject, outcome_of, record_of};

/// Cases that a worker takes at a time, unless the subject likes more.
const CHUNK: u64 = 64;

/// A part of the site of every crash in the merge and the rules around it, as opposed to crashes of the walk around them.
const MERGE: &str = "objchange.";

/// What workers share: the cases that are left, and whether to stop.
pub(super) struct Shared<'a> {
    entries: Mutex<Entries<'a>>,
    interrupted: &'a AtomicBool,
    deadline: Option<Instant>,
    ended: AtomicBool,
}

/// The cases that are left, and the number of the next one.
struct Entries<'a> {
    left: &'a mut (dyn Iterator<Item = Entry> + Send),
    next: u64,
}

/// The results of some cases.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) cases: u64,
    pub(super) lines: Vec<Line>,
    /// Why answers are missing.
    pub(super) left_out: Vec<String>,
    /// The subject that can no longer answer, and why.
    pub(super) trouble: Option<(String, String)>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        entries: &'a mut (dyn Iterator<Item = Entry> + Send),
        interrupted: &'a AtomicBool,
        deadline: Option<Instant>,
    ) -> Shared<'a> {
        let entries = Mutex::new(Entries { left: entries, next: 0 });
        Shared { entries, interrupted, deadline, ended: AtomicBool::new(false) }
    }

    /// Makes the workers end.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
            || self.interrupted.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The next cases, so many at most, and the number of the first.
    fn take(&self, count: u64) -> (u64, Vec<Entry>) {
        // A worker that panicked in the iterator ends the recording; what the others still take does not matter then.
        let mut entries = self.entries.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let taken: Vec<Entry> = entries.left.take(usize::try_from(count).unwrap_or(usize::MAX)).collect();
        let from = entries.next;
        entries.next += taken.len() as u64;
        (from, taken)
    }
}

pub(super) fn run(shared: &Shared<'_>, mut participants: Participants, sender: &Sender<Batch>) {
    let chunk = participants.subject.batch_size().max(CHUNK);
    while !shared.is_over() {
        let (from, entries) = shared.take(chunk);
        if entries.is_empty() {
            return;
        }
        let batch = record(&mut participants, from, entries);
        let is_last = batch.trouble.is_some();
        // The receiver is gone only if the recording has failed already.
        if sender.send(batch).is_err() || is_last {
            shared.end();
            return;
        }
    }
}

fn record(participants: &mut Participants, from: u64, entries: Vec<Entry>) -> Batch {
    let (ids, cases): (Vec<String>, Vec<Case>) = entries.into_iter().map(|Entry { id, case }| (id, case)).unzip();
    let answers = answers(&mut *participants.subject, &cases);
    let mut batch = Batch { cases: cases.len() as u64, ..Batch::default() };
    if let Some(trouble) = participants.subject.trouble() {
        batch.trouble = Some((participants.subject.name().to_owned(), trouble));
        return batch;
    }
    let recorded = Recorded { by: participants.subject.signed(), shown: participants.subject.shows() };
    for (index, ((id, case), outcomes)) in ids.iter().zip(&cases).zip(&answers).enumerate() {
        let ops = case.ops();
        for (place, (op, outcome)) in ops.iter().zip(outcomes).enumerate() {
            if let (Task::Call(Call::Workspace(of)), Outcome::Workspace(answer)) = (&case.task, outcome) {
                for (place, step) in runs::of_case(id, of, answer, &recorded).into_iter().enumerate() {
                    match step {
                        Ok(step) => {
                            batch.lines.push(line_of_step(participants, case, step, (from + index as u64, place)))
                        }
                        Err(reason) => batch.left_out.push(reason),
                    }
                }
                continue;
            }
            let Some(Task::Call(call)) = case.narrowed_to(*op).map(|case| case.task) else { continue };
            let id = if ops.len() == 1 { id.clone() } else { format!("{id}/{op}") };
            let number = (from + index as u64, place);
            match vector_of(&id, case, &call, outcome, &recorded) {
                Ok((vector, outcome)) => batch.lines.push(Line {
                    number,
                    op: op.name().to_owned(),
                    outcome: outcome_in_words(&call, &outcome),
                    traits: traits_of(case, &call, &outcome),
                    contradicted: contradicted(&mut participants.others, case, (&call, &outcome), recorded.shown),
                    inputs: call.members(case.dialect).into_iter().map(|(_, json)| json.to_compact()).collect(),
                    text: vector.document().to_compact(),
                }),
                Err(Missing::NotAsked) => {}
                Err(Missing::Because(reason)) => batch.left_out.push(reason),
            }
        }
    }
    batch
}

/// The answers to cases. Each whole workspace is asked alone: in a run of several, calls cannot be assigned to a case.
fn answers(subject: &mut dyn Subject, cases: &[Case]) -> Vec<Vec<Outcome>> {
    let is_workspace = |case: &Case| matches!(case.task, Task::Call(Call::Workspace(_)));
    let parts = cases.chunk_by(|one, other| !is_workspace(one) && !is_workspace(other));
    parts.flat_map(|part| subject.answer(part)).collect()
}

/// The line of a step of a workspace; the other subjects are expected to differ in nothing from the engine.
fn line_of_step(participants: &mut Participants, case: &Case, step: RecordedStep, number: (u64, usize)) -> Line {
    let RecordedStep { vector, call, inputs, ended } = step;
    let outcome = Outcome::Want(reported_differences(&[]));
    Line {
        number,
        op: vector.op.clone(),
        traits: traits_of_run(case, &ended),
        contradicted: contradicted(&mut participants.others, case, (&call, &outcome), participants.subject.shows()),
        outcome: ended,
        inputs,
        text: vector.document().to_compact(),
    }
}

/// Why there is no vector.
enum Missing {
    /// The subject was not asked.
    NotAsked,
    /// The reason, as it is counted.
    Because(String),
}

/// The vector of an answer, and the outcome as read back from it.
fn vector_of(
    id: &str,
    case: &Case,
    call: &Call,
    outcome: &Outcome,
    recorded: &Recorded,
) -> Result<(Vector, Outcome), Missing> {
    let because = |reason: &str| Missing::Because(reason.to_owned());
    if matches!(call, Call::WorkspaceRun(_)) {
        return Err(because("a recorded run, which is asked anew as the case that it came from"));
    }
    let answer = answer_of(call, outcome, recorded.shown)?;
    let Some(want) = record_of(call, &answer, case.dialect) else { return Err(because("no answer")) };
    if let Call::Instance(instance) = call
        && count_of(&want, "requests") != instance.answer_count()
    {
        return Err(because("calls that no answer was given for, or fewer than were answered"));
    }
    let vector = Vector::record(id, case.dialect, recorded, call, want);
    // The vector must read back as the answer.
    let (call, want) = vector.read(case.dialect).map_err(|_| because("inputs that formats.md cannot write"))?;
    let read = outcome_of(&call, want, case.dialect).map_err(|_| because("an answer that formats.md cannot write"))?;
    if record_of(&call, &read, case.dialect).as_ref() != Some(want) {
        return Err(because("an answer that formats.md cannot write"));
    }
    Ok((vector, read))
}

/// How many items a list of a document has.
fn count_of(json: &Json, name: &str) -> usize {
    json.items_of(name).len()
}

/// The outcome as a vector has it. A crash of an engine is an answer: a planner refuses there.
fn answer_of(call: &Call, outcome: &Outcome, shown: Shown) -> Result<Outcome, Missing> {
    let is_engine = shown == Shown::Observed;
    match outcome {
        Outcome::Crashed { site, .. } if is_engine && call.op().is_merge() && !site.contains(MERGE) => {
            Err(Missing::Because("it crashed elsewhere".to_owned()))
        }
        Outcome::Crashed { site, .. } if is_engine => Ok(Outcome::Refused(site.clone())),
        Outcome::Crashed { .. } => Err(Missing::Because("it crashed".to_owned())),
        Outcome::OverBudget { .. } => Err(Missing::Because("no answer in time".to_owned())),
        Outcome::LeftOut(LeftOut::NotAsked) => Err(Missing::NotAsked),
        Outcome::LeftOut(reason) => Err(Missing::Because(reason.reason().into_owned())),
        Outcome::Trace(trace) => why_no_answer(trace, is_engine).map_or_else(|| Ok(outcome.clone()), Err),
        Outcome::Workspace(_) => Err(Missing::Because("a whole workspace, which is recorded by steps".to_owned())),
        Outcome::Value(_) | Outcome::Paths(_) | Outcome::Want(_) | Outcome::Refused(_) => Ok(outcome.clone()),
    }
}

/// Why a run is no answer: the reason it stopped early, unless that is the planner's refusal or an engine's crash.
fn why_no_answer(trace: &Trace, is_engine: bool) -> Option<Missing> {
    let reason = match &trace.stopped.as_deref()?.halt {
        NoAnswer::Refused(_) => return None,
        NoAnswer::Crashed { .. } if is_engine => return None,
        NoAnswer::Crashed { .. } => "it crashed".to_owned(),
        NoAnswer::OverBudget { .. } => "no answer in time".to_owned(),
        NoAnswer::LeftOut(reason) => reason.clone(),
    };
    Some(Missing::Because(reason))
}

/// The name of the first of `others` that answers otherwise.
fn contradicted(
    others: &mut [Box<dyn Subject>],
    case: &Case,
    (call, outcome): (&Call, &Outcome),
    shown: Shown,
) -> Option<String> {
    let expected = Expected { call, dialect: case.dialect, outcome, shown };
    let alone = Case::new(case.dialect, Task::Call(call.clone()));
    others.iter_mut().filter(|other| other.can(call.op(), case.dialect)).find_map(|other| {
        let got = other.answer(std::slice::from_ref(&alone)).into_iter().flatten().next();
        let is_met = got.is_some_and(|got| expected.is_met_by(&got, other.shows()).is_ok());
        (!is_met).then(|| other.name().to_owned())
    })
}
