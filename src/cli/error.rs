//! The results of commands: the checks held, they did not, or why there is no result.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Whether the checks held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Exit code 0.
    Yes,
    /// Findings or failed vectors: exit code 1.
    No,
}

impl From<bool> for Held {
    fn from(held: bool) -> Held {
        if held { Held::Yes } else { Held::No }
    }
}

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Usage or input is wrong: exit code 2.
    #[error("{message}")]
    Input {
        /// What is wrong, where, and what was expected.
        message: String,
        /// The next step for the user.
        hint: Option<String>,
    },
    /// The suite itself failed: exit code 3.
    #[error("{message}")]
    Failed {
        /// What failed.
        message: String,
    },
    /// The reader of standard output closed it: exit code 3, as the output is incomplete, and no message.
    #[error("standard output was closed")]
    ReaderGone,
}

impl CliError {
    /// Bad input.
    pub fn input(message: impl Into<String>) -> CliError {
        CliError::Input { message: message.into(), hint: None }
    }

    /// Bad input in a file.
    pub fn in_file(path: &Path, problem: impl Error) -> CliError {
        CliError::input(format!("{}: {}", path.display(), with_causes(&problem)))
    }

    /// The sources hold no case.
    pub fn no_case() -> CliError {
        CliError::input("expected a case, found none")
    }

    /// Nothing was compared, so there is no result.
    pub fn nothing_compared(why: impl std::fmt::Display) -> CliError {
        CliError::input(format!("nothing was compared: {why}"))
    }

    /// A failure of the suite, or of what it runs on.
    pub fn failed(message: impl Into<String>) -> CliError {
        CliError::Failed { message: message.into() }
    }

    /// A subject that ended for good: what it did not answer is left out of every count, so that no result stands for it.
    pub fn ended(subject: &str, trouble: &str) -> CliError {
        CliError::failed(format!("{subject} cannot be asked any more: {trouble}"))
    }

    /// A file that could not be written.
    pub fn writing(path: impl Into<PathBuf>, problem: impl Error) -> CliError {
        CliError::failed(format!("cannot write {}: {}", path.into().display(), with_causes(&problem)))
    }

    /// The same error with a next step.
    #[must_use]
    pub fn with_hint(self, next: impl Into<String>) -> CliError {
        match self {
            CliError::Input { message, hint: _ } => CliError::Input { message, hint: Some(next.into()) },
            other @ (CliError::Failed { .. } | CliError::ReaderGone) => other,
        }
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Input { .. } => 2,
            CliError::Failed { .. } | CliError::ReaderGone => 3,
        }
    }
}

/// An error with its causes, in one line.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let more = next.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = next.source();
    }
    text
}
