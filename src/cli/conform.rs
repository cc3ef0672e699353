//! `conform`: checks subjects against recorded vectors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::record;

use super::args::ConformArgs;
use super::error::{CliError, Held};
use super::failures::{Failure, Failures};
use super::given::{Given, Sources};
use super::junit::JunitFile;
use super::output::{self, DIM, styled};
use super::{files, settings, subjects};
use crate::case::{Asides, Call, Case, Op, Task, Vector, canonical_run};
use crate::compare::{Expected, Miss, RecordingInaccuracy};
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
    tolerated: BTreeMap<RecordingInaccuracy, Vec<(String, String)>>,
    /// Differences of recorded runs that do not count, by subject.
    by_schedule: BTreeMap<(String, String), Vec<String>>,
    /// What was not compared of recorded runs, by subject.
    not_compared: BTreeMap<(String, String), u64>,
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

    /// Reports what was skipped and tolerated, with the reasons.
    fn explain(&self) {
        for (reason, count) in &self.skipped {
            output::report(&styled(DIM, format!("skipped {count}: {reason}")));
        }
        for (inaccuracy, vectors) in &self.tolerated {
            let count = vectors.len();
            output::report(&styled(DIM, format!("tolerated {count}: {}: {}", inaccuracy.name(), inaccuracy.reason())));
            for subject in vectors.iter().map(|(subject, _)| subject).collect::<BTreeSet<_>>() {
                let ids: Vec<&str> =
                    vectors.iter().filter(|(of, _)| of == subject).map(|(_, id)| id.as_str()).collect();
                output::report(&styled(DIM, format!("  {subject}: {}", ids.join(", "))));
            }
        }
        for ((subject, name), ids) in &self.by_schedule {
            output::report(&styled(DIM, format!("tolerated {}: {name}", ids.len())));
            output::report(&styled(DIM, format!("  {subject}: {}", ids.join(", "))));
        }
        for ((subject, why), count) in &self.not_compared {
            output::report(&styled(DIM, format!("not compared {count}: {subject}: {why}")));
        }
    }

    /// Notes what an answer tolerates and does not compare; returns whether it tolerates anything.
    fn note(&mut self, subject: &str, id: &str, got: &Outcome) -> bool {
        let Outcome::Want(answer) = got else { return false };
        let Asides { tolerated, not_compared } = Asides::of(answer);
        for why in not_compared {
            *self.not_compared.entry((subject.to_owned(), why)).or_default() += 1;
        }
        let is_tolerant = !tolerated.is_empty();
        for name in tolerated {
            self.by_schedule.entry((subject.to_owned(), name)).or_default().push(id.to_owned());
        }
        is_tolerant
    }

    /// How many answers differ only where that does not count.
    fn tolerated(&self) -> u64 {
        let by_schedule: BTreeSet<(&String, &String)> =
            self.by_schedule.iter().flat_map(|((subject, _), ids)| ids.iter().map(move |id| (subject, id))).collect();
        let inaccurate: usize = self.tolerated.values().map(Vec::len).sum();
        (by_schedule.len() + inaccurate) as u64
    }

    /// Whether all vectors held; an error if not all were asked, or none.
    fn verdict(&self) -> Result<Held, CliError> {
        if self.unreadable > 0 {
            let problem = CliError::input(format!("{} lines are no vectors", self.unreadable));
            return Err(problem.with_hint("cases and findings are asked by planfuzz replay"));
        }
        if settings::interrupted().load(Ordering::Relaxed) {
            return Err(CliError::input("interrupted: the rest of the vectors was not asked"));
        }
        if self.passed + self.failed + self.tolerated() == 0 {
            let skipped: u64 = self.skipped.values().sum();
            return Err(CliError::nothing_compared(match skipped {
                0 => "there is no vector".to_owned(),
                _ => format!("all {skipped} vectors were skipped"),
            }));
        }
        Ok(Held::from(self.failed == 0))
    }
}

/// Runs the command.
///
/// # Errors
/// Files that cannot be read and subjects that do not start.
pub fn run(args: &ConformArgs) -> Result<Held, CliError> {
    let dialect = args.subjects.one_dialect()?.unwrap_or_default();
    files::expect_file("--junit", args.junit.as_deref())?;
    settings::watch_interrupts()?;
    let mut conformance = Conformance {
        args,
        dialect,
        judged: subjects::start(&args.subjects, dialect)?,
        junit: JunitFile::of(args.junit.as_deref(), SUITE),
        counts: Counts::default(),
    };
    for source in Sources::of_vectors(&args.files)?.each() {
        conformance.ask_all_of(source)?;
    }
    let Conformance { junit, counts, .. } = conformance;
    junit.write()?;
    if !args.json {
        counts.failures.print()?;
    }
    counts.explain();
    report(&counts, args.json)?;
    counts.verdict()
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

/// The subjects, how they are asked, and the results so far.
struct Conformance<'a> {
    args: &'a ConformArgs,
    dialect: Dialect,
    judged: Vec<Box<dyn Subject>>,
    junit: JunitFile,
    counts: Counts,
}

impl Conformance<'_> {
    /// Asks the vectors of a source.
    fn ask_all_of(&mut self, source: Sources) -> Result<(), CliError> {
        let mut batch = Vec::with_capacity(BATCH);
        let (mut unreadable, mut name) = (0, String::new());
        for mut given in source.documents() {
            if settings::interrupted().load(Ordering::Relaxed) {
                break;
            }
            if let Some(problem) = given.source_error() {
                return Err(problem);
            }
            let place = given.place.clone();
            match self.read(&place, given) {
                Ok(asked) => batch.extend(asked),
                // One bad line does not hide the results of the others.
                Err(problem @ CliError::Input { .. }) => {
                    unreadable += 1;
                    name = place.display().to_string();
                    if unreadable <= MAX_REPORTED_LINES {
                        output::error(&problem);
                        self.junit.add(SUITE, &name, || CaseResult::Error { message: problem.to_string() })?;
                    }
                }
                Err(problem) => return Err(problem),
            }
            if batch.len() == BATCH {
                self.conform(&std::mem::take(&mut batch))?;
            }
        }
        self.conform(&batch)?;
        self.counts.unreadable += unreadable;
        if unreadable > MAX_REPORTED_LINES {
            let more = unreadable - MAX_REPORTED_LINES;
            output::report(&styled(DIM, format!("{name}: the last of {more} more lines that are no vectors")));
        }
        Ok(())
    }

    /// Reads a vector; `None` if it is skipped.
    fn read(&mut self, place: &Path, given: Given) -> Result<Option<Asked>, CliError> {
        let vector = given.vector()?;
        let Some(reason) = why_skipped(&vector, self.args, self.dialect) else {
            return Asked::read(place, vector, self.dialect).map(Some);
        };
        self.junit.add(SUITE, &vector.id, || CaseResult::Skipped { reason: reason.clone() })?;
        self.counts.skip(reason);
        Ok(None)
    }

    /// Asks every subject some vectors.
    fn conform(&mut self, batch: &[Asked]) -> Result<(), CliError> {
        let dialect = self.dialect;
        // If no subject was named, a vector only needs an answer from one of the default ones.
        let is_default = self.args.subjects.subjects.is_empty();
        let answers: Vec<Vec<Option<Outcome>>> =
            self.judged.iter_mut().map(|subject| answers_of(&mut **subject, batch, dialect)).collect();
        if let Some((name, trouble)) = self.judged.iter().find_map(|one| Some((one.name(), one.trouble()?))) {
            return Err(CliError::ended(name, &trouble));
        }
        let subjects: Vec<(String, Shown)> =
            self.judged.iter().map(|subject| (subject.name().to_owned(), subject.shows())).collect();
        for (index, asked) in batch.iter().enumerate() {
            let is_answered = is_default && answers.iter().any(|answers| answers[index].is_some());
            for ((subject, shown), answers) in subjects.iter().zip(&answers) {
                match &answers[index] {
                    Some(got) => self.judge(asked, subject, got, *shown)?,
                    None if is_answered => {}
                    None => {
                        let reason = format!("operation {} is not offered by {subject}", asked.call.op());
                        self.skip(asked, subject, reason)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, asked: &Asked, subject: &str, reason: String) -> Result<(), CliError> {
        self.counts.skip(reason.clone());
        self.junit.add(subject, &asked.vector.id, || CaseResult::Skipped { reason })
    }

    /// Compares an answer with the recorded one.
    fn judge(&mut self, asked: &Asked, subject: &str, got: &Outcome, shown: Shown) -> Result<(), CliError> {
        let Asked { vector, call, outcome, .. } = asked;
        let expected = Expected { call, dialect: self.dialect, outcome, shown: vector.shown() };
        let Err(miss) = expected.is_met_by(got, shown) else {
            if !self.counts.note(subject, &vector.id, got) {
                self.counts.passed += 1;
            }
            return self.junit.add(subject, &vector.id, || CaseResult::Passed);
        };
        // What an engine cannot be asked has no verdict; what it was asked before that agrees.
        if let Some(reason) = left_out(got, &miss) {
            return self.skip(asked, subject, format!("{subject}: {reason}"));
        }
        if let Some(inaccuracy) = expected.is_met_but_for(got, shown) {
            self.counts.tolerated.entry(inaccuracy).or_default().push((subject.to_owned(), vector.id.clone()));
            return self.junit.add(subject, &vector.id, || CaseResult::Passed);
        }
        let differs = differs(&miss).unwrap_or_else(|| "another answer".to_owned());
        self.fail(asked, subject, got, differs)
    }

    fn fail(&mut self, asked: &Asked, subject: &str, got: &Outcome, differs: String) -> Result<(), CliError> {
        let Asked { vector, call, want, .. } = asked;
        self.counts.failed += 1;
        let got = record_of(call, got, self.dialect).unwrap_or_else(|| no_answer(got));
        self.junit.add(subject, &vector.id, || CaseResult::Failed {
            message: differs.clone(),
            text: format!("want {}\ngot  {}\n", want.to_compact(), got.to_compact()),
        })?;
        let (id, subject, want) = (vector.id.clone(), subject.to_owned(), want.clone());
        if self.args.json {
            return output::json_line(&FailedVector { id, subject, want, got });
        }
        let size = call.members(self.dialect).iter().map(|(_, member)| member.to_compact().len()).sum();
        self.counts.failures.add(Failure { id, subject, op: call.op(), differs, size, want, got });
        Ok(())
    }
}

/// Why there is no answer, if the subject could not be asked.
fn left_out<'o>(got: &'o Outcome, miss: &Miss) -> Option<Cow<'o, str>> {
    match (got, miss) {
        (Outcome::LeftOut(reason), _) => Some(reason.reason()),
        (Outcome::Trace(trace), Miss::NoAnswer) => trace.left_out().map(Cow::Borrowed),
        _ => None,
    }
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
    /// Parts of recorded runs.
    not_compared: u64,
}

record!(ConformTotals, "counts of vectors": passed, failed, skipped, tolerated or 0, not_compared or 0);

fn report(counts: &Counts, json: bool) -> Result<(), CliError> {
    let Counts { passed, failed, .. } = *counts;
    let skipped: u64 = counts.skipped.values().sum();
    let tolerated = counts.tolerated();
    let not_compared = counts.not_compared.values().sum();
    if json {
        return output::json_line(&ConformTotals { passed, failed, skipped, tolerated, not_compared });
    }
    let besides = if tolerated > 0 { format!(", {tolerated} tolerated") } else { String::new() };
    output::line(&format!("{passed} passed, {failed} failed, {skipped} skipped{besides}"))
}
