//! Refinement records of unknown values (V40 to V43).

use super::number::Number;
use super::text::Text;

/// What is known of an unknown value (V40). A record may say nothing at all (V41), which is not the same as no
/// record (V31).
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    /// Whether the value is definitely not null. A record never says "null": that makes the value known (V42).
    pub not_null: bool,
    /// What the type allows to be said beyond nullness.
    pub range: Range,
}

/// The part of a record that depends on the type.
#[derive(Clone, Debug, Default)]
pub enum Range {
    /// Nothing beyond nullness; all that bool, object and tuple can say.
    #[default]
    Any,
    /// A string that begins with this prefix.
    String {
        /// The prefix, in NFC; never empty.
        prefix: Text,
    },
    /// A number between bounds.
    Number {
        /// The lower bound.
        min: Option<Bound>,
        /// The upper bound.
        max: Option<Bound>,
    },
    /// A list, set or map of so many elements.
    Length {
        /// The least length.
        min: u64,
        /// The greatest length; [`UNBOUNDED`] when nothing is said.
        max: u64,
    },
}

/// One bound of a number.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The number.
    pub value: Number,
    /// Whether the number itself is within the range.
    pub inclusive: bool,
}

/// The greatest length where nothing is said (V40).
pub const UNBOUNDED: u64 = i64::MAX as u64;
