//! Numbers (V16 to V21): exact binary numbers with the precision of their source.
//!
//! Nearly every number of a plan is a small integer or a short decimal. Small integers live in the value itself, and
//! short decimals are their own canonical text (the law is stated where they are read), so that writing, equality,
//! order and hashes of both need no arithmetic on long numbers; what needs the exact binary value computes it once.
//! No text makes a number whose digits are more than a bound (see [`NumberError`]), so every operation is short.

mod arithmetic;
mod binary;
mod parse;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use num_bigint::BigUint;
use triomphe::Arc;

use super::truth::Truth;
use binary::{Binary, FLOAT_PRECISION};
pub use parse::NumberError;
use text::Decimal;

/// A number (V16).
#[derive(Clone)]
pub enum Number {
    /// A whole number of 64 bits whose precision cannot be observed: its canonical text is its digits.
    Int(i64),
    /// A whole number of fewer bits of precision than a text has, and not more than those: only arithmetic distinguishes it from
    /// [`Number::Int`] (E82).
    Short {
        /// The number.
        int: i64,
        /// The bits of precision (V16).
        precision: u16,
    },
    /// Minus zero: equal to zero (V21), written differently (V19).
    NegativeZero {
        /// The bits of precision (V16).
        precision: u16,
    },
    /// One of the infinities.
    Infinity {
        /// Whether it is minus infinity.
        negative: Truth,
    },
    /// Everything else.
    Exact(Arc<Exact>),
}

/// The parts of a number, for code that computes with it by other means.
#[derive(Clone, Copy, Debug)]
pub enum NumberParts<'a> {
    /// A decimal text of 512 bits of precision (V18).
    Text(&'a str),
    /// `±mantissa · 2^exponent` of a precision in bits.
    Binary {
        /// Whether it is below zero.
        negative: bool,
        /// The mantissa.
        mantissa: &'a BigUint,
        /// The exponent.
        exponent: i64,
        /// The bits of precision (V16).
        precision: u32,
    },
}

/// A number that is none of the simple ones.
///
/// It is made from its value or from its text; the other of the two is computed on first use.
#[derive(Clone, Debug)]
pub struct Exact {
    negative: bool,
    whole: bool,
    source: Source,
}

/// The source of a number.
#[derive(Clone, Debug)]
enum Source {
    /// A decimal that is its own canonical text, by the law of `parse`.
    Text { text: Box<str>, value: OnceLock<Binary> },
    /// A value of a precision in bits.
    Value { value: Binary, precision: u32, text: OnceLock<Box<str>> },
}

impl Exact {
    fn of_text(negative: bool, whole: bool, text: String) -> Exact {
        Exact { negative, whole, source: Source::Text { text: text.into(), value: OnceLock::new() } }
    }

    fn of_value(value: Binary, precision: u32) -> Exact {
        let (negative, whole) = (value.negative, value.is_whole());
        Exact { negative, whole, source: Source::Value { value, precision, text: OnceLock::new() } }
    }

    fn value(&self) -> &Binary {
        match &self.source {
            Source::Text { text, value } => value.get_or_init(|| parse::value_of_own_text(text)),
            Source::Value { value, .. } => value,
        }
    }

    fn text(&self) -> &str {
        match &self.source {
            Source::Text { text, .. } => text,
            Source::Value { value, precision, text } => text.get_or_init(|| text::canonical(value, *precision).into()),
        }
    }

    /// The text, where the number was made from it.
    fn own_text(&self) -> Option<&str> {
        match &self.source {
            Source::Text { text, .. } => Some(text),
            Source::Value { .. } => None,
        }
    }

    /// Its parts.
    pub fn parts(&self) -> NumberParts<'_> {
        match &self.source {
            Source::Text { text, .. } => NumberParts::Text(text),
            Source::Value { value: Binary { negative, mantissa, exponent }, precision, .. } => {
                NumberParts::Binary { negative: *negative, mantissa, exponent: *exponent, precision: *precision }
            }
        }
    }

    fn key_text(&self) -> String {
        if let Some(text) = self.own_text() {
            let decimal = Decimal::of_positional(text.trim_start_matches('-'));
            // The value is next to its decimal, so the two round alike unless the decimal lies halfway.
            if !decimal.is_halfway_in_key() {
                return decimal.key_text(self.negative);
            }
        }
        text::key_text(self.value())
    }
}

impl Number {
    /// Minus zero, as it is written.
    pub const NEGATIVE_ZERO: Number = Number::NegativeZero { precision: binary::TEXT_PRECISION as u16 };

    /// Reads decimal text (V17, V18) at a precision of 512 bits.
    ///
    /// # Errors
    /// Text that V17 does not accept, text that is too long to be read, and numbers whose digits would be more than the bound in the message.
    /// (Upstream reads some of these as zero or as an infinity; no plan needs them.)
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        parse::parse(text)
    }

    /// The number of a float of 64 bits, at a precision of 53 bits; `None` for NaN, which is no number (V17).
    pub fn from_f64(float: f64) -> Option<Number> {
        if float.is_nan() {
            return None;
        }
        if float.is_infinite() {
            return Some(Number::Infinity { negative: Truth(float < 0.0) });
        }
        if float == 0.0 {
            return Some(if float.is_sign_negative() { Number::NEGATIVE_ZERO } else { Number::Int(0) });
        }
        Some(Number::from_binary(Binary::from_f64(float), FLOAT_PRECISION))
    }

    /// A number of a value and a precision in bits.
    ///
    /// A whole number has its digits as canonical text where neighbours are at most one apart, so where it has no
    /// more bits than its precision; a greater one may be known by fewer digits and is kept with its precision.
    fn from_binary(value: Binary, precision: u32) -> Number {
        match value.to_i64() {
            Some(int) if value.magnitude() <= precision.into() => Number::Int(int),
            _ => Number::Exact(Arc::new(Exact::of_value(value, precision))),
        }
    }

    /// The canonical text (V19).
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Number::Int(int) | Number::Short { int, .. } => Cow::Owned(int.to_string()),
            Number::NegativeZero { .. } => Cow::Borrowed("-0"),
            Number::Infinity { negative: Truth(false) } => Cow::Borrowed("+Inf"),
            Number::Infinity { negative: Truth(true) } => Cow::Borrowed("-Inf"),
            Number::Exact(exact) => Cow::Borrowed(exact.text()),
        }
    }

    /// Appends the canonical text (V19).
    pub fn write_text(&self, out: &mut String) {
        match self {
            Number::Int(int) | Number::Short { int, .. } => with_digits(*int, |digits| out.push_str(digits)),
            _ => out.push_str(&self.text()),
        }
    }

    /// The key text (V20), used only in the keys of sets (V51).
    pub fn key_text(&self) -> Cow<'_, str> {
        match self {
            Number::Int(int) | Number::Short { int, .. } if int.unsigned_abs() >= 10_000_000_000 => {
                let digits = int.unsigned_abs().to_string();
                Cow::Owned(Decimal::new(digits.as_bytes(), 0).key_text(*int < 0))
            }
            Number::Exact(exact) => Cow::Owned(exact.key_text()),
            Number::Int(_) | Number::Short { .. } | Number::NegativeZero { .. } | Number::Infinity { .. } => {
                self.text()
            }
        }
    }

    /// Appends the key text (V20).
    pub fn write_key_text(&self, out: &mut Vec<u8>) {
        match self {
            Number::Int(int) | Number::Short { int, .. } if int.unsigned_abs() < 10_000_000_000 => {
                with_digits(*int, |digits| out.extend_from_slice(digits.as_bytes()));
            }
            _ => out.extend_from_slice(self.key_text().as_bytes()),
        }
    }

    /// Equality of numbers (V21).
    pub fn equals(&self, other: &Number) -> bool {
        match (self, other) {
            (Number::Int(a) | Number::Short { int: a, .. }, Number::Int(b) | Number::Short { int: b, .. }) => a == b,
            (Number::NegativeZero { .. }, Number::NegativeZero { .. }) => true,
            (Number::Int(int) | Number::Short { int, .. }, Number::NegativeZero { .. })
            | (Number::NegativeZero { .. }, Number::Int(int) | Number::Short { int, .. }) => *int == 0,
            (Number::Infinity { negative: a }, Number::Infinity { negative: b }) => a == b,
            (Number::Exact(exact), Number::Int(int) | Number::Short { int, .. })
            | (Number::Int(int) | Number::Short { int, .. }, Number::Exact(exact)) => {
                exact.own_text().is_none() && exact.value().to_i64() == Some(*int)
            }
            (Number::Exact(a), Number::Exact(b)) => Arc::ptr_eq(a, b) || exact_equals(a, b),
            (Number::NegativeZero { .. }, Number::Exact(_)) | (Number::Exact(_), Number::NegativeZero { .. }) => false,
            (Number::Infinity { .. }, _) | (_, Number::Infinity { .. }) => false,
        }
    }

    /// The order of the exact values (V21); -0 and 0 are equal in it.
    ///
    /// Numbers that are equal by [`Number::equals`] need not be equal in it: the float 1.1 is greater than the text.
    pub fn compare(&self, other: &Number) -> Ordering {
        if let (Number::Int(a), Number::Int(b)) = (self, other) {
            return a.cmp(b);
        }
        let (a_sign, b_sign) = (self.sign(), other.sign());
        a_sign.cmp(&b_sign).then_with(|| match (self.is_infinite(), other.is_infinite()) {
            _ if a_sign == 0 => Ordering::Equal,
            (true, true) => Ordering::Equal,
            (true, false) => a_sign.cmp(&0),
            (false, true) => 0.cmp(&a_sign),
            (false, false) => compare_finite(self, other),
        })
    }

    /// Whether the number is whole; infinities are not.
    pub fn is_whole(&self) -> bool {
        match self {
            Number::Int(_) | Number::Short { .. } | Number::NegativeZero { .. } => true,
            Number::Infinity { .. } => false,
            Number::Exact(exact) => exact.whole,
        }
    }

    /// Whether this is one of the infinities.
    pub fn is_infinite(&self) -> bool {
        matches!(self, Number::Infinity { .. })
    }

    /// The number as an integer of 64 bits, where it is exactly one; -0 is 0.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Number::Int(int) | Number::Short { int, .. } => Some(*int),
            Number::NegativeZero { .. } => Some(0),
            Number::Infinity { .. } => None,
            // A decimal that is its own text and fits is an `Int`.
            Number::Exact(exact) if exact.own_text().is_some() => None,
            Number::Exact(exact) => exact.value().to_i64(),
        }
    }

    /// The number as a float of 64 bits, where it is exactly one; the infinities are, and -0 is.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Number::Int(0) | Number::Short { int: 0, .. } => Some(0.0),
            Number::Int(int) | Number::Short { int, .. } => whole_binary(*int).to_f64(),
            Number::NegativeZero { .. } => Some(-0.0),
            Number::Infinity { negative: Truth(false) } => Some(f64::INFINITY),
            Number::Infinity { negative: Truth(true) } => Some(f64::NEG_INFINITY),
            Number::Exact(exact) => exact.value().to_f64(),
        }
    }

    /// A hash that agrees for numbers that are equal by V21.
    pub fn hash_code(&self) -> u64 {
        match self {
            Number::Int(int) | Number::Short { int, .. } => mixed(int.cast_unsigned()),
            Number::NegativeZero { .. } => mixed(0),
            Number::Infinity { negative: Truth(negative) } => !mixed(u64::from(*negative)),
            Number::Exact(exact) => exact_hash(exact),
        }
    }

    /// A copy that shares nothing with this one.
    pub fn deep_clone(&self) -> Number {
        match self {
            Number::Int(_) | Number::Short { .. } | Number::NegativeZero { .. } | Number::Infinity { .. } => {
                self.clone()
            }
            Number::Exact(exact) => Number::Exact(Arc::new((**exact).clone())),
        }
    }

    /// −1, 0 or 1.
    fn sign(&self) -> i8 {
        match self {
            Number::Int(int) | Number::Short { int, .. } => int.signum().try_into().unwrap_or(0),
            Number::NegativeZero { .. } => 0,
            Number::Infinity { negative: Truth(negative) } => {
                if *negative {
                    -1
                } else {
                    1
                }
            }
            Number::Exact(exact) => {
                if exact.negative {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// The exact value of a finite number other than zero.
    fn binary(&self) -> Option<Cow<'_, Binary>> {
        match self {
            Number::Int(0) | Number::Short { int: 0, .. } | Number::NegativeZero { .. } | Number::Infinity { .. } => {
                None
            }
            Number::Int(int) | Number::Short { int, .. } => Some(Cow::Owned(whole_binary(*int))),
            Number::Exact(exact) => Some(Cow::Borrowed(exact.value())),
        }
    }

    /// The canonical text, where the order of such texts as decimals is the order of the values.
    fn ordered_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Number::Int(_) | Number::Short { .. } => Some(self.text()),
            Number::Exact(exact) => exact.own_text().map(Cow::Borrowed),
            Number::NegativeZero { .. } | Number::Infinity { .. } => None,
        }
    }
}

/// V21 for two numbers of the same kind: texts where they decide, values otherwise.
fn exact_equals(a: &Exact, b: &Exact) -> bool {
    if a.whole != b.whole || a.negative != b.negative {
        return false;
    }
    match (a.own_text(), b.own_text()) {
        (Some(a), Some(b)) => a == b,
        _ if a.whole => a.value() == b.value(),
        _ => a.text() == b.text(),
    }
}

/// The order of two finite numbers of one sign other than zero.
fn compare_finite(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (a.ordered_text(), b.ordered_text()) {
        return match (a.strip_prefix('-'), b.strip_prefix('-')) {
            (Some(a), Some(b)) => compare_decimals(b, a),
            _ => compare_decimals(&a, &b),
        };
    }
    match (a.binary(), b.binary()) {
        (Some(a), Some(b)) => a.compare(&b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// The order of two canonical texts without sign. A whole part has no leading zero but a single one, and a fraction
/// no trailing zero.
fn compare_decimals(a: &str, b: &str) -> Ordering {
    let (a_whole, a_fraction) = a.split_once('.').unwrap_or((a, ""));
    let (b_whole, b_fraction) = b.split_once('.').unwrap_or((b, ""));
    a_whole.len().cmp(&b_whole.len()).then_with(|| a_whole.cmp(b_whole)).then_with(|| a_fraction.cmp(b_fraction))
}

/// A hash of whole numbers by value and of others by text, as V21 compares them.
fn exact_hash(exact: &Exact) -> u64 {
    let mut hasher = DefaultHasher::new();
    if !exact.whole {
        exact.text().hash(&mut hasher);
        return hasher.finish();
    }
    let value = exact.value();
    if let Some(int) = value.to_i64() {
        return mixed(int.cast_unsigned());
    }
    (value.negative, value.exponent, &value.mantissa).hash(&mut hasher);
    hasher.finish()
}

/// Spreads the bits of a small number over a word (the finalizer of SplitMix64, by Sebastiano Vigna).
fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn whole_binary(int: i64) -> Binary {
    Binary::new(int < 0, int.unsigned_abs().into(), 0)
}

/// Calls with the digits of an integer, without allocating.
fn with_digits<T>(int: i64, call: impl FnOnce(&str) -> T) -> T {
    let mut buffer = [0u8; 20];
    let mut start = buffer.len();
    let mut rest = int.unsigned_abs();
    loop {
        start -= 1;
        buffer[start] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if int < 0 {
        start -= 1;
        buffer[start] = b'-';
    }
    call(str::from_utf8(&buffer[start..]).unwrap_or_default())
}

impl From<i64> for Number {
    fn from(int: i64) -> Number {
        Number::Int(int)
    }
}

/// A number of msgpack's unsigned kind, at a precision of 64 bits.
impl From<u64> for Number {
    fn from(int: u64) -> Number {
        match i64::try_from(int) {
            Ok(int) => Number::Int(int),
            Err(_) => Number::from_binary(Binary::new(false, int.into(), 0), u64::BITS),
        }
    }
}

/// The canonical text (V19).
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The canonical text (V19).
impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
