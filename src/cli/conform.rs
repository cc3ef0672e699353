//! `conform`: subjects against recorded vectors.

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
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// Runs the command.
///
/// # Errors
/// Files that cannot be read and subjects that do not start.
pub fn run(args: &ConformArgs) -> Result<Held, CliError> {
    let dialect = args.subjects.dialect.unwrap_or_default();
    let mut judged = subjects::start(&args.subjects, dialect)?;
    let mut counts = Counts::default();
    let mut skipped: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
    for path in &args.files {
        for vector in files::read_vectors(path)? {
            match why_skipped(&vector, args, dialect) {
                Some(reason) => {
                    counts.skipped += 1;
                    *skipped.entry(reason).or_default() += 1;
                }
                None => conform(&vector, dialect, &mut judged, args.json, &mut counts).map_err(|message| {
                    CliError::input(format!("{}: vector {}: {message}", path.display(), vector.id))
                })?,
            }
        }
    }
    for (reason, count) in &skipped {
        output::say(&styled(DIM, format!("skipped {count}: {reason}")));
    }
    report(counts, args.json)?;
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
    vector: &Vector,
    dialect: Dialect,
    judged: &mut [Box<dyn Subject>],
    json: bool,
    counts: &mut Counts,
) -> Result<(), String> {
    let (call, want) = vector.read(dialect).map_err(|problem| problem.to_string())?;
    let expected = outcome_of(&call, want, dialect).map_err(|problem| format!("want: {problem}"))?;
    let case = Case::new(dialect, Task::Call(call.clone()));
    for subject in judged {
        if !subject.can(call.op(), dialect) {
            counts.skipped += 1;
            continue;
        }
        let got = subject.answer(std::slice::from_ref(&case)).remove(0).remove(0);
        if got.is_answer() && difference(&expected, &got).is_none() {
            counts.passed += 1;
            continue;
        }
        counts.failed += 1;
        let got = want_of(&call, &got, dialect).unwrap_or_else(|| no_answer(&got));
        failure(&vector.id, subject.name(), want, &got, json).map_err(|problem| problem.to_string())?;
    }
    Ok(())
}

fn no_answer(outcome: &Outcome) -> Json {
    let text = match outcome {
        Outcome::Crashed { site, message } => format!("crashed at {site}: {message}"),
        Outcome::OverBudget { limit } => format!("no answer within {} ms", limit.as_millis()),
        Outcome::LeftOut(reason) => format!("not asked: {}", reason.reason()),
        Outcome::Value(_) | Outcome::Paths(_) | Outcome::Want(_) | Outcome::Refused(_) => "an answer".to_owned(),
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

fn report(counts: Counts, json: bool) -> Result<(), CliError> {
    let Counts { passed, failed, skipped } = counts;
    if json {
        let members = [("passed", Json::int(passed)), ("failed", Json::int(failed)), ("skipped", Json::int(skipped))];
        return output::json_line(&Json::object(members));
    }
    output::line(&format!("{passed} passed, {failed} failed, {skipped} skipped"))
}
