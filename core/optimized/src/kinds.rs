//! Values of any kind at list and map blocks whose type is `dynamic` (M30): the number of elements, and the elements
//! by the slots of another value. Functions return `None` where the engine crashes.

use std::collections::HashMap;

use planfuzz_core::value::{Number, Text, Type, ValueRef};

use super::here::Here;

/// The key of an element.
#[derive(Clone, Copy)]
pub(super) enum Slot<'a> {
    Number(usize),
    Name(&'a Text),
    /// An element of a set that is neither a place nor a name; no element is found by it.
    Itself(ValueRef<'a>),
}

impl<'a> Slot<'a> {
    pub(super) fn place<'h>(self, here: &'h Here<'h>) -> Here<'h>
    where
        'a: 'h,
    {
        match self {
            Slot::Number(index) => here.index(index),
            Slot::Name(name) => here.key(name),
            Slot::Itself(element) => here.element(element),
        }
    }
}

/// The number of elements. Tuples and objects have it in their types, whether there is a value or not.
pub(super) fn count(value: ValueRef<'_>) -> Option<usize> {
    let stored = || value.is_present().then(|| value.len());
    match value.ty() {
        Type::Dynamic | Type::Bool | Type::Number | Type::String => None,
        Type::List(_) | Type::Set(_) | Type::Map(_) => stored(),
        Type::Tuple(tuple) => Some(tuple.len()),
        Type::Object(object) => Some(object.len()),
    }
}

/// Whether the elements have names.
pub(super) fn has_names(value: ValueRef<'_>) -> bool {
    matches!(value.ty(), Type::Map(_) | Type::Object(_))
}

/// The elements of a known value, each with its slot.
pub(super) fn slots<'a>(value: ValueRef<'a>) -> impl Iterator<Item = (Slot<'a>, ValueRef<'a>)> {
    let of_set = matches!(value.ty(), Type::Set(_));
    let by_place = (0..value.len()).map_while(move |index| {
        let element = value.element(index)?;
        Some((if of_set { slot_of_member(element) } else { Slot::Number(index) }, element))
    });
    by_place.chain(value.entries().map(|(name, element)| (Slot::Name(name), element)))
}

/// The slot that an element of a set stands for.
fn slot_of_member(element: ValueRef<'_>) -> Slot<'_> {
    match (element.as_text(), element.as_number().and_then(Number::to_i64)) {
        (Some(name), _) => Slot::Name(name),
        (None, Some(place)) if place >= 0 => usize::try_from(place).map_or(Slot::Itself(element), Slot::Number),
        _ => Slot::Itself(element),
    }
}

/// Whether every element of a known value has a name; a value without elements to count has none.
pub(super) fn is_named(value: ValueRef<'_>) -> bool {
    has_names(value)
        || count(value).is_some_and(|count| count == 0)
        || matches!(value.ty(), Type::Set(_)) && slots(value).all(|(slot, _)| matches!(slot, Slot::Name(_)))
}

/// The elements of a set of names by themselves; empty for any other value.
pub(super) fn members_by_name<'a>(value: ValueRef<'a>) -> HashMap<&'a Text, ValueRef<'a>> {
    let names = slots(value).filter_map(|(slot, element)| match slot {
        Slot::Name(name) => Some((name, element)),
        Slot::Number(_) | Slot::Itself(_) => None,
    });
    if matches!(value.ty(), Type::Set(_)) { names.collect() } else { HashMap::new() }
}

/// Whether there is an element in a slot.
pub(super) fn is_filled(value: ValueRef<'_>, slot: Slot<'_>) -> Option<bool> {
    match (value.ty(), slot) {
        (Type::Set(_) | Type::Object(_) | Type::Dynamic | Type::Bool | Type::Number | Type::String, _) => None,
        (Type::List(_) | Type::Tuple(_), Slot::Number(index)) => Some(count(value).is_some_and(|count| index < count)),
        (Type::Map(_), Slot::Name(name)) => Some(value.entry(name).is_some()),
        (Type::List(_) | Type::Tuple(_), Slot::Itself(key)) => {
            (key.is_present() || *key.ty() != Type::Number).then_some(false)
        }
        (Type::Map(_), Slot::Itself(key)) => (key.is_present() || *key.ty() != Type::String).then_some(false),
        (Type::List(_) | Type::Tuple(_) | Type::Map(_), _) => Some(false),
    }
}

/// The element in a slot, also where it is not filled: a map has null there.
pub(super) fn read<'a>(value: ValueRef<'a>, slot: Slot<'_>) -> Option<ValueRef<'a>> {
    let unknown = value.is_unknown();
    match (value.ty(), slot) {
        (Type::Dynamic, _) => unknown.then_some(value),
        (Type::List(element), Slot::Number(_)) | (Type::Map(element), Slot::Name(_)) if unknown => {
            Some(ValueRef::unknown(element))
        }
        (Type::Tuple(tuple), Slot::Number(index)) if unknown => Some(ValueRef::unknown(tuple.elements().get(index)?)),
        (Type::List(_) | Type::Tuple(_), Slot::Number(index)) => value.element(index),
        (Type::Map(element), Slot::Name(name)) => Some(value.entry(name).unwrap_or(ValueRef::null(element))),
        _ => None,
    }
}

/// The element that a value has in a slot, if there is one; null and unknown values have none.
pub(super) fn partner<'a>(value: ValueRef<'a>, slot: Slot<'_>) -> Option<Option<ValueRef<'a>>> {
    if !value.is_present() {
        return Some(None);
    }
    is_filled(value, slot).map(|filled| if filled { read(value, slot) } else { None })
}
