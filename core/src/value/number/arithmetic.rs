//! Arithmetic at the precision of the operands (E82): exact where the result fits, rounded to even where it does not.

use std::borrow::Cow;
use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;

use super::binary::{Binary, FLOAT_PRECISION, TEXT_PRECISION, round};
use super::{Number, NumberParts, Truth};

/// No result is greater than two to this, nor nearer to zero than its inverse, so that its digits stay few.
const MAX_MAGNITUDE: i64 = 1 << 15;

/// Bits of precision that whole numbers of a machine have (V16).
const COUNT_PRECISION: u32 = 64;

/// A finite number: sign of a zero, mantissa and exponent.
struct Finite {
    negative: bool,
    mantissa: BigInt,
    exponent: i64,
}

impl Number {
    /// A number that was counted, not written: of 64 bits of precision (V16).
    pub fn counted(count: impl Into<Number>) -> Number {
        count.into().at(COUNT_PRECISION)
    }

    /// Minus one, zero or one, as a comparison is counted.
    pub fn of_sign(sign: Ordering) -> Number {
        Number::from(sign as i64).at(COUNT_PRECISION)
    }

    /// The value of a float of 64 bits, at its precision also where it is whole; `None` as in [`Number::from_f64`].
    pub fn calculated(float: f64) -> Option<Number> {
        Number::from_f64(float).map(|number| number.at(FLOAT_PRECISION))
    }

    /// The same number at a precision, where it is whole and has no more bits; a number that is not whole has a precision of its own.
    fn at(self, precision: u32) -> Number {
        let bits = |int: i64| u64::BITS - int.unsigned_abs().leading_zeros();
        match (self, u16::try_from(precision)) {
            (Number::Int(int) | Number::Short { int, .. }, _) if precision >= TEXT_PRECISION => Number::Int(int),
            (Number::Int(int) | Number::Short { int, .. }, Ok(short)) if bits(int) <= precision => {
                Number::Short { int, precision: short }
            }
            (Number::NegativeZero { .. }, Ok(precision)) => Number::NegativeZero { precision },
            (number, _) => number,
        }
    }

    /// The bits of precision (V16).
    pub fn precision(&self) -> u32 {
        match self {
            Number::Int(_) | Number::Infinity { .. } => TEXT_PRECISION,
            Number::Short { precision, .. } | Number::NegativeZero { precision } => (*precision).into(),
            Number::Exact(exact) => match exact.parts() {
                NumberParts::Text(_) => TEXT_PRECISION,
                NumberParts::Binary { precision, .. } => precision,
            },
        }
    }

    /// The bits from the first to the last that is set.
    fn significant_bits(&self) -> u32 {
        let bits = self.binary().map_or(0, |binary| binary.mantissa.bits());
        u32::try_from(bits).unwrap_or(TEXT_PRECISION).min(TEXT_PRECISION)
    }

    /// The same value at a precision that it has the bits for.
    fn with_precision(self, precision: u32) -> Number {
        match self.binary().map(Cow::into_owned) {
            Some(binary) => Number::from_binary(binary, precision).at(precision),
            None => self.at(precision),
        }
    }

    /// The greater of two precisions, at which two numbers are added.
    fn common_precision(&self, other: &Number) -> u32 {
        self.precision().max(other.precision())
    }

    fn finite(&self) -> Option<Finite> {
        let zero = |negative| Finite { negative, mantissa: BigInt::zero(), exponent: 0 };
        match self {
            Number::Int(0) | Number::Short { int: 0, .. } => Some(zero(false)),
            Number::NegativeZero { .. } => Some(zero(true)),
            Number::Infinity { .. } => None,
            _ => self.binary().map(|binary| Finite {
                negative: binary.negative,
                mantissa: BigInt::from_biguint(
                    if binary.negative { Sign::Minus } else { Sign::Plus },
                    binary.mantissa.clone(),
                ),
                exponent: binary.exponent,
            }),
        }
    }

    fn is_below_zero(&self) -> bool {
        match self {
            Number::Int(int) | Number::Short { int, .. } => *int < 0,
            Number::NegativeZero { .. } => true,
            Number::Infinity { negative } => negative.0,
            Number::Exact(exact) => exact.negative,
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Number::Int(0) | Number::Short { int: 0, .. } | Number::NegativeZero { .. })
    }

    fn infinity(negative: bool) -> Number {
        Number::Infinity { negative: Truth(negative) }
    }

    fn zero(negative: bool) -> Number {
        if negative { Number::NEGATIVE_ZERO } else { Number::Int(0) }
    }

    /// `mantissa · 2^exponent`, rounded to a precision; `inexact` is true if a little more was there.
    fn of_scaled(
        negative_zero: bool,
        mantissa: &BigInt,
        exponent: i64,
        inexact: bool,
        precision: u32,
    ) -> Option<Number> {
        if mantissa.is_zero() {
            return Some(Number::zero(negative_zero).at(precision));
        }
        let negative = mantissa.sign() == Sign::Minus;
        let (mantissa, exponent) = round(mantissa.magnitude().clone(), exponent, inexact, precision);
        let binary = Binary::new(negative, mantissa, exponent);
        let is_near = binary.magnitude().abs() <= MAX_MAGNITUDE;
        is_near.then(|| Number::from_binary(binary, precision).at(precision))
    }

    /// Minus this.
    #[must_use]
    pub fn negated(&self) -> Number {
        match self {
            Number::Int(0) | Number::Short { int: 0, .. } => Number::NEGATIVE_ZERO.at(self.precision()),
            Number::NegativeZero { .. } => Number::Int(0).at(self.precision()),
            Number::Infinity { negative } => Number::infinity(!negative.0),
            _ => self
                .finite()
                .and_then(|x| Number::of_scaled(false, &-x.mantissa, x.exponent, false, self.precision()))
                .unwrap_or_else(|| self.clone()),
        }
    }

    /// The sum; `None` where there is none, or none within bounds.
    pub fn plus(&self, other: &Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(sum) = a.checked_add(*b)
        {
            return Some(Number::Int(sum));
        }
        self.sum_at(other, self.common_precision(other))
    }

    fn sum_at(&self, other: &Number, precision: u32) -> Option<Number> {
        match (self.finite(), other.finite()) {
            (Some(a), Some(b)) => {
                let exponent = a.exponent.min(b.exponent);
                let sum = (a.mantissa << (a.exponent - exponent).unsigned_abs())
                    + (b.mantissa << (b.exponent - exponent).unsigned_abs());
                let is_negative_zero = a.negative && b.negative && self.is_zero() && other.is_zero();
                Number::of_scaled(is_negative_zero, &sum, exponent, false, precision)
            }
            (None, None) => (self.is_below_zero() == other.is_below_zero()).then(|| self.clone()),
            (None, _) => Some(self.clone()),
            (_, None) => Some(other.clone()),
        }
    }

    /// The difference; `None` as in [`Number::plus`].
    pub fn minus(&self, other: &Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(difference) = a.checked_sub(*b)
        {
            return Some(Number::Int(difference));
        }
        self.plus(&other.negated())
    }

    /// The difference rounded to a precision; `None` as in [`Number::plus`].
    pub fn minus_at(&self, other: &Number, precision: u32) -> Option<Number> {
        self.sum_at(&other.negated(), precision)
    }

    /// The product, at as many bits as it has where those are more than the precision of both; `None` as in [`Number::plus`].
    pub fn times(&self, other: &Number) -> Option<Number> {
        let bits = self.significant_bits().saturating_add(other.significant_bits()).min(TEXT_PRECISION);
        let product = self.times_at(other, bits.max(self.common_precision(other)))?;
        // Of two mantissas the product may have one bit less than both together.
        let bits = product.significant_bits().max(self.common_precision(other));
        Some(product.with_precision(bits))
    }

    /// The product rounded to a precision; `None` as in [`Number::plus`].
    pub fn times_at(&self, other: &Number, precision: u32) -> Option<Number> {
        let negative = self.is_below_zero() != other.is_below_zero();
        match (self.finite(), other.finite()) {
            (Some(a), Some(b)) => {
                let product = a.mantissa * b.mantissa;
                Number::of_scaled(negative, &product, a.exponent + b.exponent, false, precision)
            }
            _ => (!self.is_zero() && !other.is_zero()).then(|| Number::infinity(negative)),
        }
    }

    /// The quotient: an infinity for a division by zero; `None` as in [`Number::plus`].
    pub fn divided_by(&self, other: &Number) -> Option<Number> {
        self.divided_by_at(other, self.common_precision(other))
    }

    /// The quotient rounded to a precision; `None` as in [`Number::plus`].
    pub fn divided_by_at(&self, other: &Number, precision: u32) -> Option<Number> {
        let negative = self.is_below_zero() != other.is_below_zero();
        match (self.finite(), other.finite()) {
            (Some(_), Some(b)) if b.mantissa.is_zero() => (!self.is_zero()).then(|| Number::infinity(negative)),
            (Some(a), Some(b)) => {
                let shift = 2 * u64::from(TEXT_PRECISION) + 8 + b.mantissa.bits();
                let (quotient, rest) = (a.mantissa.magnitude() << shift).div_rem(b.mantissa.magnitude());
                let sign = if negative { Sign::Minus } else { Sign::Plus };
                let exponent = a.exponent - b.exponent - i64::try_from(shift).ok()?;
                let quotient = BigInt::from_biguint(sign, quotient);
                Number::of_scaled(negative, &quotient, exponent, !rest.is_zero(), precision)
            }
            (None, Some(_)) => Some(Number::infinity(negative)),
            (Some(_), None) => Some(Number::zero(negative)),
            (None, None) => None,
        }
    }

    /// The whole number next to this, downwards or upwards.
    #[must_use]
    pub fn rounded(&self, up: bool) -> Number {
        if self.is_whole() || self.is_infinite() {
            return self.clone();
        }
        let Some(x) = self.finite().filter(|x| x.exponent < 0) else { return self.clone() };
        let floor: BigInt = x.mantissa >> x.exponent.unsigned_abs();
        let whole = if up { floor + BigInt::from(1) } else { floor };
        Number::of_scaled(false, &whole, 0, false, self.precision()).unwrap_or_else(|| self.clone())
    }

    /// The number of digits in a base between 2 and 62; in bases up to 36 letters count in either case.
    pub fn of_digits(text: &str, base: u32) -> Option<Number> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let mut sum = BigUint::zero();
        for letter in digits.bytes() {
            let digit = match letter {
                b'0'..=b'9' => letter - b'0',
                b'a'..=b'z' => letter - b'a' + 10,
                b'A'..=b'Z' if base <= 36 => letter - b'A' + 10,
                b'A'..=b'Z' => letter - b'A' + 36,
                _ => return None,
            };
            if u32::from(digit) >= base || sum.bits() > MAX_MAGNITUDE.unsigned_abs() {
                return None;
            }
            sum = sum * base + u32::from(digit);
        }
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        let precision = u32::try_from(sum.bits()).unwrap_or(TEXT_PRECISION).clamp(COUNT_PRECISION, TEXT_PRECISION);
        let sum = BigInt::from_biguint(sign, sum);
        if digits.is_empty() { None } else { Number::of_scaled(false, &sum, 0, false, precision) }
    }

    /// Digits of a whole number in a base.
    pub fn digits(&self, base: u32) -> Option<String> {
        let x = self.finite().filter(|x| x.exponent >= 0)?;
        Some((x.mantissa << x.exponent.unsigned_abs()).to_str_radix(base))
    }

    /// All decimal digits of the value itself, of which the canonical text has only as many as distinguish it from its neighbours (V19);
    /// `None` for an infinity.
    pub fn all_digits(&self) -> Option<String> {
        let x = self.finite()?;
        let sign = if x.negative { "-" } else { "" };
        let size = x.mantissa.magnitude().clone();
        if x.exponent >= 0 {
            return Some(format!("{sign}{}", size << x.exponent.unsigned_abs()));
        }
        let places = usize::try_from(x.exponent.unsigned_abs()).ok()?;
        // m · 2^-k is m · 5^k with its point k places from the right.
        let digits = (size * BigUint::from(5_u8).pow(u32::try_from(places).ok()?)).to_string();
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        Some(format!("{sign}{whole}.{part}"))
    }

    /// Minus one, zero or one.
    pub fn sign_number(&self) -> i64 {
        match self.compare(&Number::Int(0)) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }
}
