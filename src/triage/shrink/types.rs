//! Passes over types, modes and flags.

use planfuzz_core::json::Json;

use super::Shrinker;
use super::document::{Kind, Member, description_mut, entries, for_each_holder, member_mut, members, remove_member};

/// Flags and numbers of a schema that can go without anything else changing.
const OPTIONAL_PARTS: [&str; 11] = [
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
            Some(Kind::Block(mode)) => modes(shrinker, &member, &mode),
            None => {}
        }
        number += 1;
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
    shrinker.offer_edit(|document| {
        if let Some(description) = description_mut(document, member)
            && remove_member(description, "required")
            && let Json::Object(parts) = description
        {
            parts.push(("optional".into(), Json::Bool(true)));
        }
    });
}

/// A string in the place of any other type, and an element in the place of a collection.
fn leaf(shrinker: &mut Shrinker<'_>, member: &Member) {
    for ty in ["string", "bool", "number"] {
        if shrinker.offer_edit(|document| retype(document, member, &Json::string(ty))) {
            return;
        }
    }
    let mut description = shrinker.document.clone();
    let ty = description_mut(&mut description, member).and_then(|attribute| attribute.member("type").cloned());
    if let Some(Json::Array(parts)) = ty
        && let [Json::String(_), inner] = parts.as_slice()
    {
        let shorter = match inner {
            Json::Array(elements) if elements.iter().all(|element| !matches!(element, Json::String(_))) => {
                elements.first().cloned()
            }
            Json::Object(attributes) => attributes.first().map(|(_, ty)| ty.clone()),
            other => Some(other.clone()),
        };
        if let Some(shorter) = shorter {
            shrinker.offer_edit(|document| retype(document, member, &shorter));
        }
    }
}

/// Gives a leaf attribute another type, and its values stand-ins: equal ones for equal values, null and unknown as they are.
fn retype(document: &mut Json, member: &Member, ty: &Json) {
    let Some(last) = member.steps.last().map(|step| step.name.clone()) else { return };
    let mut seen: Vec<String> = Vec::new();
    let primitive = match ty {
        Json::String(name) => name.to_string(),
        _ => String::new(),
    };
    for_each_holder(document, member, &mut |holder| {
        if let Some(value) = member_mut(holder, &last) {
            *value = stand_in(value, &primitive, &mut seen);
        }
    });
    if let Some(place) = description_mut(document, member).and_then(|attribute| member_mut(attribute, "type")) {
        *place = ty.clone();
    }
}

fn stand_in(value: &Json, primitive: &str, seen: &mut Vec<String>) -> Json {
    if *value == Json::Null {
        return Json::Null;
    }
    let inner = if super::document::is_typed(value) { value.member("value").unwrap_or(value) } else { value };
    if *inner == Json::Null {
        return Json::Null;
    }
    if inner.member("$unknown").is_some() {
        return Json::object([("$unknown", Json::Bool(true))]);
    }
    let text = value.to_compact();
    let index = seen.iter().position(|one| *one == text).unwrap_or_else(|| {
        seen.push(text);
        seen.len() - 1
    });
    match primitive {
        "bool" => Json::Bool(index % 2 == 1),
        "number" => Json::int(index as u64),
        "string" => Json::string(&super::names::letters(index)),
        // A shorter type that is no primitive: values that were collections give their first element.
        _ => match inner {
            Json::Array(items) => items.first().cloned().unwrap_or(Json::Null),
            other => entries(Some(other)).first().map_or(Json::Null, |(_, item)| item.clone()),
        },
    }
}

/// A string in the place of a nested type.
fn nested_to_leaf(document: &mut Json, member: &Member) {
    let Some(last) = member.steps.last().map(|step| step.name.clone()) else { return };
    let mut seen = Vec::new();
    for_each_holder(document, member, &mut |holder| {
        if let Some(value) = member_mut(holder, &last) {
            *value = stand_in(value, "string", &mut seen);
        }
    });
    if let Some(attribute) = description_mut(document, member)
        && remove_member(attribute, "nested_type")
        && let Json::Object(parts) = attribute
    {
        parts.push(("type".into(), Json::string("string")));
    }
}

/// A plainer nesting mode.
fn modes(shrinker: &mut Shrinker<'_>, member: &Member, mode: &str) {
    for plainer in ["single", "list"] {
        if mode != plainer && shrinker.offer_edit(|document| change_mode(document, member, plainer)) {
            return;
        }
    }
}

fn change_mode(document: &mut Json, member: &Member, mode: &str) {
    let Some(last) = member.steps.last().map(|step| step.name.clone()) else { return };
    for_each_holder(document, member, &mut |holder| {
        if let Some(value) = member_mut(holder, &last) {
            *value = in_mode(value, mode);
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

/// A collection of objects as another one, or its only object.
fn in_mode(value: &Json, mode: &str) -> Json {
    if matches!(value, Json::Null) || value.member("$unknown").is_some() {
        return value.clone();
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
