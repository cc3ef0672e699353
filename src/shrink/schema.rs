//! Passes over the members of the schema.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{
    Kind, Member, Step, description_mut, entries, for_each_holder, is_sdk, is_typed, member_mut, members, object_mut,
    remove_description, remove_member, values, written,
};
use super::names::{letters, siblings};
use super::{place, scenario};

/// Drops members of the schema, each with all its values.
pub(super) fn remove_members(shrinker: &mut Shrinker<'_>) {
    shrinker.remove_chunks(
        |document| members(document).len(),
        |document, range| {
            let mut smaller = document.clone();
            for member in &members(document)[range] {
                remove(&mut smaller, member);
            }
            Some(smaller)
        },
    );
}

/// Removes one member from the schema and the values.
fn remove(document: &mut Json, member: &Member) {
    for_each_holder(document, member, &mut |holder| {
        remove_member(holder.json, &holder.name);
    });
    let names: Vec<&str> = member.steps.iter().map(|step| &*step.name).collect();
    scenario::rewrite(document, &|path| (!begins(path, &names)).then(|| path.to_vec()));
    remove_description(document, member);
}

/// Whether a path leads to a member or into it.
fn begins(path: &[Box<str>], names: &[&str]) -> bool {
    path.len() >= names.len() && path.iter().zip(names).all(|(one, other)| **one == **other)
}

/// Replaces a member by the members of its inner object, wherever it is.
pub(super) fn inline(shrinker: &mut Shrinker<'_>) {
    let mut number = 0;
    while let Some(member) = members(&shrinker.document).get(number).cloned() {
        if shrinker.is_spent() {
            return;
        }
        let inner = member.steps.last().is_some_and(|step| step.kind != Kind::Leaf);
        if !inner || !shrinker.offer_edit(|document| inline_member(document, &member)) {
            number += 1;
        }
    }
}

fn inline_member(document: &mut Json, member: &Member) {
    let Some((last, outer)) = member.steps.split_last() else { return };
    let mut taken = siblings(document, member);
    taken.remove(&*last.name);
    if is_sdk(document) && outer.is_empty() {
        // Every resource of the SDK has an `id`.
        taken.insert("id".to_owned());
    }
    let all = members(document);
    let inner: Vec<&Step> = all
        .iter()
        .filter(|other| other.steps.len() == member.steps.len() + 1 && other.steps.starts_with(&member.steps))
        .filter_map(|other| other.steps.last())
        .collect();
    let mut names = BTreeMap::new();
    for step in inner {
        let plain = std::iter::once(step.name.to_string()).chain((0..).map(letters));
        let mut free = plain.filter(|name| !taken.contains(name) && !names.values().any(|used| used == name));
        names.insert(step.name.to_string(), free.next().unwrap_or_default());
    }
    for_each_holder(document, member, &mut |holder| {
        let spell = |name: &str| if holder.is_type { name.to_owned() } else { written(name) };
        let Some(whole) = member_mut(holder.json, &holder.name).cloned() else { return };
        remove_member(holder.json, &holder.name);
        let Json::Object(place) = holder.json else { return };
        let object =
            if holder.is_type { object_type_in(&whole) } else { first_object(whole, last.mode().unwrap_or_default()) };
        for (name, renamed) in &names {
            let part = match &object {
                unknown if unknown.member("$unknown").is_some() => unknown.clone(),
                object => object.member(&spell(name)).cloned().unwrap_or(Json::Null),
            };
            place.push((spell(renamed).into(), part));
        }
    });
    let way: Vec<&str> = member.steps.iter().map(|step| &*step.name).collect();
    scenario::rewrite(document, &|path| match begins(path, &way) {
        false => Some(path.to_vec()),
        true => {
            let renamed = names.get(&**path.get(way.len())?)?;
            let mut shorter = path[..way.len() - 1].to_vec();
            shorter.push(renamed.as_str().into());
            shorter.extend_from_slice(&path[way.len() + 1..]);
            Some(shorter)
        }
    });
    let Some(description) = description_mut(document, member).cloned() else { return };
    let is_sdk = is_sdk(document);
    let inner = if is_sdk { inner_fields(&description) } else { inner_description(&description, &last.kind) };
    let Some(block) = inner else { return };
    remove_description(document, member);
    let Some(holder) = object_mut(document, outer) else { return };
    if is_sdk && let Json::Object(fields) = holder {
        let inner = entries(Some(&block)).iter();
        fields.extend(inner.map(|(name, field)| {
            let renamed = names.get(&**name).map_or(&**name, String::as_str);
            (renamed.into(), field.clone())
        }));
        return;
    }
    for part in ["attributes", "block_types"] {
        for (name, description) in entries(block.member(part)) {
            let renamed = names.get(&**name).map_or(&**name, String::as_str);
            add_to(holder, part, renamed, description.clone());
        }
    }
}

/// The descriptions of a member's own members.
fn inner_description(description: &Json, kind: &Kind) -> Option<Json> {
    match kind {
        Kind::Leaf => None,
        Kind::Block(_) => description.member("block").cloned(),
        Kind::Nested(_) => description.member("nested_type").cloned(),
    }
}

/// The descriptions of the fields inside an SDK field.
fn inner_fields(description: &Json) -> Option<Json> {
    description.member("elem")?.member("resource").cloned()
}

fn add_to(holder: &mut Json, part: &str, name: &str, description: Json) {
    if member_mut(holder, part).is_none()
        && let Json::Object(parts) = holder
    {
        parts.push((part.into(), Json::Object(Vec::new())));
    }
    if let Some(Json::Object(members)) = member_mut(holder, part) {
        members.push((name.into(), description));
    }
}

/// The table of attributes of the first object type in a type.
fn object_type_in(ty: &Json) -> Json {
    let Json::Array(parts) = ty else { return Json::Null };
    match parts.as_slice() {
        [Json::String(kind), attributes, ..] if **kind == *"object" => attributes.clone(),
        [_, Json::Array(elements)] if elements.iter().all(|part| !matches!(part, Json::String(_))) => {
            elements.first().map_or(Json::Null, object_type_in)
        }
        [_, element] => object_type_in(element),
        _ => Json::Null,
    }
}

/// Replaces the resource by an inner object: a finding inside a block often shows without the block too.
pub(super) fn hoist(shrinker: &mut Shrinker<'_>) {
    let outer = members(&shrinker.document);
    for member in outer.iter().filter(|member| member.steps.len() == 1) {
        let [step] = member.steps.as_slice() else { continue };
        if step.kind != Kind::Leaf && shrinker.offer_edit(|document| hoist_member(document, member)) {
            return hoist(shrinker);
        }
    }
}

fn hoist_member(document: &mut Json, member: &Member) {
    let [step] = member.steps.as_slice() else { return };
    let Some(schema) = member_mut(document, "schema") else { return };
    let Some(block) = inner_block(schema, step.name.as_ref(), &step.kind) else { return };
    if let Some(place) = member_mut(schema, "block") {
        *place = block;
    }
    let mode = step.mode().unwrap_or_default();
    let name = step.name.clone();
    scenario::rewrite(document, &|path| match path.split_first() {
        Some((first, rest)) if *first == name && !rest.is_empty() => Some(rest.to_vec()),
        _ => None,
    });
    for place in values(document) {
        if let Some(value) = place::at_mut(document, &place) {
            let inner = value.member(&written(&step.name)).cloned();
            if let Some(inner) = inner {
                *value = first_object(inner, mode);
            }
        }
    }
}

/// The inner object of a member as a block of its own.
fn inner_block(schema: &Json, name: &str, kind: &Kind) -> Option<Json> {
    let block = schema.member("block")?;
    match kind {
        Kind::Leaf => None,
        Kind::Block(_) => block.member("block_types")?.member(name)?.member("block").cloned(),
        Kind::Nested(_) => {
            let attributes = block.member("attributes")?.member(name)?.member("nested_type")?.member("attributes")?;
            Some(Json::object([("attributes", attributes.clone())]))
        }
    }
}

/// The object inside a member: the member itself, or the first of several.
fn first_object(value: Json, mode: &str) -> Json {
    if matches!(mode, "single" | "group") {
        return value;
    }
    if is_typed(&value) {
        return value.member("value").cloned().map_or(Json::Null, |inner| first_object(inner, mode));
    }
    match value {
        Json::Array(items) => items.into_iter().next().unwrap_or(Json::Null),
        unknown if unknown.member("$unknown").is_some() => unknown,
        map => entries(Some(&map)).first().map_or(Json::Null, |(_, item)| item.clone()),
    }
}
