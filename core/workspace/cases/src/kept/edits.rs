//! The steps of a case that begins with a given state: edits of the documents themselves, and commands as in generated cases.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::Saved;

use crate::case::{Command, Step, edits_between};
use crate::generate::Choices;
use crate::model::{Fail, How, Outside};

/// How many steps follow the first one at most.
const MOST_STEPS: usize = 3;

/// Members of a block that are no arguments of its provider.
const META: [&str; 8] =
    ["count", "for_each", "depends_on", "lifecycle", "provider", "connection", "provisioner", "dynamic"];

/// Where a block is: the file, its type and its name.
pub(crate) type Place = (String, String, String);

/// The blocks of managed resources.
pub(crate) fn blocks(files: &BTreeMap<String, Json>) -> Vec<Place> {
    let mut found = Vec::new();
    for (path, file) in files {
        for (type_name, blocks) in file.entries_of("resource") {
            for (name, _) in blocks.entries() {
                found.push((path.clone(), type_name.to_string(), name.to_string()));
            }
        }
    }
    found
}

/// A document in which blocks with labels are objects in objects, and bodies are objects (E09 has other forms of the same).
pub(super) fn by_labels(document: &Json) -> Json {
    let labelled = [("resource", 2), ("data", 2), ("ephemeral", 2), ("module", 1), ("output", 1), ("variable", 1)];
    let of = |(name, value): &(Box<str>, Json)| {
        let labels = labelled.iter().find(|(known, _)| *known == &**name).map(|(_, labels)| *labels);
        (name.clone(), labels.map_or_else(|| value.clone(), |labels| together(value, labels)))
    };
    Json::Object(document.entries().iter().map(of).collect())
}

/// Objects in an array as one object, down to the bodies.
fn together(value: &Json, labels: usize) -> Json {
    let single = [value.clone()];
    let parts = value.expect_array().unwrap_or(&single);
    if labels == 0 {
        return parts.first().cloned().unwrap_or(Json::Null);
    }
    let mut merged: Vec<(Box<str>, Vec<Json>)> = Vec::new();
    for (name, inner) in parts.iter().flat_map(|part| part.entries()) {
        match merged.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) => all.push(inner.clone()),
            None => merged.push((name.clone(), vec![inner.clone()])),
        }
    }
    let whole = |(name, parts): (Box<str>, Vec<Json>)| {
        let flat = parts.into_iter().flat_map(|part| match part {
            Json::Array(items) => items,
            part => vec![part],
        });
        (name, together(&Json::Array(flat.collect()), labels - 1))
    };
    Json::Object(merged.into_iter().map(whole).collect())
}

/// The object that is a member of another one; made where there is none.
pub(crate) fn object_at<'j>(json: &'j mut Json, name: &str) -> &'j mut Json {
    if json.member(name).is_none_or(|member| member.expect_object().is_err()) {
        member_mut(json, name, Json::Object(Vec::new()));
    }
    match json {
        Json::Object(members) => {
            let at = members.iter().position(|(member, _)| &**member == name).unwrap_or_default();
            &mut members[at].1
        }
        other => other,
    }
}

/// Sets a member of an object; a value that is no object becomes one.
pub(crate) fn member_mut(json: &mut Json, name: &str, value: Json) {
    let mut members = match std::mem::replace(json, Json::Null) {
        Json::Object(members) => members,
        _ => Vec::new(),
    };
    match members.iter_mut().find(|(member, _)| &**member == name) {
        Some((_, old)) => *old = value,
        None => members.push((name.into(), value)),
    }
    *json = Json::Object(members);
}

fn take_member(json: &mut Json, name: &str) -> Option<Json> {
    let Json::Object(members) = json else { return None };
    let at = members.iter().position(|(member, _)| &**member == name)?;
    Some(members.remove(at).1)
}

/// The steps; the first one begins with what is stored.
pub(super) fn steps(files: &BTreeMap<String, Json>, state: Option<&Json>, choices: &mut Choices<'_>) -> Vec<Step> {
    let mut files = files.clone();
    let (addresses, names) = (state.map(addresses).unwrap_or_default(), state.map(names).unwrap_or_default());
    let mut steps = Vec::new();
    for _ in 0..1 + choices.below(MOST_STEPS) {
        let before = files.clone();
        if choices.chance(75) {
            for _ in 0..1 + choices.below(2) {
                edit(&mut files, choices);
            }
        }
        let mut step = Step::of(command(choices));
        step.edits = edits_between(&before, &files);
        options(&mut step, &addresses, choices);
        happens(&mut step, &names, choices);
        steps.push(step);
    }
    steps
}

/// What is done: mostly an apply.
pub(crate) fn command(choices: &mut Choices<'_>) -> Command {
    match choices.below(100) {
        0..80 => Command::Apply,
        80..88 => Command::Plan,
        88..94 => Command::Refresh,
        _ => Command::ApplySaved(Saved::default()),
    }
}

/// One edit, if there is anything to edit.
pub(crate) fn edit(files: &mut BTreeMap<String, Json>, choices: &mut Choices<'_>) {
    let places = blocks(files);
    let Some(place) = choices.pick(&places).cloned() else { return };
    match choices.below(100) {
        0..30 => change_value(files, &place, choices),
        30..45 => rename(files, &place, choices),
        45..60 => take_out(files, &place, choices),
        60..72 => create_first(files, &place),
        72..84 => count(files, &place),
        84..92 => depends_on(files, &place, &places, choices),
        _ => output(files, &place),
    }
}

fn body<'f>(files: &'f mut BTreeMap<String, Json>, (path, type_name, name): &Place) -> Option<&'f mut Json> {
    let file = files.get_mut(path)?;
    Some(object_at(object_at(object_at(file, "resource"), type_name), name))
}

/// Another value of an argument that is a constant.
fn change_value(files: &mut BTreeMap<String, Json>, place: &Place, choices: &mut Choices<'_>) {
    let Some(body) = body(files, place) else { return };
    let is_constant = |(name, value): &&(Box<str>, Json)| {
        let is_plain = match value {
            Json::String(text) => !text.contains("${") && !text.contains("%{"),
            Json::Bool(_) | Json::Number(_) => true,
            _ => false,
        };
        is_plain && !META.contains(&&**name)
    };
    let constants: Vec<(Box<str>, Json)> = body.entries().iter().filter(is_constant).cloned().collect();
    let Some((name, old)) = choices.pick(&constants) else { return };
    let new = match old {
        Json::Bool(flag) => Json::Bool(!flag),
        Json::Number(_) => Json::int(choices.below(100) as u64),
        _ => Json::string(["changed", "", "other"][choices.below(3)]),
    };
    member_mut(body, name, new);
}

/// Another name, everywhere in the file; often with a moved block.
fn rename(files: &mut BTreeMap<String, Json>, (path, type_name, name): &Place, choices: &mut Choices<'_>) {
    let Some(file) = files.get_mut(path) else { return };
    let new = format!("{name}_x");
    let (from, to) = (format!("{type_name}.{name}"), format!("{type_name}.{new}"));
    if let Some(body) = take_member(object_at(object_at(file, "resource"), type_name), name) {
        member_mut(object_at(object_at(file, "resource"), type_name), &new, body);
    }
    *file = renamed(file, &from, &to);
    if choices.chance(65) {
        let statement = Json::object([("from", Json::string(&from)), ("to", Json::string(&to))]);
        append(file, "moved", statement);
    }
}

/// A document in which every text names something by another address.
fn renamed(json: &Json, from: &str, to: &str) -> Json {
    match json {
        Json::String(text) => Json::string(&replaced(text, from, to)),
        Json::Array(items) => Json::Array(items.iter().map(|item| renamed(item, from, to)).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), renamed(value, from, to))).collect())
        }
        other => other.clone(),
    }
}

/// A text with an address replaced where it is no part of a longer one.
fn replaced(text: &str, from: &str, to: &str) -> String {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let is_inside = before.ends_with(|char| is_part(char) || char == '.') || after.starts_with(is_part);
        out.push_str(before);
        out.push_str(if is_inside { from } else { to });
        rest = after;
    }
    out + rest
}

fn append(file: &mut Json, name: &str, item: Json) {
    let mut all = file.items_of(name).to_vec();
    all.push(item);
    member_mut(file, name, Json::Array(all));
}

/// Removes the block; sometimes adds a `removed` block that forgets its objects.
fn take_out(files: &mut BTreeMap<String, Json>, (path, type_name, name): &Place, choices: &mut Choices<'_>) {
    let Some(file) = files.get_mut(path) else { return };
    let resources = object_at(file, "resource");
    take_member(object_at(resources, type_name), name);
    if resources.entries_of(type_name).is_empty() {
        take_member(resources, type_name);
    }
    if choices.chance(30) {
        let lifecycle = Json::object([("destroy", Json::Bool(false))]);
        let from = Json::string(&format!("{type_name}.{name}"));
        append(file, "removed", Json::object([("from", from), ("lifecycle", lifecycle)]));
    }
}

fn create_first(files: &mut BTreeMap<String, Json>, place: &Place) {
    let Some(body) = body(files, place) else { return };
    let lifecycle = match body.member("lifecycle") {
        Some(Json::Array(all)) => all.first().cloned().unwrap_or(Json::Null),
        Some(lifecycle) => lifecycle.clone(),
        None => Json::Null,
    };
    let is_set = lifecycle.member("create_before_destroy") == Some(&Json::Bool(true));
    let mut new = lifecycle;
    member_mut(&mut new, "create_before_destroy", Json::Bool(!is_set));
    member_mut(body, "lifecycle", new);
}

fn count(files: &mut BTreeMap<String, Json>, place: &Place) {
    let Some(body) = body(files, place) else { return };
    if take_member(body, "count").is_none() && body.member("for_each").is_none() {
        member_mut(body, "count", Json::int(1u8));
    }
}

fn depends_on(files: &mut BTreeMap<String, Json>, place: &Place, all: &[Place], choices: &mut Choices<'_>) {
    let beside: Vec<&Place> = all.iter().filter(|other| other.0 == place.0 && *other != place).collect();
    let Some((_, type_name, name)) = choices.pick(&beside) else { return };
    let named = Json::Array(vec![Json::string(&format!("{type_name}.{name}"))]);
    if let Some(body) = body(files, place) {
        member_mut(body, "depends_on", named);
    }
}

/// Adds an output with the whole block as its value.
fn output(files: &mut BTreeMap<String, Json>, (path, type_name, name): &Place) {
    let Some(file) = files.get_mut(path) else { return };
    let value = Json::string(&format!("${{{type_name}.{name}}}"));
    let body = Json::object([("value", value), ("sensitive", Json::Bool(true))]);
    member_mut(object_at(file, "output"), &format!("of_{name}"), body);
}

/// The addresses of what is stored.
fn addresses(state: &Json) -> Vec<String> {
    let mut found = Vec::new();
    for resource in state.items_of("resources") {
        let get = |name: &str| resource.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default();
        if get("mode") != "managed" {
            continue;
        }
        let module = if get("module").is_empty() { String::new() } else { format!("{}.", get("module")) };
        for instance in resource.items_of("instances") {
            let key = instance.member("index_key").map_or(String::new(), |key| format!("[{}]", key.to_compact()));
            found.push(format!("{module}{}.{}{key}", get("type"), get("name")));
        }
    }
    found
}

/// The names of remote objects, by which events refer to them.
fn names(state: &Json) -> Vec<String> {
    let instances = state.items_of("resources").iter().flat_map(|resource| resource.items_of("instances"));
    let name = |instance: &Json| Some(instance.member("attributes")?.member("name")?.expect_string().ok()?.to_owned());
    instances.filter_map(name).collect()
}

fn options(step: &mut Step, addresses: &[String], choices: &mut Choices<'_>) {
    let takes_all = !matches!(step.command, Command::Refresh);
    let options = &mut step.options;
    match choices.below(100) {
        0..8 if takes_all => options.mode = Mode::Destroy,
        8..13 if takes_all => options.mode = Mode::RefreshOnly,
        13..25 => options.targets.extend(choices.pick(addresses).cloned()),
        25..31 if takes_all => options.replace.extend(choices.pick(addresses).cloned()),
        31..37 => step.taint.extend(choices.pick(addresses).cloned()),
        37..42 if takes_all => options.refresh = false,
        _ => {}
    }
}

/// What drifts, is lost or fails: objects that have a name, because models know them by it.
fn happens(step: &mut Step, names: &[String], choices: &mut Choices<'_>) {
    if choices.chance(12) {
        step.events.outside.extend(choices.pick(names).map(|name| Outside { name: name.clone(), set: None }));
    }
    if choices.chance(15) {
        let call = ["apply", "apply", "delete", "read", "plan"][choices.below(5)].to_owned();
        let how = *choices.pick(&[How::Error, How::Null, How::Prior, How::Lost]).unwrap_or(&How::Error);
        step.events.fails.extend(choices.pick(names).map(|name| Fail { call, name: name.clone(), how }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_replaced_where_it_is_whole() {
        assert_eq!(replaced("${t.a.id} t.ab x.t.a t.a[0]", "t.a", "t.b"), "${t.b.id} t.ab x.t.a t.b[0]");
    }

    #[test]
    fn e09_blocks_in_arrays_are_put_together() {
        let json = |text: &str| Json::parse(text).expect("JSON");
        let document = json(r#"{"resource": [{"t": [{"a": [{"x": 1}]}]}, {"t": {"b": {}}}], "moved": []}"#);
        assert_eq!(by_labels(&document), json(r#"{"resource": {"t": {"a": {"x": 1}, "b": {}}}, "moved": []}"#));
    }
}
