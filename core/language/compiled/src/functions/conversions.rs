//! Conversions and marks (FN12, FN13, FN25 to FN27, FN37).

use planfuzz_core::value::{Node, Type, Value};
use planfuzz_language::expression::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};

use super::{Given, Made, Wrong};

fn converted(given: &Given<'_, '_>, ty: Type) -> Made {
    let argument = given.get(0)?;
    // FN12, FN13: if a conversion exists, an unknown becomes an unknown of the type without refinements.
    if argument.value.is_unknown() {
        let exists = *argument.ty() == ty || planfuzz_core::value::convert::conversion_exists(argument.ty(), &ty);
        if !exists {
            return Err(Wrong::Argument);
        }
        let forgets = given.dialect().forgets_marks_of_unknown_conversions() && *argument.ty() != ty;
        let marks = if forgets { MarkTree::default() } else { argument.marks.clone() };
        return Ok(Marked { value: Value::unknown(ty), marks });
    }
    argument.convert(&ty).ok_or(Wrong::Argument)
}

pub(crate) fn tostring(given: &Given<'_, '_>) -> Made {
    converted(given, Type::String)
}

pub(crate) fn tonumber(given: &Given<'_, '_>) -> Made {
    converted(given, Type::Number)
}

pub(crate) fn tobool(given: &Given<'_, '_>) -> Made {
    converted(given, Type::Bool)
}

pub(crate) fn tolist(given: &Given<'_, '_>) -> Made {
    converted(given, Type::list(Type::Dynamic))
}

pub(crate) fn toset(given: &Given<'_, '_>) -> Made {
    converted(given, Type::set(Type::Dynamic))
}

pub(crate) fn tomap(given: &Given<'_, '_>) -> Made {
    converted(given, Type::map(Type::Dynamic))
}

/// FN25
pub(crate) fn sensitive(given: &Given<'_, '_>) -> Made {
    Ok(given.get(0)?.clone().with(SENSITIVE))
}

/// FN26
pub(crate) fn nonsensitive(given: &Given<'_, '_>) -> Made {
    let mut value = given.get(0)?.clone();
    value.marks.own = Marks(value.marks.own.0 & !SENSITIVE.0);
    Ok(value)
}

/// FN27
pub(crate) fn issensitive(given: &Given<'_, '_>) -> Made {
    let argument = given.get(0)?;
    let is_marked = argument.marks.own.has(SENSITIVE);
    if argument.marks.own == Marks::default() && argument.value.is_unknown() {
        let is_refined = given.dialect().knows_sensitivity_is_not_null();
        let answer = if is_refined { crate::make::not_null(Type::Bool) } else { Value::unknown(Type::Bool) };
        return Ok(answer.into());
    }
    Ok(Value::bool(is_marked).into())
}

/// FN37
pub(crate) fn ephemeralasnull(given: &Given<'_, '_>) -> Made {
    let argument = given.get(0)?;
    let (node, marks) = without_ephemeral(argument.value.node(), &argument.marks);
    Ok(Marked { value: Value::from_parts(argument.ty().clone(), node), marks })
}

fn without_ephemeral(node: &Node, marks: &MarkTree) -> (Node, MarkTree) {
    let own = Marks(marks.own.0 & !EPHEMERAL.0);
    if marks.own.has(EPHEMERAL) {
        return (Node::Null, MarkTree { own, inner: None });
    }
    let Some(inner) = &marks.inner else { return (node.clone(), marks.clone()) };
    let (nodes, trees): (Vec<Node>, Vec<MarkTree>) =
        node.parts().iter().zip(inner.iter()).map(|(node, tree)| without_ephemeral(node, tree)).unzip();
    let node = match node {
        Node::Map(map) => {
            let entries = map.keys().iter().cloned().zip(nodes).collect();
            Node::Map(triomphe::Arc::new(planfuzz_core::value::MapNode::from_sorted(entries)))
        }
        _ => Node::seq(nodes),
    };
    (node, MarkTree::new(own, trees))
}
