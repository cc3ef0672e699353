//! Semantic equality (F120 to F125).

use crate::equality::value_equal;
use crate::expression::Equiv;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Type, Value, ValueRef};

use super::duplicates::has_duplicate;
use super::parts::{change_elements, with_members};
use super::program::{Member, Nest, Object};

/// A top-level set has two equal elements after semantic equality (F125).
#[derive(Debug)]
pub(super) struct Duplicate<'a>(pub &'a Member);

/// The new object with the old values of equivalent ones; `None` if nothing changes.
pub(super) fn at_the_top<'a>(
    object: &'a Object,
    old: ValueRef<'_>,
    new: ValueRef<'_>,
) -> Result<Option<Value>, Duplicate<'a>> {
    let Some(result) = in_object(object, old, new) else { return Ok(None) };
    for (index, member) in object.members().filter(|(_, member)| member.has.equal && member.has.set) {
        let (before, after) = (object.member(new, index), object.member(result.view(), index));
        if !before.node().ptr_eq(after.node()) && has_duplicate(&member.ty, after) {
            return Err(Duplicate(member));
        }
    }
    Ok(Some(result))
}

fn in_object(object: &Object, old: ValueRef<'_>, new: ValueRef<'_>) -> Option<Value> {
    if !object.has.equal || !old.is_present() || !new.is_present() {
        return None;
    }
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.equal) {
        let changed = in_member(member, object.member(old, index), object.member(new, index));
        changes.extend(changed.map(|value| (index, value)));
    }
    with_members(object, new, changes)
}

fn in_member(member: &Member, old: ValueRef<'_>, new: ValueRef<'_>) -> Option<Value> {
    // F120.
    if !old.is_present() || !new.is_present() {
        return None;
    }
    match (member.part.nest(), &member.equal) {
        (Some(nest), _) => in_nest(nest, old, new),
        (None, Some(equiv)) => in_leaf(equiv, &member.ty, old, new),
        (None, None) => None,
    }
}

fn in_nest(nest: &Nest, old: ValueRef<'_>, new: ValueRef<'_>) -> Option<Value> {
    match nest.nesting {
        Nesting::Single | Nesting::Group => in_object(&nest.object, old, new),
        Nesting::List => by_position(old, new, |old, new| in_object(&nest.object, old, new)),
        Nesting::Map => by_key(old, new, |old, new| in_object(&nest.object, old, new)),
        Nesting::Set => in_set(old, new, |old, new| in_object(&nest.object, old, new)),
    }
}

/// An attribute, or the strings of a plain list, set or map.
fn in_leaf(equiv: &Equiv, ty: &Type, old: ValueRef<'_>, new: ValueRef<'_>) -> Option<Value> {
    let text = |old: ValueRef<'_>, new: ValueRef<'_>| in_text(equiv, old, new);
    match ty {
        Type::String => text(old, new),
        Type::List(element) if **element == Type::String => by_position(old, new, text),
        Type::Map(element) if **element == Type::String => by_key(old, new, text),
        Type::Set(element) if **element == Type::String => in_set(old, new, text),
        _ => None,
    }
}

/// F121, and F124 for equal texts.
fn in_text(equiv: &Equiv, old: ValueRef<'_>, new: ValueRef<'_>) -> Option<Value> {
    let (before, after) = (old.as_text()?, new.as_text()?);
    (before != after && equiv.relates_texts(before, after)).then(|| old.to_value())
}

/// F122: new elements beyond the old ones are kept.
fn by_position(
    old: ValueRef<'_>,
    new: ValueRef<'_>,
    part: impl Fn(ValueRef<'_>, ValueRef<'_>) -> Option<Value>,
) -> Option<Value> {
    change_elements(new, |position, element| part(old.element(position)?, element))
}

/// F122.
fn by_key(
    old: ValueRef<'_>,
    new: ValueRef<'_>,
    part: impl Fn(ValueRef<'_>, ValueRef<'_>) -> Option<Value>,
) -> Option<Value> {
    let Node::Map(map) = new.node() else { return None };
    change_elements(new, |position, element| part(old.entry(map.keys().get(position)?)?, element))
}

/// F123: each new element takes the first old one, of those not taken yet, that changes it.
fn in_set(
    old: ValueRef<'_>,
    new: ValueRef<'_>,
    part: impl Fn(ValueRef<'_>, ValueRef<'_>) -> Option<Value>,
) -> Option<Value> {
    let element = old.ty().element()?;
    let mut left: Vec<&Node> = old.node().parts().iter().collect();
    let changed = change_elements(new, |_, new| {
        let (at, value) =
            left.iter().enumerate().find_map(|(at, old)| Some((at, part(ValueRef::new(element, old), new)?)))?;
        left.remove(at);
        Some(value)
    })?;
    // F124: the comparison is from the left only, which may undo all changes.
    (!value_equal(changed.view(), new)).then_some(changed)
}
