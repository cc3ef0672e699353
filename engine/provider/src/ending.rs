//! How the command ends: whether every promise was kept, or why it could not do its work.

use std::io;
use std::path::Path;

use planfuzz_core::json::{Json, JsonError};
use planfuzz_engine::plugin::{CallError, LaunchError, ReattachError};
use planfuzz_engine::process::RunsError;
use planfuzz_files::bounded;

use crate::case::CaseError;

/// Whether every promise was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All that were tried.
    Yes,
    /// There are findings.
    No,
}

/// Why the command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The provider cannot be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The provider does not answer one of the first calls.
    #[error("the provider's {what}: {problem}")]
    Call {
        /// The subject of the call.
        what: &'static str,
        /// Why there is no answer.
        problem: CallError,
    },
    /// It refuses its own configuration.
    #[error("the provider refuses its configuration: {0}")]
    Refused(String),
    /// The address of a running provider is invalid.
    #[error(transparent)]
    Reattach(#[from] ReattachError),
    /// There is no directory to run in.
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
    /// A file has the wrong content.
    #[error("{path}: {problem}")]
    Json {
        /// The file.
        path: String,
        /// Why.
        problem: JsonError,
    },
    /// A file is not a case.
    #[error("{path}: {problem}")]
    Case {
        /// The file.
        path: String,
        /// Why.
        problem: CaseError,
    },
    /// Something that the options name does not exist.
    #[error("{0}")]
    Input(String),
}

/// The most that is read of one file. Real schema files are of some ten megabytes.
pub(crate) const MAX_FILE: u64 = 256 << 20;

/// A file that is one document.
pub(crate) fn read_json(path: &Path) -> Result<Json, ProviderError> {
    let bytes = bounded::read(path, MAX_FILE).map_err(|problem| file_error(path, problem))?;
    Json::parse_bytes(&bytes).map_err(|problem| ProviderError::Json { path: path.display().to_string(), problem })
}

/// The error of a file that cannot be read or written.
pub(crate) fn file_error(path: &Path, problem: io::Error) -> ProviderError {
    ProviderError::File { path: path.display().to_string(), problem }
}
