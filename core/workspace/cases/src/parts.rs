//! Places in documents, and documents that differ in one of them: a place is a path of part numbers, from the outside in.

use planfuzz_core::json::Json;

/// How many parts a document has.
pub(crate) fn count(json: &Json) -> usize {
    match json {
        Json::Array(items) => items.len(),
        Json::Object(members) => members.len(),
        _ => 0,
    }
}

fn part(json: &Json, index: usize) -> Option<&Json> {
    match json {
        Json::Array(items) => items.get(index),
        Json::Object(members) => members.get(index).map(|(_, value)| value),
        _ => None,
    }
}

/// The part at a place; `None` if there is none.
pub(crate) fn at<'j>(json: &'j Json, place: &[usize]) -> Option<&'j Json> {
    place.iter().try_fold(json, |json, index| part(json, *index))
}

/// The places of all parts, at every depth.
pub(crate) fn places(document: &Json) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(place) = open.pop() {
        let parts = at(document, &place).map_or(0, count);
        for index in 0..parts {
            let inner: Vec<usize> = place.iter().copied().chain([index]).collect();
            found.push(inner.clone());
            open.push(inner);
        }
    }
    found
}

/// The name of the member at a place; `None` for an element, and for the whole document.
pub(crate) fn name_at<'j>(json: &'j Json, place: &[usize]) -> Option<&'j str> {
    let (last, before) = place.split_last()?;
    match at(json, before)? {
        Json::Object(members) => members.get(*last).map(|(name, _)| &**name),
        _ => None,
    }
}

/// The document without the part at a place; `None` for the whole document.
pub(crate) fn without(json: &Json, place: &[usize]) -> Option<Json> {
    let (first, rest) = place.split_first()?;
    let mut json = json.clone();
    match (&mut json, rest) {
        (Json::Array(items), []) => drop(items.remove(*first)),
        (Json::Object(members), []) => drop(members.remove(*first)),
        (Json::Array(items), rest) => items[*first] = without(&items[*first], rest)?,
        (Json::Object(members), rest) => members[*first].1 = without(&members[*first].1, rest)?,
        _ => return None,
    }
    Some(json)
}

/// The document with another part at a place.
pub(crate) fn replaced(json: &Json, place: &[usize], by: &Json) -> Json {
    let Some((first, rest)) = place.split_first() else { return by.clone() };
    let mut json = json.clone();
    match &mut json {
        Json::Array(items) => items[*first] = replaced(&items[*first], rest, by),
        Json::Object(members) => members[*first].1 = replaced(&members[*first].1, rest, by),
        _ => {}
    }
    json
}
