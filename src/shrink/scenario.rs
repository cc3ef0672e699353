//! Scenarios in documents: the places of their values, and other names of schema members in them.

use planfuzz_core::json::Json;
use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::document::{entries, member_mut};
use super::model;
use super::place::{Hop, Place, at, at_mut, hops};
use crate::case::Op;

/// Maps a path of names in the schema to the path after an edit; `None` if it no longer exists.
pub type Rewrite<'r> = &'r dyn Fn(&[Box<str>]) -> Option<Vec<Box<str>>>;

/// Whether a document is that of a scenario.
pub fn is_one(document: &Json) -> bool {
    matches!(document.member("op"), Some(Json::String(op)) if **op == *Op::Scenario.name())
}

/// Writes out the configuration of each step, which a step may inherit from the one before.
pub fn expand(document: &mut Json) {
    let Some(Json::Array(steps)) = member_mut(document, "steps") else { return };
    let mut before: Option<Json> = None;
    for step in steps {
        match (step.member("presence"), &before) {
            (Some(presence), _) => before = Some(presence.clone()),
            (None, Some(presence)) => {
                if let Json::Object(members) = step {
                    members.push(("presence".into(), presence.clone()));
                }
            }
            (None, None) => {}
        }
    }
}

/// The document without the parts that [`expand`] wrote: the form in which it is written.
pub fn compact(document: &Json) -> Json {
    let mut compact = document.clone();
    if let Some(Json::Array(steps)) = member_mut(&mut compact, "steps") {
        for index in (1..steps.len()).rev() {
            if steps[index].member("presence") == steps[index - 1].member("presence") {
                super::document::remove_member(&mut steps[index], "presence");
            }
        }
    }
    compact
}

/// The places of the values of the schema's type.
pub fn values(document: &Json) -> Vec<Place> {
    let mut places = Vec::new();
    let mut add = |place: Place| {
        if at(document, &place).is_some_and(|value| !matches!(value, Json::Null)) {
            places.push(place);
        }
    };
    for object in objects(document) {
        add(inside(&object, "value"));
        add(inside(&object, "raw"));
    }
    let remote = vec![name("remote")];
    for hop in at(document, &remote).map(hops).unwrap_or_default() {
        add(remote.iter().cloned().chain([hop]).collect());
    }
    for step in steps(document) {
        for presence in ["presence", "at_apply"] {
            let presence = inside(&step, presence);
            add(inside(&presence, "config"));
            add(inside(&presence, "at_validation"));
        }
        for outside in below(document, &inside(&step, "outside")) {
            add(inside(&outside, "appear"));
        }
    }
    places
}

/// The places of other values: constants of the model, and new values of drifting parts.
pub fn constants(document: &Json) -> Vec<Place> {
    let mut places = model::constants(document);
    for step in steps(document) {
        for outside in below(document, &inside(&step, "outside")) {
            places.extend(below(document, &inside(&outside, "drift")));
        }
    }
    places
}

/// Called with each drift: the names on its path, whether the path ends in an element of the last one, and the
/// new value.
pub type DriftEdit<'e> = &'e mut dyn FnMut(&[Box<str>], bool, &mut Json);

/// Calls `edit` with every drift.
pub fn for_each_drift(document: &mut Json, edit: DriftEdit<'_>) {
    if !is_one(document) {
        return;
    }
    for place in drifts(document) {
        let Some(Json::Object(drift)) = at_mut(document, &place) else { continue };
        for (path, value) in drift {
            let Ok(path) = WrittenPath::parse(path) else { continue };
            let into_element = !matches!(path.steps().last(), Some(WrittenStep::Attribute(_)));
            edit(&names_of(&path), into_element, value);
        }
    }
}

/// Applies an edit of the schema to all names of its members.
pub fn rewrite(document: &mut Json, way: Rewrite<'_>) {
    if !is_one(document) {
        return;
    }
    if let Some(model) = member_mut(document, "model") {
        model::rewrite(model, way);
    }
    for place in path_lists(document) {
        if let Some(Json::Array(paths)) = at_mut(document, &place) {
            paths.retain_mut(|path| match path {
                Json::String(text) => rewritten(text, way).map(|new| *text = new).is_some(),
                _ => true,
            });
        }
    }
    for place in drifts(document) {
        if let Some(Json::Object(drift)) = at_mut(document, &place) {
            drift.retain_mut(|(path, _)| rewritten(path, way).map(|new| *path = new).is_some());
        }
    }
    // A drift without parts is invalid.
    for step in steps(document) {
        if let Some(Json::Array(outside)) = at_mut(document, &inside(&step, "outside")) {
            outside.retain(|action| action.member("drift").is_none_or(|drift| !entries(Some(drift)).is_empty()));
        }
    }
}

/// A path into a value after an edit of the schema; `None` if it no longer exists.
pub(super) fn rewritten(text: &str, way: Rewrite<'_>) -> Option<Box<str>> {
    let Ok(path) = WrittenPath::parse(text) else { return Some(text.into()) };
    let names = names_of(&path);
    let new = way(&names)?;
    if new == names {
        return Some(text.into());
    }
    // If names were removed, indexes and keys would have to be removed with them.
    if new.len() != names.len() {
        return None;
    }
    let mut new = new.into_iter();
    let mut renamed = planfuzz_core::value::Path::root();
    for step in path.steps() {
        renamed = match step {
            WrittenStep::Attribute(_) => renamed.attribute(&(&*new.next()?).into()),
            WrittenStep::Index(index) => renamed.index(usize::try_from(*index).ok()?),
            WrittenStep::Key(key) => renamed.key(key),
            WrittenStep::Element => return None,
        };
    }
    Some(renamed.to_string().into())
}

fn names_of(path: &WrittenPath) -> Vec<Box<str>> {
    let names = path.steps().iter().filter_map(|step| match step {
        WrittenStep::Attribute(name) => Some(name.as_str().into()),
        _ => None,
    });
    names.collect()
}

/// The places of lists of paths into values.
fn path_lists(document: &Json) -> Vec<Place> {
    let mut places: Vec<Place> = objects(document).iter().map(|object| inside(object, "sensitive")).collect();
    for step in steps(document) {
        for presence in ["presence", "at_apply"] {
            let presence = inside(&step, presence);
            places.push(inside(&presence, "sensitive"));
            places.push(inside(&presence, "ephemeral"));
            places.push(inside(&inside(&presence, "lifecycle"), "ignore_changes"));
        }
    }
    places
}

fn drifts(document: &Json) -> Vec<Place> {
    let outside = |step: &Place| below(document, &inside(step, "outside"));
    steps(document).iter().flat_map(outside).map(|action| inside(&action, "drift")).collect()
}

/// The places of stored objects.
fn objects(document: &Json) -> Vec<Place> {
    let state = vec![name("state")];
    let mut places = vec![inside(&state, "current")];
    places.extend(below(document, &inside(&state, "deposed")));
    places
}

/// The places of the steps.
pub fn steps(document: &Json) -> Vec<Place> {
    below(document, &vec![name("steps")])
}

/// The places of the direct parts of a place.
fn below(document: &Json, place: &Place) -> Vec<Place> {
    let hops = at(document, place).map(hops).unwrap_or_default();
    hops.into_iter().map(|hop| place.iter().cloned().chain([hop]).collect()).collect()
}

/// The place of a member.
pub fn inside(place: &Place, member: &str) -> Place {
    place.iter().cloned().chain([name(member)]).collect()
}

fn name(name: &str) -> Hop {
    Hop::Name(name.into())
}
