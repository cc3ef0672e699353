//! Passes over types, modes and flags.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{
    Kind, Member, description_mut, entries, for_each_holder, is_sdk, is_typed, member_mut, members, object_mut,
    remove_member,
};
use super::type_edit::{self, Placeholders, TypeEdit};
use crate::case::Op;

/// Flags and numbers of a schema that can be removed without changing anything else.
const OPTIONAL_PARTS: [&str; 17] = [
    "force_new",
    "default",
    "state_func",
    "diff_suppress",
    "suppress_on_refresh",
    "config_mode",
    "sensitive",
    "write_only",
    "deprecated",
    "deprecation_message",
    "description",
    "description_kind",
    "min_items",
    "max_items",
    "computed",
    "optional",
    "required",
];

/// Makes types, modes and flags plainer.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    shrinker.offer_edit(|document| {
        if let Some(version) = member_mut(document, "schema").and_then(|schema| member_mut(schema, "version")) {
            *version = Json::int(0);
        }
    });
    beside_values(shrinker);
    block_flags(shrinker);
    let mut number = 0;
    while let Some(member) = members(&shrinker.document).get(number).cloned() {
        if shrinker.is_spent() {
            return;
        }
        flags(shrinker, &member);
        match member.steps.last().map(|step| step.kind.clone()) {
            Some(Kind::Leaf) => leaf(shrinker, &member),
            Some(Kind::Nested(mode)) => {
                shrinker.offer_edit(|document| nested_to_leaf(document, &member));
                modes(shrinker, &member, &mode);
            }
            Some(Kind::Block(_)) if is_sdk(&shrinker.document) => {
                shrinker.offer_edit(|document| to_text(document, &member));
            }
            Some(Kind::Block(mode)) => modes(shrinker, &member, &mode),
            None => {}
        }
        number += 1;
    }
}

/// Drops the flags of blocks, the resource itself included. Those of the SDK have none.
fn block_flags(shrinker: &mut Shrinker<'_>) {
    if is_sdk(&shrinker.document) {
        return;
    }
    let mut places = vec![Vec::new()];
    places.extend(members(&shrinker.document).into_iter().map(|member| member.steps));
    for steps in places.iter().filter(|steps| !matches!(steps.last().map(|step| &step.kind), Some(Kind::Leaf))) {
        for flag in OPTIONAL_PARTS {
            shrinker.offer_edit(|document| {
                if let Some(block) = object_mut(document, steps) {
                    remove_member(block, flag);
                }
            });
        }
    }
}

fn flags(shrinker: &mut Shrinker<'_>, member: &Member) {
    for flag in OPTIONAL_PARTS {
        shrinker.offer_edit(|document| {
            if let Some(description) = description_mut(document, member) {
                remove_member(description, flag);
            }
        });
    }
    // A block that must be there once has both limits or none (S18).
    shrinker.offer_edit(|document| {
        if let Some(description) = description_mut(document, member) {
            remove_member(description, "min_items");
            remove_member(description, "max_items");
        }
    });
    shrinker.offer_edit(|document| {
        if let Some(description) = description_mut(document, member)
            && remove_member(description, "required")
            && let Json::Object(parts) = description
        {
            parts.push(("optional".into(), Json::Bool(true)));
        }
    });
}

/// Makes the type of a leaf attribute plainer, as often as possible.
fn leaf(shrinker: &mut Shrinker<'_>, member: &Member) {
    if is_sdk(&shrinker.document) {
        shrinker.offer_edit(|document| to_text(document, member));
        return;
    }
    loop {
        let description = description_mut(&mut shrinker.document, member);
        let Some(ty) = description.and_then(|attribute| attribute.member("type").cloned()) else { return };
        let taken = type_edit::edits(&ty)
            .iter()
            .any(|edit| shrinker.offer_edit(|document| retype(document, member, &ty, edit)));
        if !taken || shrinker.is_spent() {
            return;
        }
    }
}

/// Replaces an SDK field by a field of texts.
fn to_text(document: &mut Json, member: &Member) {
    let mut placeholders = Placeholders::default();
    for_each_holder(document, member, &mut |holder| {
        if let Some(place) = member_mut(holder.json, &holder.name) {
            *place = placeholders.primitive(place, "string");
        }
    });
    let Some(field) = description_mut(document, member) else { return };
    for part in ["elem", "config_mode", "min_items", "max_items", "default"] {
        remove_member(field, part);
    }
    if let Some(ty) = member_mut(field, "type") {
        *ty = Json::string("string");
    }
}

/// Edits the type of a leaf attribute and its values.
fn retype(document: &mut Json, member: &Member, before: &Json, edit: &TypeEdit) {
    let mut after = before.clone();
    edit.edit_type(&mut after);
    let mut placeholders = Placeholders::default();
    for_each_holder(document, member, &mut |holder| {
        let Some(place) = member_mut(holder.json, &holder.name) else { return };
        match holder.is_type {
            true if place == before => *place = after.clone(),
            // Where the schema has `dynamic`, the types of values are more specific.
            true => edit.edit_type(place),
            false => edit.edit_value(place, &mut placeholders),
        }
    });
    if let Some(place) = description_mut(document, member).and_then(|attribute| member_mut(attribute, "type")) {
        *place = after;
    }
}

/// Replaces a nested type by a string.
fn nested_to_leaf(document: &mut Json, member: &Member) {
    let mut placeholders = Placeholders::default();
    for_each_holder(document, member, &mut |holder| {
        if let Some(place) = member_mut(holder.json, &holder.name) {
            *place = match holder.is_type {
                true => Json::string("string"),
                false => placeholders.primitive(place, "string"),
            };
        }
    });
    if let Some(attribute) = description_mut(document, member)
        && remove_member(attribute, "nested_type")
        && let Json::Object(parts) = attribute
    {
        parts.push(("type".into(), Json::string("string")));
    }
}

/// Makes types plainer that stand beside values or in lists of types.
fn beside_values(shrinker: &mut Shrinker<'_>) {
    const TYPES: [&str; 4] = ["type", "to", "a", "b"];
    for name in TYPES {
        // Types that are not inputs themselves are edited together with the values beside them.
        let values: &[&str] = if name == "type" { &["value", "a", "b"] } else { &[] };
        while let Some(ty) = shrinker.document.member(name).cloned() {
            let both = |document: &mut Json, edit: &TypeEdit| edit_both(document, name, values, edit);
            let edits = type_edit::edits(&ty);
            if shrinker.is_spent() || !edits.iter().any(|edit| shrinker.offer_edit(|document| both(document, edit))) {
                break;
            }
        }
    }
    let count =
        |document: &Json| document.member("types").map_or(0, |types| types.expect_array().map_or(0, <[_]>::len));
    shrinker.remove_chunks(count, |document, range| {
        let mut smaller = document.clone();
        match member_mut(&mut smaller, "types") {
            Some(Json::Array(types)) => drop(types.drain(range)),
            _ => return None,
        }
        Some(smaller)
    });
}

fn edit_both(document: &mut Json, name: &str, values: &[&str], edit: &TypeEdit) {
    if let Some(ty) = member_mut(document, name) {
        edit.edit_type(ty);
    }
    let mut placeholders = Placeholders::default();
    // Lists of values are those of `lcs`.
    let lists = matches!(document.member("op"), Some(Json::String(op)) if **op == *Op::Lcs.name());
    for value in values {
        match member_mut(document, value) {
            Some(Json::Array(items)) if lists => {
                items.iter_mut().for_each(|item| edit.edit_value(item, &mut placeholders));
            }
            Some(value) => edit.edit_value(value, &mut placeholders),
            None => {}
        }
    }
}

/// Tries plainer nesting modes.
fn modes(shrinker: &mut Shrinker<'_>, member: &Member, mode: &str) {
    for plainer in ["single", "list"] {
        if mode != plainer && shrinker.offer_edit(|document| change_mode(document, member, plainer)) {
            return;
        }
    }
}

fn change_mode(document: &mut Json, member: &Member, mode: &str) {
    for_each_holder(document, member, &mut |holder| {
        if let Some(place) = member_mut(holder.json, &holder.name) {
            *place = if holder.is_type { type_in_mode(place, mode) } else { in_mode(place, mode) };
        }
    });
    let Some(description) = description_mut(document, member) else { return };
    let holder = match member.steps.last().map(|step| &step.kind) {
        Some(Kind::Nested(_)) => member_mut(description, "nested_type"),
        _ => Some(description),
    };
    if let Some(place) = holder.and_then(|holder| member_mut(holder, "nesting_mode")) {
        *place = Json::string(mode);
    }
}

/// The type of a collection of objects in another mode, or of its only object.
fn type_in_mode(ty: &Json, mode: &str) -> Json {
    match ty {
        Json::Array(parts) => match parts.as_slice() {
            [Json::String(kind), element] if matches!(&**kind, "list" | "set" | "map") => match mode {
                "single" => element.clone(),
                _ => Json::Array(vec![Json::string(mode), element.clone()]),
            },
            _ => ty.clone(),
        },
        _ => ty.clone(),
    }
}

/// A collection of objects in another mode, or its only object.
fn in_mode(value: &Json, mode: &str) -> Json {
    if matches!(value, Json::Null) || value.member("$unknown").is_some() {
        return value.clone();
    }
    if is_typed(value) {
        return value.member("value").map_or(Json::Null, |inner| in_mode(inner, mode));
    }
    let objects: Vec<Json> = match value {
        Json::Array(items) => items.clone(),
        map => entries(Some(map)).iter().map(|(_, item)| item.clone()).collect(),
    };
    match mode {
        "single" => objects.into_iter().next().unwrap_or(Json::Null),
        _ => Json::Array(objects),
    }
}
