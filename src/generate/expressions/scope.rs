//! Named values, created when an expression wants one.

use std::collections::BTreeSet;

use planfuzz_core::value::{Bound, Node, Number, Range, Refinement, Text, Type, Value};
use planfuzz_language::expression::notation::Locals;
use planfuzz_language::expression::{Marked, SENSITIVE};
use planfuzz_language_generate::{Choices, FUNCTIONS, NUMBERS, Names, TEXTS, Want};
use triomphe::Arc;

/// Names of attributes, and keys.
const KEYS: [&str; 5] = ["a", "b", "k", "x y", "é"];

/// Of 256, how often a value is null, unknown, marked as a whole, or marked in a part.
const NULL: u8 = 16;
const UNKNOWN: u8 = 48;
const MARKED: u8 = 24;
const MARKED_INSIDE: u8 = 20;

/// Of 256, how often an existing name is reused where it fits, and how often a new one has a value of another kind than wanted.
const REUSED: u8 = 120;
const ODD: u8 = 16;

/// The most parts that a collection gets.
const PARTS: usize = 3;

/// Makes named values.
#[derive(Debug, Default)]
pub(super) struct ScopeMaker(Vec<(Text, Marked)>);

impl ScopeMaker {
    /// The scope of all named values made so far.
    pub(super) fn scope(self) -> Locals {
        Locals::new(self.0)
    }
}

impl Names for ScopeMaker {
    /// A name for a value of a kind: an existing one, or a new one.
    fn name(&mut self, want: Want, dice: &mut dyn Choices) -> String {
        let fitting: Vec<usize> = (0..self.0.len()).filter(|at| want.fits(self.0[*at].1.ty())).collect();
        if !fitting.is_empty() && chance(dice, REUSED) {
            return self.0[fitting[dice.below(fitting.len())]].0.as_str().to_owned();
        }
        let want = if chance(dice, ODD) { Want::Any } else { want };
        let name = format!("v{}", self.0.len());
        let made = match want {
            Want::Form(form) if !chance(dice, UNKNOWN) => {
                let text = Marked::from(Value::string(&form.text(dice)));
                if chance(dice, MARKED) { text.with(SENSITIVE) } else { text }
            }
            want => {
                let ty = ty(dice, want, 2);
                marked(dice, &ty)
            }
        };
        self.0.push((Text::new(&name), made));
        name
    }
}

/// The functions that these expressions call. Those that read files are not among them, because a case has no files.
pub fn functions() -> BTreeSet<&'static str> {
    FUNCTIONS.iter().filter(|signature| !signature.reads_files()).map(|signature| signature.name).collect()
}

/// True with the probability `share` of 256; false if the choices have run out.
fn chance(dice: &mut dyn Choices, share: u8) -> bool {
    dice.below(256) + usize::from(share) >= 256
}

fn pick<T: Copy>(dice: &mut dyn Choices, items: &[T]) -> T {
    items[dice.below(items.len())]
}

/// A type of a kind, with others inside up to a depth.
fn ty(dice: &mut dyn Choices, want: Want, depth: u8) -> Type {
    let inner = |dice: &mut dyn Choices| {
        let want = if depth == 0 { Want::Text } else { any(dice) };
        ty(dice, want, depth.saturating_sub(1))
    };
    match want {
        Want::Bool => Type::Bool,
        Want::Number | Want::Small => Type::Number,
        Want::Text | Want::Key | Want::Form(_) => Type::String,
        Want::Numbers => Type::list(Type::Number),
        Want::Texts if chance(dice, 200) => Type::list(Type::String),
        Want::Texts => Type::list(inner(dice)),
        Want::Set if chance(dice, 180) => Type::set(Type::String),
        Want::Set => Type::set(inner(dice)),
        Want::Map if chance(dice, 180) => Type::map(Type::String),
        Want::Map => Type::map(inner(dice)),
        Want::MapOfTexts => Type::map(Type::list(Type::String)),
        Want::Sequence => {
            let want = [Want::Texts, Want::Set, Want::Tuple, Want::Numbers][dice.below(4)];
            ty(dice, want, depth)
        }
        Want::Tuple => Type::tuple((0..dice.below(PARTS + 1)).map(|_| inner(dice)).collect()),
        Want::Object => {
            let count = dice.below(PARTS + 1);
            Type::object(KEYS[..count].iter().map(|name| (Text::new(name), inner(dice))))
        }
        Want::Any if chance(dice, 90) => Type::Dynamic,
        Want::Any => {
            let want = any(dice);
            ty(dice, want, depth)
        }
    }
}

/// Any kind except `Want::Any`.
fn any(dice: &mut dyn Choices) -> Want {
    use Want::*;
    pick(dice, &[Text, Number, Bool, Texts, Map, Object, Tuple, Set, Numbers])
}

fn marked(dice: &mut dyn Choices, ty: &Type) -> Marked {
    let value = Marked::from(value(dice, ty, true));
    if chance(dice, MARKED) {
        return value.with(SENSITIVE);
    }
    let parts = value.parts();
    // The marks of a set's elements sit on the set.
    if parts.is_empty() || matches!(ty, Type::Set(_)) || !chance(dice, MARKED_INSIDE) {
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

/// A value. A null below a collection is of a primitive type, because only its place gives its type.
fn value(dice: &mut dyn Choices, ty: &Type, may_be_null: bool) -> Value {
    if may_be_null && chance(dice, NULL) {
        return Value::null(ty.clone());
    }
    if *ty == Type::Dynamic {
        return Value::unknown(Type::Dynamic);
    }
    if chance(dice, UNKNOWN) {
        return unknown(dice, ty);
    }
    let count = dice.below(PARTS + 1);
    let made = match ty {
        Type::Bool => Ok(Value::bool(chance(dice, 128))),
        Type::Number => Ok(Value::number(number(dice))),
        Type::String => Ok(Value::string(pick(dice, TEXTS))),
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

fn number(dice: &mut dyn Choices) -> Number {
    Number::parse(pick(dice, NUMBERS)).unwrap_or_else(|_| Number::from(0_i64))
}

/// An unknown, half of them with a record that leaves something open.
fn unknown(dice: &mut dyn Choices, ty: &Type) -> Value {
    if chance(dice, 128) {
        return Value::unknown(ty.clone());
    }
    let not_null = chance(dice, 160);
    let range = match ty {
        Type::String if chance(dice, 160) => {
            Range::String { prefix: Text::new(pick(dice, &["a", "pre-", "1", "https://x"])) }
        }
        Type::Number if chance(dice, 160) => Range::Number {
            min: chance(dice, 160).then(|| Bound { value: Number::from(-1_i64), inclusive: true }),
            max: chance(dice, 128).then(|| Bound { value: Number::from(10_i64), inclusive: false }),
        },
        Type::List(_) | Type::Set(_) | Type::Map(_) if chance(dice, 160) => {
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
