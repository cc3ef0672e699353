//! Documents for people: short values stay on one line, all others are broken and indented.

use super::Json;
use super::write::{Escape, push_quoted};

/// The width that lines keep to where they can.
const WIDTH: usize = 100;

/// The spaces of one level.
const INDENT: usize = 2;

impl Json {
    /// The document for reading and review: an array or object that fits is on one line of at most 100 columns,
    /// others have an item a line. Ends with a line break.
    pub fn to_pretty(&self) -> String {
        let mut writer = PrettyWriter { out: String::new(), indent: 0 };
        writer.value(self, 0);
        writer.out.push('\n');
        writer.out
    }
}

struct PrettyWriter {
    out: String,
    indent: usize,
}

impl PrettyWriter {
    /// Writes a value that begins at the end of a line already `used` columns wide, indent included.
    fn value(&mut self, json: &Json, used: usize) {
        // One column is kept for the comma that may follow.
        if flat_width(json, WIDTH.saturating_sub(used + 1)).is_some() {
            return self.flat(json);
        }
        match json {
            Json::Array(items) => {
                self.block('[', ']', items, |writer, item| writer.value(item, writer.indent));
            }
            Json::Object(members) => self.block('{', '}', members, |writer, (name, value)| {
                push_quoted(&mut writer.out, name, Escape::Plain);
                writer.out.push_str(": ");
                writer.value(value, writer.indent + quoted_width(name) + 2);
            }),
            scalar => self.flat(scalar),
        }
    }

    fn block<T>(&mut self, open: char, close: char, items: &[T], mut write: impl FnMut(&mut PrettyWriter, &T)) {
        self.out.push(open);
        self.indent += INDENT;
        for (index, item) in items.iter().enumerate() {
            self.out.push_str(if index == 0 { "\n" } else { ",\n" });
            self.margin();
            write(self, item);
        }
        self.indent -= INDENT;
        self.out.push('\n');
        self.margin();
        self.out.push(close);
    }

    fn margin(&mut self) {
        self.out.extend(std::iter::repeat_n(' ', self.indent));
    }

    fn flat(&mut self, json: &Json) {
        match json {
            Json::Null => self.out.push_str("null"),
            Json::Bool(bool) => self.out.push_str(if *bool { "true" } else { "false" }),
            Json::Number(text) => self.out.push_str(text),
            Json::String(text) => push_quoted(&mut self.out, text, Escape::Plain),
            Json::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { ", " });
                    self.flat(item);
                }
                self.out.push(']');
            }
            Json::Object(members) => {
                self.out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { ", " });
                    push_quoted(&mut self.out, name, Escape::Plain);
                    self.out.push_str(": ");
                    self.flat(value);
                }
                self.out.push('}');
            }
        }
    }
}

/// The columns of `json` on one line, or `None` as soon as they exceed `room`; so the cost is bounded by `room`,
/// however big the value is.
fn flat_width(json: &Json, room: usize) -> Option<usize> {
    let width = match json {
        Json::Null => 4,
        Json::Bool(bool) => 5 - usize::from(*bool),
        Json::Number(text) => text.len(),
        Json::String(text) if text.len() > room * 4 => return None,
        Json::String(text) => quoted_width(text),
        Json::Array(items) => {
            let mut width = 2 + 2 * items.len().saturating_sub(1);
            for item in items {
                width += flat_width(item, room.checked_sub(width)?)?;
            }
            width
        }
        Json::Object(members) => {
            let mut width = 2 + 2 * members.len().saturating_sub(1);
            for (name, value) in members {
                width += quoted_width(name) + 2;
                width += flat_width(value, room.checked_sub(width)?)?;
            }
            width
        }
    };
    (width <= room).then_some(width)
}

/// The columns of a string between its quotes and with them; escapes are taken as one column, which is near enough.
fn quoted_width(text: &str) -> usize {
    text.chars().count() + 2
}
