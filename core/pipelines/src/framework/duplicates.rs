//! Sets with two equal elements (F63).

use crate::equality::has_known_duplicate;
use planfuzz_core::value::{Node, Type, ValueRef};

/// Whether a set has two wholly known elements that are wire-equal. Searches within lists, maps and sets, but not within objects and
/// `dynamic`.
pub(super) fn has_duplicate(declared: &Type, value: ValueRef<'_>) -> bool {
    is_looked_through(declared) && in_collection(declared, value.node())
}

/// Whether a type is a set, or a list or map that contains one.
fn is_looked_through(ty: &Type) -> bool {
    match ty {
        Type::Set(_) => true,
        Type::List(element) | Type::Map(element) => is_looked_through(element),
        _ => false,
    }
}

fn in_collection(ty: &Type, node: &Node) -> bool {
    let Some(element) = ty.element() else { return false };
    let parts = node.parts();
    (matches!(ty, Type::Set(_)) && has_known_duplicate(element, parts))
        || (is_looked_through(element) && parts.iter().any(|part| in_collection(element, part)))
}
