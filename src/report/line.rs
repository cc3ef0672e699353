//! Lines of a rendering: text whose parts have a tone.

use unicode_width::UnicodeWidthStr;

/// The role of a part of a line. The command gives each a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Nothing in particular.
    Plain,
    /// A heading.
    Heading,
    /// Secondary text: types, counts, names of files.
    Dim,
    /// Added parts.
    Add,
    /// Changed parts.
    Change,
    /// Removed parts.
    Remove,
    /// Checks that hold.
    Good,
    /// Errors, and differences between answers.
    Bad,
}

/// A line of a rendering, without its line break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    spans: Vec<(Tone, String)>,
}

impl Line {
    /// An empty line.
    pub fn empty() -> Line {
        Line::default()
    }

    /// A line of one tone.
    pub fn of(tone: Tone, text: impl Into<String>) -> Line {
        Line::empty().with(tone, text)
    }

    /// This line with more text at its end.
    #[must_use]
    pub fn with(mut self, tone: Tone, text: impl Into<String>) -> Line {
        let text = text.into();
        if !text.is_empty() {
            self.spans.push((tone, text));
        }
        self
    }

    /// This line, moved to the right by so many columns.
    #[must_use]
    pub fn indented(mut self, columns: usize) -> Line {
        if !self.spans.is_empty() {
            self.spans.insert(0, (Tone::Plain, " ".repeat(columns)));
        }
        self
    }

    /// The parts.
    pub fn spans(&self) -> &[(Tone, String)] {
        &self.spans
    }

    /// The text alone.
    pub fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// How many columns of a terminal the line takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }
}

/// The text of lines, each with its line break.
pub fn plain(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text().trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_parts() {
        let line = Line::of(Tone::Add, "+ ").with(Tone::Plain, "né").with(Tone::Dim, "").indented(2);
        assert_eq!(line.text(), "  + né");
        assert_eq!(line.width(), 6);
        assert_eq!(line.spans().len(), 3);
        assert_eq!(plain(&[line, Line::empty()]), "  + né\n\n");
    }
}
