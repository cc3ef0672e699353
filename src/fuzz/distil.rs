//! Converts a fuzzer's corpus to readable files, since compact bytes are valid within one build only.

use planfuzz_core::json::Json;

use super::codecs::Document;
use super::target::Target;
use super::wire;
use crate::case::CaseFile;

/// An input as a readable file.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The name of its file, derived from the content: the same input always has the same name.
    pub name: String,
    /// The readable document.
    pub document: Json,
}

impl Kept {
    /// Whether a file name is one that inputs are kept under: curated cases have other names.
    pub fn is_name(file: &str) -> bool {
        let Some((_, hash)) = file.strip_suffix(".json").and_then(|stem| stem.rsplit_once('-')) else { return false };
        hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    }
}

/// The readable form of an input; `None` for bytes that are no input of the target.
pub fn export(target: Target, bytes: &[u8]) -> Option<Kept> {
    let document = match target {
        Target::Codecs => Document::read(bytes)?.to_json(None),
        Target::Planner | Target::Lifecycle | Target::Workspace => {
            let document = wire::document(bytes).ok()?;
            let file = CaseFile::from_json(&document).ok()?;
            CaseFile { finding: None, ..file }.to_json()
        }
    };
    let text = document.to_compact();
    let hash = [0_u8, 1].map(|salt| {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&[salt]);
        hasher.update(text.as_bytes());
        hasher.finalize()
    });
    let what = match &document.member("op").or(document.member("codec")) {
        Some(Json::String(word)) => word.replace('_', "-"),
        _ => target.name().to_owned(),
    };
    Some(Kept { name: format!("{what}-{:08x}{:08x}.json", hash[0], hash[1]), document })
}
