//! Sets and equality a second time, by the words of the rules and without regard for time: the tests compare the real
//! ones with these. Shared with the real ones are only payloads, numbers and ranges.

mod domain;
mod tests;

use std::collections::BTreeMap;

use unicode_general_category::{GeneralCategory as G, get_general_category};

use super::equality::Tri;
use super::node::Node;
use super::range::includes;
use super::refinement::{Bound, Range, Refinement, UNBOUNDED};
use super::truth::Truth;
use super::ty::Type;
use super::view::ValueRef;
pub use domain::{STRADDLING, domain, number, types};

/// V50, V52. Right for up to 20 elements where V56 plays a part, and for any number where not.
pub fn build(element: &Type, elements: &[Node]) -> Vec<Node> {
    let mut buckets: BTreeMap<u32, Vec<Node>> = BTreeMap::new();
    for x in elements {
        let bucket = buckets.entry(crc(key(element, x).as_bytes())).or_default();
        let x_is = |y| equals(ValueRef::new(element, x), ValueRef::new(element, y)) == Tri::True;
        if !bucket.iter().any(x_is) {
            bucket.push(x.clone());
        }
    }
    let mut items: Vec<Node> = buckets.into_values().flatten().collect();
    for next in 1..items.len() {
        for at in (1..=next).rev() {
            if !before(element, &items[at], &items[at - 1]) {
                break;
            }
            items.swap(at, at - 1);
        }
    }
    items
}

/// V51.
pub fn key(ty: &Type, node: &Node) -> String {
    let each = |types: &[&Type]| -> String {
        types.iter().zip(node.parts()).map(|(ty, part)| format!("{};", key(ty, part))).collect()
    };
    match (ty, node) {
        (_, Node::Unknown(_)) => "?".into(),
        (_, Node::Null) => "~".into(),
        (_, Node::Bool(Truth(true))) => "T".into(),
        (_, Node::Bool(Truth(false))) => "F".into(),
        (_, Node::Number(number)) => number.key_text().into_owned(),
        (_, Node::String(text)) => quoted(text),
        (Type::List(element) | Type::Set(element), Node::Seq(_)) => {
            format!("[{}]", each(&vec![&**element; node.parts().len()]))
        }
        (Type::Tuple(tuple), Node::Seq(_)) => format!("<{}>", each(&tuple.elements().iter().collect::<Vec<_>>())),
        (Type::Object(object), Node::Seq(_)) => {
            format!("<{}>", each(&object.attributes().iter().map(|attribute| &attribute.ty).collect::<Vec<_>>()))
        }
        (Type::Map(element), Node::Map(map)) => {
            let entries = map.keys().iter().map(|name| (name, map.get(name).expect("its own key")));
            let entries = entries.map(|(name, part)| format!("{}:{};", quoted(name), key(element, part)));
            format!("{{{}}}", entries.collect::<String>())
        }
        _ => unreachable!("a payload of another type"),
    }
}

/// V54.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        '\x07' => "\\a".into(),
        '\x08' => "\\b".into(),
        '\x0c' => "\\f".into(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        '\x0b' => "\\v".into(),
        ' ' => " ".into(),
        _ if u32::from(char) < 0x20 || u32::from(char) == 0x7f => format!("\\x{:02x}", u32::from(char)),
        _ => match get_general_category(char) {
            G::Control | G::Format | G::Surrogate | G::PrivateUse | G::Unassigned => by_number(char),
            G::SpaceSeparator | G::LineSeparator | G::ParagraphSeparator => by_number(char),
            _ => char.to_string(),
        },
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn by_number(char: char) -> String {
    let code = u32::from(char);
    if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") }
}

/// CRC-32/IEEE, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// V53.
fn before(element: &Type, x: &Node, y: &Node) -> bool {
    if raw_equals(ValueRef::new(element, x), ValueRef::new(element, y)) {
        return false;
    }
    if x.is_null() || y.is_null() {
        return !x.is_null();
    }
    if x.is_unknown() || y.is_unknown() {
        return !x.is_unknown();
    }
    match (x, y) {
        (Node::String(x), Node::String(y)) => x.as_bytes() < y.as_bytes(),
        (Node::Bool(Truth(x)), Node::Bool(Truth(y))) => !x && *y,
        (Node::Number(x), Node::Number(y)) => x.compare(y).is_lt(),
        _ => key(element, x).as_bytes() < key(element, y).as_bytes(),
    }
}

/// V30.
pub fn raw_equals(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    if a.ty() != b.ty() {
        return false;
    }
    match (a.node(), b.node()) {
        (Node::Unknown(a), Node::Unknown(b)) => a.as_deref().map(facts) == b.as_deref().map(facts),
        (Node::Null, Node::Null) => true,
        (Node::Number(a), Node::Number(b)) => a.equals(b),
        (Node::String(a), Node::String(b)) => a.as_str() == b.as_str(),
        (Node::Bool(Truth(a)), Node::Bool(Truth(b))) => a == b,
        (Node::Seq(_), Node::Seq(_)) | (Node::Map(_), Node::Map(_)) => {
            a.len() == b.len() && names(a) == names(b) && pairs(a, b).all(|(a, b)| raw_equals(a, b))
        }
        _ => false,
    }
}

/// V31: all facts of a record, as text.
fn facts(record: &Refinement) -> String {
    let bound = |bound: &Option<Bound>| bound.as_ref().map(|bound| (bound.value.text().into_owned(), bound.inclusive));
    let (prefix, bounds, lengths) = match &record.range {
        Range::Any => ("", None, None),
        Range::String { prefix } => (prefix.as_str(), None, None),
        Range::Number { min: None, max: None } => ("", None, None),
        Range::Number { min, max } => ("", Some((bound(min), bound(max))), None),
        Range::Length { min: 0, max: UNBOUNDED } => ("", None, None),
        Range::Length { min, max } => ("", None, Some((min, max))),
    };
    format!("{} {prefix} {bounds:?} {lengths:?}", record.not_null)
}

fn names(value: ValueRef<'_>) -> Vec<String> {
    match value.ty() {
        Type::Map(_) => value.entries().map(|(name, _)| name.to_string()).collect(),
        _ => Vec::new(),
    }
}

fn pairs<'a>(a: ValueRef<'a>, b: ValueRef<'a>) -> impl Iterator<Item = (ValueRef<'a>, ValueRef<'a>)> {
    a.children().map(|(_, child)| child).zip(b.children().map(|(_, child)| child))
}

/// V32, in its order.
pub fn equals(a: ValueRef<'_>, b: ValueRef<'_>) -> Tri {
    if (a.is_null() && definitely_not_null(b)) || (b.is_null() && definitely_not_null(a)) {
        return Tri::False;
    }
    if a.is_unknown() != b.is_unknown() {
        let (unknown, known) = if a.is_unknown() { (a, b) } else { (b, a) };
        if includes(unknown, known) == Tri::False {
            return Tri::False;
        }
        return match known.is_null() || unknown.ty().has_dynamic() || unknown.ty() == known.ty() {
            true => Tri::Unknown,
            false => Tri::False,
        };
    }
    if a.is_unknown() {
        return Tri::Unknown;
    }
    if a.is_null() || b.is_null() {
        return (a.is_null() && b.is_null()).into();
    }
    if has_untyped(a) || has_untyped(b) {
        return match a.ty().conforms_to(b.ty()) || b.ty().conforms_to(a.ty()) {
            true => Tri::Unknown,
            false => Tri::False,
        };
    }
    if a.ty() != b.ty() {
        return Tri::False;
    }
    match a.ty() {
        Type::Set(element) => equal_sets(element, a.node().parts(), b.node().parts()),
        Type::List(_) | Type::Map(_) if a.len() != b.len() || names(a) != names(b) => Tri::False,
        Type::List(_) | Type::Tuple(_) | Type::Map(_) | Type::Object(_) => {
            pairs(a, b).map(|(a, b)| equals(a, b)).find(|answer| *answer != Tri::True).unwrap_or(Tri::True)
        }
        _ => raw_equals(a, b).into(),
    }
}

fn equal_sets(element: &Type, a: &[Node], b: &[Node]) -> Tri {
    if a.iter().chain(b).any(Node::is_unknown) {
        return Tri::Unknown;
    }
    let crc_of = |node: &Node| crc(key(element, node).as_bytes());
    let is_one = |x: &Node, y: &Node| equals(ValueRef::new(element, x), ValueRef::new(element, y)) == Tri::True;
    let is_in = |x: &Node, set: &[Node]| set.iter().any(|y| crc_of(x) == crc_of(y) && is_one(x, y));
    (a.iter().all(|x| is_in(x, b)) && b.iter().all(|y| is_in(y, a))).into()
}

fn definitely_not_null(value: ValueRef<'_>) -> bool {
    match value.node() {
        Node::Null => false,
        Node::Unknown(record) => record.as_ref().is_some_and(|record| record.not_null),
        _ => true,
    }
}

fn has_untyped(value: ValueRef<'_>) -> bool {
    (value.is_unknown() && value.ty().is_dynamic()) || value.children().any(|(_, child)| has_untyped(child))
}
