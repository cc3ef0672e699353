//! Passes over whole objects: their stored form, unreadable attributes, write-only attributes.

use crate::places::{Place, Places, each, object_of};
use planfuzz_core::value::{Text, Type, Value, ValueRef};

/// The object as the remote system stores it (`remote_form`).
pub(super) fn stored(places: &Places, object: ValueRef<'_>) -> Value {
    if !places.iter().any(|place| place.within.remote_form) || !object.is_present() {
        return object.to_value();
    }
    let members = object.entries().zip(places.iter()).map(|((_, member), place)| {
        if !place.within.remote_form || !member.is_present() {
            return member.to_value();
        }
        let inner = match place.inside() {
            Some((nesting, inside)) => each(nesting, member, &mut |_, object| stored(inside, object)),
            None => member.to_value(),
        };
        match &place.remote_form {
            Some(canon) => canon.value(inner),
            None => inner,
        }
    });
    object_of(object, members.collect())
}

/// The object with its unreadable attributes taken from `known`, or null without it (`unreadable`), and write-only ones null.
pub(super) fn readable(places: &Places, object: ValueRef<'_>, known: Option<ValueRef<'_>>) -> Value {
    if !places.iter().any(|place| place.within.unreadable || place.within.write_only) || !object.is_present() {
        return object.to_value();
    }
    let members = object.entries().zip(places.iter()).map(|((name, member), place)| {
        let known = known.and_then(|known| known.member(name));
        if place.flags.write_only {
            return Value::null(member.ty().clone());
        }
        if place.unreadable {
            return known.map_or_else(|| Value::null(place.ty.clone()), ValueRef::to_value);
        }
        match place.inside() {
            Some((nesting, inside)) if place.within.unreadable || place.within.write_only => {
                each(nesting, member, &mut |element, object| {
                    let known = known.and_then(|known| element.map_or(Some(known), |element| element.of(known)));
                    readable(inside, object, known)
                })
            }
            _ => member.to_value(),
        }
    });
    object_of(object, members.collect())
}

/// A value at a place with null for the write-only attributes inside.
pub(super) fn without_write_only(place: &Place, value: ValueRef<'_>) -> Value {
    match place.inside() {
        Some((nesting, inside)) => each(nesting, value, &mut |_, object| no_write_only(inside, object)),
        None => value.to_value(),
    }
}

fn no_write_only(places: &Places, object: ValueRef<'_>) -> Value {
    if !object.is_present() {
        return object.to_value();
    }
    let members = object.entries().zip(places.iter()).map(|((_, member), place)| match place.flags.write_only {
        true => Value::null(member.ty().clone()),
        false => without_write_only(place, member),
    });
    object_of(object, members.collect())
}

/// The object with null for the write-only attributes at any depth.
pub(super) fn never_stored_removed(places: &Places, object: ValueRef<'_>) -> Value {
    if places.iter().any(|place| place.within.write_only) { no_write_only(places, object) } else { object.to_value() }
}

/// An object with only its id, if it has such an attribute.
pub(super) fn with_id(ty: &Type, places: &Places, id: &Text) -> Value {
    let members = places.iter().map(|place| match (&*place.name, &place.ty) {
        ("id", Type::String | Type::Dynamic) => Value::string(id),
        _ => place.absent(),
    });
    object_of(ValueRef::null(ty), members.collect())
}
