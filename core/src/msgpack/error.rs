//! The problems of msgpack bytes, and their places.

use std::fmt;

use crate::json::JsonError;
use crate::value::{MAX_DEPTH, NumberError, Path, RefinementError, Step, Text, Type};

use super::decode::MAX_MADE;

/// Why bytes could not be decoded. One problem, the first one met.
#[derive(Clone, Debug)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    problem: DecodeProblem,
    offset: usize,
    /// The steps to the part that was read, the last one first. They end at a set, whose elements have no place yet.
    steps: Vec<Step>,
}

/// The problem in the bytes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeProblem {
    /// The input ends inside a value.
    #[error("expected {expected} bytes more, found {found}")]
    Truncated {
        /// How many bytes the piece that was being read has: the code, a length, or a payload.
        expected: usize,
        /// How many of them are there.
        found: usize,
    },
    /// A code does not fit here.
    #[error("expected {expected}, found the code {found:#04x}")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// The code that was found.
        found: u8,
    },
    /// An array or map of a fixed length has another one (V82, V85).
    #[error("expected {expected} entries, found {found}")]
    Length {
        /// How many there must be.
        expected: usize,
        /// How many the header announces.
        found: usize,
    },
    /// An object has an entry that its type does not have (V85).
    #[error("expected an attribute of the object, found {found:?}")]
    UnknownAttribute {
        /// The start of the key.
        found: String,
    },
    /// A string is not valid UTF-8 (V25).
    #[error("expected valid UTF-8, found an invalid byte after {valid} bytes")]
    Utf8 {
        /// How many bytes of the string are valid.
        valid: usize,
    },
    /// A string is no number (V17, V18).
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The type beside a dynamic value cannot be read (V82).
    #[error("expected the JSON of a type, found another text: {0}")]
    Type(JsonError),
    /// An extension that is no unknown value (V81).
    #[error("expected an unknown value (extension 12, at most 1024 bytes), found extension {code} of {length} bytes")]
    Extension {
        /// The extension's type.
        code: i8,
        /// The length of its body in bytes.
        length: usize,
    },
    /// A refinement that the type does not have (V81).
    #[error("expected a refinement of {}, found key {key}", ty.to_v05_text())]
    Refinement {
        /// The key.
        key: i64,
        /// The type of the unknown value.
        ty: Type,
    },
    /// A bound of a number that is itself null or unknown, or has parts missing (V81).
    #[error("expected a known number and whether it is included, found something unknown, null or absent")]
    Bound,
    /// Lists that are known to have very many unknown elements (V43): few bytes would become gigabytes.
    #[error("expected at most {MAX_MADE} elements that are known only by a list's length, found more")]
    TooManyMade,
    /// Too many levels.
    #[error("expected at most {MAX_DEPTH} levels, found more")]
    TooDeep,
    /// A document has more after its end (V90).
    #[error("expected the end of the document, found more bytes")]
    Trailing,
    /// A number is NaN (V83). An engine crashes.
    #[error("expected a number, found NaN")]
    NotANumber,
    /// Facts of an unknown value that contradict each other (V42). An engine crashes.
    #[error("expected facts that hold together, found a contradiction: {0}")]
    Contradiction(RefinementError),
    /// Two elements of one collection have different types (V86). An engine crashes.
    #[error("expected elements of one type, found {} and {}", first.to_v05_text(), other.to_v05_text())]
    MixedElements {
        /// The type so far.
        first: Type,
        /// The one that differs.
        other: Type,
    },
}

impl DecodeError {
    pub(super) fn new(offset: usize, problem: impl Into<DecodeProblem>) -> DecodeError {
        DecodeError(Box::new(Inner { problem: problem.into(), offset, steps: Vec::new() }))
    }

    /// The problem.
    pub fn problem(&self) -> &DecodeProblem {
        &self.0.problem
    }

    /// Where, in bytes from the start of the input.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Where, in the value. A path that would lead into a set ends at the set.
    pub fn path(&self) -> Path {
        self.0.steps.iter().rev().fold(Path::root(), |path, step| path.step(step.clone()))
    }

    /// Whether an engine crashes on this input, where it refuses others with an error (V42, V83, V86).
    pub fn is_engine_crash(&self) -> bool {
        matches!(
            self.0.problem,
            DecodeProblem::NotANumber | DecodeProblem::Contradiction(_) | DecodeProblem::MixedElements { .. }
        )
    }

    /// The same error, seen from the value that `step` starts from.
    #[cold]
    pub(super) fn inside(mut self, step: Step) -> DecodeError {
        self.0.steps.push(step);
        self
    }

    #[cold]
    pub(super) fn inside_index(self, index: usize) -> DecodeError {
        self.inside(Step::Index(index as u64))
    }

    #[cold]
    pub(super) fn inside_attribute(self, name: &Text) -> DecodeError {
        self.inside(Step::Attribute(name.clone()))
    }

    /// The same error, seen from the set that has it in one of its elements.
    #[cold]
    pub(super) fn inside_set(mut self) -> DecodeError {
        self.0.steps.clear();
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.0.offset)?;
        if !self.0.steps.is_empty() {
            write!(f, ", {}", self.path())?;
        }
        write!(f, ": {}", self.0.problem)
    }
}

impl std::error::Error for DecodeError {}
