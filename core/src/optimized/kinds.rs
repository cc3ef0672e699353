//! Values of any kind at list and map blocks whose type is `dynamic` (M30): counted, and read by what the elements of
//! another value are found by. Nothing where the engine crashes.

use crate::value::{Text, Type, ValueRef};

use super::here::Here;

/// What an element is found by.
#[derive(Clone, Copy)]
pub(super) enum Slot<'a> {
    Number(usize),
    Name(&'a Text),
    /// In a set: the element itself, under which nothing else is found.
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

/// The number of elements. Tuples and objects say it by their types, whether there is a value or not.
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
        Some((if of_set { Slot::Itself(element) } else { Slot::Number(index) }, element))
    });
    by_place.chain(value.entries().map(|(name, element)| (Slot::Name(name), element)))
}

/// Whether something is found in a slot.
pub(super) fn is_filled(value: ValueRef<'_>, slot: Slot<'_>) -> Option<bool> {
    match (value.ty(), slot) {
        (Type::Set(_) | Type::Object(_) | Type::Dynamic | Type::Bool | Type::Number | Type::String, _) => None,
        (Type::List(_) | Type::Tuple(_), Slot::Number(index)) => Some(count(value).is_some_and(|count| index < count)),
        (Type::Map(_), Slot::Name(name)) => Some(value.entry(name).is_some()),
        (Type::List(_) | Type::Tuple(_) | Type::Map(_), _) => Some(false),
    }
}

/// What is read from a slot, whether it is filled or not: a map has null in any other.
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

/// What a value that is not unknown has in a slot, if anything; a null one has nothing.
pub(super) fn partner<'a>(value: ValueRef<'a>, slot: Slot<'_>) -> Option<Option<ValueRef<'a>>> {
    if !value.is_present() {
        return Some(None);
    }
    is_filled(value, slot).map(|filled| if filled { read(value, slot) } else { None })
}
