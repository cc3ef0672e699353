//! Places in a document.

use planfuzz_core::json::Json;

use super::document::member_mut;

/// The place of a part in a document.
pub type Place = Vec<Hop>;

/// A step into a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// To an element of an array.
    Index(usize),
    /// To a member of an object.
    Name(Box<str>),
}

/// The part at a place.
pub fn at<'a>(json: &'a Json, place: &[Hop]) -> Option<&'a Json> {
    place.iter().try_fold(json, child)
}

/// The part at a place, to change.
pub fn at_mut<'a>(json: &'a mut Json, place: &[Hop]) -> Option<&'a mut Json> {
    place.iter().try_fold(json, child_mut)
}

/// The steps to the parts of an array or object.
pub fn hops(json: &Json) -> Vec<Hop> {
    match json {
        Json::Array(items) => (0..items.len()).map(Hop::Index).collect(),
        Json::Object(members) => members.iter().map(|(name, _)| Hop::Name(name.clone())).collect(),
        _ => Vec::new(),
    }
}

/// One step.
pub fn child<'a>(json: &'a Json, hop: &Hop) -> Option<&'a Json> {
    match (hop, json) {
        (Hop::Index(index), Json::Array(items)) => items.get(*index),
        (Hop::Name(name), object) => object.member(name),
        _ => None,
    }
}

fn child_mut<'a>(json: &'a mut Json, hop: &Hop) -> Option<&'a mut Json> {
    match (hop, json) {
        (Hop::Index(index), Json::Array(items)) => items.get_mut(*index),
        (Hop::Name(name), object) => member_mut(object, name),
        _ => None,
    }
}
