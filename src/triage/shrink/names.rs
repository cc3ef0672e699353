//! Passes over names and texts: what a reader need not wonder about.

use std::collections::BTreeSet;

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{Member, VALUES, entries, for_each_holder, member_mut, members, object_mut, part_of};

/// The members of a case in which texts and numbers are values.
const INPUTS: [&str; 7] = [VALUES[0], VALUES[1], VALUES[2], VALUES[3], VALUES[4], "a", "b"];

/// Gives short names to members, keys and texts, and small numbers.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    rename_members(shrinker);
    replace_scalars(shrinker);
    rename_keys(shrinker);
}

/// `a` to `z`, then `aa` and so on.
pub(super) fn letters(index: usize) -> String {
    let mut text = String::new();
    let mut rest = index + 1;
    while rest > 0 {
        rest -= 1;
        text.insert(0, char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    text
}

fn rename_members(shrinker: &mut Shrinker<'_>) {
    let mut number = 0;
    while let Some(member) = members(&shrinker.document).get(number).cloned() {
        if shrinker.is_spent() {
            return;
        }
        let taken = siblings(&shrinker.document, &member);
        let free = (0..).map(letters).find(|name| !taken.contains(name));
        if let Some(name) = free {
            shrinker.offer_edit(|document| rename_member(document, &member, &name));
        }
        number += 1;
    }
}

/// The names beside a member, of attributes and blocks alike.
fn siblings(document: &Json, member: &Member) -> BTreeSet<String> {
    let depth = member.steps.len();
    let beside = members(document)
        .into_iter()
        .filter(|other| other.steps.len() == depth && other.steps[..depth - 1] == member.steps[..depth - 1]);
    beside.filter_map(|other| other.steps.last().map(|step| step.name.to_string())).collect()
}

fn rename_member(document: &mut Json, member: &Member, name: &str) {
    let Some((last, outer)) = member.steps.split_last() else { return };
    for_each_holder(document, member, &mut |holder| rename(holder, &last.name, name));
    if let Some(part) = object_mut(document, outer).and_then(|object| member_mut(object, part_of(last))) {
        rename(part, &last.name, name);
    }
}

fn rename(object: &mut Json, from: &str, to: &str) {
    if let Json::Object(members) = object {
        for (name, _) in members.iter_mut().filter(|(name, _)| **name == *from) {
            *name = to.into();
        }
    }
}

/// Replaces every text and number that occurs, wherever it occurs, so that what was equal stays equal.
fn replace_scalars(shrinker: &mut Shrinker<'_>) {
    let mut scalars = Vec::new();
    for name in INPUTS {
        if let Some(value) = shrinker.document.member(name) {
            collect_scalars(value, &mut scalars);
        }
    }
    for scalar in &scalars {
        let plainer: Vec<Json> = match scalar {
            Json::String(_) => {
                std::iter::once(String::new()).chain((0..3).map(letters)).map(|text| Json::string(&text)).collect()
            }
            _ => (0..3_u64).map(Json::int).collect(),
        };
        for plain in plainer {
            if shrinker.offer_edit(|document| replace_in_inputs(document, scalar, &plain)) {
                break;
            }
        }
    }
}

fn collect_scalars(value: &Json, scalars: &mut Vec<Json>) {
    match value {
        Json::String(_) | Json::Number(_) if !scalars.contains(value) => scalars.push(value.clone()),
        Json::Array(items) => items.iter().for_each(|item| collect_scalars(item, scalars)),
        Json::Object(_) => {
            for (_, item) in entries(Some(value)).iter().filter(|(name, _)| **name != *"type") {
                collect_scalars(item, scalars);
            }
        }
        _ => {}
    }
}

fn replace_in_inputs(document: &mut Json, from: &Json, to: &Json) {
    for name in INPUTS {
        if let Some(value) = member_mut(document, name) {
            replace(value, from, to);
        }
    }
}

fn replace(value: &mut Json, from: &Json, to: &Json) {
    if value == from {
        *value = to.clone();
        return;
    }
    match value {
        Json::Array(items) => items.iter_mut().for_each(|item| replace(item, from, to)),
        Json::Object(members) => {
            for (_, item) in members.iter_mut().filter(|(name, _)| **name != *"type") {
                replace(item, from, to);
            }
        }
        _ => {}
    }
}

/// Gives short keys to maps: every key that is no name of the schema, wherever it occurs.
fn rename_keys(shrinker: &mut Shrinker<'_>) {
    let names: BTreeSet<Box<str>> =
        members(&shrinker.document).into_iter().flat_map(|member| member.steps).map(|step| step.name).collect();
    let mut keys = BTreeSet::new();
    for name in INPUTS {
        if let Some(value) = shrinker.document.member(name) {
            collect_keys(value, &mut keys);
        }
    }
    let free = |index: usize| letters(index);
    for (index, key) in keys.iter().filter(|key| !names.contains(*key) && !key.starts_with('$')).enumerate() {
        for candidate in [0, index] {
            if shrinker.offer_edit(|document| rename_key(document, key, &free(candidate))) {
                break;
            }
        }
    }
}

fn collect_keys(value: &Json, keys: &mut BTreeSet<Box<str>>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        Json::Object(members) => {
            for (name, item) in members {
                keys.insert(name.clone());
                collect_keys(item, keys);
            }
        }
        _ => {}
    }
}

fn rename_key(document: &mut Json, from: &str, to: &str) {
    for name in INPUTS {
        if let Some(value) = member_mut(document, name) {
            rename_everywhere(value, from, to);
        }
    }
}

fn rename_everywhere(value: &mut Json, from: &str, to: &str) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(|item| rename_everywhere(item, from, to)),
        Json::Object(members) => {
            if members.iter().any(|(name, _)| **name == *to) {
                return;
            }
            for (name, item) in members.iter_mut() {
                if **name == *from {
                    *name = to.into();
                }
                rename_everywhere(item, from, to);
            }
        }
        _ => {}
    }
}
