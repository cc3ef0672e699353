//! How the command ends: whether every promise was kept, or why it could not do its work.

use std::fs;
use std::io;
use std::path::Path;

use planfuzz_core::json::{Json, JsonError};
use planfuzz_engine::plugin::{CallError, LaunchError, ReattachError};
use planfuzz_engine::process::RunsError;

use crate::case::CaseError;

/// Whether every promise was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// All that were tried.
    Yes,
    /// There are findings.
    No,
}

/// Why the command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The provider cannot be asked.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// It does not answer what every provider is asked first.
    #[error("the provider's {what}: {problem}")]
    Call {
        /// What was asked.
        what: &'static str,
        /// Why there is no answer.
        problem: CallError,
    },
    /// It refuses its own configuration.
    #[error("the provider refuses its configuration: {0}")]
    Refused(String),
    /// The address of a running provider is none.
    #[error(transparent)]
    Reattach(#[from] ReattachError),
    /// No place to run in.
    #[error(transparent)]
    Place(#[from] RunsError),
    /// A file cannot be read or written.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// Why.
        problem: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path}: {problem}")]
    Json {
        /// The file.
        path: String,
        /// Why.
        problem: JsonError,
    },
    /// A file is no case.
    #[error("{path}: {problem}")]
    Case {
        /// The file.
        path: String,
        /// Why.
        problem: CaseError,
    },
    /// Something that was asked for is not there.
    #[error("{0}")]
    Input(String),
}

/// A file that is one document.
pub(crate) fn read_json(path: &Path) -> Result<Json, ProviderError> {
    let bytes = fs::read(path).map_err(|problem| file_error(path, problem))?;
    Json::parse_bytes(&bytes).map_err(|problem| ProviderError::Json { path: path.display().to_string(), problem })
}

/// What a file could not be read or written for.
pub(crate) fn file_error(path: &Path, problem: io::Error) -> ProviderError {
    ProviderError::File { path: path.display().to_string(), problem }
}
