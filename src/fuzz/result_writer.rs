//! Writes the findings and counts of a fuzzing process, each file whole or not at all.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use planfuzz_files::draft;

use super::input::{WrittenFinding, file_name};
use super::tally::Tally;
use super::target::Target;
use cpu_time::ProcessTime;

/// The environment variable with the folder for findings.
pub const FINDINGS: &str = "PLANFUZZ_FUZZ_FINDINGS";

/// The environment variable with the file for the counts.
pub const TALLY: &str = "PLANFUZZ_FUZZ_TALLY";

/// How old the counts in the file may be.
const FRESH: Duration = Duration::from_secs(1);

/// Inputs between two looks at the clock.
const LOOK_EVERY: u64 = 64;

/// Writes the findings and counts of this process.
pub(super) struct ResultWriter {
    target: Target,
    findings: Option<PathBuf>,
    tally: Option<PathBuf>,
    written: HashSet<String>,
    start: Instant,
    cpu: ProcessTime,
    last: Option<Instant>,
}

impl ResultWriter {
    /// The writer for the folder and file that the environment names.
    pub(super) fn from_environment(target: Target) -> ResultWriter {
        let path = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        ResultWriter::of(target, path(FINDINGS), path(TALLY))
    }

    pub(super) fn of(target: Target, findings: Option<PathBuf>, tally: Option<PathBuf>) -> ResultWriter {
        let (start, cpu) = (Instant::now(), ProcessTime::now());
        ResultWriter { target, findings, tally, written: HashSet::new(), start, cpu, last: None }
    }

    /// Writes a finding, the first of its signature; returns whether the run may go on.
    ///
    /// # Errors
    /// A finding that cannot be written: it must not be lost.
    pub(super) fn found(&mut self, trouble: &WrittenFinding) -> io::Result<bool> {
        let Some(folder) = &self.findings else { return Ok(false) };
        if !self.written.contains(&trouble.signature) {
            let path = folder.join(format!("{}.json", file_name(self.target, &trouble.signature)));
            if !path.exists() {
                let mut text = trouble.document.to_pretty();
                text.push('\n');
                draft::write_whole(&path, |file| file.write_all(text.as_bytes()))?;
            }
            self.written.insert(trouble.signature.clone());
        }
        Ok(true)
    }

    /// Whether counts are to be written.
    pub(super) fn is_counting(&self) -> bool {
        self.tally.is_some()
    }

    /// Writes the counts if they are due.
    ///
    /// # Errors
    /// Counts that cannot be written.
    pub(super) fn count(&mut self, tally: &Tally) -> io::Result<()> {
        let is_early = tally.executions.is_power_of_two();
        if !is_early && !tally.executions.is_multiple_of(LOOK_EVERY) {
            return Ok(());
        }
        if !is_early && self.last.is_some_and(|last| last.elapsed() < FRESH) {
            return Ok(());
        }
        self.write_counts(tally)
    }

    /// Writes the counts.
    ///
    /// # Errors
    /// Counts that cannot be written.
    pub(super) fn write_counts(&mut self, tally: &Tally) -> io::Result<()> {
        let Some(path) = &self.tally else { return Ok(()) };
        self.last = Some(Instant::now());
        let mut text = tally.to_json(self.target.name(), self.start.elapsed(), self.cpu.elapsed()).to_compact();
        text.push('\n');
        draft::write_whole(path, |file| file.write_all(text.as_bytes()))
    }
}
