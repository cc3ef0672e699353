//! Named values: made where an expression wants one.

use planfuzz_core::value::{Bound, Node, Number, Range, Refinement, Text, Type, Value};
use planfuzz_language::expression::notation::Locals;
use planfuzz_language::expression::{Marked, SENSITIVE};
use triomphe::Arc;

use super::super::dice::Dice;
use super::Want;

/// Texts that functions look into.
pub(super) const TEXTS: [&str; 30] = [
    "a",
    "b",
    "x",
    "",
    "ab",
    "abc",
    "a,b,,c",
    ",",
    "-",
    " pad ",
    "12",
    "-1.5",
    "true",
    "1e3",
    "null",
    "é",
    "x\ny\n",
    "pre-x",
    "[a-z]+",
    "(a)(b)?",
    "%s",
    "a-%s",
    "%5.2f|%q",
    "{\"a\": [1, null]}",
    "10.0.0.0/8",
    "fd00::/48",
    "2024-02-29T12:30:00Z",
    "aGVsbG8=",
    "ß",
    "🎉",
];

/// Numbers that meet edges.
pub(super) const NUMBERS: [&str; 14] =
    ["0", "1", "2", "3", "-1", "2.5", "10", "1e3", "12345678901234567890", "0.1", "16", "7", "0.5", "-0.25"];

/// Names of attributes, and keys.
pub(super) const KEYS: [&str; 5] = ["a", "b", "k", "x y", "é"];

/// Of 256, how often a value is null; unknown; marked as a whole; marked in a part.
const NULL: u8 = 16;
const UNKNOWN: u8 = 48;
const MARKED: u8 = 24;
const MARKED_INSIDE: u8 = 20;

/// The most parts that a collection gets.
const PARTS: usize = 3;

/// Makes named values.
#[derive(Debug, Default)]
pub(super) struct ScopeMaker(Vec<(Text, Marked)>);

impl ScopeMaker {
    /// A name for a value of a kind: one that is there already, or a new one.
    pub(super) fn name(&mut self, dice: &mut Dice<'_, '_>, want: Want) -> String {
        let fitting: Vec<usize> = (0..self.0.len()).filter(|at| fits(self.0[*at].1.ty(), want)).collect();
        if !fitting.is_empty() && dice.chance(120) {
            return self.0[*dice.pick(&fitting)].0.as_str().to_owned();
        }
        let ty = ty(dice, want, 2);
        let name = format!("v{}", self.0.len());
        self.0.push((Text::new(&name), marked(dice, &ty)));
        name
    }

    /// What was made.
    pub(super) fn scope(self) -> Locals {
        Locals::new(self.0)
    }
}

fn fits(ty: &Type, want: Want) -> bool {
    match want {
        Want::Bool => *ty == Type::Bool,
        Want::Number => *ty == Type::Number,
        Want::Text => *ty == Type::String,
        Want::Texts => matches!(ty, Type::List(element) if **element == Type::String),
        Want::Numbers => matches!(ty, Type::List(element) if **element == Type::Number),
        Want::Set => matches!(ty, Type::Set(_)),
        Want::Map => matches!(ty, Type::Map(_)),
        Want::Tuple => matches!(ty, Type::Tuple(_)),
        Want::Object => matches!(ty, Type::Object(_)),
        Want::Any => true,
    }
}

/// A type of a kind, with others inside up to a depth.
fn ty(dice: &mut Dice<'_, '_>, want: Want, depth: u8) -> Type {
    let inner = |dice: &mut Dice<'_, '_>| {
        let want = if depth == 0 { Want::Text } else { any(dice) };
        ty(dice, want, depth.saturating_sub(1))
    };
    match want {
        Want::Bool => Type::Bool,
        Want::Number => Type::Number,
        Want::Text => Type::String,
        Want::Numbers => Type::list(Type::Number),
        Want::Texts if dice.chance(200) => Type::list(Type::String),
        Want::Texts => Type::list(inner(dice)),
        Want::Set if dice.chance(180) => Type::set(Type::String),
        Want::Set => Type::set(inner(dice)),
        Want::Map if dice.chance(180) => Type::map(Type::String),
        Want::Map => Type::map(inner(dice)),
        Want::Tuple => Type::tuple((0..dice.below(PARTS + 1)).map(|_| inner(dice)).collect()),
        Want::Object => {
            let count = dice.below(PARTS + 1);
            Type::object(KEYS[..count].iter().map(|name| (Text::new(name), inner(dice))))
        }
        Want::Any if dice.chance(40) => Type::Dynamic,
        Want::Any => {
            let want = any(dice);
            ty(dice, want, depth)
        }
    }
}

/// Any kind but that of anything.
pub(super) fn any(dice: &mut Dice<'_, '_>) -> Want {
    use Want::*;
    *dice.pick(&[Text, Number, Bool, Texts, Map, Object, Tuple, Set, Numbers])
}

fn marked(dice: &mut Dice<'_, '_>, ty: &Type) -> Marked {
    let value = Marked::from(value(dice, ty, true));
    if dice.chance(MARKED) {
        return value.with(SENSITIVE);
    }
    let parts = value.parts();
    // The marks of a set's elements sit on it.
    if parts.is_empty() || matches!(ty, Type::Set(_)) || !dice.chance(MARKED_INSIDE) {
        return value;
    }
    let at = dice.below(parts.len());
    let parts =
        parts.into_iter().enumerate().map(|(place, part)| if place == at { part.with(SENSITIVE) } else { part });
    let keys = value.keys();
    let rebuilt = match ty {
        Type::List(element) => Marked::list(element, parts.collect()),
        Type::Map(element) => Marked::map(element, keys.into_iter().zip(parts).collect()),
        Type::Tuple(_) => Some(Marked::tuple(parts.collect())),
        Type::Object(_) => Some(Marked::object(keys.into_iter().zip(parts).collect())),
        _ => None,
    };
    rebuilt.unwrap_or(value)
}

/// A value. A null below a collection, of which nothing but its place tells the type, is of a primitive type.
fn value(dice: &mut Dice<'_, '_>, ty: &Type, may_be_null: bool) -> Value {
    if may_be_null && dice.chance(NULL) {
        return Value::null(ty.clone());
    }
    if *ty == Type::Dynamic {
        return Value::unknown(Type::Dynamic);
    }
    if dice.chance(UNKNOWN) {
        return unknown(dice, ty);
    }
    let count = dice.below(PARTS + 1);
    let made = match ty {
        Type::Bool => Ok(Value::bool(dice.chance(128))),
        Type::Number => Ok(Value::number(number(dice))),
        Type::String => Ok(Value::string(dice.pick::<&str>(&TEXTS))),
        Type::List(element) => {
            Value::list(element, (0..count).map(|_| value(dice, element, is_primitive(element))).collect())
        }
        Type::Set(element) => {
            Value::set(element, (0..count).map(|_| value(dice, element, is_primitive(element))).collect())
        }
        Type::Map(element) => Value::map(
            element,
            KEYS[..count].iter().map(|key| (Text::new(key), value(dice, element, is_primitive(element)))).collect(),
        ),
        Type::Tuple(tuple) => {
            Ok(Value::tuple(tuple.elements().iter().map(|element| value(dice, element, may_be_null)).collect()))
        }
        Type::Object(object) => {
            let members = object.attributes().iter();
            Ok(Value::object(
                members.map(|member| (member.name.clone(), value(dice, &member.ty, may_be_null))).collect(),
            ))
        }
        Type::Dynamic => Ok(Value::unknown(Type::Dynamic)),
    };
    // Elements of an open type may be of several: those make no collection.
    made.unwrap_or_else(|_| Value::unknown(ty.clone()))
}

fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Number | Type::String)
}

fn number(dice: &mut Dice<'_, '_>) -> Number {
    Number::parse(dice.pick::<&str>(&NUMBERS)).unwrap_or_else(|_| Number::from(0_i64))
}

/// An unknown, half of them with a record that leaves something open.
fn unknown(dice: &mut Dice<'_, '_>, ty: &Type) -> Value {
    if dice.chance(128) {
        return Value::unknown(ty.clone());
    }
    let not_null = dice.chance(160);
    let range = match ty {
        Type::String if dice.chance(160) => {
            Range::String { prefix: Text::new(dice.pick::<&str>(&["a", "pre-", "1", "https://x"])) }
        }
        Type::Number if dice.chance(160) => Range::Number {
            min: dice.chance(160).then(|| Bound { value: Number::from(-1_i64), inclusive: true }),
            max: dice.chance(128).then(|| Bound { value: Number::from(10_i64), inclusive: false }),
        },
        Type::List(_) | Type::Set(_) | Type::Map(_) if dice.chance(160) => {
            Range::Length { min: dice.below(2) as u64, max: 2 + dice.below(3) as u64 }
        }
        _ => Range::Any,
    };
    let range = match range {
        Range::Number { min: None, max: None } => Range::Any,
        range => range,
    };
    let record = (not_null || !matches!(range, Range::Any)).then(|| Arc::new(Refinement { not_null, range }));
    Value::from_parts(ty.clone(), Node::Unknown(record))
}
