//! Computed blocks in the configuration (C01, C02).
//!
//! The engine transforms the whole value and looks every path up in the schema. Here the look-up walks along: the
//! result of S63 so far is the block among whose nested blocks the next attribute step is looked up. Types never
//! change, and parts whose types name no such block are not entered.

use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Seq, Text, Type, Value, build_set};

use super::here::Here;
use super::program::{Inner, Kind, Object};
use super::same::shared;

/// C01 for the whole object.
pub(super) fn prepare(object: &Object, value: &Value) -> Result<Value, Refusal> {
    if !object.holds.computed_blocks {
        return Ok(value.clone());
    }
    let node = transform(object, value.ty(), value.node(), &Here::Root)?;
    Ok(Value::from_parts(value.ty().clone(), node))
}

fn block_of<'p>(object: &'p Object, name: &Text) -> Option<&'p Inner> {
    let index = object.members.binary_search_by(|member| member.name.cmp(name)).ok()?;
    match &object.members[index].kind {
        Kind::Block(inner) => Some(inner),
        _ => None,
    }
}

/// Whether a value of the type can have an attribute, at any depth, that names a block of `object`.
fn names_block(object: &Object, ty: &Type) -> bool {
    match ty {
        Type::Dynamic | Type::Bool | Type::Number | Type::String => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => names_block(object, element),
        Type::Tuple(tuple) => tuple.elements().iter().any(|ty| names_block(object, ty)),
        Type::Object(of) => of
            .attributes()
            .iter()
            .any(|attribute| block_of(object, &attribute.name).is_some() || names_block(object, &attribute.ty)),
    }
}

/// V12, S63: the value with the parts inside changed; `object` is the block that the path has led to.
fn transform(object: &Object, ty: &Type, node: &Node, here: &Here<'_>) -> Result<Node, Refusal> {
    match (ty, node) {
        (_, Node::Null | Node::Unknown(_)) => Ok(node.clone()),
        (Type::List(element) | Type::Set(element) | Type::Map(element), _) if !names_block(object, element) => {
            Ok(node.clone())
        }
        (Type::List(element) | Type::Set(element) | Type::Map(element), _) => {
            let new = parts(node, |index, part| transform(object, element, part, &here.index(index)))?;
            Ok(rebuilt(ty, node, new))
        }
        (Type::Tuple(tuple), _) => {
            let types = tuple.elements();
            let new = parts(node, |index, part| transform(object, &types[index], part, &here.index(index)))?;
            Ok(rebuilt(ty, node, new))
        }
        (Type::Object(of), _) => {
            let attributes = of.attributes();
            let new = parts(node, |index, part| {
                let attribute = &attributes[index];
                member(object, &attribute.name, &attribute.ty, part, &here.attribute(&attribute.name))
            })?;
            Ok(rebuilt(ty, node, new))
        }
        _ => Ok(node.clone()),
    }
}

/// The parts of a payload after `change`, if any of them changed.
fn parts(
    node: &Node,
    mut change: impl FnMut(usize, &Node) -> Result<Node, Refusal>,
) -> Result<Option<Vec<Node>>, Refusal> {
    let mut changed: Option<Vec<Node>> = None;
    for (index, old) in node.parts().iter().enumerate() {
        let new = change(index, old)?;
        if !shared(old, &new) {
            changed.get_or_insert_with(|| node.parts().to_vec())[index] = new;
        }
    }
    Ok(changed)
}

fn rebuilt(ty: &Type, old: &Node, new: Option<Vec<Node>>) -> Node {
    match (new, ty, old) {
        (None, _, _) => old.clone(),
        (Some(elements), Type::Set(element), _) => Node::Seq(build_set(element, elements)),
        (Some(values), _, Node::Map(map)) => {
            Node::Map(triomphe::Arc::new(MapNode { keys: map.keys.clone(), values: Seq::new(values) }))
        }
        (Some(parts), _, _) => Node::seq(parts),
    }
}

/// The value after an attribute step: inside first, then the value itself if the path ends at a computed block.
fn member(object: &Object, name: &Text, ty: &Type, node: &Node, here: &Here<'_>) -> Result<Node, Refusal> {
    let Some(block) = block_of(object, name) else {
        return transform(object, ty, node, here);
    };
    let has_blocks = block.object.members.iter().any(|member| matches!(member.kind, Kind::Block(_)));
    let inside = if has_blocks { transform(&block.object, ty, node, here)? } else { node.clone() };
    if !block.computed || !matches!(block.mode, Nesting::List | Nesting::Set | Nesting::Map) {
        return Ok(inside);
    }
    match &inside {
        Node::Null | Node::Unknown(_) => Ok(inside),
        Node::Bool(_) | Node::Number(_) | Node::String(_) => {
            Err(here.refuse("C02", "the length of a primitive that is named like a computed block"))
        }
        known if known.parts().is_empty() => Ok(Node::Null),
        _ => Ok(inside),
    }
}
