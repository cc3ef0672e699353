//! The bytes that fuzzers exchange: a case in one of two forms, distinguished by the first byte.
//!
//! `{` begins the readable form, so the committed corpus is the seed corpus as it is; [`compact::TAG`] begins the compact one.

use planfuzz_core::json::{Json, JsonError};

use super::compact::{self, CompactError};
use crate::case::{Case, CaseFile};

/// Why bytes are no case.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WireError {
    /// Bytes that are no JSON, or JSON that is no case.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The compact form is not of this build, or broken.
    #[error(transparent)]
    Compact(#[from] CompactError),
}

/// Whether bytes are in the compact form.
pub fn is_compact(bytes: &[u8]) -> bool {
    bytes.first() == Some(&compact::TAG)
}

/// The document of a case, in either form.
///
/// # Errors
/// Bytes in neither.
pub fn document(bytes: &[u8]) -> Result<Json, WireError> {
    match is_compact(bytes) {
        true => Ok(compact::read(bytes)?),
        false => Ok(Json::parse_bytes(bytes)?),
    }
}

/// The case of bytes in either form.
///
/// # Errors
/// Bytes in neither, and documents that are no case.
pub fn read(bytes: &[u8]) -> Result<Case, WireError> {
    Ok(CaseFile::from_json(&document(bytes)?)?.case)
}

/// The compact form of a case.
pub fn write(case: &Case) -> Vec<u8> {
    compact::write(&case.to_json())
}
