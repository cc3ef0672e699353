//! Passes over names and texts: makes them plain, so that they do not distract a reader.

use std::collections::BTreeSet;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{Member, entries, for_each_holder, inputs, member_mut, members, table_mut, written};
use super::place::{self, Hop, Place};
use super::scenario;

/// The places in which texts and numbers are values.
fn scalar_places(document: &Json) -> Vec<Place> {
    let mut places = inputs(document);
    if scenario::is_one(document) {
        places.extend(scenario::constants(document));
    } else if document.member("text").is_some() {
        places.push(vec![Hop::Name("text".into())]);
    }
    places
}

/// Gives short names to members, keys and texts, and small numbers.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    rename_members(shrinker);
    replace_scalars(shrinker);
    rename_keys(shrinker);
}

/// Puts the case into the default dialect.
pub(super) fn plain_dialect(shrinker: &mut Shrinker<'_>) {
    shrinker.offer_edit(|document| {
        if let Some(dialect) = member_mut(document, "dialect") {
            *dialect = Json::string(&Dialect::default().to_string());
        }
    });
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
pub(super) fn siblings(document: &Json, member: &Member) -> BTreeSet<String> {
    let depth = member.steps.len();
    let beside = members(document)
        .into_iter()
        .filter(|other| other.steps.len() == depth && other.steps[..depth - 1] == member.steps[..depth - 1]);
    beside.filter_map(|other| other.steps.last().map(|step| step.name.to_string())).collect()
}

fn rename_member(document: &mut Json, member: &Member, name: &str) {
    let Some((last, outer)) = member.steps.split_last() else { return };
    for_each_holder(document, member, &mut |holder| rename(holder.json, &holder.name, name));
    let names: Vec<&str> = member.steps.iter().map(|step| &*step.name).collect();
    scenario::rewrite(document, &|path| {
        let mut path = path.to_vec();
        if path.len() >= names.len() && path.iter().zip(&names).all(|(one, other)| **one == **other) {
            path[names.len() - 1] = name.into();
        }
        Some(path)
    });
    if let Some(part) = table_mut(document, outer, last) {
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

/// Replaces every text and number by a plainer one wherever it occurs, so that equal values stay equal.
fn replace_scalars(shrinker: &mut Shrinker<'_>) {
    let mut scalars = Vec::new();
    for place in scalar_places(&shrinker.document) {
        if let Some(value) = place::at(&shrinker.document, &place) {
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
        let replaced =
            plainer.iter().any(|plain| shrinker.offer_edit(|document| replace_in_inputs(document, scalar, plain)));
        if !replaced {
            shorten(shrinker, scalar.clone());
        }
    }
}

/// Removes letters or digits from a text or number wherever it occurs, in chunks of decreasing size.
fn shorten(shrinker: &mut Shrinker<'_>, mut scalar: Json) {
    let mut chunk = length(&scalar) / 2;
    while chunk > 0 && !shrinker.is_spent() {
        let mut from = 0;
        while from + chunk <= length(&scalar) {
            let shorter = without_chars(&scalar, from..from + chunk);
            if shrinker.offer_edit(|document| replace_in_inputs(document, &scalar, &shorter)) {
                scalar = shorter;
            } else {
                from += chunk;
            }
        }
        chunk /= 2;
    }
}

fn length(scalar: &Json) -> usize {
    match scalar {
        Json::String(text) | Json::Number(text) => text.chars().count(),
        _ => 0,
    }
}

fn without_chars(scalar: &Json, range: std::ops::Range<usize>) -> Json {
    let keep = |text: &str| -> Box<str> {
        let kept = text.chars().enumerate().filter(|(at, _)| !range.contains(at));
        kept.map(|(_, char)| char).collect::<String>().into()
    };
    match scalar {
        Json::String(text) => Json::String(keep(text)),
        Json::Number(text) => Json::Number(keep(text)),
        other => other.clone(),
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
    for place in scalar_places(document) {
        if let Some(value) = place::at_mut(document, &place) {
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

/// Gives short keys to maps: every key that is not a name of the schema, wherever it occurs.
fn rename_keys(shrinker: &mut Shrinker<'_>) {
    let names: BTreeSet<Box<str>> = members(&shrinker.document)
        .into_iter()
        .flat_map(|member| member.steps)
        .map(|step| written(&step.name).into())
        .collect();
    let mut keys = BTreeSet::new();
    for place in scalar_places(&shrinker.document) {
        if let Some(value) = place::at(&shrinker.document, &place) {
            collect_keys(value, &mut keys);
        }
    }
    let free = |index: usize| letters(index);
    for (index, key) in keys.iter().filter(|key| !names.contains(*key) && is_key(key)).enumerate() {
        for candidate in [0, index] {
            if shrinker.offer_edit(|document| rename_key(document, key, &free(candidate))) {
                break;
            }
        }
    }
}

/// Whether the name of a member of a value may be the key of a map: not a word of the notation.
fn is_key(name: &str) -> bool {
    !name.starts_with('$') || name.starts_with("$$")
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
    for place in scalar_places(document) {
        if let Some(value) = place::at_mut(document, &place) {
            rename_everywhere(value, from, to);
        }
    }
}

fn rename_everywhere(value: &mut Json, from: &str, to: &str) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(|item| rename_everywhere(item, from, to)),
        Json::Object(members) => {
            let taken = members.iter().any(|(name, _)| **name == *to);
            for (name, item) in members.iter_mut() {
                if **name == *from && !taken {
                    *name = to.into();
                }
                rename_everywhere(item, from, to);
            }
        }
        _ => {}
    }
}
