//! Passes over the members of the schema.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{
    Kind, Member, VALUES, entries, for_each_holder, is_typed, member_mut, members, remove_description, remove_member,
    written,
};

/// Drops members of the schema, each with everything it had in the values.
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

/// Takes one member out of the schema and the values.
fn remove(document: &mut Json, member: &Member) {
    for_each_holder(document, member, &mut |holder| {
        remove_member(holder.json, &holder.name);
    });
    remove_description(document, member);
}

/// Puts an inner object in the place of the resource: what shows inside a block often shows without it.
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
    for name in VALUES {
        if let Some(value) = member_mut(document, name) {
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

/// The object inside a member: itself, or the first one of several.
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
