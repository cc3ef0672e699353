//! Operators (E82 to E85).

use std::cmp::Ordering;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Number, Type, Value, equals};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{BinaryOperator, Marked, Marks, UnaryOperator};

use crate::functions::numbers::plain_zero;
use crate::make;
use crate::outcome::{Evaluated, Faults, Out, failure};

const INVALID: &str = "Invalid operand";
const FAILED: &str = "Operation failed";

pub(crate) fn unary(operator: UnaryOperator, place: SourcePlace, operand: Out<'_>) -> Evaluated {
    let ty = match operator {
        UnaryOperator::Negate => Type::Number,
        UnaryOperator::Not => Type::Bool,
    };
    let mut faults = Faults::default();
    let given = faults.take(operand);
    let operand = converted(&given, &ty, place, &mut faults);
    let Some(operand) = operand.filter(|_| faults.is_empty()) else { return Err(faults.with_type(Some(ty))) };
    if operand.is_null() {
        return Err(failure(FAILED, place, Some(ty)));
    }
    // E82: an unknown operand loses its mark.
    if operand.is_unknown() {
        return Ok(make::not_null(ty).into());
    }
    let value = match operator {
        UnaryOperator::Negate => operand.view().as_number().map(|number| Value::number(number.negated())),
        UnaryOperator::Not => operand.view().as_bool().map(|bool| Value::bool(!bool)),
    };
    let value = value.ok_or_else(|| failure(FAILED, place, Some(ty)))?;
    Ok(Marked::from(value).with(given.marks.all()))
}

/// The result of `false && x` and `true || x` if the dialect does not evaluate `x` (E85).
pub(crate) fn is_decided(operator: BinaryOperator, left: &Out<'_>, dialect: Dialect) -> Option<Marked> {
    if !dialect.short_circuits() {
        return None;
    }
    let deciding = match operator {
        BinaryOperator::And => false,
        BinaryOperator::Or => true,
        _ => return None,
    };
    let left = left.as_ref().ok()?;
    let bool = convert(&left.value, &Type::Bool).ok()?.view().as_bool()?;
    (bool == deciding).then(|| Marked::from(Value::bool(bool)).with(left.marks.own))
}

pub(crate) fn binary(operator: BinaryOperator, place: SourcePlace, left: Out<'_>, right: Out<'_>) -> Evaluated {
    let (wanted, ty) = types(operator);
    let mut faults = Faults::default();
    let (left, right) = (faults.take(left), faults.take(right));
    let marks = left.marks.all().and(right.marks.all());
    if wanted.is_dynamic() {
        if !faults.is_empty() {
            return Err(faults.with_type(Some(ty)));
        }
        return Ok(Marked::from(equality(operator, &left.value, &right.value)).with(marks));
    }
    let a = converted(&left, &wanted, place, &mut faults);
    let b = converted(&right, &wanted, place, &mut faults);
    let (Some(a), Some(b), true) = (a, b, faults.is_empty()) else { return Err(faults.with_type(Some(ty))) };
    if a.is_null() || b.is_null() {
        return Err(failure(FAILED, place, Some(ty)));
    }
    if let Some(answer) = logic(operator, &a, &b) {
        // E85: an unknown result has no marks.
        let marks = if answer.is_unknown() { Marks::default() } else { marks };
        return Ok(Marked::from(answer).with(marks));
    }
    if let Some(wanted) = ordering(operator) {
        return Ok(Marked::from(comparison(&a, &b, wanted)).with(marks));
    }
    if a.is_unknown() || b.is_unknown() {
        return Ok(Marked::from(make::not_null(ty)).with(marks));
    }
    let number = a.view().as_number().zip(b.view().as_number()).and_then(|(a, b)| arithmetic(operator, a, b));
    let number = number.ok_or_else(|| failure(FAILED, place, Some(ty)))?;
    Ok(Marked::from(Value::number(number)).with(marks))
}

fn types(operator: BinaryOperator) -> (Type, Type) {
    use BinaryOperator as B;
    match operator {
        B::Or | B::And => (Type::Bool, Type::Bool),
        B::Equal | B::NotEqual => (Type::Dynamic, Type::Bool),
        B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual => (Type::Number, Type::Bool),
        B::Add | B::Subtract | B::Multiply | B::Divide | B::Modulo => (Type::Number, Type::Number),
    }
}

fn converted(given: &Marked, ty: &Type, place: SourcePlace, faults: &mut Faults) -> Option<Value> {
    let value = convert(&given.value, ty).ok();
    if value.is_none() {
        faults.add(INVALID, place);
    }
    value
}

fn equality(operator: BinaryOperator, a: &Value, b: &Value) -> Value {
    let equal = make::truth(equals(a.view(), b.view()));
    match equal.view().as_bool() {
        Some(equal) => Value::bool(equal == (operator == BinaryOperator::Equal)),
        None => equal,
    }
}

fn logic(operator: BinaryOperator, a: &Value, b: &Value) -> Option<Value> {
    if !matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
        return None;
    }
    let (Some(a), Some(b)) = (a.view().as_bool(), b.view().as_bool()) else {
        return Some(make::not_null(Type::Bool));
    };
    Some(Value::bool(if operator == BinaryOperator::And { a && b } else { a || b }))
}

/// The orderings for which a comparison operator is true.
fn ordering(operator: BinaryOperator) -> Option<&'static [Ordering]> {
    use Ordering::{Equal, Greater, Less};
    Some(match operator {
        BinaryOperator::Less => &[Less],
        BinaryOperator::LessOrEqual => &[Less, Equal],
        BinaryOperator::Greater => &[Greater],
        BinaryOperator::GreaterOrEqual => &[Greater, Equal],
        _ => return None,
    })
}

/// E84: decides for known numbers, and for unknown ones whose bounds do not overlap.
fn comparison(a: &Value, b: &Value, wanted: &[Ordering]) -> Value {
    if let (Some(a), Some(b)) = (a.view().as_number(), b.view().as_number()) {
        return Value::bool(wanted.contains(&a.compare(b)));
    }
    let ((a_least, a_most), (b_least, b_most)) = (make::bounds(a.view()), make::bounds(b.view()));
    let below = |most: Option<planfuzz_core::value::Bound>, least: Option<planfuzz_core::value::Bound>| {
        most.zip(least).is_some_and(|(most, least)| most.value.compare(&least.value) == Ordering::Less)
    };
    if below(a_most, b_least) {
        Value::bool(wanted.contains(&Ordering::Less))
    } else if below(b_most, a_least) {
        Value::bool(wanted.contains(&Ordering::Greater))
    } else {
        make::not_null(Type::Bool)
    }
}

/// The quotient is rounded before it is truncated: `1 % 0.1` is 0. All operations use the precision of the left operand.
fn remainder(a: &Number, b: &Number) -> Option<Number> {
    let precision = a.precision();
    let quotient = a.divided_by_at(b, precision)?;
    let is_negative = quotient.compare(&Number::Int(0)) == Ordering::Less;
    // A zero quotient has no sign, so `-0 % -3` is 0.
    let whole = plain_zero(quotient.rounded(is_negative));
    a.minus_at(&b.times_at(&whole, precision)?, precision)
}

fn arithmetic(operator: BinaryOperator, a: &Number, b: &Number) -> Option<Number> {
    match operator {
        BinaryOperator::Add => a.plus(b),
        BinaryOperator::Subtract => a.minus(b),
        BinaryOperator::Multiply => a.times(b),
        BinaryOperator::Divide => a.divided_by(b),
        BinaryOperator::Modulo if b.equals(&Number::Int(0)) => Some(a.clone()),
        BinaryOperator::Modulo if a.is_infinite() || b.is_infinite() => None,
        BinaryOperator::Modulo => remainder(a, b),
        _ => None,
    }
}
