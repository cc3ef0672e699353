//! `conform`: checks subjects against recorded vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::record;

use super::args::ConformArgs;
use super::error::{CliError, Held};
use super::failures::{Failure, Failures};
use super::given::Sources;
use super::junit::JunitFile;
use super::output::{self, DIM, styled};
use super::{settings, subjects};
use crate::case::{Call, Case, Op, Task, Vector, canonical_run};
use crate::compare::{Artefact, Expected, Miss};
use crate::subject::{Outcome, Shown, Subject, outcome_of, record_of};
use planfuzz_ci_report::junit::CaseResult;

/// The number of vectors asked at a time: an engine answers many in one run.
const BATCH: usize = 64;

/// The suite in JUnit XML.
const SUITE: &str = "conform";

/// The results of the vectors.
#[derive(Clone, Debug, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    /// Answers that differ only where the recording is less exact, by subject and vector.
    tolerated: BTreeMap<Artefact, Vec<(String, String)>>,
    skipped: BTreeMap<String, u64>,
    unreadable: u64,
    failures: Failures,
}

/// How many lines that are no vectors are reported, for each file.
const MAX_REPORTED_LINES: u64 = 5;

impl Counts {
    fn skip(&mut self, reason: String) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

/// Runs the command.
///
/// # Errors
/// Files that cannot be read and subjects that do not start.
pub fn run(args: &ConformArgs) -> Result<Held, CliError> {
    let dialect = args.subjects.one_dialect()?.unwrap_or_default();
    settings::watch_interrupts()?;
    let mut judged = subjects::start(&args.subjects, dialect)?;
    let is_default = args.subjects.subjects.is_empty();
    let mut counts = Counts::default();
    let mut junit = JunitFile::of(args.junit.as_deref(), SUITE);
    let mut conformance = Conformance { dialect, is_default, json: args.json, judged: &mut judged, junit: &mut junit };
    for source in Sources::of_vectors(&args.files)?.each() {
        let mut batch = Vec::with_capacity(BATCH);
        let (mut unreadable, mut name) = (0, String::new());
        for mut given in source.documents() {
            if settings::interrupted().load(Ordering::Relaxed) {
                break;
            }
            if let Some(problem) = given.trouble() {
                return Err(problem);
            }
            let place = given.place.clone();
            let asked = given.vector().and_then(|vector| match why_skipped(&vector, args, dialect) {
                Some(reason) => {
                    let added =
                        conformance.junit.add(SUITE, &vector.id, || CaseResult::Skipped { reason: reason.clone() });
                    counts.skip(reason);
                    added.map(|()| None)
                }
                None => Asked::read(&place, vector, dialect).map(Some),
            });
            match asked {
                Ok(asked) => batch.extend(asked),
                // One bad line does not hide the results of the others.
                Err(problem @ CliError::Input { .. }) => {
                    unreadable += 1;
                    name = place.display().to_string();
                    if unreadable <= MAX_REPORTED_LINES {
                        output::error(&problem);
                        conformance.junit.add(SUITE, &name, || CaseResult::Error { message: problem.to_string() })?;
                    }
                }
                Err(problem) => return Err(problem),
            }
            if batch.len() == BATCH {
                conformance.conform(&std::mem::take(&mut batch), &mut counts)?;
            }
        }
        conformance.conform(&batch, &mut counts)?;
        counts.unreadable += unreadable;
        if unreadable > MAX_REPORTED_LINES {
            let more = unreadable - MAX_REPORTED_LINES;
            output::report(&styled(DIM, format!("{name}: the last of {more} more lines that are no vectors")));
        }
    }
    junit.write()?;
    if !args.json {
        counts.failures.print()?;
    }
    for (reason, count) in &counts.skipped {
        output::report(&styled(DIM, format!("skipped {count}: {reason}")));
    }
    for (artefact, vectors) in &counts.tolerated {
        let count = vectors.len();
        output::report(&styled(DIM, format!("tolerated {count}: {}: {}", artefact.name(), artefact.reason())));
        for subject in vectors.iter().map(|(subject, _)| subject).collect::<BTreeSet<_>>() {
            let ids: Vec<&str> = vectors.iter().filter(|(of, _)| of == subject).map(|(_, id)| id.as_str()).collect();
            output::report(&styled(DIM, format!("  {subject}: {}", ids.join(", "))));
        }
    }
    report(&counts, args.json)?;
    if counts.unreadable > 0 {
        return Err(CliError::input(format!("{} lines are no vectors", counts.unreadable)));
    }
    if settings::interrupted().load(Ordering::Relaxed) {
        return Err(CliError::input("interrupted: the rest of the vectors was not asked"));
    }
    if counts.passed + counts.failed == 0 {
        let skipped: u64 = counts.skipped.values().sum();
        let why =
            if skipped > 0 { format!("all {skipped} vectors were skipped") } else { "there is no vector".to_owned() };
        return Err(CliError::nothing_compared(why));
    }
    Ok(Held::from(counts.failed == 0))
}

fn why_skipped(vector: &Vector, args: &ConformArgs, dialect: Dialect) -> Option<String> {
    let Some(op) = vector.known_op() else {
        return Some(format!("operation {} is not known yet", vector.op));
    };
    if !args.subjects.ops.is_empty() && !args.subjects.ops.contains(&op) {
        return Some(format!("operation {op} was not asked for"));
    }
    (!vector.holds_in(dialect)).then(|| format!("recorded for other dialects than {dialect}"))
}

/// A vector to be asked.
struct Asked {
    vector: Vector,
    call: Call,
    want: Json,
    outcome: Outcome,
}

impl Asked {
    fn read(place: &Path, vector: Vector, dialect: Dialect) -> Result<Asked, CliError> {
        let unreadable = |problem| CliError::in_file(place, problem);
        let (call, want) = vector.read(dialect).map_err(unreadable)?;
        let outcome = outcome_of(&call, want, dialect).map_err(|problem| unreadable(problem.inside_member("want")))?;
        // The answer to a recorded run is its differences from the record.
        let want = if call.op() == Op::WorkspaceRun { canonical_run(want).map_err(unreadable)? } else { want.clone() };
        Ok(Asked { vector, call, want, outcome })
    }
}

/// The subjects, and how they are asked.
struct Conformance<'a> {
    dialect: Dialect,
    /// Whether no subject was named: then a vector only needs an answer from one of the default ones.
    is_default: bool,
    json: bool,
    judged: &'a mut [Box<dyn Subject>],
    junit: &'a mut JunitFile,
}

impl Conformance<'_> {
    /// Asks every subject some vectors.
    fn conform(&mut self, batch: &[Asked], counts: &mut Counts) -> Result<(), CliError> {
        let dialect = self.dialect;
        let answers: Vec<Vec<Option<Outcome>>> =
            self.judged.iter_mut().map(|subject| answers_of(&mut **subject, batch, dialect)).collect();
        for (index, asked) in batch.iter().enumerate() {
            let is_answered = self.is_default && answers.iter().any(|answers| answers[index].is_some());
            for (subject, answers) in self.judged.iter().zip(&answers) {
                match &answers[index] {
                    Some(got) => {
                        let answered = (subject.name(), subject.shows(), got);
                        judge(asked, answered, (self.dialect, self.json), counts, self.junit)?;
                    }
                    None if is_answered => {}
                    None => {
                        let reason = format!("operation {} is not offered by {}", asked.call.op(), subject.name());
                        let skipped = || CaseResult::Skipped { reason: reason.clone() };
                        self.junit.add(subject.name(), &asked.vector.id, skipped)?;
                        counts.skip(reason);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Compares an answer with the recorded one.
fn judge(
    asked: &Asked,
    (subject, shown, got): (&str, Shown, &Outcome),
    (dialect, json): (Dialect, bool),
    counts: &mut Counts,
    junit: &mut JunitFile,
) -> Result<(), CliError> {
    let Asked { vector, call, want, outcome } = asked;
    let expected = Expected { call, dialect, outcome, shown: vector.shown() };
    // If an engine cannot be asked the run, there is no verdict on the run.
    if let (Op::WorkspaceRun, Outcome::LeftOut(reason)) = (call.op(), got) {
        let reason = format!("{subject}: {}", reason.reason());
        counts.skip(reason.clone());
        return junit.add(subject, &vector.id, || CaseResult::Skipped { reason });
    }
    let Err(miss) = expected.is_met_by(got, shown) else {
        counts.passed += 1;
        return junit.add(subject, &vector.id, || CaseResult::Passed);
    };
    if let Some(artefact) = expected.is_met_but_for(got, shown) {
        counts.tolerated.entry(artefact).or_default().push((subject.to_owned(), vector.id.clone()));
        return junit.add(subject, &vector.id, || CaseResult::Passed);
    }
    counts.failed += 1;
    let got = record_of(call, got, dialect).unwrap_or_else(|| no_answer(got));
    junit.add(subject, &vector.id, || CaseResult::Failed {
        message: differs(&miss).unwrap_or_else(|| "another answer".to_owned()),
        text: format!("want {}\ngot  {}\n", want.to_compact(), got.to_compact()),
    })?;
    if json {
        let (id, subject) = (vector.id.clone(), subject.to_owned());
        return output::json_line(&FailedVector { id, subject, want: want.clone(), got });
    }
    let differs = differs(&miss).unwrap_or_else(|| "another answer".to_owned());
    let size = call.members(dialect).iter().map(|(_, member)| member.to_compact().len()).sum();
    counts.failures.add(Failure {
        id: vector.id.clone(),
        subject: subject.to_owned(),
        op: call.op(),
        differs,
        size,
        want: want.clone(),
        got,
    });
    Ok(())
}

/// A subject's answers to some vectors; `None` for a vector that it cannot be asked.
fn answers_of(subject: &mut dyn Subject, batch: &[Asked], dialect: Dialect) -> Vec<Option<Outcome>> {
    let can: Vec<bool> = batch.iter().map(|asked| subject.can(asked.call.op(), dialect)).collect();
    let asked = batch.iter().zip(&can).filter(|(_, can)| **can);
    let cases: Vec<Case> = asked.map(|(asked, _)| Case::new(dialect, Task::Call(asked.call.clone()))).collect();
    let mut answers = subject.answer(&cases).into_iter().flatten();
    can.into_iter().map(|can| if can { answers.next() } else { None }).collect()
}

fn no_answer(outcome: &Outcome) -> Json {
    let text = match outcome {
        Outcome::Crashed { site, message, .. } => format!("crashed at {site}: {message}"),
        Outcome::OverBudget { limit } => format!("no answer within {} ms", limit.as_millis()),
        Outcome::LeftOut(reason) => format!("not asked: {}", reason.reason()),
        Outcome::Value(_)
        | Outcome::Paths(_)
        | Outcome::Want(_)
        | Outcome::Trace(_)
        | Outcome::Workspace(_)
        | Outcome::Refused(_) => "an answer".to_owned(),
    };
    Json::object([("none", Json::string(&text))])
}

/// What differs and where; `None` for a miss of another kind.
fn differs(miss: &Miss) -> Option<String> {
    let Miss::Differs(difference) = miss else { return None };
    let place = difference.path.to_string();
    let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
    Some(format!("{}{at}", difference.class.name().replace('_', " ")))
}

/// A vector that a subject answers otherwise, as a line of `--json` has it.
struct FailedVector {
    id: String,
    subject: String,
    want: Json,
    got: Json,
}

record!(FailedVector, "a failed vector": id, subject, want, got);

/// The last line of `--json`.
struct ConformTotals {
    passed: u64,
    failed: u64,
    skipped: u64,
    tolerated: u64,
}

record!(ConformTotals, "counts of vectors": passed, failed, skipped, tolerated or 0);

fn report(counts: &Counts, json: bool) -> Result<(), CliError> {
    let Counts { passed, failed, .. } = *counts;
    let skipped: u64 = counts.skipped.values().sum();
    let tolerated: u64 = counts.tolerated.values().map(|vectors| vectors.len() as u64).sum();
    if json {
        return output::json_line(&ConformTotals { passed, failed, skipped, tolerated });
    }
    let besides = if tolerated > 0 { format!(", {tolerated} tolerated") } else { String::new() };
    output::line(&format!("{passed} passed, {failed} failed, {skipped} skipped{besides}"))
}
