//! Values derived from values: the inputs of related requests.

use planfuzz_core::value::{MapNode, Node, Range, Refinement, Text, Truth, Type, Value, ValueRef};
use triomphe::Arc;

use super::walk::{set_of, with_parts};
use crate::mixing::mixed;

/// Choices that depend on a case alone.
#[derive(Clone, Debug)]
pub(super) struct Choices(u64);

impl Choices {
    pub(super) fn new(state: u64) -> Choices {
        Choices(state)
    }

    /// The next number below `count`; 0 if `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mixed(self.0) % (count.max(1) as u64)).unwrap_or(0)
    }
}

/// A known object with another member at an index of its type.
pub(super) fn with_member(object: &Value, index: usize, member: ValueRef<'_>) -> Value {
    let mut nodes = object.node().parts().to_vec();
    nodes[index] = member.node().clone();
    let ty = match object.ty().as_object() {
        Some(old) if old.attributes()[index].ty != *member.ty() => {
            let types = old.attributes().iter().enumerate();
            Type::object(types.map(|(at, attribute)| {
                (attribute.name.clone(), if at == index { member.ty().clone() } else { attribute.ty.clone() })
            }))
        }
        _ => object.ty().clone(),
    };
    Value::from_parts(ty, Node::seq(nodes))
}

/// The value with unknowns replaced by values of their types, null among them; some stay. The replacement of an unknown with
/// a record is not null and within the record, so that no prior value can take its place.
pub(super) fn completed(value: ValueRef<'_>, choices: &mut Choices) -> Node {
    if value.is_wholly_known() {
        return value.node().clone();
    }
    match value.node() {
        Node::Unknown(None) => match choices.below(8) {
            0 => Node::UNKNOWN,
            1 | 2 => Node::Null,
            _ => made(value.ty(), choices),
        },
        Node::Unknown(Some(record)) => made_within(value.ty(), record, choices).unwrap_or_else(|| value.node().clone()),
        _ => with_parts(value, value.children().map(|(_, part)| completed(part, choices)).collect()),
    }
}

/// The value with every plain unknown replaced.
pub(super) fn all_completed(value: ValueRef<'_>, choices: &mut Choices) -> Node {
    match value.node() {
        _ if value.is_wholly_known() => value.node().clone(),
        Node::Unknown(None) if choices.below(4) == 0 => Node::Null,
        Node::Unknown(None) => made(value.ty(), choices),
        Node::Unknown(Some(_)) => value.node().clone(),
        _ => with_parts(value, value.children().map(|(_, part)| all_completed(part, choices)).collect()),
    }
}

/// A known payload of a type; null of type `dynamic`.
pub(super) fn made(ty: &Type, choices: &mut Choices) -> Node {
    match ty {
        Type::Dynamic => Node::Null,
        Type::Bool => Node::Bool(Truth(choices.below(2) == 0)),
        Type::Number => Value::number(choices.below(3) as u64).into_parts().1,
        Type::String => Node::String(Text::new(["", "a", "made"][choices.below(3)])),
        Type::List(element) => Node::seq((0..choices.below(3)).map(|_| made(element, choices)).collect()),
        Type::Set(element) => {
            let parts = (0..choices.below(3)).map(|_| made(element, choices)).collect();
            set_of(element, parts)
        }
        Type::Map(element) => {
            let keys = ["a", "b"].into_iter().take(choices.below(3));
            let entries = keys.map(|key| (Text::new(key), made(element, choices))).collect();
            Node::Map(Arc::new(MapNode::from_sorted(entries)))
        }
        Type::Tuple(tuple) => Node::seq(tuple.elements().iter().map(|ty| made(ty, choices)).collect()),
        Type::Object(object) => {
            Node::seq(object.attributes().iter().map(|attribute| made(&attribute.ty, choices)).collect())
        }
    }
}

/// A known payload of a type within a record, if one is easily found.
fn made_within(ty: &Type, record: &Refinement, choices: &mut Choices) -> Option<Node> {
    match (&record.range, ty) {
        (Range::Any, _) => (!ty.is_dynamic()).then(|| made(ty, choices)),
        (Range::String { prefix }, Type::String) => Some(Node::String(prefix.clone())),
        (Range::Number { min, max }, Type::Number) => {
            let bound = min.as_ref().or(max.as_ref()).filter(|bound| bound.inclusive)?;
            Some(Node::Number(bound.value.clone()))
        }
        (Range::Length { min: 0, .. }, Type::List(_) | Type::Set(_)) => Some(Node::seq(Vec::new())),
        _ => None,
    }
}

/// The value with every set built by inserting its elements in the opposite order (V50).
pub(super) fn inserted_backwards(value: ValueRef<'_>) -> Node {
    let mut parts: Vec<Node> = value.children().map(|(_, part)| inserted_backwards(part)).collect();
    if parts.is_empty() {
        return value.node().clone();
    }
    if matches!(value.ty(), Type::Set(_)) {
        parts.reverse();
    }
    with_parts(value, parts)
}

/// Another known payload of a type, for a known payload that is not null.
pub(super) fn other_known(ty: &Type, node: &Node) -> Node {
    match (ty, node) {
        (_, Node::Bool(Truth(bool))) => Node::Bool(Truth(!bool)),
        (_, Node::Number(_)) => Value::number(77_u64).into_parts().1,
        (_, Node::String(_)) => Node::String(Text::new("other")),
        (Type::List(_) | Type::Set(_), _) => Node::seq(Vec::new()),
        (Type::Map(_), _) => Node::Map(Arc::new(MapNode::from_sorted(Vec::new()))),
        (Type::Tuple(_) | Type::Object(_), _) => Node::seq(vec![Node::Null; node.parts().len()]),
        _ => node.clone(),
    }
}
