//! The errors of reading documents, and of reading their changes against a type.

use crate::json::JsonError;
use crate::schema::Crash;

use super::MAX_JSON_BYTES;

/// The error for bytes that are no output of `show -json`. It holds the first problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShowError {
    /// More bytes than [`MAX_JSON_BYTES`].
    #[error("expected a document of at most {MAX_JSON_BYTES} bytes, found {found}")]
    TooLarge {
        /// The number of bytes.
        found: usize,
    },
    /// The document is JSON, but neither a plan nor a state.
    #[error("expected the output of show -json, a plan or a state, found neither's members")]
    Neither,
    /// An unknown version of the format.
    #[error("expected a format version 0.x or 1.x, found {found:?}")]
    Version {
        /// The version.
        found: String,
    },
    /// The bytes are no JSON document, or a part of it is not of the expected form.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A part about a resource instance is not of the expected form.
    #[error("{address}: {error}")]
    Entry {
        /// The address, as it stands.
        address: String,
        /// The error, with the path from the top of the document.
        error: JsonError,
    },
}

impl ShowError {
    /// The JSON error behind it, if there is one.
    pub fn json(&self) -> Option<&JsonError> {
        match self {
            ShowError::Json(error) | ShowError::Entry { error, .. } => Some(error),
            ShowError::TooLarge { .. } | ShowError::Neither | ShowError::Version { .. } => None,
        }
    }
}

/// The error for a change that cannot be read against a type.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotTyped {
    /// A value does not fit the type.
    #[error("{side}: {error}")]
    Value {
        /// The member.
        side: &'static str,
        /// The error, with the path inside the member.
        error: JsonError,
    },
    /// The change imports by an identity, which can only be read with a schema of its own.
    #[error("expected an import by an id, found one by an identity")]
    Importing,
    /// The deposed key is invalid.
    #[error("expected eight hexadecimal digits as deposed key, found {found:?}")]
    Deposed {
        /// The key.
        found: String,
    },
    /// A reason of a newer version.
    #[error("expected a known reason, found {found:?}")]
    Reason {
        /// The reason.
        found: String,
    },
    /// A value on which engines crash when they search it for sensitive parts.
    #[error("expected a value whose sensitive parts can be found: {0}")]
    Crash(Crash),
}
