//! JSON with places.

use crate::place::{SourcePlace, Span};

/// A value and where it is written.
#[derive(Clone, Debug)]
pub struct Json {
    /// From its first byte to its last.
    pub place: SourcePlace,
    /// What it is.
    pub kind: JsonKind,
}

/// What a value is. Strings are without their escapes, numbers as they are written (E10: with all their digits).
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
    /// An object: members in their order, names as often as they are written.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Box<str>,
    /// Where the name is, with its quotes.
    pub name_place: SourcePlace,
    /// Its value.
    pub value: Json,
}

/// Equal by what they are, wherever they are written.
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
    /// Where diagnostics of its kind point: the bracket of arrays and objects, all of anything else.
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

    /// What a string says.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// How the messages call its kind.
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
