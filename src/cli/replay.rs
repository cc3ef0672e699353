//! `replay`: saved cases put to the subjects, a line each.

use planfuzz_core::json::Json;

use super::args::ReplayArgs;
use super::error::{CliError, Held};
use super::output::{self, BAD, GOOD, styled};
use super::{files, settings, subjects};
use crate::compare::Judge;
use crate::triage::{Confirmed, confirm, what};

/// Runs the command.
///
/// # Errors
/// Paths that are not there, files that are no cases, subjects that do not start.
pub fn run(args: &ReplayArgs) -> Result<Held, CliError> {
    let judge = Judge { allowances: settings::allowances(args.allow.as_deref())?, ..Judge::default() };
    let paths = files::case_files(&args.paths)?;
    if paths.is_empty() {
        return Err(
            CliError::input("expected case files, found none").with_hint("name a .json file or a folder of them")
        );
    }
    let mut failed = 0_u64;
    for path in &paths {
        let case = files::read_case(path)?.case;
        let mut judged = subjects::start(&args.subjects, args.subjects.dialect.unwrap_or(case.dialect))?;
        let case = match args.subjects.dialect {
            Some(dialect) => crate::case::Case { dialect, ..case },
            None => case,
        };
        let found = confirm(&case, &mut judged, &judge);
        failed += u64::from(!found.is_empty());
        print(&path.display().to_string(), &found, args.json)?;
    }
    if !args.json {
        output::line(&format!("{} held, {failed} did not", paths.len() as u64 - failed))?;
    }
    Ok(Held::from(failed == 0))
}

fn print(path: &str, found: &[Confirmed], json: bool) -> Result<(), CliError> {
    if json {
        let found = found.iter().map(|confirmed| {
            let verdict = &confirmed.found.verdict;
            let signature = verdict.signature().map(|signature| Json::string(&signature.to_string()));
            Json::object([("signature", signature.unwrap_or(Json::Null)), ("what", Json::string(&what(verdict)))])
        });
        let members = [("case", Json::string(path)), ("findings", Json::Array(found.collect()))];
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
