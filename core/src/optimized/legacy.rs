//! Objects from the legacy SDK (LN01 to LN04).
//!
//! Nothing changes its type: blocks with `dynamic` inside are left alone (LN02). What comes out as it went in is the
//! same shared part.

use crate::planner::Refusal;
use crate::schema::Nesting;
use crate::value::{Node, Value, build_set};

use super::here::Here;
use super::program::{Inner, Kind, Object, empty_collection, part};
use super::same::shared;

/// LN01 for the whole object.
pub(super) fn normalize(object: &Object, value: &Value) -> Result<Value, Refusal> {
    if value.is_null() {
        return Ok(Value::null(object.ty.clone()));
    }
    Ok(Value::from_parts(value.ty().clone(), normalize_object(object, value.node(), &Here::Root)?))
}

/// LN01.
fn normalize_object(object: &Object, node: &Node, here: &Here<'_>) -> Result<Node, Refusal> {
    if node.is_null() {
        return Ok(Node::Null);
    }
    let mut changed: Option<Vec<Node>> = node.is_unknown().then(|| vec![Node::UNKNOWN; object.members.len()]);
    for (index, member) in object.members.iter().enumerate() {
        let Kind::Block(inner) = &member.kind else { continue };
        if member.dynamic || inner.object.holds.dynamic {
            continue;
        }
        let old = part(node, index);
        let new = normalize_block(inner, old, &here.attribute(&member.name))?;
        if !shared(old, &new) {
            changed.get_or_insert_with(|| node.parts().to_vec())[index] = new;
        }
    }
    Ok(changed.map_or_else(|| node.clone(), Node::seq))
}

/// LN02.
fn normalize_block(inner: &Inner, node: &Node, here: &Here<'_>) -> Result<Node, Refusal> {
    let stub = || {
        let stub = inner.object.stub.clone();
        stub.ok_or_else(|| here.refuse("LN03", "an unknown block with nested types inside has no normal form"))
    };
    match (inner.mode, node) {
        (Nesting::Map, _) => Ok(node.clone()),
        (Nesting::Single | Nesting::Group, Node::Unknown(_)) => stub(),
        (Nesting::List | Nesting::Set, Node::Unknown(_)) => Ok(Node::seq(vec![stub()?])),
        (Nesting::Single, Node::Null) => Ok(Node::Null),
        (Nesting::Group, Node::Null) => Ok(inner.object.empty.node().clone()),
        (Nesting::Single | Nesting::Group, _) => normalize_object(&inner.object, node, here),
        (Nesting::List | Nesting::Set, Node::Null) => Ok(empty_collection(inner.mode)),
        (Nesting::List | Nesting::Set, _) => normalize_elements(inner, node, here),
    }
}

fn normalize_elements(inner: &Inner, node: &Node, here: &Here<'_>) -> Result<Node, Refusal> {
    let mut changed: Option<Vec<Node>> = None;
    // LN01, LN04: without blocks in it an element is its own normal form, unless it is unknown.
    let has_blocks = inner.object.members.iter().any(|member| matches!(member.kind, Kind::Block(_)));
    for (index, old) in node.parts().iter().enumerate() {
        if !has_blocks && !old.is_unknown() {
            continue;
        }
        let new = normalize_object(&inner.object, old, &here.index(index))?;
        if !shared(old, &new) {
            changed.get_or_insert_with(|| node.parts().to_vec())[index] = new;
        }
    }
    Ok(match changed {
        // V96: a set built from its own elements in its own order is itself.
        None => node.clone(),
        Some(elements) if inner.mode == Nesting::Set => Node::Seq(build_set(&inner.object.ty, elements)),
        Some(elements) => Node::seq(elements),
    })
}
