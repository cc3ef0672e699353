//! Operators with evaluated operands (E82 to E85).

use std::cmp::Ordering;

use planfuzz_core::value::{Bound, Number, Tri, Type, Value, equals};

use planfuzz_language::expression::{BinaryOperator, Marked, UnaryOperator};

use crate::unknowns::{bounds, truth, unknown_not_null};

/// The summary of the fault if an operand does not convert.
pub(crate) const OPERAND: &str = "Invalid operand";

/// The result type of an operator.
pub(crate) fn result_type(operator: BinaryOperator) -> Type {
    use BinaryOperator::*;
    if matches!(operator, Add | Subtract | Multiply | Divide | Modulo) { Type::Number } else { Type::Bool }
}

pub(crate) fn unary(operator: UnaryOperator, operand: &Marked) -> Result<Marked, &'static str> {
    let ty = if operator == UnaryOperator::Not { Type::Bool } else { Type::Number };
    let x = operand_of(operand, &ty)?;
    let marks = operand.marks.all();
    let value = if x.is_unknown() {
        return Ok(unknown_not_null(ty).into());
    } else if let Some(number) = x.view().as_number() {
        Value::number(number.negated())
    } else {
        Value::bool(x.view().as_bool() == Some(false))
    };
    Ok(Marked::from(value).with(marks))
}

fn operand_of(operand: &Marked, ty: &Type) -> Result<Value, &'static str> {
    let bare = Marked::from(operand.value.clone());
    let value = bare.convert(ty).ok_or(OPERAND)?.value;
    if value.is_null() { Err("Operation failed") } else { Ok(value) }
}

/// E85: the result of `false && x` and `true || x`, whatever `x` is.
pub(crate) fn decided(operator: BinaryOperator, a: &Marked) -> Option<Marked> {
    let deciding = match operator {
        BinaryOperator::And => false,
        BinaryOperator::Or => true,
        _ => return None,
    };
    let bool = operand_of(a, &Type::Bool).ok()?.view().as_bool()?;
    (bool == deciding).then(|| Marked::from(Value::bool(bool)).with(a.marks.all()))
}

pub(crate) fn binary(operator: BinaryOperator, a: &Marked, b: &Marked) -> Result<Marked, &'static str> {
    use BinaryOperator::*;
    let marks = a.marks.all().and(b.marks.all());
    if matches!(operator, Equal | NotEqual) {
        let same = equals(a.value.view(), b.value.view());
        let answer = match (operator, same) {
            (NotEqual, Tri::True) => Tri::False,
            (NotEqual, Tri::False) => Tri::True,
            (_, same) => same,
        };
        return Ok(Marked::from(truth(answer)).with(marks));
    }
    let ty = if matches!(operator, And | Or) { Type::Bool } else { Type::Number };
    let (x, y) = match (operand_of(a, &ty), operand_of(b, &ty)) {
        (Ok(x), Ok(y)) => (x, y),
        (Err(OPERAND), _) | (_, Err(OPERAND)) => return Err(OPERAND),
        (Err(fault), _) | (_, Err(fault)) => return Err(fault),
    };
    let value = match operator {
        And | Or => match (x.view().as_bool(), y.view().as_bool()) {
            (Some(x), Some(y)) => Value::bool(if operator == And { x && y } else { x || y }),
            // E85: an unknown result loses the marks.
            _ => return Ok(unknown_not_null(Type::Bool).into()),
        },
        Less | LessOrEqual | Greater | GreaterOrEqual => truth(compare(operator, &x, &y)),
        _ => match (x.view().as_number(), y.view().as_number()) {
            (Some(x), Some(y)) => arithmetic(operator, x, y).map(Value::number).ok_or("Operation failed")?,
            _ => unknown_not_null(Type::Number),
        },
    };
    Ok(Marked::from(value).with(marks))
}

fn arithmetic(operator: BinaryOperator, x: &Number, y: &Number) -> Option<Number> {
    match operator {
        BinaryOperator::Add => x.plus(y),
        BinaryOperator::Subtract => x.minus(y),
        BinaryOperator::Multiply => x.times(y),
        BinaryOperator::Divide => x.divided_by(y),
        _ => modulo(x, y),
    }
}

/// E82: `x` minus the truncated quotient times `y`; every step is rounded.
fn modulo(x: &Number, y: &Number) -> Option<Number> {
    if y.sign_number() == 0 {
        return Some(x.clone());
    }
    if x.is_infinite() || y.is_infinite() {
        return None;
    }
    // Each step has the precision of the left operand.
    let bits = x.precision();
    let quotient = x.divided_by_at(y, bits)?;
    let mut whole = quotient.rounded(quotient.sign_number() < 0);
    if whole.sign_number() == 0 {
        // A zero quotient loses its sign with its fraction.
        whole = whole.times(&whole)?;
    }
    x.minus_at(&whole.times_at(y, bits)?, bits)
}

/// E84: decided by the bounds where they suffice.
fn compare(operator: BinaryOperator, x: &Value, y: &Value) -> Tri {
    use BinaryOperator::*;
    if let (Some(x), Some(y)) = (x.view().as_number(), y.view().as_number()) {
        let order = x.compare(y);
        return Tri::from(match operator {
            Less => order == Ordering::Less,
            LessOrEqual => order != Ordering::Greater,
            Greater => order == Ordering::Greater,
            _ => order != Ordering::Less,
        });
    }
    let (x, y) = (bounds(x), bounds(y));
    // Equal bounds decide nothing.
    let below = |x: &Option<Bound>, y: &Option<Bound>| match (x, y) {
        (Some(x), Some(y)) => x.value.compare(&y.value) == Ordering::Less,
        _ => false,
    };
    let (is_less, is_greater) = (below(&x.1, &y.0), below(&y.1, &x.0));
    let (yes, no) = if matches!(operator, Less | LessOrEqual) { (is_less, is_greater) } else { (is_greater, is_less) };
    if yes {
        Tri::True
    } else if no {
        Tri::False
    } else {
        Tri::Unknown
    }
}
