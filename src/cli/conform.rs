//! `conform`: subjects against recorded vectors.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use super::args::ConformArgs;
use super::error::{CliError, Held};
use super::output::{self, BAD, DIM, styled};
use super::{files, subjects};
use crate::case::{Case, Task, Vector};
use crate::compare::difference;
use crate::subject::{Outcome, Subject, outcome_of, want_of};

/// What came of the vectors.
#[derive(Clone, Debug, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: BTreeMap<String, u64>,
    unreadable: u64,
}

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
    let dialect = args.subjects.dialect.unwrap_or_default();
    let mut judged = subjects::start_for_vectors(&args.subjects, dialect)?;
    let is_default = args.subjects.subjects.is_empty();
    let mut counts = Counts::default();
    for path in &args.files {
        for vector in files::VectorFile::open(path)?.vectors() {
            let conformed = vector.and_then(|(place, vector)| match why_skipped(&vector, args, dialect) {
                Some(reason) => {
                    counts.skip(reason);
                    Ok(())
                }
                None => conform(&place, &vector, dialect, (&mut judged, is_default, args.json), &mut counts),
            });
            match conformed {
                Ok(()) => {}
                // One bad line does not hide what the others show.
                Err(problem @ CliError::Input { .. }) => {
                    output::error(&problem);
                    counts.unreadable += 1;
                }
                Err(problem) => return Err(problem),
            }
        }
    }
    for (reason, count) in &counts.skipped {
        output::say(&styled(DIM, format!("skipped {count}: {reason}")));
    }
    report(&counts, args.json)?;
    if counts.unreadable > 0 {
        return Err(CliError::input(format!("{} lines are no vectors", counts.unreadable)));
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

/// Puts one vector to every subject.
fn conform(
    place: &str,
    vector: &Vector,
    dialect: Dialect,
    (judged, is_default, json): (&mut [Box<dyn Subject>], bool, bool),
    counts: &mut Counts,
) -> Result<(), CliError> {
    let unreadable = |problem| CliError::in_file(place.as_ref(), problem);
    let (call, want) = vector.read(dialect).map_err(unreadable)?;
    let expected = outcome_of(&call, want, dialect).map_err(|problem| unreadable(problem.inside_member("want")))?;
    let case = Case::new(dialect, Task::Call(call.clone()));
    // Where nobody was named, those who can answer are meant.
    let is_answered = is_default && judged.iter().any(|subject| subject.can(call.op(), dialect));
    for subject in judged {
        if !subject.can(call.op(), dialect) {
            if is_answered {
                continue;
            }
            counts.skip(format!("operation {} is not offered by {}", call.op(), subject.name()));
            continue;
        }
        let got = subject.answer(std::slice::from_ref(&case)).remove(0).remove(0);
        if got.is_answer() && difference(&expected, &got).is_none() {
            counts.passed += 1;
            continue;
        }
        counts.failed += 1;
        let got = want_of(&call, &got, dialect).unwrap_or_else(|| no_answer(&got));
        failure(&vector.id, subject.name(), want, &got, json)?;
    }
    Ok(())
}

fn no_answer(outcome: &Outcome) -> Json {
    let text = match outcome {
        Outcome::Crashed { site, message, .. } => format!("crashed at {site}: {message}"),
        Outcome::OverBudget { limit } => format!("no answer within {} ms", limit.as_millis()),
        Outcome::LeftOut(reason) => format!("not asked: {}", reason.reason()),
        Outcome::Value(_) | Outcome::Paths(_) | Outcome::Want(_) | Outcome::Life(_) | Outcome::Refused(_) => {
            "an answer".to_owned()
        }
    };
    Json::object([("none", Json::string(&text))])
}

fn failure(id: &str, subject: &str, want: &Json, got: &Json, json: bool) -> Result<(), CliError> {
    if json {
        let members = [
            ("id", Json::string(id)),
            ("subject", Json::string(subject)),
            ("want", want.clone()),
            ("got", got.clone()),
        ];
        return output::json_line(&Json::object(members));
    }
    output::line(&format!("{} {id} ({subject})", styled(BAD, "failed")))?;
    output::line(&format!("  want {}", want.to_compact()))?;
    output::line(&format!("  got  {}", got.to_compact()))
}

fn report(counts: &Counts, json: bool) -> Result<(), CliError> {
    let Counts { passed, failed, .. } = *counts;
    let skipped: u64 = counts.skipped.values().sum();
    if json {
        let members = [("passed", Json::int(passed)), ("failed", Json::int(failed)), ("skipped", Json::int(skipped))];
        return output::json_line(&Json::object(members));
    }
    output::line(&format!("{passed} passed, {failed} failed, {skipped} skipped"))
}
