//! Functions of numbers (FN21, FN22, FN28).

use std::cmp::Ordering;

use planfuzz_core::value::{Number, Type, Value};

use super::{Given, Made, Wrong, number};

pub(crate) fn abs(given: &Given<'_, '_>) -> Made {
    if given.value(0)?.is_unknown() {
        // The marks are lost.
        return Ok(crate::make::not_null(Type::Number).into());
    }
    let own = given.get(0)?.marks.own;
    let given = given.number(0)?;
    let made: Made = number(plain_zero(if given.sign_number() < 0 { given.negated() } else { given.clone() }));
    made.map(|made| made.with(own))
}

/// Removes the sign of zero.
pub(crate) fn plain_zero(number: Number) -> Number {
    if matches!(number, Number::NegativeZero { .. }) { number.negated() } else { number }
}

pub(crate) fn ceil(given: &Given<'_, '_>) -> Made {
    number(plain_zero(given.number(0)?.rounded(true)))
}

pub(crate) fn floor(given: &Given<'_, '_>) -> Made {
    number(plain_zero(given.number(0)?.rounded(false)))
}

pub(crate) fn signum(given: &Given<'_, '_>) -> Made {
    number(Number::of_sign(given.whole(0).map_err(|_| Wrong::Call)?.cmp(&0)))
}

/// The logarithm to a base, in the engines' floating-point arithmetic.
pub(crate) fn log(given: &Given<'_, '_>) -> Made {
    of_float(libm::log(float(given, 0)?) / libm::log(float(given, 1)?))
}

pub(crate) fn pow(given: &Given<'_, '_>) -> Made {
    of_float(raised(float(given, 0)?, float(given, 1)?))
}

/// A power. A whole exponent is processed bit by bit, which reproduces the engines' last digits.
fn raised(base: f64, exponent: f64) -> f64 {
    let size = exponent.abs();
    // The nearest whole number; the remainder is raised by the logarithm.
    let whole = if size.fract() > 0.5 { size.ceil() } else { size.floor() };
    let is_root = size == 0.5 || (base < 0.0 && size != whole);
    if is_root || size >= 4096.0 || base == 0.0 || !base.is_finite() {
        return libm::pow(base, exponent);
    }
    let off = if size == whole { 1.0 } else { libm::exp((size - whole) * libm::log(base)) };
    // (fraction, exponent) pairs, so that intermediate results do not overflow.
    let normal = |(fraction, two): (f64, i64)| {
        let bits = fraction.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i64;
        if biased == 0 {
            // A subnormal number: scale it up first.
            let larger = (fraction * 2.0_f64.powi(64)).to_bits();
            let biased = (larger >> 52 & 0x7ff) as i64;
            return (f64::from_bits(larger & !(0x7ff << 52) | 1022 << 52), two - 64 + biased - 1022);
        }
        (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), two + biased - 1022)
    };
    let mut power = normal((base, 0));
    let mut product = (off, 0_i64);
    let mut bits = whole as u64;
    while bits != 0 {
        if bits & 1 == 1 {
            product = (product.0 * power.0, product.1 + power.1);
        }
        power = normal((power.0 * power.0, power.1 * 2));
        bits >>= 1;
    }
    let (fraction, two) = if exponent < 0.0 { (1.0 / product.0, -product.1) } else { product };
    let half = two / 2;
    let step = |two: i64| 2.0_f64.powi(two.clamp(-1000, 1000) as i32);
    fraction * step(half) * step(two - half)
}

fn float(given: &Given<'_, '_>, at: usize) -> Result<f64, Wrong> {
    let number = given.number(at)?;
    let near = || number.text().parse::<f64>().ok();
    // A number beyond the largest float is an error.
    number.to_f64().or_else(|| near().filter(|near| near.is_finite())).ok_or(Wrong::Call)
}

fn of_float(float: f64) -> Made {
    number(Number::calculated(float).ok_or(Wrong::Call)?)
}

pub(crate) fn min(given: &Given<'_, '_>) -> Made {
    outermost(given, Ordering::Less)
}

pub(crate) fn max(given: &Given<'_, '_>) -> Made {
    outermost(given, Ordering::Greater)
}

fn outermost(given: &Given<'_, '_>, wanted: Ordering) -> Made {
    let mut best = given.number(0).map_err(|_| Wrong::Call)?;
    for at in 1..given.arguments.len() {
        let next = given.number(at)?;
        if next.compare(best) == wanted {
            best = next;
        }
    }
    number(best.clone())
}

pub(crate) fn parseint_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    if *given.get(0)?.ty() == Type::String { Ok(Type::Number) } else { Err(Wrong::Argument) }
}

/// Parses digits of a base; a number is converted to its text first.
pub(crate) fn parseint(given: &Given<'_, '_>) -> Made {
    if *given.get(0)?.ty() != Type::String {
        return Err(Wrong::Argument);
    }
    let base = given.whole(1).map_err(|_| Wrong::Argument)?;
    if !(2..=62).contains(&base) {
        return Err(Wrong::Argument);
    }
    number(Number::of_digits(given.text(0)?, base as u32).ok_or(Wrong::Argument)?)
}

/// FN22
pub(crate) fn sum(given: &Given<'_, '_>) -> Made {
    let given = given.get(0)?;
    if !matches!(given.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_)) {
        return Err(Wrong::Argument);
    }
    if !given.value.is_wholly_known() {
        return Ok(crate::make::not_null(Type::Number).into());
    }
    let mut sum: Option<Number> = None;
    for part in given.parts() {
        let part = part.convert(&Type::Number).ok_or(Wrong::Argument)?;
        let next = part.value.view().as_number().ok_or(Wrong::Argument)?.clone();
        sum = Some(match sum {
            Some(sum) => sum.plus(&next).ok_or(Wrong::Call)?,
            None => next,
        });
    }
    number(sum.ok_or(Wrong::Argument)?)
}

/// FN28
pub(crate) fn range(given: &Given<'_, '_>) -> Made {
    const MOST: usize = 1024;
    let zero = Number::from(0_i64);
    let (start, end, step) = match given.arguments.len() {
        1 => (Number::counted(0_u64), given.number(0)?.clone(), None),
        2 => (given.number(0)?.clone(), given.number(1)?.clone(), None),
        3 => (given.number(0)?.clone(), given.number(1)?.clone(), Some(given.number(2)?.clone())),
        _ => return Err(Wrong::Call),
    };
    let is_down = end.compare(&start) == Ordering::Less;
    let step = step.unwrap_or_else(|| Number::of_sign(if is_down { Ordering::Less } else { Ordering::Greater }));
    match (step.compare(&zero), end.compare(&start)) {
        (Ordering::Equal, Ordering::Equal) => {}
        (Ordering::Equal, Ordering::Less) => return Err(Wrong::Argument),
        (Ordering::Equal, _) => return Err(Wrong::Call),
        (Ordering::Greater, Ordering::Less) | (Ordering::Less, Ordering::Greater) => return Err(Wrong::Argument),
        _ => {}
    }
    let before = if is_down { Ordering::Greater } else { Ordering::Less };
    let mut numbers = Vec::new();
    let mut next = start;
    while next.compare(&end) == before {
        if numbers.len() >= MOST {
            return Err(Wrong::Call);
        }
        numbers.push(Value::number(next.clone()));
        next = next.plus(&step).ok_or(Wrong::Call)?;
    }
    Value::list(&Type::Number, numbers).map(Into::into).map_err(|_| Wrong::Call)
}
