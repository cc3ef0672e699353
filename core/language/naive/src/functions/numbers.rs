//! Functions of numbers (FN21, FN22).

use std::cmp::Ordering;

use planfuzz_core::value::{Number, Type, Value};

use super::{ARGUMENT, Answer, CALL, text, typed};
use planfuzz_language::expression::Marked;

const N: Type = Type::Number;

fn number(value: &Value) -> Number {
    value.view().as_number().cloned().unwrap_or(Number::Int(0))
}

fn float(found: f64) -> Answer<Value> {
    Number::calculated(found).map(Value::number).ok_or(CALL)
}

/// Removes the sign of zero.
fn without_sign_of_zero(number: Number) -> Number {
    if matches!(number, Number::NegativeZero { .. }) { number.negated() } else { number }
}

/// The nearest float.
fn nearest(value: &Value) -> Answer<f64> {
    let number = number(value);
    // A number beyond the largest float is an error.
    let near = || number.text().parse().ok().filter(|near: &f64| near.is_finite());
    number.to_f64().or_else(near).ok_or(CALL)
}

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    Some(match name {
        // An unknown result loses the marks.
        "abs" if a[0].value.is_unknown() => super::converted(a, &[N]).map(|_| Marked::from(super::unknown(&N))),
        "abs" => typed(a, &[N], &N, |v| {
            let x = number(&v[0]);
            Ok(Value::number(without_sign_of_zero(if x.sign_number() < 0 { x.negated() } else { x })))
        }),
        "ceil" => typed(a, &[N], &N, |v| Ok(Value::number(without_sign_of_zero(number(&v[0]).rounded(true))))),
        "floor" => typed(a, &[N], &N, |v| Ok(Value::number(without_sign_of_zero(number(&v[0]).rounded(false))))),
        "signum" => typed(a, &[N], &N, |v| {
            let x = number(&v[0]);
            // A number that is not a 64-bit integer is an error.
            x.to_i64().filter(|_| x.is_whole()).map(|x| Value::number(Number::of_sign(x.cmp(&0)))).ok_or(CALL)
        }),
        "pow" => typed(a, &[N, N], &N, |v| {
            let (x, y) = (nearest(&v[0])?, nearest(&v[1])?);
            float(power(x, y))
        }),
        "log" => typed(a, &[N, N], &N, |v| {
            let (x, y) = (nearest(&v[0])?, nearest(&v[1])?);
            float(libm::log(x) / libm::log(y))
        }),
        "min" => extreme(a, Ordering::Less),
        "max" => extreme(a, Ordering::Greater),
        "parseint" => parse_int(a),
        _ => return None,
    })
}

/// A power: a whole exponent squares the base repeatedly, which rounds differently from a logarithm.
fn power(base: f64, exponent: f64) -> f64 {
    let is_plain = base.is_finite() && base != 0.0 && exponent.abs() < 4096.0;
    if !is_plain || exponent.abs() == 0.5 || (base < 0.0 && exponent.fract() != 0.0) {
        return libm::pow(base, exponent);
    }
    // The nearest whole exponent, and the remainder, which is raised by the logarithm.
    let (mut whole, mut rest) = (exponent.abs().trunc(), exponent.abs().fract());
    if rest > 0.5 {
        (whole, rest) = (whole + 1.0, rest - 1.0);
    }
    let begun = if rest == 0.0 { 1.0 } else { libm::exp(rest * libm::log(base)) };
    // The base as a fraction between a half and one, and a power of two.
    let mut two = 0_i32;
    let mut fraction = base;
    while fraction.abs() >= 1.0 {
        (fraction, two) = (fraction / 2.0, two + 1);
    }
    while fraction.abs() < 0.5 {
        (fraction, two) = (fraction * 2.0, two - 1);
    }
    let (mut product, mut twos, mut square, mut of_square) = (begun, 0_i64, fraction, i64::from(two));
    let mut left = whole as u64;
    while left > 0 {
        if left % 2 == 1 {
            (product, twos) = (product * square, twos + of_square);
        }
        (square, of_square) = (square * square, of_square * 2);
        if square.abs() < 0.5 {
            (square, of_square) = (square * 2.0, of_square - 1);
        }
        left /= 2;
    }
    if exponent < 0.0 {
        (product, twos) = (1.0 / product, -twos);
    }
    scaled(product, twos)
}

/// Multiplies by a power of two, in steps that do not overflow.
fn scaled(mut number: f64, mut twos: i64) -> f64 {
    while twos != 0 && number != 0.0 && number.is_finite() {
        let step = twos.clamp(-512, 512);
        number *= 2.0_f64.powi(step as i32);
        twos -= step;
    }
    number
}

fn extreme(arguments: &[Marked], order: Ordering) -> Answer {
    if arguments.is_empty() {
        return Err(CALL);
    }
    typed(arguments, &[N], &N, |values| {
        let numbers = values.iter().map(number);
        let found = numbers.reduce(|best, next| if next.compare(&best) == order { next } else { best });
        found.map(Value::number).ok_or(CALL)
    })
}

/// The text is not converted: a number is an error, even an unknown one.
fn parse_int(arguments: &[Marked]) -> Answer {
    let marks = super::all_marks(arguments);
    let digits = &arguments[0].value;
    let base = arguments[1].convert(&N).ok_or(ARGUMENT)?.value;
    if digits.is_null() {
        return Err(ARGUMENT);
    }
    match digits.ty() {
        Type::Dynamic => return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(marks)),
        Type::String => {}
        _ => return Err(ARGUMENT),
    }
    if base.is_null() {
        return Err(ARGUMENT);
    }
    if digits.is_unknown() || base.is_unknown() {
        return Ok(Marked::from(super::unknown(&N)).with(marks));
    }
    let base = base.view().as_number().and_then(Number::to_i64).filter(|base| (2..=62).contains(base));
    let base = base.and_then(|base| u32::try_from(base).ok()).ok_or(ARGUMENT)?;
    let found = Number::of_digits(text(digits), base).ok_or(ARGUMENT)?;
    Ok(Marked::from(Value::number(found)).with(marks))
}
