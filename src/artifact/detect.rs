//! Detects the kind of a file by its content.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::error::ArtifactError;
use super::{Artifact, plan_file, shown, state_file};

/// The most that is read of a file, uncompressed: a document takes many times its size in memory.
pub const MAX_ARTIFACT_BYTES: usize = 64 << 20;

/// PF10: how plan files of engines before 0.12 begin.
const OLD_PLAN: &[u8] = b"tfplan";

pub(super) fn read(bytes: &[u8], engine: Option<Engine>) -> Result<Artifact, ArtifactError> {
    let bytes = inflated(bytes)?;
    if bytes.len() > MAX_ARTIFACT_BYTES {
        return Err(ArtifactError::TooLarge);
    }
    match &*bytes {
        [] => Err(ArtifactError::Empty),
        [b'P', b'K', ..] => plan_file::read(&bytes, engine),
        old if old.starts_with(OLD_PLAN) => Err(ArtifactError::OldPlan),
        text => document(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), engine),
    }
}

/// The content of a compressed file, up to the bound.
fn inflated(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ArtifactError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut content = Vec::new();
    let limit = MAX_ARTIFACT_BYTES as u64 + 1;
    MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut content).map_err(ArtifactError::Gzip)?;
    Ok(Cow::Owned(content))
}

fn document(text: &[u8], engine: Option<Engine>) -> Result<Artifact, ArtifactError> {
    let json = Json::parse_bytes(text).map_err(ArtifactError::NoJson)?;
    let has = |name: &str| json.member(name).is_some();
    if !matches!(json, Json::Object(_)) {
        return Err(ArtifactError::Other("JSON that is no object"));
    }
    if has("encrypted_data") {
        return Err(ArtifactError::Other("an encrypted one: decrypt it first, or lint what `tofu show -json` prints"));
    }
    if has("version") && has("serial") {
        return state_file::read(text, &json, engine);
    }
    if has("provider_schemas") && !has("resource_changes") {
        return Err(ArtifactError::Other("provider schemas: give them with --schemas"));
    }
    if has("format_version") || has("plan_format_version") {
        return shown::read(json, engine);
    }
    Err(ArtifactError::Other("JSON of something else"))
}
