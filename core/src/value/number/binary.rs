//! Exact binary numbers, which represent every number but zero and the infinities (V16).

use std::cmp::Ordering;

use num_bigint::BigUint;

/// Bits of precision that numbers read from decimal text have (V16).
pub(super) const TEXT_PRECISION: u32 = 512;

/// Bits of precision that numbers of a float of 64 bits have (V16).
pub(super) const FLOAT_PRECISION: u32 = 53;

/// A number `±mantissa · 2^exponent` other than zero. The mantissa is odd, so that equal numbers have equal parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) negative: bool,
    pub(super) mantissa: BigUint,
    pub(super) exponent: i64,
}

impl Binary {
    /// `±mantissa · 2^exponent`, with a mantissa other than zero.
    pub(super) fn new(negative: bool, mantissa: BigUint, exponent: i64) -> Binary {
        let zeros = mantissa.trailing_zeros().expect("a mantissa is not zero");
        Binary { negative, mantissa: mantissa >> zeros, exponent: exponent + zeros.cast_signed() }
    }

    /// A finite float other than zero.
    pub(super) fn from_f64(float: f64) -> Binary {
        let bits = float.to_bits();
        let (fraction, biased) = (bits & ((1 << 52) - 1), (bits >> 52) & 0x7ff);
        let (mantissa, exponent) = match biased {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, biased.cast_signed() - 1075),
        };
        Binary::new(float.is_sign_negative(), BigUint::from(mantissa), exponent)
    }

    /// `k` where `2^(k-1) ≤ |x| < 2^k`.
    pub(super) fn magnitude(&self) -> i64 {
        self.mantissa.bits().cast_signed() + self.exponent
    }

    pub(super) fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    pub(super) fn to_i64(&self) -> Option<i64> {
        if !self.is_whole() || self.magnitude() > 64 {
            return None;
        }
        let magnitude = i128::from(u64::try_from(&self.mantissa).ok()?) << self.exponent;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The same number as a float, where there is one.
    pub(super) fn to_f64(&self) -> Option<f64> {
        let bits = self.mantissa.bits().cast_signed();
        if bits > 53 || self.exponent < -1074 || self.magnitude() > 1024 {
            return None;
        }
        let mantissa = u64::try_from(&self.mantissa).ok()?;
        let sign = u64::from(self.negative) << 63;
        let magnitude = match self.magnitude() + 1022 {
            biased @ 1.. => (biased.cast_unsigned() << 52) | ((mantissa << (53 - bits)) & ((1 << 52) - 1)),
            _ => mantissa << (self.exponent + 1074),
        };
        Some(f64::from_bits(sign | magnitude))
    }

    /// The order of the values (V21).
    pub(super) fn compare(&self, other: &Binary) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_magnitudes(other),
            (true, true) => other.compare_magnitudes(self),
        }
    }

    fn compare_magnitudes(&self, other: &Binary) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Of one magnitude, so the exponents are no further apart than the mantissas are long.
            let shift = self.exponent - other.exponent;
            match shift {
                0 => self.mantissa.cmp(&other.mantissa),
                1.. => (&self.mantissa << shift).cmp(&other.mantissa),
                _ => self.mantissa.cmp(&(&other.mantissa << -shift)),
            }
        })
    }
}

/// `mantissa · 2^exponent`, plus a little more if `cut` is true: lower bits were cut off, rounded to `bits` bits:
/// nearest, ties to even.
pub(super) fn round(mantissa: BigUint, exponent: i64, cut: bool, bits: u32) -> (BigUint, i64) {
    let excess = mantissa.bits().saturating_sub(u64::from(bits));
    if excess == 0 {
        return (mantissa, exponent);
    }
    let half = mantissa.bit(excess - 1);
    let beyond_half = cut || mantissa.trailing_zeros().is_some_and(|zeros| zeros < excess - 1);
    let kept = mantissa >> excess;
    let up = half && (beyond_half || kept.bit(0));
    (if up { kept + 1u8 } else { kept }, exponent + excess.cast_signed())
}

/// The number `digits · 10^0 · 5^five · 2^two` of decimal digits, by the algorithm of V18. `digits` is not zero.
///
/// Up to 5^248 the power fits its 576 bits, so the result is rounded correctly; beyond that it is the result of
/// upstream.
pub(super) fn from_decimal(negative: bool, digits: &[u8], five: i64, two: i64) -> Binary {
    let mantissa = BigUint::parse_bytes(digits, 10).expect("digits are decimal digits");
    let (power, power_exponent) = power_of_five(five.unsigned_abs());
    let (mantissa, exponent) = if five >= 0 {
        round(mantissa * power, two + power_exponent, false, TEXT_PRECISION)
    } else {
        // Two bits more than are kept, so that the rounding bit is among the bits of the quotient.
        let wanted = u64::from(TEXT_PRECISION) + 2 + power.bits();
        let shift = wanted.saturating_sub(mantissa.bits());
        let (quotient, rest) = num_integer::Integer::div_rem(&(mantissa << shift), &power);
        let exponent = two - power_exponent - shift.cast_signed();
        round(quotient, exponent, rest != BigUint::ZERO, TEXT_PRECISION)
    };
    Binary::new(negative, mantissa, exponent)
}

/// 5^n as upstream computes it (V18): exact up to n = 248, held in 576 bits beyond.
fn power_of_five(n: u64) -> (BigUint, i64) {
    const START: u64 = 27;
    if n <= START {
        return (BigUint::from(5u64.pow(u32::try_from(n).unwrap_or(0))), 0);
    }
    let (mut power, mut exponent) = (BigUint::from(5u64.pow(27)), 0);
    let (mut factor, mut factor_exponent) = (BigUint::from(5u8), 0);
    let mut rest = n - START;
    while rest > 0 {
        if rest & 1 == 1 {
            (power, exponent) = round(power * &factor, exponent + factor_exponent, false, 576);
        }
        (factor, factor_exponent) = round(&factor * &factor, 2 * factor_exponent, false, 640);
        rest >>= 1;
    }
    (power, exponent)
}
