//! JSON with places.

use crate::place::{SourcePlace, Span};

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Json {
    /// Its first to its last byte.
    pub place: SourcePlace,
    /// Its kind and contents.
    pub kind: JsonKind,
}

/// The kind and contents of a value. Strings are unescaped, numbers keep their text (E10: all their digits).
#[derive(Clone, Debug, PartialEq)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number, as it is written.
    Number(Box<str>),
    /// A string.
    String(Box<str>),
    /// An array.
    Array(Vec<Json>),
    /// An object: members in the order of the text; names may repeat.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Box<str>,
    /// The place of the name, including its quotes.
    pub name_place: SourcePlace,
    /// Its value.
    pub value: Json,
}

/// Values are equal if their contents are, whatever their places.
impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Json {
    /// The place of diagnostics about its kind: the bracket of arrays and objects, the whole of any other value.
    pub fn start_place(&self) -> SourcePlace {
        match self.kind {
            JsonKind::Array(_) | JsonKind::Object(_) => self.place.part(0, 1),
            _ => self.place,
        }
    }

    /// The last byte: where an object or array is closed.
    pub fn end_place(&self) -> SourcePlace {
        self.place.with(Span::new(self.place.span.end.saturating_sub(1), self.place.span.end))
    }

    /// Where the text of a string begins, as the engine counts places in templates.
    pub fn template_place(&self) -> SourcePlace {
        self.place.with(Span::new(
            self.place.span.start + 1,
            self.place.span.end.saturating_sub(1).max(self.place.span.start + 1),
        ))
    }

    /// The contents of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The name of its kind in messages.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            JsonKind::Null => "null",
            JsonKind::Bool(_) => "a boolean",
            JsonKind::Number(_) => "a number",
            JsonKind::String(_) => "a string",
            JsonKind::Array(_) => "an array",
            JsonKind::Object(_) => "an object",
        }
    }
}
