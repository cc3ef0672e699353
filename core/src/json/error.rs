//! The problems of a document, and their places.

use std::fmt;

use super::place::write_name;
use super::read::{MAX_NESTING, MAX_NUMBER_LENGTH};

/// The error for a document that could not be read, or whose content is not the expected one. It holds the first
/// problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    problem: JsonProblem,
    path: String,
    position: Option<Position>,
}

/// A place in the text of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1; 0 at the start of a line.
    pub column: usize,
}

/// The problem in a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonProblem {
    /// The text is no JSON document.
    #[error("expected one JSON document: {message}")]
    Syntax {
        /// The message of the parser.
        message: String,
    },
    /// Too many levels of arrays and objects.
    #[error("expected at most {MAX_NESTING} levels of arrays and objects")]
    TooDeep,
    /// An object has a member twice.
    #[error("expected each member once, found {name:?} again")]
    Duplicate {
        /// The repeated name.
        name: String,
    },
    /// A number literal is longer than the limit.
    #[error("expected a number of at most {MAX_NUMBER_LENGTH} characters, found one of {length}")]
    LongNumber {
        /// Its length in characters.
        length: usize,
    },
    /// A value is not of the expected form.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A member is missing.
    #[error("expected the member {name:?}, found none of that name")]
    Missing {
        /// The name.
        name: String,
    },
    /// A member has an unknown name.
    #[error("found the unknown member {name:?}; expected no more than {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A number is not one that values can hold (V17, V18).
    #[error("{message}")]
    Number {
        /// What is wrong with it.
        message: String,
    },
    /// Two elements of one collection have different types (V08).
    #[error("expected elements of one type (V08), found {first} and {other}")]
    MixedElements {
        /// The type so far, as engines write it.
        first: String,
        /// The one that differs.
        other: String,
    },
    /// The facts of a refinement contradict each other, or do not fit the type (V40 to V43).
    #[error("{message}")]
    Refinement {
        /// What is wrong with them.
        message: String,
    },
    /// A type, or the type that a schema implies, nests too deep.
    #[error("expected {what} of at most {most} levels, found more")]
    Deep {
        /// What nests.
        what: &'static str,
        /// How many levels there may be.
        most: usize,
    },
    /// A schema breaks a rule of schema.md, so that it cannot be represented.
    #[error("{message} ({rule})")]
    Schema {
        /// The rule of schema.md.
        rule: &'static str,
        /// What is wrong.
        message: String,
    },
}

impl JsonError {
    /// An error at the place that is being read; the callers add the steps that lead there.
    pub fn new(problem: JsonProblem) -> JsonError {
        JsonError(Box::new(Inner { problem, path: String::new(), position: None }))
    }

    /// The problem.
    pub fn problem(&self) -> &JsonProblem {
        &self.0.problem
    }

    /// The place as a path from the outermost value that was read, in the notation of formats.md; empty for the
    /// whole.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The position in the text, for errors of the document itself.
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// The same error, seen from the value that `step` starts from; `step` as it is written.
    #[must_use]
    pub fn inside(mut self, step: &impl fmt::Display) -> JsonError {
        self.0.path.insert_str(0, &step.to_string());
        self
    }

    /// The same error, seen from the object that has it in the member `name`.
    #[must_use]
    pub fn inside_member(mut self, name: &str) -> JsonError {
        let mut step = String::new();
        write_name(&mut step, name).expect("a string takes all that is written");
        self.0.path.insert_str(0, &step);
        self
    }

    /// The same error, seen from the array that has it in the item `index`.
    #[must_use]
    pub fn inside_index(self, index: usize) -> JsonError {
        self.inside(&format_args!("[{index}]"))
    }

    pub(super) fn at(mut self, line: usize, column: usize) -> JsonError {
        self.0.position = Some(Position { line, column });
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { problem, path, position } = &*self.0;
        if let Some(Position { line, column }) = position {
            write!(f, "line {line}, column {column}")?;
            f.write_str(if path.is_empty() { ": " } else { ", " })?;
        }
        if !path.is_empty() {
            write!(f, "{}: ", in_short(path))?;
        }
        problem.fmt(f)
    }
}

impl std::error::Error for JsonError {}

impl From<JsonProblem> for JsonError {
    fn from(problem: JsonProblem) -> JsonError {
        JsonError::new(problem)
    }
}

/// The path shortened to one line: a long one keeps its start and its end.
fn in_short(path: &str) -> String {
    const START: usize = 80;
    const END: usize = 40;
    let count = path.chars().count();
    if count <= START + END {
        return path.to_owned();
    }
    let start: String = path.chars().take(START).collect();
    let end: String = path.chars().skip(count - END).collect();
    format!("{start}…{end}")
}

/// The start of a text, for a message.
pub(super) fn shortened(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
