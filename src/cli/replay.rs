//! `replay`: saved cases put to the subjects, a line each.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use super::args::ReplayArgs;
use super::error::{CliError, Held};
use super::junit::JunitFile;
use super::output::{self, BAD, DIM, GOOD, styled};
use super::{files, settings, subjects};
use crate::compare::Summary;
use crate::report::junit::Outcome;
use crate::subject::Subject;
use crate::triage::{Confirmed, confirm, what};

/// The suite in JUnit XML.
const SUITE: &str = "replay";

/// Runs the command.
///
/// # Errors
/// Paths that are not there, files that are no cases, subjects that do not start.
pub fn run(args: &ReplayArgs) -> Result<Held, CliError> {
    let judge = settings::judge(args.allow.as_deref())?;
    if let Some(dialect) = args.subjects.dialect {
        output::say(&styled(DIM, format!("{dialect} in place of the dialects of the cases")));
    }
    let paths = files::case_files(&args.paths)?;
    if paths.is_empty() {
        return Err(
            CliError::input("expected case files, found none").with_hint("name a .json file or a folder of them")
        );
    }
    let mut benches: BTreeMap<Dialect, Vec<Box<dyn Subject>>> = BTreeMap::new();
    let (mut held, mut failed, mut unreadable) = (0_u64, 0_u64, 0_u64);
    let mut summary = Summary::default();
    let mut junit = JunitFile::of(args.junit.as_deref(), SUITE);
    for path in &paths {
        // One bad file does not hide what the others show.
        let case = match files::read_case_in(path, args.subjects.dialect) {
            Ok(file) => file.case,
            Err(problem) if paths.len() == 1 => return Err(problem),
            Err(problem) => {
                output::error(&problem);
                unreadable += 1;
                let name = path.display().to_string();
                junit.add(SUITE, &name, || Outcome::Error { message: problem.to_string() })?;
                continue;
            }
        };
        let judged = match benches.entry(case.dialect) {
            Entry::Occupied(started) => started.into_mut(),
            Entry::Vacant(place) => place.insert(subjects::start(&args.subjects, case.dialect)?),
        };
        let mut own = Summary::default();
        let found = confirm(&case, judged, &judge, &mut own);
        let count = if found.is_empty() { &mut held } else { &mut failed };
        *count += 1;
        let name = path.display().to_string();
        junit.add(SUITE, &name, || outcome(&found))?;
        print(&name, &found, &own, args.json)?;
        summary.add(own);
    }
    junit.write()?;
    if !args.json {
        for (what, count) in summary.tolerated() {
            output::line(&styled(DIM, format!("tolerated {count}: {what}")))?;
        }
        output::line(&format!("{held} held, {failed} did not"))?;
    }
    if unreadable > 0 {
        return Err(CliError::input(format!("{unreadable} of {} files are no cases", paths.len())));
    }
    Ok(Held::from(failed == 0))
}

/// What was found in a case as JUnit has it: the first in a line, all of them in full.
fn outcome(found: &[Confirmed]) -> Outcome {
    let Some(first) = found.first() else { return Outcome::Passed };
    let text = |confirmed: &Confirmed| {
        let verdict = &confirmed.found.verdict;
        let signature = verdict.signature().map_or_else(String::new, |signature| format!("\n  {signature}"));
        format!("{}{signature}\n", what(verdict))
    };
    Outcome::Failed { message: what(&first.found.verdict), text: found.iter().map(text).collect() }
}

fn print(path: &str, found: &[Confirmed], summary: &Summary, json: bool) -> Result<(), CliError> {
    if json {
        let found = found.iter().map(|confirmed| {
            let verdict = &confirmed.found.verdict;
            let signature = verdict.signature().map(|signature| Json::string(&signature.to_string()));
            Json::object([("signature", signature.unwrap_or(Json::Null)), ("what", Json::string(&what(verdict)))])
        });
        let tolerated = summary.tolerated().map(|(what, _)| Json::string(&what));
        let members = [
            ("case", Json::string(path)),
            ("findings", Json::Array(found.collect())),
            ("tolerated", Json::Array(tolerated.collect())),
        ];
        return output::json_line(&Json::object(members));
    }
    if found.is_empty() {
        return output::line(&format!("{} {path}", styled(GOOD, "held  ")));
    }
    for confirmed in found {
        output::line(&format!("{} {path}: {}", styled(BAD, "failed"), what(&confirmed.found.verdict)))?;
    }
    Ok(())
}
