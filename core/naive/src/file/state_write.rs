//! The tree of a state as the file that an engine writes (section 3).

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

use super::layout::lay_out;
use super::path::{Step, of_tree};
use super::tree::{Made, bytes_of, flag, items, text, texts};

/// The file of a state, laid out as an engine does it; `None` where the tree is no state.
pub fn write_state(state: &Json, engine: Engine) -> Option<String> {
    let empty = || Json::Object(Vec::new());
    let mut top = Made::default();
    top.put("version", Json::int(4));
    top.put("terraform_version", Json::string(text(state, "terraform_version")?));
    top.put("serial", state.member("serial").cloned().unwrap_or(Json::int(0)));
    top.put("lineage", Json::string(text(state, "lineage")?));
    top.put("outputs", state.member("outputs").cloned().unwrap_or_else(empty));
    let mut resources: Vec<&Json> = items(state, "resources")?.iter().collect();
    resources.sort_by_key(|resource| rank(resource));
    top.put("resources", Json::Array(resources.into_iter().map(resource).collect::<Option<_>>()?));
    top.put("check_results", state.member("check_results").cloned().unwrap_or(Json::Null));
    Some(lay_out(&top.done(), engine))
}

/// ST07 of resources; data resources come first.
fn rank(resource: &Json) -> Option<[&str; 4]> {
    let mode = text(resource, "mode")?;
    Some([text(resource, "module")?, mode, text(resource, "type")?, text(resource, "name")?])
}

fn resource(tree: &Json) -> Option<Json> {
    let mut resource = Made::default();
    resource.add("module", Json::string(text(tree, "module")?));
    for name in ["mode", "type", "name"] {
        resource.put(name, Json::string(text(tree, name)?));
    }
    if let Some(provider) = tree.member("provider") {
        resource.put("provider", provider.clone());
    }
    let mut objects: Vec<&Json> = items(tree, "objects")?.iter().collect();
    objects.sort_by(|one, other| before(one, other));
    resource.put("instances", Json::Array(objects.into_iter().map(object).collect::<Option<_>>()?));
    Some(resource.done())
}

/// ST07 of objects: by key, then by deposed key, the current one first.
fn before(one: &Json, other: &Json) -> Ordering {
    let index = |json: &Json| match json.member("key") {
        Some(Json::Number(index)) => index.parse::<i64>().ok(),
        _ => None,
    };
    let kind = |json: &Json| match json.member("key") {
        None => 0,
        Some(Json::Number(_)) => 1,
        Some(_) => 2,
    };
    let texts = |json: &Json| {
        let of = |name| match json.member(name) {
            Some(Json::String(text)) => text.as_bytes().to_vec(),
            _ => Vec::new(),
        };
        (of("key"), of("deposed"))
    };
    (kind(one), index(one), texts(one)).cmp(&(kind(other), index(other), texts(other)))
}

/// ST03.
fn object(tree: &Json) -> Option<Json> {
    let mut object = Made::default();
    let put_if_there = |object: &mut Made, name: &str, of: &str| {
        if let Some(json) = tree.member(of) {
            object.put(name, json.clone());
        }
    };
    put_if_there(&mut object, "index_key", "key");
    if flag(tree, "tainted")? {
        object.put("status", Json::string("tainted"));
    }
    put_if_there(&mut object, "deposed", "deposed");
    put_if_there(&mut object, "provider", "provider");
    let version = |name| tree.member(name).cloned().unwrap_or(Json::int(0));
    object.put("schema_version", version("schema_version"));
    match tree.member("attributes_flat") {
        Some(flat) => object.put("attributes_flat", flat.clone()),
        None => object.put("attributes", tree.member("attributes").cloned().unwrap_or(Json::Object(Vec::new()))),
    }
    let paths = items(tree, "sensitive")?.iter().map(path).collect::<Option<_>>()?;
    object.put("sensitive_attributes", Json::Array(paths));
    if let Some(identity) = tree.member("identity") {
        object.put("identity", identity.clone());
        object.put("identity_schema_version", version("identity_schema_version"));
    }
    object.add("private", Json::string(&STANDARD.encode(bytes_of(tree, "private")?)));
    for name in ["dependencies", "depends_on"] {
        object.add(name, Json::Array(texts(tree, name)?.into_iter().map(Json::string).collect()));
    }
    for name in ["create_before_destroy", "skip_destroy"] {
        object.add(name, Json::Bool(flag(tree, name)?));
    }
    Some(object.done())
}

/// ST04; a sensitive part of a set makes the set sensitive (PL08).
fn path(tree: &Json) -> Option<Json> {
    let mut steps = Vec::new();
    for step in of_tree(tree)? {
        let key = |ty: &str, value: Json| Json::object([("value", value), ("type", Json::string(ty))]);
        let (kind, value) = match step {
            Step::Name(name) => ("get_attr", Json::string(&name)),
            Step::Index(index) => ("index", key("number", Json::int(index))),
            Step::Key(text) => ("index", key("string", Json::string(&text))),
            Step::Element => break,
        };
        steps.push(Json::object([("type", Json::string(kind)), ("value", value)]));
    }
    Some(Json::Array(steps))
}
