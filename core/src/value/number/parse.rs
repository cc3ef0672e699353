//! Reading decimal text (V17, V18).

use super::binary::{self, TEXT_PRECISION};
use super::text::Decimal;
use super::{Exact, Number};
use crate::value::truth::Truth;

/// The longest text that is read as a number, in bytes.
const MAX_TEXT: usize = 20_000;

/// How far the first digit of a number may be from the point. It bounds the canonical text, which is positional
/// (V19); without a bound `1e999999999` would be a gigabyte. It is far beyond what floats and plans reach, and low enough
/// that a document full of such numbers is read and written in time.
const MAX_PLACES: i64 = 4_000;

/// The greatest power of ten, and of its reciprocal, up to which V18 rounds correctly.
const EXACT_POWER: u64 = 248;

/// Decimals of at most so many digits are their own canonical text; see [`Scanned::is_own_text`].
const OWN_TEXT_DIGITS: usize = 150;

/// The error for a text that is no number (V17), or that is refused for its size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Not of the form of V17.
    #[error("expected a decimal number, found {found:?}")]
    Syntax {
        /// The start of what was found.
        found: String,
    },
    /// A text longer than any that is read.
    #[error("expected a number of at most {MAX_TEXT} characters, found {length}")]
    TooLong {
        /// The length of the text in bytes.
        length: usize,
    },
    /// A number so great or so small that its canonical text would be too long.
    #[error("expected a number whose first digit is at most {MAX_PLACES} places from the point, found {found:?}")]
    TooManyPlaces {
        /// The start of what was found.
        found: String,
    },
}

/// Reads a number (V17, V18).
pub(super) fn parse(text: &str) -> Result<Number, NumberError> {
    if let Some(number) = small_integer(text.as_bytes()) {
        return Ok(number);
    }
    if text.len() > MAX_TEXT {
        return Err(NumberError::TooLong { length: text.len() });
    }
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    if matches!(unsigned, b"inf" | b"Inf") {
        return Ok(Number::Infinity { negative: Truth(negative) });
    }
    let found = || text.chars().take(40).collect();
    let scanned = Scanned::scan(negative, unsigned).ok_or_else(|| NumberError::Syntax { found: found() })?;
    scanned.number().ok_or_else(|| NumberError::TooManyPlaces { found: found() })
}

/// The common case: an optional minus sign and few enough digits for a machine word.
fn small_integer(text: &[u8]) -> Option<Number> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        all => (false, all),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut int = 0i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        int = int * 10 + i64::from(digit - b'0');
    }
    Some(match (negative, int) {
        (true, 0) => Number::NEGATIVE_ZERO,
        (true, _) => Number::Int(-int),
        (false, _) => Number::Int(int),
    })
}

/// A text taken apart: `±digits · 5^five · 2^two`.
struct Scanned {
    negative: bool,
    /// Decimal digits without leading zeros; empty for zero.
    digits: Vec<u8>,
    /// The power of five, which is V18's power of ten `x`.
    five: i64,
    /// The power of two.
    two: i64,
}

impl Scanned {
    /// Takes an unsigned text apart by V17; `None` where it is not of that form.
    fn scan(negative: bool, unsigned: &[u8]) -> Option<Scanned> {
        let end = unsigned.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'.')).unwrap_or(unsigned.len());
        let (mantissa, exponent) = unsigned.split_at(end);
        let point = mantissa.iter().position(|byte| *byte == b'.');
        let (whole, fraction) = match point {
            Some(point) => (&mantissa[..point], &mantissa[point + 1..]),
            None => (mantissa, &[][..]),
        };
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains(&b'.') {
            return None;
        }
        let digits = whole.iter().chain(fraction).copied().skip_while(|digit| *digit == b'0').collect();
        let ten = -i64::try_from(fraction.len()).ok()?;
        let (five, two) = match exponent {
            [] => (ten, ten),
            [b'e' | b'E', power @ ..] => {
                let ten = ten.saturating_add(scan_exponent(power)?);
                (ten, ten)
            }
            [b'p' | b'P', power @ ..] => (ten, ten.saturating_add(scan_exponent(power)?)),
            _ => return None,
        };
        Some(Scanned { negative, digits, five, two })
    }

    /// The number (V18), or `None` if its canonical text would be too long.
    fn number(self) -> Option<Number> {
        if self.digits.is_empty() {
            return Some(if self.negative { Number::NEGATIVE_ZERO } else { Number::Int(0) });
        }
        if self.first_place().unsigned_abs() > MAX_PLACES.unsigned_abs().into() {
            return None;
        }
        if self.is_own_text() {
            return Some(self.own_text_number());
        }
        let value = binary::from_decimal(self.negative, &self.digits, self.five, self.two);
        Some(Number::from_binary(value, TEXT_PRECISION))
    }

    /// The place of the first digit, 0 for the one before the point; an estimate that may be one off where the
    /// number has a power of two of its own.
    fn first_place(&self) -> i128 {
        let own_two = i128::from(self.two) - i128::from(self.five);
        let length = i128::try_from(self.digits.len()).unwrap_or(i128::MAX);
        i128::from(self.five) + length - 1 + own_two * 30_103 / 100_000
    }

    /// Whether the normalised input is the canonical text of the number, so that nothing has to be computed.
    ///
    /// The law: a number that V18 rounds correctly from a decimal of at most 150 digits has that decimal as its
    /// canonical text. Decimals of 150 digits are at least 10^-150 of their value apart, which is more than 2^-499,
    /// and rounding to 512 bits moves a number by at most 2^-512 of it. So there is exactly one decimal of at most
    /// 150 digits within the bounds of V19, this one, and it is a cut of the exact digits or one more than a cut.
    /// For the same reason two such numbers are ordered as their decimals are, and one is whole only if the decimal
    /// is.
    fn is_own_text(&self) -> bool {
        let zeros = self.digits.iter().rev().take_while(|digit| **digit == b'0').count();
        self.two == self.five && self.five.unsigned_abs() <= EXACT_POWER && self.digits.len() - zeros <= OWN_TEXT_DIGITS
    }

    fn own_text_number(self) -> Number {
        let decimal = Decimal::new(&self.digits, self.five);
        let whole = decimal.is_whole();
        let text = decimal.positional(self.negative);
        match text.parse() {
            Ok(int) if whole => Number::Int(int),
            _ => Number::Exact(triomphe::Arc::new(Exact::of_text(self.negative, whole, text))),
        }
    }
}

/// An optional sign and at least one digit. Exponents beyond 64 bits are kept as the greatest there is, which no
/// number but zero survives.
fn scan_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude =
        digits.iter().fold(0i64, |sum, digit| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    Some(if negative { -magnitude } else { magnitude })
}

/// The binary value of a canonical text that was read by the law of [`Scanned::is_own_text`].
pub(super) fn value_of_own_text(text: &str) -> binary::Binary {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let scanned = Scanned::scan(negative, unsigned.as_bytes()).expect("a canonical text is a number");
    binary::from_decimal(negative, &scanned.digits, scanned.five, scanned.two)
}
