//! Expressions of exact types without a reference.

use planfuzz_core::value::{Number, Range, Refinement, Text, Truth, Type};

use super::expression::{Expression, quoted};

/// A non-null value of exactly this type.
pub fn witness(ty: &Type) -> Expression {
    match ty {
        Type::Dynamic => Expression::Null,
        Type::Bool => Expression::Bool(false),
        Type::Number => Expression::Number("0".into()),
        Type::String => Expression::Text(Text::new("")),
        Type::List(element) => collection("tolist", sole(element)),
        Type::Set(element) => collection("toset", sole(element)),
        Type::Map(element) if element.is_dynamic() => Expression::Code("tomap({})".to_owned()),
        Type::Map(element) => {
            Expression::call("tomap", &[Expression::Object(vec![(Text::new("k"), witness(element))])])
        }
        Type::Tuple(tuple) => Expression::Tuple(tuple.elements().iter().map(witness).collect()),
        Type::Object(object) => Expression::Object(
            object.attributes().iter().map(|attribute| (attribute.name.clone(), witness(&attribute.ty))).collect(),
        ),
    }
}

/// A list or set of these elements.
pub fn collection(function: &str, elements: Vec<Expression>) -> Expression {
    Expression::call(function, &[Expression::Tuple(elements)])
}

/// Null of a type: a condition takes the type of the branch that has one.
pub fn null(ty: &Type) -> Expression {
    match ty {
        Type::Dynamic => Expression::Null,
        _ => Expression::Code(format!("(true ? null : {})", witness(ty).to_code())),
    }
}

/// The empty list, set or map of an element type.
pub fn empty(ty: &Type) -> Expression {
    let list = |element: &Type| format!("slice({}, 0, 0)", collection("tolist", sole(element)).to_code());
    Expression::Code(match ty {
        Type::List(element) if element.is_dynamic() => "tolist([])".to_owned(),
        Type::List(element) => list(element),
        Type::Set(element) if element.is_dynamic() => "toset([])".to_owned(),
        Type::Set(_) => {
            let some = witness(ty).to_code();
            format!("setsubtract({some}, {some})")
        }
        Type::Map(element) if element.is_dynamic() => "tomap({})".to_owned(),
        Type::Map(element) => format!("zipmap({}, {})", list(&Type::String), list(element)),
        other => return null(other),
    })
}

/// A plain unknown of a type, in every walk but an apply.
pub fn unknown(ty: &Type) -> Expression {
    Expression::Code(match ty {
        Type::Dynamic => "{\"k\" = 0}[timestamp()]".to_owned(),
        _ => format!("tolist([{}])[tonumber(timestamp())]", witness(ty).to_code()),
    })
}

/// A refined unknown of a type, likewise; `None` if no expression has exactly this refinement.
pub fn refined(ty: &Type, refinement: &Refinement) -> Option<Expression> {
    if !refinement.not_null || ty.has_dynamic() {
        return None;
    }
    let plain = unknown(ty).to_code();
    let either =
        |one: Expression, other: Expression| format!("(timestamp() == \"\" ? {} : {})", one.to_code(), other.to_code());
    Some(Expression::Code(match (ty, &refinement.range) {
        (Type::String, Range::String { prefix }) => prefixed(prefix, "timestamp()")?,
        (Type::Number, Range::Any) => format!("({plain} + 0)"),
        (Type::Number, Range::Number { min: Some(min), max: Some(max) }) if min.inclusive && max.inclusive => {
            either(number(&min.value)?, number(&max.value)?)
        }
        (Type::List(_), Range::Any) => format!("concat({plain}, {plain})"),
        (Type::Set(_), Range::Any) => format!("setunion({plain}, {plain})"),
        (Type::Map(_), Range::Any) => format!("merge({plain}, {plain})"),
        (Type::List(_) | Type::Map(_), Range::Length { min, max }) => {
            either(of_length(ty, *min)?, of_length(ty, *max)?)
        }
        (Type::Bool | Type::String | Type::Object(_) | Type::Tuple(_), Range::Any) => either(witness(ty), witness(ty)),
        _ => return None,
    }))
}

/// The longest prefix that a template reports for its result: it cuts the text before an unknown to 128 bytes, and drops the last character
/// of that.
pub const LONGEST_PREFIX: usize = 127;

/// A string that begins with a known prefix while the rest is unknown: a template drops the last character before the unknown, since the
/// rest may change it. `None` if the template would report less.
fn prefixed(prefix: &str, rest: &str) -> Option<String> {
    if prefix.len() > LONGEST_PREFIX {
        return None;
    }
    let quoted = quoted(&format!("{prefix}x"));
    Some(format!("{}${{{rest}}}\"", quoted.strip_suffix('"')?))
}

/// A number; `None` if its text is read as another number.
pub fn number(number: &Number) -> Option<Expression> {
    if let Number::Infinity { negative: Truth(negative) } = number {
        return Some(Expression::Code(if *negative { "(-1/0)" } else { "(1/0)" }.to_owned()));
    }
    let text = number.text();
    let read = Number::parse(&text).ok()?;
    read.equals(number).then(|| Expression::Number(text.into()))
}

/// A list or map of so many witnesses.
fn of_length(ty: &Type, length: u64) -> Option<Expression> {
    const LONGEST: u64 = 16;
    match ty {
        Type::List(_) | Type::Map(_) if length == 0 => Some(empty(ty)),
        Type::List(element) if length <= LONGEST => {
            Some(collection("tolist", (0..length).map(|_| witness(element)).collect()))
        }
        Type::Map(element) if length <= LONGEST => {
            let entries = (0..length).map(|index| (Text::new(&format!("k{index}")), witness(element)));
            Some(Expression::call("tomap", &[Expression::Object(entries.collect())]))
        }
        _ => None,
    }
}

fn sole(element: &Type) -> Vec<Expression> {
    // A list of nothing but nulls of no type is one of nothing at all.
    if element.is_dynamic() { Vec::new() } else { vec![witness(element)] }
}
