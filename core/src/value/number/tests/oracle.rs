//! A second implementation of V17 to V21, word by word over exact fractions and without regard for speed.

use std::cell::OnceCell;
use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A fraction with a positive denominator, not reduced.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
}

/// A number other than zero and the infinities, by V16.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    pub(super) value: Fraction,
    pub(super) precision: u32,
    text: OnceCell<String>,
}

impl Fraction {
    pub(super) fn new(numerator: BigInt, denominator: BigInt) -> Fraction {
        assert!(denominator.is_positive());
        Fraction { numerator, denominator }
    }

    fn times(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    fn over(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }

    fn plus(&self, other: &Fraction) -> Fraction {
        let numerator = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Fraction::new(numerator, &self.denominator * &other.denominator)
    }

    fn minus(&self, other: &Fraction) -> Fraction {
        self.plus(&Fraction { numerator: -&other.numerator, denominator: other.denominator.clone() })
    }

    pub(super) fn compare(&self, other: &Fraction) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    pub(super) fn magnitude(&self) -> Fraction {
        Fraction { numerator: self.numerator.abs(), denominator: self.denominator.clone() }
    }

    pub(super) fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.numerator.is_multiple_of(&self.denominator)
    }

    fn floor(&self) -> BigInt {
        self.numerator.div_floor(&self.denominator)
    }

    pub(super) fn whole(int: impl Into<BigInt>) -> Fraction {
        Fraction { numerator: int.into(), denominator: BigInt::one() }
    }
}

/// `base^power`.
pub(super) fn power(base: u8, power: i64) -> Fraction {
    let whole = BigInt::from(base).pow(u32::try_from(power.abs()).expect("a small power"));
    if power >= 0 { Fraction::new(whole, BigInt::one()) } else { Fraction::new(BigInt::one(), whole) }
}

/// V17 and V18 for text of the form digits, point, exponent that is neither zero nor an infinity.
pub(super) fn parse(text: &str) -> Exact {
    let (mantissa, x, two) = taken_apart(text);
    let five = raised(x.unsigned_abs());
    let base = Fraction::whole(mantissa).times(&power(2, two));
    let value = if x >= 0 { base.times(&five) } else { base.over(&five) };
    Exact { value: rounded(&value, 512), precision: 512, text: OnceCell::new() }
}

/// The nearest number of 512 bits, ties to even, of the exact decimal.
pub(super) fn parse_exactly(text: &str) -> Fraction {
    let (mantissa, x, two) = taken_apart(text);
    rounded(&Fraction::whole(mantissa).times(&power(5, x)).times(&power(2, two)), 512)
}

/// Mantissa, power of five (V18's x) and power of two.
fn taken_apart(text: &str) -> (BigInt, i64, i64) {
    let lower = text.to_lowercase();
    let (mantissa, ten, two) = if let Some((mantissa, exponent)) = lower.split_once('e') {
        (mantissa, exponent.parse().expect("an exponent"), 0)
    } else if let Some((mantissa, exponent)) = lower.split_once('p') {
        (mantissa, 0, exponent.parse().expect("an exponent"))
    } else {
        (&*lower, 0, 0)
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let x: i64 = ten - i64::try_from(fraction.len()).expect("short");
    (format!("{whole}{fraction}").parse().expect("digits"), x, x + two)
}

/// V18: 5^n in 576 bits.
fn raised(n: u64) -> Fraction {
    if n <= 27 {
        return power(5, n.cast_signed());
    }
    let (mut p, mut f, mut rest) = (power(5, 27), power(5, 1), n - 27);
    while rest > 0 {
        if rest % 2 == 1 {
            p = rounded(&p.times(&f), 576);
        }
        f = rounded(&f.times(&f), 640);
        rest /= 2;
    }
    p
}

/// The nearest number of `bits` bits, ties to even.
pub(super) fn rounded(value: &Fraction, bits: i64) -> Fraction {
    let size = value.magnitude();
    let scale = power(2, bits - binary_size(&size));
    let scaled = size.times(&scale);
    let floor = scaled.floor();
    let rest = scaled.minus(&Fraction::whole(floor.clone()));
    let up = match rest.compare(&power(2, -1)) {
        Ordering::Less => false,
        Ordering::Equal => floor.is_odd(),
        Ordering::Greater => true,
    };
    let result = Fraction::whole(if up { floor + 1 } else { floor }).over(&scale);
    if value.is_negative() { Fraction::whole(0).minus(&result) } else { result }
}

/// `k` with `2^(k-1) ≤ size < 2^k`.
fn binary_size(size: &Fraction) -> i64 {
    let estimate = size.numerator.bits().cast_signed() - size.denominator.bits().cast_signed();
    let fits = |k: i64| size.compare(&power(2, k - 1)).is_ge() && size.compare(&power(2, k)).is_lt();
    (estimate - 1..=estimate + 2).find(|k| fits(*k)).expect("an estimate off by one")
}

/// The power of ten of the first digit.
fn decimal_place(size: &Fraction) -> i64 {
    let mut place = (binary_size(size) - 1) * 30_103 / 100_000 - 2;
    while size.compare(&power(10, place + 1)).is_ge() {
        place += 1;
    }
    place
}

/// V19, once for each number.
pub(super) fn text(number: &Exact) -> &str {
    number.text.get_or_init(|| shortest(number))
}

fn shortest(number: &Exact) -> String {
    let size = number.value.magnitude();
    let (k, p) = (binary_size(&size), i64::from(number.precision));
    let mantissa = size.times(&power(2, p - k));
    assert!(mantissa.is_whole(), "the number has its precision");
    let inclusive = mantissa.floor().is_even();
    let h = power(2, k - p - 1);
    let (lo, hi) = (size.minus(&h), size.plus(&h));
    let inside = |x: &Fraction| match (x.compare(&lo), x.compare(&hi)) {
        (Ordering::Greater, Ordering::Less) => true,
        (Ordering::Equal, _) | (_, Ordering::Equal) => inclusive,
        _ => false,
    };
    let place = decimal_place(&size);
    let mut never = false;
    for n in 1.. {
        let unit = power(10, place + 1 - n);
        let digits = size.over(&unit).floor();
        let t = Fraction::whole(digits.clone()).times(&unit);
        let u = t.plus(&unit);
        never |= u.compare(&hi).is_eq() && !inclusive;
        let down = inside(&t);
        let up = inside(&u) && !never;
        let up_digits = &digits + 1;
        let chosen = match (down, up) {
            (false, false) => continue,
            (true, false) => digits,
            (false, true) => up_digits,
            (true, true) => match size.minus(&t).compare(&u.minus(&size)) {
                Ordering::Less => digits,
                Ordering::Greater => up_digits,
                Ordering::Equal => {
                    if digits.is_even() {
                        digits
                    } else {
                        up_digits
                    }
                }
            },
        };
        return signed(number, positional(&chosen, place + 1 - n));
    }
    unreachable!("the loop has no end")
}

/// V20.
pub(super) fn key_text(number: &Exact) -> String {
    let size = number.value.magnitude();
    let unit = power(10, decimal_place(&size) - 9);
    let scaled = size.over(&unit);
    let floor = scaled.floor();
    let up = match scaled.minus(&Fraction::whole(floor.clone())).compare(&power(2, -1)) {
        Ordering::Less => false,
        Ordering::Equal => floor.is_odd(),
        Ordering::Greater => true,
    };
    let tenths = decimal_place(&size) - 9;
    let all = (if up { floor + 1 } else { floor }).to_string();
    let x = tenths + i64::try_from(all.len()).expect("short") - 1;
    let m = all.trim_end_matches('0');
    if (-4..10).contains(&x) {
        let power = tenths + i64::try_from(all.len() - m.len()).expect("short");
        return signed(number, positional(&m.parse().expect("digits"), power));
    }
    let (first, rest) = m.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    signed(number, format!("{first}{point}{rest}e{}{:02}", if x < 0 { '-' } else { '+' }, x.abs()))
}

/// V21, equality.
pub(super) fn equals(a: &Exact, b: &Exact) -> bool {
    match (a.value.is_whole(), b.value.is_whole()) {
        (true, true) => a.value.compare(&b.value).is_eq(),
        (false, false) => text(a) == text(b),
        _ => false,
    }
}

fn signed(number: &Exact, text: String) -> String {
    if number.value.is_negative() { format!("-{text}") } else { text }
}

/// `digits · 10^power` with a point and no exponent.
fn positional(digits: &BigInt, power: i64) -> String {
    let digits = digits.to_string();
    if power >= 0 {
        return format!("{digits}{}", "0".repeat(usize::try_from(power).expect("small")));
    }
    let places = usize::try_from(-power).expect("small");
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let text = format!("{whole}.{fraction}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Exact {
    /// The parts of `±mantissa · 2^exponent`.
    pub(super) fn of_parts(negative: bool, mantissa: &BigUint, exponent: i64, precision: u32) -> Exact {
        let size = Fraction::whole(mantissa.clone()).times(&power(2, exponent));
        let value = if negative { Fraction::whole(0).minus(&size) } else { size };
        assert!(!value.numerator.is_zero());
        Exact { value, precision, text: OnceCell::new() }
    }
}
