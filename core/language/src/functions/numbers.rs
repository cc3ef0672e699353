//! Functions of numbers (FN21, FN22).

use std::cmp::Ordering;

use planfuzz_core::value::{Number, Type, Value};

use super::{ARGUMENT, Answer, CALL, text, typed};
use crate::expression::Marked;

const N: Type = Type::Number;

fn number(value: &Value) -> Number {
    value.view().as_number().cloned().unwrap_or(Number::Int(0))
}

fn float(found: f64) -> Answer<Value> {
    Number::from_f64(found).map(Value::number).ok_or(CALL)
}

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    Some(match name {
        "abs" => typed(a, &[N], &N, |v| {
            let x = number(&v[0]);
            Ok(Value::number(if x.sign_number() < 0 { x.negated() } else { x }))
        }),
        "ceil" => typed(a, &[N], &N, |v| Ok(Value::number(number(&v[0]).rounded(true)))),
        "floor" => typed(a, &[N], &N, |v| Ok(Value::number(number(&v[0]).rounded(false)))),
        "signum" => typed(a, &[N], &N, |v| Ok(Value::number(number(&v[0]).sign_number()))),
        "pow" => typed(a, &[N, N], &N, |v| {
            let (x, y) = (number(&v[0]).to_f64().ok_or(CALL)?, number(&v[1]).to_f64().ok_or(CALL)?);
            float(x.powf(y))
        }),
        "log" => typed(a, &[N, N], &N, |v| {
            let (x, y) = (number(&v[0]).to_f64().ok_or(CALL)?, number(&v[1]).to_f64().ok_or(CALL)?);
            float(x.ln() / y.ln())
        }),
        "min" => extreme(a, Ordering::Less),
        "max" => extreme(a, Ordering::Greater),
        "parseint" => typed(a, &[Type::Dynamic, N], &N, |v| {
            let digits = planfuzz_core::value::convert::convert(&v[0], &Type::String).map_err(|_| ARGUMENT)?;
            if *v[0].ty() != Type::String {
                return Err(ARGUMENT);
            }
            let base = number(&v[1]).to_i64().filter(|base| (2..=62).contains(base)).ok_or(ARGUMENT)?;
            let base = u32::try_from(base).map_err(|_| ARGUMENT)?;
            Number::of_digits(text(&digits), base).map(Value::number).ok_or(ARGUMENT)
        }),
        _ => return None,
    })
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
