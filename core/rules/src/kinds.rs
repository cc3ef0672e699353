//! The four queries of M30 on a value, at a place where any type may be. `None` is a crash of the engine.

use std::collections::BTreeMap;

use super::place::Place;
use planfuzz_core::value::{Text, Type, ValueRef};

/// The key of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum By<'a> {
    Index(usize),
    Text(&'a Text),
    /// An element of a set that is neither an index nor a string.
    Value(ValueRef<'a>),
}

impl<'a> By<'a> {
    /// The place of the element, `q[key]`.
    pub(super) fn place<'p>(self, around: &'p Place<'p>) -> Place<'p>
    where
        'a: 'p,
    {
        match self {
            By::Index(index) => around.index(index),
            By::Text(text) => around.key(text),
            By::Value(element) => around.element(element),
        }
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, By::Text(_))
    }
}

/// The number of elements.
pub(super) fn count(of: ValueRef<'_>) -> Option<usize> {
    if let Some(object) = of.object_type() {
        return Some(object.len());
    }
    if let Type::Tuple(tuple) = of.ty() {
        return Some(tuple.len());
    }
    (of.ty().is_collection() && of.is_present()).then(|| of.len())
}

/// Keys, each with its element.
pub(super) fn all(of: ValueRef<'_>) -> Vec<(By<'_>, ValueRef<'_>)> {
    let indexed = (0..of.len()).filter_map(|index| {
        let element = of.element(index)?;
        let by = if matches!(of.ty(), Type::Set(_)) { by_itself(element) } else { By::Index(index) };
        Some((by, element))
    });
    indexed.chain(of.entries().map(|(key, element)| (By::Text(key), element))).collect()
}

/// The key of a set's element is the element itself.
fn by_itself(element: ValueRef<'_>) -> By<'_> {
    match (element.as_text(), element.as_number()) {
        (Some(text), _) => By::Text(text),
        (_, Some(number)) => match number.to_i64().map(usize::try_from) {
            Some(Ok(index)) => By::Index(index),
            _ => By::Value(element),
        },
        _ => By::Value(element),
    }
}

/// The elements of a set of known texts; `None` for any other value.
pub(super) fn texts(of: ValueRef<'_>) -> Option<BTreeMap<&Text, ValueRef<'_>>> {
    let text = |(by, element)| match by {
        By::Text(text) => Some((text, element)),
        By::Index(_) | By::Value(_) => None,
    };
    if matches!(of.ty(), Type::Set(_)) { all(of).into_iter().map(text).collect() } else { None }
}

/// Whether a value has a key.
pub(super) fn has(of: ValueRef<'_>, key: By<'_>) -> Option<bool> {
    let is_indexed = matches!(of.ty(), Type::List(_) | Type::Tuple(_));
    match key {
        By::Index(index) if is_indexed => Some(index < count(of).unwrap_or(0)),
        By::Text(text) if matches!(of.ty(), Type::Map(_)) => Some(of.entry(text).is_some()),
        // The engine crashes on a null or unknown key, unless the key's type already excludes it.
        By::Value(key) if !key.is_present() && is_indexed && *key.ty() == Type::Number => None,
        By::Value(key) if !key.is_present() && !is_indexed && *key.ty() == Type::String => None,
        _ if is_indexed || matches!(of.ty(), Type::Map(_)) => Some(false),
        _ => None,
    }
}

/// The element at a key.
pub(super) fn at<'a>(of: ValueRef<'a>, key: By<'_>) -> Option<ValueRef<'a>> {
    if of.is_unknown() && of.ty().is_dynamic() {
        return Some(of);
    }
    match (of.ty(), key) {
        (Type::Tuple(types), By::Index(index)) => match of.is_unknown() {
            true => types.elements().get(index).map(ValueRef::unknown),
            false => of.element(index),
        },
        (Type::List(element), By::Index(index)) => match of.is_unknown() {
            true => Some(ValueRef::unknown(element)),
            false => of.element(index),
        },
        (Type::Map(element), By::Text(text)) => match of.is_unknown() {
            true => Some(ValueRef::unknown(element)),
            false => Some(of.entry(text).unwrap_or(ValueRef::null(element))),
        },
        _ => None,
    }
}

/// The element of a prior value at a key; `Some(None)` if the prior is null or lacks it.
pub(super) fn of_prior<'a>(prior: Option<ValueRef<'a>>, key: By<'_>) -> Option<Option<ValueRef<'a>>> {
    let Some(prior) = prior.filter(|prior| prior.is_present()) else { return Some(None) };
    has(prior, key).map(|has| if has { at(prior, key) } else { None })
}
