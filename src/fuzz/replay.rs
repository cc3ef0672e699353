//! A target without a fuzzer: replays files.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use planfuzz_files::folder;

use super::fuzzer::Fuzzer;
use super::input::InputOutcome;
use super::target::Target;

/// How many files of a replay had which outcome.
#[derive(Default)]
pub(super) struct Replayed {
    held: u64,
    found: u64,
    others: u64,
}

/// A target without a fuzzer: runs the files and folders named as arguments, and prints the outcome of each. The exit code is 0 if all
/// inputs hold, 1 if some do not, and 2 if a file cannot be read or none is an input.
pub fn main(target: Target) -> ExitCode {
    match replay(target, std::env::args_os().skip(1).map(PathBuf::from).collect()) {
        Ok(replayed) => ExitCode::from(replayed.exit_code()),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs files, and all files below folders.
///
/// # Errors
/// A path that cannot be read.
pub(super) fn replay(target: Target, mut pending: Vec<PathBuf>) -> Result<Replayed, String> {
    let mut fuzzer = Fuzzer::new(target);
    let mut replayed = Replayed::default();
    while let Some(path) = pending.pop() {
        let unreadable = |problem| format!("cannot read {}: {problem}", path.display());
        if path.is_dir() {
            pending.extend(folder::entries(&path).map_err(unreadable)?.iter().map(DirEntry::path));
            continue;
        }
        let outcome = fuzzer.run(&std::fs::read(&path).map_err(unreadable)?);
        replayed.count(&outcome, &path, target);
    }
    let Replayed { held, found, others } = replayed;
    println!("{held} held, {found} did not, {others} are no inputs of {}", target.name());
    Ok(replayed)
}

impl Replayed {
    /// The exit code: a replay in which nothing was checked does not pass.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Replayed { held: 0, found: 0, .. } => 2,
            Replayed { found, .. } => u8::from(*found > 0),
        }
    }

    /// Counts and prints the outcome of a file.
    fn count(&mut self, outcome: &InputOutcome, path: &Path, target: Target) {
        match outcome {
            InputOutcome::Held => self.held += 1,
            InputOutcome::Rejected => {
                self.others += 1;
                println!("no input of {}: {}", target.name(), path.display());
            }
            InputOutcome::Found(troubles) => {
                self.found += 1;
                for trouble in troubles {
                    println!("failed {}: {}\n  {}", path.display(), trouble.signature, trouble.what);
                }
            }
        }
    }
}
