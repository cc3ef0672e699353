//! Converts values on the way in (F02, F04) and on the way out (F03, F06, F11).

use planfuzz_core::value::{MapNode, Node, Seq, Type, Value, ValueRef, build_set};

use super::parts::{change_objects, with_members, with_parts};
use super::program::{Object, Part};

/// F02, F04: empty blocks of mode list and set become null, innermost first, and refinements are lost.
pub(super) fn inbound(object: &Object, value: &Value) -> Value {
    let value = match value.node().contents().has_record() {
        true => Value::from_parts(value.ty().clone(), plain(value.node())),
        false => value.clone(),
    };
    empty_to_null(object, value.view()).unwrap_or(value)
}

/// Removes refinements; the order of sets stays, because positions count (F05).
fn plain(node: &Node) -> Node {
    if !node.contents().has_record() {
        return node.clone();
    }
    let parts = |seq: &Seq| Seq::from_exact(seq.as_slice().iter().map(plain));
    match node {
        Node::Unknown(_) => Node::UNKNOWN,
        Node::Seq(seq) => Node::Seq(parts(seq)),
        Node::Map(map) => Node::Map(triomphe::Arc::new(MapNode { keys: map.keys.clone(), values: parts(&map.values) })),
        other => other.clone(),
    }
}

fn empty_to_null(object: &Object, of: ValueRef<'_>) -> Option<Value> {
    if !object.has.sequence_block || !of.is_present() {
        return None;
    }
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.sequence_block) {
        let Part::Block(nest) = &member.part else { continue };
        let value = object.member(of, index);
        if !value.is_present() {
            continue;
        }
        let changed = match member.part.is_sequence_block() && value.is_empty() {
            true => Some(Value::null(member.ty.clone())),
            false => change_objects(nest, value, |_, element| empty_to_null(&nest.object, element)),
        };
        changes.extend(changed.map(|value| (index, value)));
    }
    with_members(object, of, changes)
}

/// F03, F06, F11: null blocks of mode list and set become empty, sequences become sets again, and an unknown in a `dynamic` loses its type.
pub(super) fn outbound(object: &Object, value: Value) -> Value {
    let value = null_to_empty(object, value.view()).unwrap_or(value);
    let value = without_unknown_types(&object.ty, value.view()).unwrap_or(value);
    if !object.has.set || !value.view().is_present() {
        return value;
    }
    let (ty, node) = value.into_parts();
    let node = as_sets(&ty, &node).unwrap_or(node);
    Value::from_parts(ty, node)
}

/// F11. Inside collections there is no `dynamic` (F01).
pub(super) fn without_unknown_types(declared: &Type, of: ValueRef<'_>) -> Option<Value> {
    match (declared, of.ty(), of.node()) {
        (Type::Dynamic, ty, Node::Unknown(_)) if !ty.is_dynamic() => Some(Value::unknown(Type::Dynamic)),
        (Type::Object(declared), Type::Object(object), Node::Seq(seq)) if declared.has_dynamic() => {
            let parts = object.attributes().iter().zip(seq.as_slice());
            let parts = parts.map(|(attribute, node)| ValueRef::new(&attribute.ty, node));
            let changes: Vec<(usize, Value)> = declared
                .attributes()
                .iter()
                .zip(parts)
                .enumerate()
                .filter_map(|(index, (declared, part))| Some((index, without_unknown_types(&declared.ty, part)?)))
                .collect();
            with_parts(of, changes)
        }
        _ => None,
    }
}

fn null_to_empty(object: &Object, of: ValueRef<'_>) -> Option<Value> {
    if !object.has.sequence_block || !of.is_present() {
        return None;
    }
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.sequence_block) {
        let Part::Block(nest) = &member.part else { continue };
        let value = object.member(of, index);
        let changed = if value.is_present() {
            change_objects(nest, value, |_, element| null_to_empty(&nest.object, element))
        } else if value.is_null() && member.part.is_sequence_block() {
            Some(Value::from_parts(member.ty.clone(), Node::seq(Vec::new())))
        } else {
            None
        };
        changes.extend(changed.map(|value| (index, value)));
    }
    with_members(object, of, changes)
}

/// The payload with every sequence of a set type made a set; `None` if nothing changes.
fn as_sets(ty: &Type, node: &Node) -> Option<Node> {
    match (ty, node) {
        (Type::Set(element), Node::Seq(seq)) => {
            let nodes = seq.as_slice().iter().map(|node| as_sets(element, node).unwrap_or_else(|| node.clone()));
            Some(Node::Seq(build_set(element, nodes.collect())))
        }
        (Type::List(element), Node::Seq(seq)) => in_parts(seq, |_| Some(element)).map(Node::Seq),
        (Type::Tuple(tuple), Node::Seq(seq)) => in_parts(seq, |index| tuple.elements().get(index)).map(Node::Seq),
        (Type::Object(object), Node::Seq(seq)) => {
            in_parts(seq, |index| object.attributes().get(index).map(|attribute| &attribute.ty)).map(Node::Seq)
        }
        (Type::Map(element), Node::Map(map)) => {
            let values = in_parts(&map.values, |_| Some(element))?;
            Some(Node::Map(triomphe::Arc::new(MapNode { keys: map.keys.clone(), values })))
        }
        _ => None,
    }
}

fn in_parts<'t>(seq: &Seq, ty: impl Fn(usize) -> Option<&'t Type>) -> Option<Seq> {
    let mut parts: Option<Vec<Node>> = None;
    for (index, node) in seq.as_slice().iter().enumerate() {
        if let Some(changed) = ty(index).and_then(|ty| as_sets(ty, node)) {
            parts.get_or_insert_with(|| seq.as_slice().to_vec())[index] = changed;
        }
    }
    parts.map(Seq::new)
}
