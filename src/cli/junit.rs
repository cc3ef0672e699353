//! `--junit FILE`: results as JUnit XML beside the printed ones.

use std::path::{Path, PathBuf};

use super::error::CliError;
use super::files;
use planfuzz_ci_report::junit::{CaseResult, Junit};

/// The JUnit file of a command; does nothing without one.
pub struct JunitFile {
    asked: Option<(PathBuf, Junit)>,
}

impl JunitFile {
    /// The file of an option.
    pub fn of(path: Option<&Path>, suite: &str) -> JunitFile {
        JunitFile { asked: path.map(|path| (path.to_owned(), Junit::new(suite))) }
    }

    /// Adds a test case.
    ///
    /// # Errors
    /// None in memory.
    pub fn add(&mut self, class: &str, name: &str, outcome: impl FnOnce() -> CaseResult) -> Result<(), CliError> {
        let Some((path, junit)) = &mut self.asked else { return Ok(()) };
        junit.add(class, name, &outcome()).map_err(|problem| CliError::writing(&*path, problem))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(self) -> Result<(), CliError> {
        let Some((path, junit)) = self.asked else { return Ok(()) };
        let bytes = junit.finish().map_err(|problem| CliError::writing(&path, problem))?;
        files::write(&path, &bytes)
    }
}
