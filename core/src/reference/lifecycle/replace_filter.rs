//! Which paths of `requires_replace` have an effect (section 9).

use crate::reference::lookup::Place;
use crate::schema::Block;
use crate::value::{Number, PathSet, Tri, Type, Value, ValueRef, WrittenPath, WrittenStep, equals};

use super::follow::schema_steps;

/// What came of the paths that a provider gave.
#[derive(Debug, Default)]
pub(super) struct Filtered {
    /// L83 to L85: those that ask for a replacement.
    pub kept: PathSet,
    /// L82: those that exist nowhere, as often as they were given.
    pub nowhere: Vec<WrittenPath>,
}

/// L80 to L87.
pub(super) fn filter(block: &Block, paths: &[WrittenPath], prior: &Value, planned: &Value) -> Filtered {
    let mut filtered = Filtered::default();
    // L80
    if prior.is_null() {
        return filtered;
    }
    for path in paths {
        match (follow(prior, path), follow(planned, path)) {
            // L82
            (None, None) => filtered.nowhere.push(path.clone()),
            // L84, L85
            (Some(prior), Some(planned)) => {
                let is_same = equals(planned.view(), prior.view()) == Tri::True;
                if !is_same || is_write_only(block, path) {
                    filtered.kept.insert(path.clone());
                }
            }
            // L83
            _ => filtered.kept.insert(path.clone()),
        }
    }
    filtered
}

fn is_write_only(block: &Block, path: &WrittenPath) -> bool {
    let place = schema_steps(path).iter().fold(Place::Block(block), |place, step| place.step(step));
    place.attribute().is_some_and(|attribute| attribute.write_only)
}

/// L81: the part at a path by the lenient rules of the language.
fn follow(value: &Value, path: &WrittenPath) -> Option<Value> {
    path.steps().iter().try_fold(value.clone(), |value, step| match step {
        WrittenStep::Attribute(name) => attribute(value.view(), name),
        WrittenStep::Key(key) => element(value.view(), &Key::Text(key)),
        WrittenStep::Index(index) => element(value.view(), &Key::Index(*index)),
        WrittenStep::Element => None,
    })
}

/// An attribute step.
fn attribute(value: ValueRef<'_>, name: &str) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    match value.ty() {
        Type::Dynamic => Some(value.to_value()),
        Type::Object(_) => value.member(name).map(ValueRef::to_value),
        Type::Map(element) if value.is_unknown() => Some(Value::unknown((**element).clone())),
        Type::Map(_) => value.entry(name).map(ValueRef::to_value),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Bool | Type::Number | Type::String => None,
    }
}

/// The key of an element step.
enum Key<'k> {
    Text(&'k str),
    Index(u64),
}

impl Key<'_> {
    fn text(&self) -> String {
        match self {
            Key::Text(text) => (*text).to_owned(),
            Key::Index(index) => index.to_string(),
        }
    }

    /// The key as an index: nothing for text that is no number, and for one that is negative, a fraction or out of range
    /// of every sequence.
    fn index(&self) -> Option<usize> {
        let index = match self {
            Key::Text(text) => u64::try_from(Number::parse(text).ok()?.to_i64()?).ok()?,
            Key::Index(index) => *index,
        };
        usize::try_from(index).ok()
    }
}

/// An element step.
fn element(value: ValueRef<'_>, key: &Key<'_>) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    match value.ty() {
        Type::Dynamic => Some(value.to_value()),
        Type::List(element) if value.is_unknown() => key.index().map(|_| Value::unknown((**element).clone())),
        Type::Tuple(tuple) if value.is_unknown() => tuple.elements().get(key.index()?).cloned().map(Value::unknown),
        Type::List(_) | Type::Tuple(_) => value.element(key.index()?).map(ValueRef::to_value),
        Type::Map(element) if value.is_unknown() => Some(Value::unknown((**element).clone())),
        Type::Object(_) if value.is_unknown() => Some(Value::unknown(Type::Dynamic)),
        Type::Map(_) | Type::Object(_) => value.entry(&key.text()).map(ValueRef::to_value),
        Type::Set(_) | Type::Bool | Type::Number | Type::String => None,
    }
}
