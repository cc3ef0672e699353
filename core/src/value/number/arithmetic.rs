//! Arithmetic at 512 bits (E82): exact where the result fits, rounded to even where it does not.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;

use super::binary::{Binary, TEXT_PRECISION, round};
use super::{Number, Truth};

/// No result is greater than two to this, nor nearer to zero than its inverse, so that its digits stay few.
const MAX_MAGNITUDE: i64 = 1 << 15;

/// A finite number: sign of a zero, mantissa and exponent.
struct Finite {
    negative: bool,
    mantissa: BigInt,
    exponent: i64,
}

impl Number {
    fn finite(&self) -> Option<Finite> {
        let zero = |negative| Finite { negative, mantissa: BigInt::zero(), exponent: 0 };
        match self {
            Number::Int(0) => Some(zero(false)),
            Number::NegativeZero => Some(zero(true)),
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
            Number::Int(int) => *int < 0,
            Number::NegativeZero => true,
            Number::Infinity { negative } => negative.0,
            Number::Exact(exact) => exact.negative,
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Number::Int(0) | Number::NegativeZero)
    }

    fn infinity(negative: bool) -> Number {
        Number::Infinity { negative: Truth(negative) }
    }

    fn zero(negative: bool) -> Number {
        if negative { Number::NegativeZero } else { Number::Int(0) }
    }

    /// `mantissa · 2^exponent`, rounded; `inexact` says that a little more was there.
    fn of_scaled(negative_zero: bool, mantissa: &BigInt, exponent: i64, inexact: bool) -> Option<Number> {
        if mantissa.is_zero() {
            return Some(Number::zero(negative_zero));
        }
        let negative = mantissa.sign() == Sign::Minus;
        let (mantissa, exponent) = round(mantissa.magnitude().clone(), exponent, inexact, TEXT_PRECISION);
        let binary = Binary::new(negative, mantissa, exponent);
        (binary.magnitude().abs() <= MAX_MAGNITUDE).then(|| Number::from_binary(binary, TEXT_PRECISION))
    }

    /// Minus this.
    #[must_use]
    pub fn negated(&self) -> Number {
        match self {
            Number::Int(0) => Number::NegativeZero,
            Number::NegativeZero => Number::Int(0),
            Number::Infinity { negative } => Number::infinity(!negative.0),
            _ => self
                .finite()
                .and_then(|x| Number::of_scaled(false, &-x.mantissa, x.exponent, false))
                .unwrap_or_else(|| self.clone()),
        }
    }

    /// The sum; nothing where there is none, or none within bounds.
    pub fn plus(&self, other: &Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(sum) = a.checked_add(*b)
        {
            return Some(Number::Int(sum));
        }
        match (self.finite(), other.finite()) {
            (Some(a), Some(b)) => {
                let exponent = a.exponent.min(b.exponent);
                let sum = (a.mantissa << (a.exponent - exponent).unsigned_abs())
                    + (b.mantissa << (b.exponent - exponent).unsigned_abs());
                Number::of_scaled(a.negative && b.negative && self.is_zero() && other.is_zero(), &sum, exponent, false)
            }
            (None, None) => (self.is_below_zero() == other.is_below_zero()).then(|| self.clone()),
            (None, _) => Some(self.clone()),
            (_, None) => Some(other.clone()),
        }
    }

    /// The difference; nothing as in [`Number::plus`].
    pub fn minus(&self, other: &Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && let Some(difference) = a.checked_sub(*b)
        {
            return Some(Number::Int(difference));
        }
        self.plus(&other.negated())
    }

    /// The product; nothing as in [`Number::plus`].
    pub fn times(&self, other: &Number) -> Option<Number> {
        let negative = self.is_below_zero() != other.is_below_zero();
        match (self.finite(), other.finite()) {
            (Some(a), Some(b)) => {
                Number::of_scaled(negative, &(a.mantissa * b.mantissa), a.exponent + b.exponent, false)
            }
            _ => (!self.is_zero() && !other.is_zero()).then(|| Number::infinity(negative)),
        }
    }

    /// The quotient: an infinity for a division by zero; nothing as in [`Number::plus`].
    pub fn divided_by(&self, other: &Number) -> Option<Number> {
        let negative = self.is_below_zero() != other.is_below_zero();
        match (self.finite(), other.finite()) {
            (Some(_), Some(b)) if b.mantissa.is_zero() => (!self.is_zero()).then(|| Number::infinity(negative)),
            (Some(a), Some(b)) => {
                let shift = 2 * u64::from(TEXT_PRECISION) + 8 + b.mantissa.bits();
                let (quotient, rest) = (a.mantissa.magnitude() << shift).div_rem(b.mantissa.magnitude());
                let sign = if negative { Sign::Minus } else { Sign::Plus };
                let exponent = a.exponent - b.exponent - i64::try_from(shift).ok()?;
                Number::of_scaled(negative, &BigInt::from_biguint(sign, quotient), exponent, !rest.is_zero())
            }
            (None, Some(_)) => Some(Number::infinity(negative)),
            (Some(_), None) => Some(Number::zero(negative)),
            (None, None) => None,
        }
    }

    /// What a division leaves, with the sign of this; `x % 0` is `x` (E82).
    pub fn modulo(&self, other: &Number) -> Option<Number> {
        if other.is_zero() {
            return Some(self.clone());
        }
        match (self.finite(), other.finite()) {
            (Some(a), Some(b)) => {
                let exponent = a.exponent.min(b.exponent);
                let x = a.mantissa << (a.exponent - exponent).unsigned_abs();
                let y = b.mantissa << (b.exponent - exponent).unsigned_abs();
                Number::of_scaled(false, &(x % y), exponent, false)
            }
            (Some(_), None) => Some(self.clone()),
            _ => None,
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
        Number::of_scaled(false, &whole, 0, false).unwrap_or_else(|| self.clone())
    }

    /// The number that digits of a base between 2 and 62 say; of bases up to 36 letters count in either case.
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
        if digits.is_empty() { None } else { Number::of_scaled(false, &BigInt::from_biguint(sign, sum), 0, false) }
    }

    /// Digits of a whole number in a base.
    pub fn digits(&self, base: u32) -> Option<String> {
        let x = self.finite().filter(|x| x.exponent >= 0)?;
        Some((x.mantissa << x.exponent.unsigned_abs()).to_str_radix(base))
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
