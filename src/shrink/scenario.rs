//! Scenarios in documents: where their values are, and what else names members of the schema.

use planfuzz_core::json::Json;
use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::document::{entries, member_mut};
use super::model;
use super::place::{Hop, Place, at, at_mut, hops};
use crate::case::Op;

/// What becomes of a way through the schema, by names; nothing where it leads nowhere any more.
pub type Rewrite<'r> = &'r dyn Fn(&[Box<str>]) -> Option<Vec<Box<str>>>;

/// Whether a document is that of a scenario.
pub fn is_one(document: &Json) -> bool {
    matches!(document.member("op"), Some(Json::String(op)) if **op == *Op::Scenario.name())
}

/// Writes out what each step has configured: a step may leave it to the one before.
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

/// The document without what [`expand`] wrote: as it is going to be read.
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

/// The places of other values: constants of the model, what parts of remote objects become.
pub fn constants(document: &Json) -> Vec<Place> {
    let mut places = model::constants(document);
    for step in steps(document) {
        for outside in below(document, &inside(&step, "outside")) {
            places.extend(below(document, &inside(&outside, "drift")));
        }
    }
    places
}

/// What is done with a drift: the names on its way, whether the way ends in an element of what the last one names, and what
/// is there then.
pub type DriftEdit<'e> = &'e mut dyn FnMut(&[Box<str>], bool, &mut Json);

/// Calls `edit` with every part that drifts.
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

/// Follows an edit of the schema: whatever names its members.
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
    // A drift of nothing is none.
    for step in steps(document) {
        if let Some(Json::Array(outside)) = at_mut(document, &inside(&step, "outside")) {
            outside.retain(|action| action.member("drift").is_none_or(|drift| !entries(Some(drift)).is_empty()));
        }
    }
}

/// The way of a path into a value once the schema is edited; nothing where it leads nowhere.
pub(super) fn rewritten(text: &str, way: Rewrite<'_>) -> Option<Box<str>> {
    let Ok(path) = WrittenPath::parse(text) else { return Some(text.into()) };
    let names = names_of(&path);
    let new = way(&names)?;
    if new == names {
        return Some(text.into());
    }
    // Where names have gone, indexes and keys would have to go with them.
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

/// The places of what is directly in a place.
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
