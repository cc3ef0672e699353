//! Reading a value where any type may stand (M30): a list or map block whose type is `dynamic`. The engine does not check
//! the kind of the value there; the result follows from four operations, and where one is not defined the engine crashes.

use std::collections::BTreeMap;

use planfuzz_core::value::{Text, Type, ValueRef};

use super::at::At;

/// The key of an element.
#[derive(Clone, Copy)]
pub(super) enum Key<'v> {
    /// The index in a list or tuple.
    Index(usize),
    /// The key of a map, the name in an object.
    Name(&'v Text),
    /// An element of a set that is neither an index nor a string.
    Element(ValueRef<'v>),
}

impl<'v> Key<'v> {
    /// One index step further: `q[key]`.
    pub fn step<'w>(self, at: &'w At<'w>) -> At<'w>
    where
        'v: 'w,
    {
        match self {
            Key::Index(index) => at.index(index),
            Key::Name(name) => at.key(name),
            Key::Element(element) => at.element(element),
        }
    }

    /// The key as text.
    pub fn name(self) -> Option<&'v Text> {
        match self {
            Key::Name(name) => Some(name),
            Key::Index(_) | Key::Element(_) => None,
        }
    }

    /// The key of an element of a set: the element itself.
    fn of_set(element: ValueRef<'v>) -> Key<'v> {
        if let Some(name) = element.as_text() {
            return Key::Name(name);
        }
        let number = element.as_number().and_then(|number| number.to_i64());
        number.and_then(|index| usize::try_from(index).ok()).map_or(Key::Element(element), Key::Index)
    }
}

/// M30, count; `None` where the engine crashes.
pub(super) fn count(v: ValueRef<'_>) -> Option<usize> {
    match v.ty() {
        Type::Tuple(tuple) => Some(tuple.len()),
        Type::Object(object) => Some(object.len()),
        Type::List(_) | Type::Set(_) | Type::Map(_) if v.is_present() => Some(v.len()),
        _ => None,
    }
}

/// M30, keys: those of a known value, with its elements.
pub(super) fn keyed<'v>(v: ValueRef<'v>) -> Vec<(Key<'v>, ValueRef<'v>)> {
    match v.ty() {
        Type::Map(_) | Type::Object(_) => v.entries().map(|(name, element)| (Key::Name(name), element)).collect(),
        ty => {
            let is_set = matches!(ty, Type::Set(_));
            let key = |index, element| if is_set { Key::of_set(element) } else { Key::Index(index) };
            let elements = (0..v.len()).filter_map(|index| v.element(index).map(|element| (index, element)));
            elements.map(|(index, element)| (key(index, element), element)).collect()
        }
    }
}

/// M30, has; `None` where the engine crashes.
pub(super) fn has(v: ValueRef<'_>, key: Key<'_>) -> Option<bool> {
    match (v.ty(), key) {
        (Type::Tuple(tuple), Key::Index(index)) => Some(index < tuple.len()),
        (Type::List(_), Key::Index(index)) => Some(index < v.len()),
        (Type::Map(_), Key::Name(name)) => Some(v.entry(name).is_some()),
        // A null or an unknown of the type of the keys cannot be looked up.
        (Type::Tuple(_) | Type::List(_), Key::Element(key)) if !key.is_present() && *key.ty() == Type::Number => None,
        (Type::Map(_), Key::Element(key)) if !key.is_present() && *key.ty() == Type::String => None,
        (Type::List(_) | Type::Tuple(_) | Type::Map(_), _) => Some(false),
        _ => None,
    }
}

/// M30, at; `None` where the engine crashes.
pub(super) fn at<'v>(v: ValueRef<'v>, key: Key<'_>) -> Option<ValueRef<'v>> {
    match (v.ty(), key) {
        (Type::List(element), Key::Index(_)) if v.is_unknown() => Some(ValueRef::unknown(element)),
        (Type::Map(element), Key::Name(_)) if v.is_unknown() => Some(ValueRef::unknown(element)),
        (Type::Tuple(tuple), Key::Index(index)) if v.is_unknown() => tuple.elements().get(index).map(ValueRef::unknown),
        (Type::List(_) | Type::Tuple(_), Key::Index(index)) => v.element(index),
        (Type::Map(element), Key::Name(name)) => Some(v.entry(name).unwrap_or(ValueRef::null(element))),
        // Any element of an unknown of type `dynamic` is that unknown.
        (Type::Dynamic, _) if v.is_unknown() => Some(v),
        _ => None,
    }
}

/// M18: the elements under strings in a value of any kind.
pub(super) enum Named<'v> {
    /// A map or an object, or a value without elements under strings.
    Entries(ValueRef<'v>),
    /// The strings of a set.
    Strings(BTreeMap<&'v Text, ValueRef<'v>>),
}

impl<'v> Named<'v> {
    pub fn of(v: ValueRef<'v>) -> Named<'v> {
        match v.ty() {
            Type::Set(_) => {
                let strings = keyed(v).into_iter().filter_map(|(key, element)| Some((key.name()?, element)));
                Named::Strings(strings.collect())
            }
            _ => Named::Entries(v),
        }
    }

    pub fn get(&self, name: &Text) -> Option<ValueRef<'v>> {
        match self {
            Named::Entries(v) => v.entry(name),
            Named::Strings(strings) => strings.get(name).copied(),
        }
    }
}

/// The element of the prior for a key: `None` where the prior is null or unknown, or has no such key.
///
/// # Errors
/// Where the engine crashes (M30).
pub(super) fn of_prior<'v>(p: ValueRef<'v>, key: Key<'_>) -> Result<Option<ValueRef<'v>>, NoSuchQuestion> {
    if !p.is_present() {
        return Ok(None);
    }
    match has(p, key) {
        None => Err(NoSuchQuestion),
        Some(false) => Ok(None),
        Some(true) => Ok(at(p, key)),
    }
}

/// A value has no elements to look up.
#[derive(Debug)]
pub(super) struct NoSuchQuestion;
