//! Operators with operands that are there (E82 to E85).

use std::cmp::Ordering;

use planfuzz_core::value::{Bound, Number, Refiner, Tri, Type, Value, equals};

use super::ast::{BinaryOperator, UnaryOperator};
use super::marked::Marked;

/// The unknown of a type that is not null.
pub(crate) fn unknown_not_null(ty: Type) -> Value {
    let mut refiner = Refiner::new(&ty);
    let node = refiner.not_null().and_then(|()| refiner.finish());
    match node {
        Ok(node) => Value::from_parts(ty, node),
        Err(_) => Value::unknown(ty),
    }
}

/// A truth that may be open.
pub(crate) fn truth(tri: Tri) -> Value {
    match tri {
        Tri::True => Value::bool(true),
        Tri::False => Value::bool(false),
        Tri::Unknown => unknown_not_null(Type::Bool),
    }
}

/// The type of what an operator gives.
pub(super) fn result_type(operator: BinaryOperator) -> Type {
    use BinaryOperator::*;
    if matches!(operator, Add | Subtract | Multiply | Divide | Modulo) { Type::Number } else { Type::Bool }
}

pub(super) fn unary(operator: UnaryOperator, operand: &Marked) -> Result<Marked, &'static str> {
    let ty = if operator == UnaryOperator::Not { Type::Bool } else { Type::Number };
    let x = operand_of(operand, &ty)?;
    let marks = operand.marks.all();
    let value = if x.is_unknown() {
        unknown_not_null(ty)
    } else if let Some(number) = x.view().as_number() {
        Value::number(number.negated())
    } else {
        Value::bool(x.view().as_bool() == Some(false))
    };
    Ok(Marked::from(value).with(marks))
}

fn operand_of(operand: &Marked, ty: &Type) -> Result<Value, &'static str> {
    let bare = Marked::from(operand.value.clone());
    let value = bare.convert(ty).ok_or("Invalid operand")?.value;
    if value.is_null() { Err("Operation failed") } else { Ok(value) }
}

pub(super) fn binary(operator: BinaryOperator, a: &Marked, b: &Marked) -> Result<Marked, Vec<&'static str>> {
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
        (Err("Invalid operand"), Err("Invalid operand")) => return Err(vec!["Invalid operand"]),
        (Err("Invalid operand"), _) | (_, Err("Invalid operand")) => return Err(vec!["Invalid operand"]),
        (Err(fault), _) | (_, Err(fault)) => return Err(vec![fault]),
    };
    let value = match operator {
        And | Or => match (x.view().as_bool(), y.view().as_bool()) {
            (Some(x), Some(y)) => Value::bool(if operator == And { x && y } else { x || y }),
            _ => unknown_not_null(Type::Bool),
        },
        Less | LessOrEqual | Greater | GreaterOrEqual => truth(compare(operator, &x, &y)),
        _ => match (x.view().as_number(), y.view().as_number()) {
            (Some(x), Some(y)) => {
                arithmetic(operator, x, y).map(Value::number).ok_or_else(|| vec!["Operation failed"])?
            }
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
        _ => x.modulo(y),
    }
}

/// The least and the greatest that a number may be; nothing where it is not bounded.
pub(super) fn bounds(value: &Value) -> (Option<Bound>, Option<Bound>) {
    if let Some(number) = value.view().as_number() {
        let exact = Some(Bound { value: number.clone(), inclusive: true });
        return (exact.clone(), exact);
    }
    match value.node() {
        planfuzz_core::value::Node::Unknown(Some(record)) => {
            (record.number_min().cloned(), record.number_max().cloned())
        }
        _ => (None, None),
    }
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
    // `x < y` for certain, `x <= y` for certain, by the greatest x and the least y.
    let below = |x: &Option<Bound>, y: &Option<Bound>, or_equal: bool| match (x, y) {
        (Some(x), Some(y)) => match x.value.compare(&y.value) {
            Ordering::Less => true,
            Ordering::Equal => or_equal || !x.inclusive || !y.inclusive,
            Ordering::Greater => false,
        },
        _ => false,
    };
    let (yes, no) = match operator {
        Less => (below(&x.1, &y.0, false), below(&y.1, &x.0, true)),
        LessOrEqual => (below(&x.1, &y.0, true), below(&y.1, &x.0, false)),
        Greater => (below(&y.1, &x.0, false), below(&x.1, &y.0, true)),
        _ => (below(&y.1, &x.0, true), below(&x.1, &y.0, false)),
    };
    if yes {
        Tri::True
    } else if no {
        Tri::False
    } else {
        Tri::Unknown
    }
}
