//! Small sets of payloads: for each type a few that cover all distinctions of the rules.

use triomphe::Arc;

use super::super::node::{MapNode, Node};
use super::super::refinement::{Bound, Range, Refinement};
use super::super::truth::Truth;
use super::super::ty::Type;
use super::super::{Number, Text};

/// Numbers that sort differently as text, one that is no float, two that share a key, and both zeros.
const NUMBERS: [&str; 9] = ["7", "10", "9", "-3", "2.5", "12345678901", "12345678902", "-0", "0"];

/// The text and the float of it are equal and share no key, as they lie to the two sides of a half in the tenth digit;
/// the other number lies between them.
pub const STRADDLING: (&str, f64, &str) = ("1.0000000005", 1.000_000_000_5, "1.000000000500000000001");

/// Types of every kind, and sets and lists of some of them.
pub fn types() -> Vec<Type> {
    let object = |a: &Type, b: &Type| Type::object([(Text::new("a"), a.clone()), (Text::new("b"), b.clone())]);
    let pair = object(&Type::String, &Type::Number);
    let numbers = Type::set(Type::Number);
    vec![
        Type::Dynamic,
        Type::Bool,
        Type::Number,
        Type::String,
        Type::list(Type::String),
        Type::list(Type::Number),
        Type::map(Type::Number),
        Type::map(Type::Bool),
        Type::tuple(vec![Type::String, Type::Number]),
        Type::tuple(vec![]),
        object(&Type::Bool, &Type::Number),
        object(&Type::Dynamic, &Type::String),
        Type::list(pair.clone()),
        numbers.clone(),
        Type::set(Type::String),
        Type::set(pair.clone()),
        Type::set(numbers.clone()),
        Type::set(Type::list(Type::Number)),
        Type::list(numbers.clone()),
        object(&numbers, &Type::String),
        Type::set(object(&numbers, &Type::Number)),
        pair,
    ]
}

/// The payloads of a type, null, unknown and refined ones among them.
pub fn domain(ty: &Type) -> Vec<Node> {
    let mut nodes = vec![Node::Null, Node::UNKNOWN];
    let refined = |not_null, range| Node::Unknown(Some(Arc::new(Refinement { not_null, range })));
    if !ty.is_dynamic() {
        nodes.extend([refined(false, Range::Any), refined(true, Range::Any)]);
    }
    match ty {
        Type::Dynamic => {}
        Type::Bool => nodes.extend([Node::Bool(Truth(true)), Node::Bool(Truth(false))]),
        Type::Number => {
            let bound = |value: i64| Some(Bound { value: value.into(), inclusive: true });
            nodes.extend([1, 2].map(|max| refined(false, Range::Number { min: bound(-1), max: bound(max) })));
            let (text, float, between) = STRADDLING;
            nodes.extend([number(text), float_number(float), number(between), float_number(2.5)]);
            nodes.extend(NUMBERS.map(number));
        }
        Type::String => {
            nodes.extend(["a", "b"].map(|prefix| refined(true, Range::String { prefix: Text::new(prefix) })));
            nodes.extend(["", "é", "\n", "b", "a"].map(|text| Node::String(Text::new(text))));
        }
        Type::List(element) | Type::Set(element) => {
            nodes.push(refined(false, Range::Length { min: 1, max: 2 }));
            nodes.extend(sequences(element).into_iter().map(|items| match ty {
                Type::Set(_) => Node::seq(super::build(element, &items)),
                _ => Node::seq(items),
            }));
        }
        Type::Map(element) => nodes.extend(sequences(element).into_iter().flat_map(|items| {
            [["a", "b"], ["a", "c"]].map(|names| {
                let entries = names.into_iter().map(Text::new).zip(items.clone()).collect();
                Node::Map(Arc::new(MapNode::from_sorted(entries)))
            })
        })),
        Type::Tuple(tuple) => nodes.extend(products(&tuple.elements().iter().collect::<Vec<_>>())),
        Type::Object(object) => {
            let types: Vec<_> = object.attributes().iter().map(|attribute| &attribute.ty).collect();
            nodes.extend(products(&types));
        }
    }
    nodes
}

/// A number of its text.
pub fn number(text: &str) -> Node {
    Node::Number(Number::parse(text).expect("a number"))
}

/// A number of a float, with its precision.
fn float_number(float: f64) -> Node {
    Node::Number(Number::from_f64(float).expect("a number"))
}

/// Null, unknown, and the last of the domain, which are the closest to each other.
fn samples(ty: &Type) -> Vec<Node> {
    let mut nodes = domain(ty);
    if nodes.len() > 6 {
        nodes.drain(2..nodes.len() - 4);
    }
    nodes
}

/// No element, one, and two different ones in either order.
fn sequences(element: &Type) -> Vec<Vec<Node>> {
    let samples = samples(element);
    let mut sequences = vec![vec![]];
    for (i, x) in samples.iter().enumerate() {
        sequences.push(vec![x.clone()]);
        let others = samples.iter().enumerate().filter(|(j, _)| i != *j);
        sequences.extend(others.map(|(_, y)| vec![x.clone(), y.clone()]));
    }
    sequences
}

fn products(types: &[&Type]) -> Vec<Node> {
    let mut rows = vec![vec![]];
    for ty in types {
        let samples = samples(ty);
        let longer = |row: &Vec<Node>, sample: &Node| [row.as_slice(), std::slice::from_ref(sample)].concat();
        rows = rows.iter().flat_map(|row| samples.iter().map(move |sample| longer(row, sample))).collect();
    }
    rows.into_iter().map(Node::seq).collect()
}
