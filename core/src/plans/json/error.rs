//! Why a document says nothing, and why a change has no values of a type.

use crate::json::JsonError;
use crate::schema::Crash;

use super::MAX_JSON_BYTES;

/// Why bytes are no output of `show -json`. One problem, the first one met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShowError {
    /// More bytes than [`MAX_JSON_BYTES`].
    #[error("expected a document of at most {MAX_JSON_BYTES} bytes, found {found}")]
    TooLarge {
        /// How many.
        found: usize,
    },
    /// The document is JSON, and neither a plan nor a state.
    #[error("expected the output of show -json, a plan or a state, found neither's members")]
    Neither,
    /// A version of the format that is not known.
    #[error("expected a format version 0.x or 1.x, found {found:?}")]
    Version {
        /// Which.
        found: String,
    },
    /// The document is none, or a part of it is not what it should be.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A part that is about a resource instance is not what it should be.
    #[error("{address}: {error}")]
    Entry {
        /// The address, as it stands.
        address: String,
        /// Why, with the path from the top of the document.
        error: JsonError,
    },
}

impl ShowError {
    /// The problem of JSON behind it, if it is one.
    pub fn json(&self) -> Option<&JsonError> {
        match self {
            ShowError::Json(error) | ShowError::Entry { error, .. } => Some(error),
            ShowError::TooLarge { .. } | ShowError::Neither | ShowError::Version { .. } => None,
        }
    }
}

/// Why a change has no values of a type.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotTyped {
    /// A value does not fit the type.
    #[error("{side}: {error}")]
    Value {
        /// Which member.
        side: &'static str,
        /// Why, with the path inside the member.
        error: JsonError,
    },
    /// The change imports by an id that is not known yet, or by an identity.
    #[error("expected an import by a known id, found another one")]
    Importing,
    /// The deposed key is none.
    #[error("expected eight hexadecimal digits as deposed key, found {found:?}")]
    Deposed {
        /// What it is.
        found: String,
    },
    /// A reason of a newer version.
    #[error("expected a known reason, found {found:?}")]
    Reason {
        /// What it is.
        found: String,
    },
    /// A value that engines crash on when they look for what is sensitive.
    #[error("expected a value whose sensitive parts can be found: {0}")]
    Crash(Crash),
}
