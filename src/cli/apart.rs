//! Replays in processes of their own, within bounds: for files that could exhaust the memory or time of this process, so that
//! others would not be replayed.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use planfuzz_core::json::{Field as _, Json, JsonError};
use tempfile::TempDir;

use super::args::{Dialects, SubjectArgs, TriageArgs};
use super::error::CliError;
use super::output::PrintedFinding;
use super::replay::ReplayedCase;
use super::settings;
use crate::night::{Order, PhaseError, ProgramOutput};
use crate::triage::{DocumentOutcome, ROUNDS, ReplayOutcome, Round};

/// Messages of a program or the system when memory is exhausted.
const NO_MEMORY: [&str; 3] = ["memory allocation of", "Cannot allocate memory", "out of memory"];

/// A replay that came to its end.
pub enum Ended {
    /// The subjects were asked: the first finding.
    Asked(Round),
    /// The program refused the file, with this error.
    Refused(String),
}

/// Replays files in processes of their own.
pub struct Apart<'a> {
    args: &'a TriageArgs,
    /// The folder for the output of the processes.
    place: TempDir,
    program: std::path::PathBuf,
}

impl<'a> Apart<'a> {
    /// Prepares replays.
    ///
    /// # Errors
    /// No folder for the output.
    pub fn new(args: &'a TriageArgs) -> Result<Apart<'a>, CliError> {
        let failed = |problem: std::io::Error| CliError::failed(format!("no process can be started: {problem}"));
        let place = tempfile::tempdir().map_err(failed)?;
        Ok(Apart { args, place, program: std::env::current_exe().map_err(failed)? })
    }

    /// Replays a document so many times. This process has read it, so another that refuses it has not asked anyone, and nothing is known
    /// of the finding.
    pub fn rounds(&self, path: &Path, recorded: Option<&str>) -> DocumentOutcome {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            match self.replay(path) {
                Ok(Ended::Asked(round)) => rounds.push(round),
                Ok(Ended::Refused(problem)) => return DocumentOutcome::Other(ReplayOutcome::NotAsked(problem)),
                Err(ended) => return DocumentOutcome::Other(ended),
            }
        }
        DocumentOutcome::of(&rounds, recorded)
    }

    /// Replays a file once.
    ///
    /// # Errors
    /// The outcome of a replay that did not complete.
    pub fn replay(&self, path: &Path) -> Result<Ended, ReplayOutcome> {
        let order = Order::new(&self.program, self.place.path().join("replay"));
        let order = self.arguments().into_iter().fold(order, Order::with).with("--").with(path);
        let ended = order.run(Instant::now() + self.args.file_time, settings::interrupted());
        match ended {
            Err(PhaseError::OverTime(_)) => Err(ReplayOutcome::RanOver),
            Err(PhaseError::Interrupted) => Err(ReplayOutcome::NotBegun),
            Err(error) => Err(ReplayOutcome::NotAsked(error.to_string())),
            Ok(ended) => ended_of(&ended),
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        let SubjectArgs { subjects, dialect, ops, answer_time } = &self.args.subjects;
        let mut arguments = vec!["replay".to_owned(), "--json".to_owned()];
        let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        // Only Unix enforces the bound.
        if cfg!(unix) {
            option("--memory", self.args.file_memory.to_string());
        }
        subjects.iter().for_each(|name| option("--subject", name.clone()));
        if let Some(Dialects::One(dialect)) = dialect {
            option("--dialect", dialect.to_string());
        }
        ops.iter().for_each(|op| option("--op", op.to_string()));
        option("--answer-time", format!("{}ms", answer_time.as_millis()));
        arguments.into_iter().map(OsString::from).collect()
    }
}

fn ended_of(ended: &ProgramOutput) -> Result<Ended, ReplayOutcome> {
    let errors = ended.stderr().unwrap_or_default();
    if !matches!(ended.code, Some(0 | 1)) {
        if NO_MEMORY.iter().any(|words| errors.contains(words)) {
            return Err(ReplayOutcome::OverMemory);
        }
        let error = ended.error("replay").to_string();
        return if ended.code == Some(2) { Ok(Ended::Refused(error)) } else { Err(ReplayOutcome::Dies(error)) };
    }
    let printed = ended.printed().map_err(|error| ReplayOutcome::NotAsked(error.to_string()))?;
    first(&printed).map(Ended::Asked).map_err(|problem| ReplayOutcome::NotAsked(problem.to_string()))
}

/// The first finding in a line of `replay --json`.
fn first(printed: &str) -> Result<Round, JsonError> {
    let replayed = ReplayedCase::read(&Json::parse(printed.trim())?)?;
    Ok(replayed.findings.into_iter().next().map(|PrintedFinding { signature, what }| (signature, what)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        args: TriageArgs,
    }

    #[test]
    fn a_document_that_another_process_refuses_is_not_gone() {
        let place = tempfile::tempdir().expect("a folder");
        let program = place.path().join("planfuzz");
        fs::write(&program, "#!/bin/sh\necho 'error: no such dialect' >&2\nexit 2\n").expect("written");
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("a program");
        let args = Options::parse_from(["triage", "a.json"]).args;
        let outcome = Apart { args: &args, place, program }.rounds("a.json".as_ref(), Some("codecs law"));
        let DocumentOutcome::Other(ReplayOutcome::NotAsked(why)) = outcome else { panic!("{outcome:?}") };
        assert!(why.contains("error: no such dialect"), "{why}");
    }
}
