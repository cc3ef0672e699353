//! Taking objects and collections apart and building them again.

use planfuzz_core::planner::Refusal;
use planfuzz_core::value::{Node, ObjectType, Text, Type, Value, ValueError, ValueRef};

use super::at::At;

/// The member `name` of an object: of a null one null of the member's type, of an unknown one a plain unknown. A null or
/// unknown object of type `dynamic` has no members of known type, so its members are like itself.
///
/// # Errors
/// Refuses a value that does not have the implied type (S30), so that there is no such member.
pub(super) fn member<'v>(object: ValueRef<'v>, name: &Text, at: &At<'_>) -> Result<ValueRef<'v>, Refusal> {
    if object.ty().is_dynamic() {
        return Ok(object);
    }
    object.member(name).ok_or_else(|| {
        at.refusal("S30", format!("expected an object with an attribute \"{name}\", found {}", described(object)))
    })
}

/// The elements of a known list, tuple or set, in V10 order.
pub(super) fn elements<'v>(collection: ValueRef<'v>) -> impl Iterator<Item = ValueRef<'v>> {
    (0..collection.len()).filter_map(move |index| collection.element(index))
}

/// Whether the type is one that a map block or map attribute has: map, or object (S33).
pub(super) fn is_keyed(ty: &Type) -> bool {
    matches!(ty, Type::Map(_) | Type::Object(_))
}

/// An object of `members`. Where their types are those of `like`, an object type, that very type is shared.
pub(super) fn object(like: &Type, mut members: Vec<(Text, Value)>) -> Value {
    members.sort_by(|a, b| a.0.cmp(&b.0));
    match like.as_object() {
        Some(object) if is_type_of(object, &members) => Value::from_parts(
            like.clone(),
            Node::seq(members.into_iter().map(|(_, member)| member.into_parts().1).collect()),
        ),
        _ => Value::object(members),
    }
}

fn is_type_of(object: &ObjectType, members: &[(Text, Value)]) -> bool {
    object.len() == members.len()
        && object
            .attributes()
            .iter()
            .zip(members)
            .all(|(attribute, (name, member))| attribute.name == *name && attribute.ty == *member.ty())
}

/// The refusal of a collection whose elements would have different types, where the engine crashes (V08).
pub(super) fn mixed_elements(error: ValueError, at: &At<'_>) -> Refusal {
    at.refusal("V08", error.to_string())
}

/// The kind of a value, for messages: `a known tuple`.
pub(super) fn described(value: ValueRef<'_>) -> String {
    let state = match value.node() {
        Node::Null => "a null",
        Node::Unknown(_) => "an unknown",
        _ => "a known",
    };
    let kind = match value.ty() {
        Type::Dynamic => "of type dynamic",
        Type::Bool => "bool",
        Type::Number => "number",
        Type::String => "string",
        Type::List(_) => "list",
        Type::Set(_) => "set",
        Type::Map(_) => "map",
        Type::Tuple(_) => "tuple",
        Type::Object(_) => "object",
    };
    format!("{state} {kind}")
}
