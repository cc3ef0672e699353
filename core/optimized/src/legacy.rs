//! Objects from the legacy SDK (LN01 to LN04).
//!
//! No type changes, since blocks with `dynamic` inside are left alone (LN02), but for stubs and empty values where leaves
//! have optional markers (S34): there types are computed too. Unchanged parts stay shared.

use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Value, ValueRef, build_set};

use super::here::Here;
use super::program::{Inner, Kind, Object, empty_collection, part};
use super::same::shared;

/// LN01 for the whole object.
pub(super) fn normalize(object: &Object, value: &Value) -> Result<Value, Refusal> {
    if value.is_null() {
        return Ok(Value::null(object.ty.clone()));
    }
    if object.holds.markers {
        return typed(object, value.view(), &Here::Root);
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
        if inner.object.holds.any_type {
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

/// LN01 with types.
fn typed(object: &Object, value: ValueRef<'_>, here: &Here<'_>) -> Result<Value, Refusal> {
    if value.is_null() {
        return Ok(Value::null(object.ty.clone()));
    }
    let members = object.members.iter().enumerate().map(|(index, member)| {
        let part = object.member(value, index);
        let normal = match &member.kind {
            Kind::Block(inner) if !inner.object.holds.any_type => {
                typed_block(inner, part, &here.attribute(&member.name))?
            }
            _ => part.to_value(),
        };
        Ok((member.name.clone(), normal))
    });
    Ok(Value::object(members.collect::<Result<_, Refusal>>()?))
}

/// LN02 with types.
fn typed_block(inner: &Inner, value: ValueRef<'_>, here: &Here<'_>) -> Result<Value, Refusal> {
    let object = &inner.object;
    let elements = match inner.mode {
        Nesting::Map => return Ok(value.to_value()),
        Nesting::Single if value.is_null() => return Ok(value.to_value()),
        Nesting::Group if value.is_null() => return Ok(object.empty.clone()),
        Nesting::Single | Nesting::Group if value.is_unknown() => return typed_stub(object, here),
        Nesting::Single | Nesting::Group => return typed(object, value, here),
        Nesting::List | Nesting::Set if value.is_unknown() => vec![typed_stub(object, here)?],
        Nesting::List | Nesting::Set => {
            let elements = (0..value.len()).filter_map(|index| Some((index, value.element(index)?)));
            elements.map(|(index, element)| typed(object, element, &here.index(index))).collect::<Result<_, _>>()?
        }
    };
    plural(inner, elements, here)
}

/// LN03 with types: an unknown member has the type that the schema declares (S34).
fn typed_stub(object: &Object, here: &Here<'_>) -> Result<Value, Refusal> {
    let members = object.members.iter().map(|member| {
        let here = here.attribute(&member.name);
        let value = match &member.kind {
            Kind::Leaf => Value::unknown(member.declared.clone()),
            Kind::Nested(_) => {
                return Err(here.refuse("LN03", "a nested type inside an unknown block has no normal form"));
            }
            Kind::Block(inner) => match inner.mode {
                Nesting::Single | Nesting::Group => typed_stub(&inner.object, &here)?,
                Nesting::List | Nesting::Set => plural(inner, vec![typed_stub(&inner.object, &here)?], &here)?,
                Nesting::Map => Value::from_parts(member.ty.clone(), empty_collection(Nesting::Map)),
            },
        };
        Ok((member.name.clone(), value))
    });
    Ok(Value::object(members.collect::<Result<_, Refusal>>()?))
}

fn plural(inner: &Inner, elements: Vec<Value>, here: &Here<'_>) -> Result<Value, Refusal> {
    let value = match inner.mode {
        Nesting::Set => Value::set(&inner.object.ty, elements),
        _ => Value::list(&inner.object.ty, elements),
    };
    value.map_err(|error| here.refuse("V08", error.to_string()))
}
