//! The errors of reading and writing plan files.

use crate::address::AddressError;
use crate::plans::{Action, NotDecodable, NotOfAnOutput, TimestampError};
use crate::state::file::StateFileError;

use super::{MAX_FILE_BYTES, MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_MESSAGE_BYTES, MAX_TOTAL_BYTES};

/// The error for bytes that are no plan file. It holds the first problem.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// A bound is exceeded.
    #[error("expected at most {}, found more", bound.text())]
    TooMuch {
        /// The bound.
        bound: Bound,
    },
    /// Not a zip archive, or a broken one (PF10).
    #[error("expected a zip archive: {message}")]
    Zip {
        /// The message of the archive reader.
        message: String,
    },
    /// A member cannot be inflated, or does not match its checksum.
    #[error("expected the member {name:?} whole: {message}")]
    Broken {
        /// The member.
        name: String,
        /// The message of the archive reader.
        message: String,
    },
    /// A member is there twice.
    #[error("expected each member once, found a name again")]
    Duplicate,
    /// An unknown member.
    #[error("expected the members of a plan, found {name:?}")]
    UnknownMember {
        /// The start of its name.
        name: String,
    },
    /// A missing member (PF02 to PF06). Engines before 1.0 wrote plans without some of them, which are not read.
    #[error("expected the member {name:?}, found none: no plan, or one of an engine before 1.0")]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// A state in it cannot be read.
    #[error("member {name:?}: {error}")]
    State {
        /// The member.
        name: &'static str,
        /// The error.
        error: StateFileError,
    },
    /// The manifest of modules cannot be read.
    #[error("member {name:?}: {error}", name = super::MANIFEST)]
    Manifest {
        /// The error.
        error: crate::json::JsonError,
    },
    /// The member `tfplan` is no message.
    #[error("member \"tfplan\": {0}")]
    Message(#[from] prost::DecodeError),
    /// The content of the message is invalid.
    #[error("member \"tfplan\", {place}: {problem}")]
    Content {
        /// The list with the index in it, or the field.
        place: String,
        /// The problem.
        problem: ContentProblem,
    },
}

/// A bound on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The bytes of the file.
    File,
    /// The number of members.
    Members,
    /// The bytes of one member.
    Member,
    /// The bytes of all members.
    Total,
    /// The memory that the message takes.
    Message,
}

impl Bound {
    fn text(self) -> String {
        match self {
            Bound::File => format!("a file of {MAX_FILE_BYTES} bytes"),
            Bound::Members => format!("{MAX_MEMBERS} members"),
            Bound::Member => format!("{MAX_MEMBER_BYTES} bytes in a member"),
            Bound::Total => format!("{MAX_TOTAL_BYTES} bytes in all members"),
            Bound::Message => format!("a plan that takes {MAX_MESSAGE_BYTES} bytes of memory"),
        }
    }
}

/// A problem in the content of a message, or in content that a message should have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentProblem {
    /// Another version of the format.
    #[error("expected version 3, found {0}")]
    Version(u64),
    /// A number without meaning, or without meaning in this engine.
    #[error("expected {of} of this engine, found {found}")]
    Code {
        /// The enumeration.
        of: &'static str,
        /// The number, or the name of a member without number.
        found: String,
    },
    /// A required part is missing.
    #[error("expected {0}, found nothing")]
    Absent(&'static str),
    /// PF30: wrong number of values.
    #[error("expected {expected} values for the action, found {found}")]
    Values {
        /// How many the action needs.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// PF30: a value without bytes.
    #[error("expected a value, found no bytes")]
    EmptyValue,
    /// An invalid deposed key.
    #[error("expected eight hexadecimal digits as the deposed key, found {0:?}")]
    Deposed(String),
    /// PF42: a step without kind.
    #[error("expected an attribute or a key in each step, found neither")]
    EmptyStep,
    /// PF40: a key that is neither a string nor an index.
    #[error("expected a string or an index as the key of a step, found another value")]
    StepKey,
    /// A field that only the other engine has.
    #[error("expected fields of this engine, found {0}")]
    OtherEngine(&'static str),
    /// A text that is no address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// An address of another kind.
    #[error("expected the address of {of}, found {found}")]
    AddressOf {
        /// The expected kind.
        of: &'static str,
        /// The address.
        found: String,
    },
    /// A change that no output can have.
    #[error(transparent)]
    Output(#[from] NotOfAnOutput),
    /// A text that is no timestamp.
    #[error(transparent)]
    Timestamp(#[from] TimestampError),
    /// PF30: the value is not the one that a file of this action implies.
    #[error("expected {expected} as the value {side} of {action}, found another")]
    OtherValue {
        /// The value that a file implies.
        expected: &'static str,
        /// Before or after.
        side: &'static str,
        /// The action.
        action: Action,
    },
    /// A part of a field that is a message of its own.
    #[error("expected {of}: {message}")]
    Part {
        /// The message.
        of: &'static str,
        /// The message of the decoder.
        message: String,
    },
}

impl ContentProblem {
    pub(super) fn at(self, place: impl Into<String>) -> PlanFileError {
        PlanFileError::Content { place: place.into(), problem: self }
    }
}

/// The error for a change of a file that is no change of a resource type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotAChange {
    /// A value does not fit the type.
    #[error(transparent)]
    Value(#[from] NotDecodable),
    /// The content is no change.
    #[error(transparent)]
    Content(#[from] ContentProblem),
}
