//! The files of a configuration, as the caller passes them.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::place::{FileId, Position, SourcePlace};

/// The greatest size of a file in bytes.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// Files by path. Paths are relative to the root module, with `/` between their parts.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<(String, Vec<u8>)>,
    by_path: BTreeMap<String, FileId>,
}

/// A file is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {size} bytes, more than {MAX_FILE_BYTES}")]
pub struct TooLarge {
    /// Its path.
    pub path: String,
    /// Its size.
    pub size: usize,
}

impl Sources {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or replaces the one with that path.
    ///
    /// # Errors
    /// The file is larger than [`MAX_FILE_BYTES`].
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<FileId, TooLarge> {
        let (path, bytes) = (path.into(), bytes.into());
        if bytes.len() > MAX_FILE_BYTES {
            return Err(TooLarge { path, size: bytes.len() });
        }
        if let Some(&id) = self.by_path.get(&path) {
            self.files[id.0 as usize].1 = bytes;
            return Ok(id);
        }
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.by_path.insert(path.clone(), id);
        self.files.push((path, bytes));
        Ok(id)
    }

    /// The file of that path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// All files by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, FileId)> {
        self.by_path.iter().map(|(path, &id)| (path.as_str(), id))
    }

    /// The path of a file; empty for an unknown number.
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |(path, _)| path)
    }

    /// The contents of a file.
    pub fn bytes(&self, file: FileId) -> &[u8] {
        self.files.get(file.0 as usize).map_or(&[], |(_, bytes)| bytes)
    }

    /// Line and column of the first byte of a place.
    pub fn position(&self, place: SourcePlace) -> Position {
        let bytes = self.bytes(place.file);
        let before = &bytes[..bytes.len().min(place.span.start as usize)];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let lines = before[..line_start].iter().filter(|&&b| b == b'\n').count();
        let columns = String::from_utf8_lossy(&before[line_start..]).graphemes(true).count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: count(lines + 1), column: count(columns + 1), byte: place.span.start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_counts_lines_and_grapheme_clusters() {
        let mut sources = Sources::new();
        let file = sources.add("main.tf", "a = 1\ne\u{301} = 2\n").unwrap();
        let at = |byte| sources.position(SourcePlace::new(file, byte, byte));
        assert_eq!(at(0), Position { line: 1, column: 1, byte: 0 });
        assert_eq!(at(9), Position { line: 2, column: 2, byte: 9 });
        assert_eq!(at(99).line, 3, "past the end is the end");
    }
}
