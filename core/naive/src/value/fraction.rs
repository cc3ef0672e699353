//! Exact fractions, which numbers are computed with here, digit for digit and however long they get.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _};

/// A fraction with a positive denominator, not reduced.
#[derive(Clone, Debug)]
pub struct Fraction {
    top: BigInt,
    bottom: BigInt,
}

impl Fraction {
    /// A whole number.
    pub fn whole(int: impl Into<BigInt>) -> Fraction {
        Fraction { top: int.into(), bottom: BigInt::one() }
    }

    /// `base^power`.
    pub fn power(base: u8, power: i64) -> Fraction {
        let whole = BigInt::from(base).pow(u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX));
        if power >= 0 { Fraction::whole(whole) } else { Fraction { top: BigInt::one(), bottom: whole } }
    }

    /// The product.
    pub fn times(&self, other: &Fraction) -> Fraction {
        Fraction { top: &self.top * &other.top, bottom: &self.bottom * &other.bottom }
    }

    /// The quotient by a positive fraction.
    pub fn over(&self, other: &Fraction) -> Fraction {
        Fraction { top: &self.top * &other.bottom, bottom: &self.bottom * &other.top }
    }

    /// The sum.
    pub fn plus(&self, other: &Fraction) -> Fraction {
        Fraction { top: &self.top * &other.bottom + &other.top * &self.bottom, bottom: &self.bottom * &other.bottom }
    }

    /// The difference.
    pub fn minus(&self, other: &Fraction) -> Fraction {
        self.plus(&other.negated())
    }

    /// The number with the other sign.
    pub fn negated(&self) -> Fraction {
        Fraction { top: -&self.top, bottom: self.bottom.clone() }
    }

    /// The number without its sign.
    pub fn size(&self) -> Fraction {
        Fraction { top: self.top.abs(), bottom: self.bottom.clone() }
    }

    /// The order.
    pub fn compare(&self, other: &Fraction) -> Ordering {
        (&self.top * &other.bottom).cmp(&(&other.top * &self.bottom))
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.top.is_negative()
    }

    /// Whether it is whole.
    pub fn is_whole(&self) -> bool {
        self.top.is_multiple_of(&self.bottom)
    }

    /// The greatest whole number that is not above it.
    pub fn floor(&self) -> BigInt {
        self.top.div_floor(&self.bottom)
    }

    /// The nearest whole number of a fraction that is not below zero, a half to the even one.
    pub fn nearest(&self) -> BigInt {
        let floor = self.floor();
        let rest = self.minus(&Fraction::whole(floor.clone()));
        match rest.compare(&Fraction::power(2, -1)) {
            Ordering::Less => floor,
            Ordering::Equal if floor.is_even() => floor,
            _ => floor + 1,
        }
    }

    /// `k` with `2^(k-1) ≤ |x| < 2^k`, of a number that is not zero.
    pub fn binary_size(&self) -> i64 {
        let size = self.size();
        let mut k = size.top.bits().cast_signed() - size.bottom.bits().cast_signed() - 1;
        while size.compare(&Fraction::power(2, k)).is_ge() {
            k += 1;
        }
        k
    }

    /// The power of ten of the first digit, of a number that is not zero.
    pub fn decimal_place(&self) -> i64 {
        let size = self.size();
        let mut place = (self.binary_size() - 1) * 30_103 / 100_000 - 2;
        while size.compare(&Fraction::power(10, place + 1)).is_ge() {
            place += 1;
        }
        place
    }

    /// The nearest number of so many bits, a half to the even one.
    pub fn rounded(&self, bits: i64) -> Fraction {
        let scale = Fraction::power(2, bits - self.binary_size());
        let result = Fraction::whole(self.size().times(&scale).nearest()).over(&scale);
        if self.is_negative() { result.negated() } else { result }
    }
}
