//! Places in source files.
//!
//! A place is a file and a range of bytes: it fits in twelve bytes, so everything in the tree can have one. Lines and columns are
//! counted only when a diagnostic is shown ([`crate::Sources::position`]).

/// A file among [`crate::Sources`], by its number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes in a file; the end is not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A range of bytes in one of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The file.
    pub file: FileId,
    /// The bytes in it. In a template of the JSON syntax positions are counted as the engine counts them: from the byte after the
    /// opening quote, in the text without its escapes.
    pub span: Span,
}

/// A position as an editor counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in grapheme clusters.
    pub column: u32,
    /// From 0.
    pub byte: u32,
}

impl Span {
    /// From the first byte to the one after the last.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that contains both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl SourcePlace {
    /// A range in a file.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, span: Span::new(start, end) }
    }

    /// Another range in the same file.
    pub fn with(self, span: Span) -> Self {
        Self { file: self.file, span }
    }

    /// A part of this range, counted from its first byte.
    pub fn part(self, start: usize, end: usize) -> Self {
        let from = |offset: usize| self.span.start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        Self { file: self.file, span: Span::new(from(start), from(end)) }
    }

    /// The smallest range that contains both, in the file of the first.
    pub fn to(self, other: Self) -> Self {
        self.with(self.span.to(other.span))
    }
}
