//! Refinement records of unknown values (V40 to V43).
//!
//! Records are made by a [`Refiner`], which takes facts one after the other, refuses those that contradict the
//! earlier ones (upstream crashes on them), and returns the value that the facts determine.

mod prefix;
mod refiner;

pub use prefix::{safe_prefix, safe_prefix_within, wire_prefix};
pub use refiner::{MAX_KNOWN_LENGTH, RefinementError, Refiner};

use super::number::Number;
use super::text::Text;

/// The facts about an unknown value (V40). A record may be empty (V41), which is not the same as no record (V31).
/// Equality is raw equality of records (V31).
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    /// Whether the value is definitely not null. A record never has the fact "null": that makes the value known
    /// (V42).
    pub not_null: bool,
    /// The facts that the type allows beyond nullness.
    pub range: Range,
}

/// The part of a record that depends on the type.
#[derive(Clone, Debug, Default)]
pub enum Range {
    /// No fact beyond nullness; all that bool, object and tuple allow.
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
        /// The greatest length; [`UNBOUNDED`] when there is no bound.
        max: u64,
    },
}

/// One bound of a number. Equality is that of V31.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The number.
    pub value: Number,
    /// Whether the number itself is within the range.
    pub inclusive: bool,
}

/// The greatest length where there is no bound (V40).
pub const UNBOUNDED: u64 = i64::MAX as u64;

impl Refinement {
    /// The prefix of a string; empty when there is none.
    pub fn prefix(&self) -> &str {
        match &self.range {
            Range::String { prefix } => prefix,
            Range::Any | Range::Number { .. } | Range::Length { .. } => "",
        }
    }

    /// The lower bound of a number.
    pub fn number_min(&self) -> Option<&Bound> {
        match &self.range {
            Range::Number { min, .. } => min.as_ref(),
            Range::Any | Range::String { .. } | Range::Length { .. } => None,
        }
    }

    /// The upper bound of a number.
    pub fn number_max(&self) -> Option<&Bound> {
        match &self.range {
            Range::Number { max, .. } => max.as_ref(),
            Range::Any | Range::String { .. } | Range::Length { .. } => None,
        }
    }

    /// The least and the greatest length; 0 and [`UNBOUNDED`] when there are no bounds.
    pub fn lengths(&self) -> (u64, u64) {
        match self.range {
            Range::Length { min, max } => (min, max),
            Range::Any | Range::String { .. } | Range::Number { .. } => (0, UNBOUNDED),
        }
    }

    /// Whether the record has no facts (V41).
    pub fn is_empty(&self) -> bool {
        *self == Refinement::default()
    }
}

impl PartialEq for Refinement {
    fn eq(&self, other: &Refinement) -> bool {
        self.not_null == other.not_null
            && self.prefix() == other.prefix()
            && self.number_min() == other.number_min()
            && self.number_max() == other.number_max()
            && self.lengths() == other.lengths()
    }
}

impl Eq for Refinement {}

impl PartialEq for Bound {
    fn eq(&self, other: &Bound) -> bool {
        self.inclusive == other.inclusive && self.value.equals(&other.value)
    }
}

impl Eq for Bound {}
