//! Numbers by V16 to V21, word by word over exact fractions.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::ToPrimitive as _;
use planfuzz_core::value::{Number, NumberParts, Truth};

use super::fraction::Fraction;

/// The longest text that is a number, and how far its first digit may be from the point (formats.md, "Bounds").
const MAX_TEXT: usize = 20_000;
const MAX_PLACES: i64 = 4_000;

/// A number (V16).
#[derive(Clone, Debug)]
pub enum Num {
    /// Zero, perhaps with a minus sign.
    Zero {
        /// The sign.
        negative: bool,
    },
    /// An infinity.
    Infinity {
        /// The sign.
        negative: bool,
    },
    /// Any other number, and the bits of its precision.
    Finite(Fraction, i64),
}

impl Num {
    /// A whole number of few digits.
    pub fn int(int: impl Into<BigInt>) -> Num {
        let int: BigInt = int.into();
        if int == BigInt::ZERO { Num::Zero { negative: false } } else { Num::Finite(Fraction::whole(int), 512) }
    }

    /// A number of msgpack's integer codes.
    pub fn wire_int(int: impl Into<BigInt>) -> Num {
        match Num::int(int) {
            Num::Finite(value, _) => Num::Finite(value, 64),
            zero => zero,
        }
    }

    /// A float; `None` for NaN.
    pub fn float(float: f64) -> Option<Num> {
        let negative = float.is_sign_negative();
        if float.is_nan() {
            return None;
        }
        if float.is_infinite() {
            return Some(Num::Infinity { negative });
        }
        if float == 0.0 {
            return Some(Num::Zero { negative });
        }
        let (mut mantissa, mut exponent) = (float.abs(), 0);
        while mantissa.fract() != 0.0 {
            mantissa *= 2.0;
            exponent -= 1;
        }
        while mantissa >= 9_007_199_254_740_992.0 {
            mantissa /= 2.0;
            exponent += 1;
        }
        let size = Fraction::whole(mantissa as u64).times(&Fraction::power(2, exponent));
        Some(Num::Finite(if negative { size.negated() } else { size }, 53))
    }

    /// The number of the planners.
    pub fn of(number: &Number) -> Num {
        match number {
            Number::Int(int) | Number::Short { int, .. } => Num::int(*int),
            Number::NegativeZero { .. } => Num::Zero { negative: true },
            Number::Infinity { negative: Truth(negative) } => Num::Infinity { negative: *negative },
            Number::Exact(exact) => match exact.parts() {
                NumberParts::Text(text) => Num::parse(text).expect("the text of a number is one"),
                NumberParts::Binary { negative, mantissa, exponent, precision } => {
                    let size = Fraction::whole(mantissa.clone()).times(&Fraction::power(2, exponent));
                    Num::Finite(if negative { size.negated() } else { size }, precision.into())
                }
            },
        }
    }

    /// Reads text (V17, V18); `None` where it is no number or beyond the bounds.
    pub fn parse(text: &str) -> Option<Num> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let (negative, rest) = match text.split_at_checked(1) {
            Some(("-", rest)) => (true, rest),
            Some(("+", rest)) => (false, rest),
            _ => (false, text),
        };
        if rest == "inf" || rest == "Inf" {
            return Some(Num::Infinity { negative });
        }
        let mark = rest.find(['e', 'E', 'p', 'P']);
        let (digits, exponent) = match mark {
            None => (rest, 0),
            Some(at) => (&rest[..at], exponent(&rest[at + 1..])?),
        };
        let is_binary = mark.is_some_and(|at| matches!(&rest[at..=at], "p" | "P"));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{part}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if all.bytes().all(|byte| byte == b'0') {
            return Some(Num::Zero { negative });
        }
        let (ten, two) = if is_binary { (0, exponent) } else { (exponent, 0) };
        let power = ten - part.len() as i64;
        // The bound is on the digits as they are written; those that a power of two adds are estimated.
        let digits = all.trim_start_matches('0').len() as i64;
        if (power + digits - 1 + two * 30_103 / 100_000).abs() > MAX_PLACES {
            return None;
        }
        let mantissa = Fraction::whole(all.parse::<BigInt>().ok()?).times(&Fraction::power(2, power + two));
        let five = raised(power.unsigned_abs());
        let size = if power >= 0 { mantissa.times(&five) } else { mantissa.over(&five) }.rounded(512);
        Some(Num::Finite(if negative { size.negated() } else { size }, 512))
    }

    /// The canonical text (V19).
    pub fn text(&self) -> String {
        match self {
            Num::Zero { negative } => format!("{}0", if *negative { "-" } else { "" }),
            Num::Infinity { negative } => format!("{}Inf", if *negative { "-" } else { "+" }),
            Num::Finite(value, precision) => {
                format!("{}{}", if value.is_negative() { "-" } else { "" }, shortest(&value.size(), *precision))
            }
        }
    }

    /// The key text (V20).
    pub fn key_text(&self) -> String {
        let Num::Finite(value, _) = self else { return self.text() };
        let size = value.size();
        let tenths = size.decimal_place() - 9;
        let digits = size.over(&Fraction::power(10, tenths)).nearest().to_string();
        let x = tenths + digits.len() as i64 - 1;
        let m = digits.trim_end_matches('0');
        let sign = if value.is_negative() { "-" } else { "" };
        if (-4..10).contains(&x) {
            return format!("{sign}{}", positional(m, x + 1 - m.len() as i64));
        }
        let (first, rest) = m.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}e{}{:02}", if x < 0 { '-' } else { '+' }, x.abs())
    }

    /// V21, equality.
    pub fn equals(&self, other: &Num) -> bool {
        match (self, other) {
            (Num::Zero { .. }, Num::Zero { .. }) => true,
            (Num::Infinity { negative: a }, Num::Infinity { negative: b }) => a == b,
            (Num::Finite(a, of_a), Num::Finite(b, of_b)) => match (a.is_whole(), b.is_whole()) {
                (true, true) => a.compare(b).is_eq(),
                (false, false) if of_a == of_b && a.compare(b).is_eq() => true,
                (false, false) => {
                    // A text is within half a last place of its number (V19), so one text is not that of two far ones.
                    let reach = half_a_place(&a.size(), *of_a).plus(&half_a_place(&b.size(), *of_b));
                    a.minus(b).size().compare(&reach).is_le() && self.text() == other.text()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// V21, order.
    pub fn compare(&self, other: &Num) -> Ordering {
        let rank = |number: &Num| match number {
            Num::Infinity { negative: true } => -1,
            Num::Infinity { negative: false } => 1,
            _ => 0,
        };
        let exact = |number: &Num| match number {
            Num::Finite(value, _) => value.clone(),
            _ => Fraction::whole(0),
        };
        rank(self).cmp(&rank(other)).then_with(|| exact(self).compare(&exact(other)))
    }

    /// The number as an integer of 64 bits, where it is one; -0 is 0.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Num::Zero { .. } => Some(0),
            Num::Finite(value, _) if value.is_whole() => value.floor().to_i64(),
            _ => None,
        }
    }

    /// The number as a float of 64 bits, where it is exactly one.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Num::Zero { negative } => Some(if *negative { -0.0 } else { 0.0 }),
            Num::Infinity { negative } => Some(if *negative { f64::NEG_INFINITY } else { f64::INFINITY }),
            Num::Finite(value, _) => {
                let (size, k) = (value.size(), value.binary_size());
                let e = (k - 53).max(-1074);
                let mantissa = size.over(&Fraction::power(2, e));
                if k > 1024 || !mantissa.is_whole() {
                    return None;
                }
                // In two steps, as the power alone may be no float.
                let half = (e / 2) as i32;
                let float = mantissa.floor().to_f64()? * 2f64.powi(half) * 2f64.powi(e as i32 - half);
                Some(if value.is_negative() { -float } else { float })
            }
        }
    }
}

fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A number that is too large is as far outside the bounds as any other.
    let size = digits.bytes().fold(0_i64, |size, digit| (size * 10 + i64::from(digit - b'0')).min(1 << 40));
    Some(if text.starts_with('-') { -size } else { size })
}

/// V18: 5^n in 576 bits.
fn raised(n: u64) -> Fraction {
    if n <= 27 {
        return Fraction::power(5, n.cast_signed());
    }
    let (mut p, mut f, mut rest) = (Fraction::power(5, 27), Fraction::power(5, 1), n - 27);
    while rest > 0 {
        if rest % 2 == 1 {
            p = p.times(&f).rounded(576);
        }
        f = f.times(&f).rounded(640);
        rest /= 2;
    }
    p
}

/// Half of the last binary place of a number above zero of a precision.
fn half_a_place(size: &Fraction, precision: i64) -> Fraction {
    Fraction::power(2, size.binary_size() - precision - 1)
}

/// V19, for a number above zero of a precision.
fn shortest(size: &Fraction, precision: i64) -> String {
    let k = size.binary_size();
    let is_even = size.times(&Fraction::power(2, precision - k)).floor().is_even();
    let h = half_a_place(size, precision);
    let (lo, hi) = (size.minus(&h), size.plus(&h));
    let inside = |x: &Fraction| match (x.compare(&lo), x.compare(&hi)) {
        (Ordering::Greater, Ordering::Less) => true,
        (Ordering::Equal, _) | (_, Ordering::Equal) => is_even,
        _ => false,
    };
    let place = size.decimal_place();
    let mut never = false;
    let mut n = 1;
    loop {
        let unit = Fraction::power(10, place + 1 - n);
        let digits = size.over(&unit).floor();
        let t = Fraction::whole(digits.clone()).times(&unit);
        let u = t.plus(&unit);
        never |= u.compare(&hi).is_eq() && !is_even;
        let above: BigInt = &digits + 1;
        let chosen = match (inside(&t), inside(&u) && !never) {
            (false, false) => {
                n += 1;
                continue;
            }
            (true, false) => digits,
            (false, true) => above,
            (true, true) => match size.minus(&t).compare(&u.minus(size)) {
                Ordering::Less => digits,
                Ordering::Greater => above,
                Ordering::Equal if digits.is_even() => digits,
                Ordering::Equal => above,
            },
        };
        return positional(&chosen.to_string(), place + 1 - n);
    }
}

/// `digits · 10^power` with a point and no exponent, without zeros at the end of a fraction.
fn positional(digits: &str, power: i64) -> String {
    if power >= 0 {
        return format!("{digits}{}", "0".repeat(power as usize));
    }
    let places = power.unsigned_abs() as usize;
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}
