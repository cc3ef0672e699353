//! Parses heredocs in place (E80b).
//!
//! Problem: `<<-` removes the indentation of lines, and the rest has to keep its places. Idea: a heredoc is a template within the
//! surrounding text, and the number of bytes that each line loses is computed first, from its literals alone: line breaks within
//! interpolations are code. Guarantee: every place in a heredoc, also within interpolations, is a place in the file.

use unicode_segmentation::UnicodeSegmentation;

use super::ast::Expression;
use super::parse::{Parsed, Parser};
use super::template::End;
use crate::native::scan;

/// A heredoc while it is parsed.
pub(super) struct Heredoc {
    marker: String,
    body: usize,
    /// The number of bytes that a literal loses, by its first byte.
    cuts: Vec<(usize, usize)>,
}

impl Heredoc {
    /// Whether the line that begins at a place ends it.
    pub(super) fn ends_at(&self, text: &str, at: usize) -> bool {
        let is_line = at == self.body || text.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\n');
        is_line && scan::is_marker_line(text.as_bytes(), at, self.marker.as_bytes())
    }

    /// The number of bytes that the literal at `at` loses.
    pub(super) fn cut(&self, at: usize) -> usize {
        self.cuts.binary_search_by_key(&at, |cut| cut.0).map_or(0, |found| self.cuts[found].1)
    }
}

impl Parser<'_> {
    /// `<<X`, `<<-X`: the lines up to one that contains only the marker.
    pub(super) fn heredoc(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let Some(((from, to), body)) = scan::heredoc(self.text.as_bytes(), start) else {
            return Err(self.fault("Invalid expression"));
        };
        let mut heredoc = Heredoc { marker: self.text[from..to].to_owned(), body, cuts: Vec::new() };
        if self.text[start..from].ends_with('-') && !fault!(LinesStay) {
            heredoc.cuts = flush(self.text, &heredoc);
        }
        self.heredocs.push(heredoc);
        self.at = body;
        let expression = self.nested(false, |parser| parser.template(body, End::Marker));
        self.heredocs.pop();
        Ok(Expression { place: self.place.part(start, self.at), ..expression? })
    }

    /// Passes the line that ends a heredoc, but not its line end.
    pub(super) fn marker_line(&mut self) {
        let end = scan::line_end(self.text.as_bytes(), self.at);
        self.at = end - usize::from(self.text[self.at..end].ends_with('\r'));
    }
}

/// The bytes that the first literal of each line loses: the smallest indentation of all lines. Lines of white space alone do not count and
/// lose none, white space that `~` trimmed does not count, and a line that begins with a template sequence has no indentation.
fn flush(text: &str, heredoc: &Heredoc) -> Vec<(usize, usize)> {
    let mut least = usize::MAX;
    let mut firsts: Vec<(usize, &str)> = Vec::new();
    let (mut at, mut is_first, mut trims) = (heredoc.body, true, false);
    while at < text.len() && !heredoc.ends_at(text, at) {
        let end = literal_end(text.as_bytes(), at);
        if end == at {
            least = if is_first { 0 } else { least };
            is_first = false;
            let close = scan::closing(text.as_bytes(), at + 2);
            trims = text[at..close].ends_with('~');
            at = close + 1;
            continue;
        }
        let token = trimmed(&text[at..end], trims, opens_with_trim(&text[end..]));
        let begun = token.trim_start();
        if is_first && (!(begun.is_empty() && token.ends_with('\n')) || fault!(BlankLineCounts)) {
            let space = &token[..token.len() - begun.len()];
            least = least.min(space.graphemes(true).count());
            firsts.push((at, token));
        }
        is_first = token.ends_with('\n');
        (at, trims) = (end, false);
    }
    let bytes = |token: &str| token.graphemes(true).take(least).map(str::len).sum();
    firsts.into_iter().map(|(at, token)| (at, bytes(token))).collect()
}

/// The end of the literal at `at`: after a line end, or before a template sequence.
pub(super) fn literal_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match byte {
            b'\n' => return at + 1,
            b'$' | b'%' if next == Some(b'{') => return at,
            b'$' | b'%' if next == Some(byte) && bytes.get(at + 2) == Some(&b'{') => at += 3,
            _ => at += 1,
        }
    }
    at
}

/// Whether a text begins with a sequence that takes the white space before it away.
pub(super) fn opens_with_trim(text: &str) -> bool {
    text.starts_with("${~") || text.starts_with("%{~")
}

/// A literal without the white space that adjacent sequences trim.
pub(super) fn trimmed(mut literal: &str, before: bool, after: bool) -> &str {
    if before {
        literal = literal.trim_start();
    }
    if after { literal.trim_end() } else { literal }
}
