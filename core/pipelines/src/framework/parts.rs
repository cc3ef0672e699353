//! Values with some of their parts replaced. Unchanged parts are shared; without changes nothing is built.
//!
//! Within the pipeline a set is a sequence like a list: its elements have positions and may repeat (F05, F06). It becomes a set again on
//! the way out.

use triomphe::Arc;

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Seq, Type, Value, ValueRef};

use super::program::{Nest, Object};

/// The object with some members replaced; `None` if there are no changes.
pub(super) fn with_members(object: &Object, of: ValueRef<'_>, changes: Vec<(usize, Value)>) -> Option<Value> {
    if object.has.dynamic {
        return with_parts(of, changes);
    }
    (!changes.is_empty()).then(|| Value::from_parts(of.ty().clone(), replaced(of, changes)))
}

/// As [`with_members`], of an object that need not be one of the schema's.
pub(super) fn with_parts(of: ValueRef<'_>, changes: Vec<(usize, Value)>) -> Option<Value> {
    (!changes.is_empty()).then(|| {
        let ty = with_member_types(of.ty(), &changes);
        Value::from_parts(ty, replaced(of, changes))
    })
}

fn replaced(of: ValueRef<'_>, changes: Vec<(usize, Value)>) -> Node {
    let mut nodes = of.node().parts().to_vec();
    for (index, value) in changes {
        nodes[index] = value.into_parts().1;
    }
    Node::seq(nodes)
}

/// The type of the changed object; types of members differ only below `dynamic`.
fn with_member_types(ty: &Type, changes: &[(usize, Value)]) -> Type {
    let Type::Object(object) = ty else { return ty.clone() };
    let attributes = object.attributes();
    if changes.iter().all(|(index, value)| attributes[*index].ty == *value.ty()) {
        return ty.clone();
    }
    let mut types: Vec<_> = attributes.iter().map(|one| (one.name.clone(), one.ty.clone())).collect();
    for (index, value) in changes {
        types[*index].1 = value.ty().clone();
    }
    Type::object(types)
}

/// An object whose members are all null, or all unknown.
pub(super) fn spread(object: &Object, node: &Node) -> Value {
    Value::from_parts(object.ty.clone(), Node::seq(vec![node.clone(); object.members.len()]))
}

/// The collection with some elements replaced; `None` if there are no changes.
fn with_elements(of: ValueRef<'_>, changes: Vec<(usize, Node)>) -> Option<Value> {
    if changes.is_empty() {
        return None;
    }
    let mut nodes = of.node().parts().to_vec();
    for (index, node) in changes {
        nodes[index] = node;
    }
    let node = match of.node() {
        Node::Map(map) => Node::Map(Arc::new(MapNode { keys: map.keys.clone(), values: Seq::new(nodes) })),
        _ => Node::seq(nodes),
    };
    Some(Value::from_parts(of.ty().clone(), node))
}

/// Calls `change` for each element of a known collection, with its position.
pub(super) fn change_elements(
    of: ValueRef<'_>,
    mut change: impl FnMut(usize, ValueRef<'_>) -> Option<Value>,
) -> Option<Value> {
    let element = of.ty().element()?;
    let mut changes = Vec::new();
    for (index, node) in of.node().parts().iter().enumerate() {
        if let Some(value) = change(index, ValueRef::new(element, node)) {
            changes.push((index, value.into_parts().1));
        }
    }
    with_elements(of, changes)
}

/// Calls `change` for each object of a known nested attribute or block, with its position.
pub(super) fn change_objects(
    nest: &Nest,
    of: ValueRef<'_>,
    mut change: impl FnMut(usize, ValueRef<'_>) -> Option<Value>,
) -> Option<Value> {
    match nest.nesting {
        Nesting::Single | Nesting::Group => change(0, of),
        Nesting::List | Nesting::Set | Nesting::Map => change_elements(of, change),
    }
}
