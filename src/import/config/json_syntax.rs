//! The JSON syntax: the schema decides which member is an attribute and which a block.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_core::schema::{Block, NestedBlock, Nesting};
use planfuzz_core::value::{MAX_DEPTH, Number, Text, Type, Value};

use super::body::{Body, Given, NotLiteral, Written};
use super::lifecycle::{self, LifecycleBlock};

/// A member that is a comment.
const COMMENT: &str = "//";

/// The resource of this name in a file in JSON syntax; `None` if there is none.
pub fn json_resource<'j>(file: &'j Json, is_data: bool, type_name: &str, name: &str) -> Option<&'j Json> {
    let list = if is_data { "data" } else { "resource" };
    let mut found = objects(file.member(list)?);
    found.find_map(|types| objects(types.member(type_name)?).find_map(|names| objects(names.member(name)?).next()))
}

/// The body of a resource according to the schema's block, and its `lifecycle` block.
pub fn json_body(json: &Json, block: &Block) -> (Body, LifecycleBlock) {
    let lifecycle = json.member("lifecycle").and_then(|block| objects(block).next());
    (lifecycle::without_meta_arguments(body(json, block)), lifecycle.map(lifecycle::json).unwrap_or_default())
}

/// An object, or the objects of an array: either form is used for one block and for several.
fn objects(json: &Json) -> impl Iterator<Item = &Json> {
    json.listed().iter().filter(|item| matches!(item, Json::Object(_)))
}

fn body(json: &Json, block: &Block) -> Body {
    let mut body = Body::default();
    let Json::Object(members) = json else { return body };
    for (name, member) in members.iter().filter(|(name, _)| **name != *COMMENT) {
        let text = Text::new(name);
        if let Some(nested) = block.block_types.get(name) {
            blocks(&text, member, nested, &mut body);
        } else if **name == *"dynamic" {
            let names = objects(member).filter_map(|object| object.expect_object().ok()).flatten();
            body.open_blocks.extend(names.map(|(name, _)| Text::new(name)));
        } else if !matches!(member, Json::Null) || block.attributes.get(name).is_some() {
            body.attributes.push((text, given(member)));
        }
    }
    body
}

fn blocks(name: &Text, json: &Json, nested: &NestedBlock, into: &mut Body) {
    let mut put = |labels: Vec<Text>, object: &Json| {
        into.blocks.push(Written { name: name.clone(), labels, body: body(object, &nested.block) });
    };
    for object in objects(json) {
        match (nested.nesting, object) {
            (Nesting::Map, Json::Object(labels)) => {
                for (label, member) in labels {
                    objects(member).for_each(|object| put(vec![Text::new(label)], object));
                }
            }
            (_, object) => put(Vec::new(), object),
        }
    }
}

fn given(json: &Json) -> Given {
    match value(json, &template) {
        Ok(value) if value.ty().depth() < MAX_DEPTH => Given::Literal(value),
        Ok(_) => Given::Open(NotLiteral::Expression),
        Err(why) => Given::Open(why),
    }
}

/// The literal value of JSON; `text` reads its strings.
pub(super) fn value(json: &Json, text: &dyn Fn(&str) -> Result<String, NotLiteral>) -> Result<Value, NotLiteral> {
    Ok(match json {
        Json::Null => Value::null(Type::Dynamic),
        Json::Bool(bool) => Value::bool(*bool),
        Json::Number(number) => Value::number(Number::parse(number).map_err(|_| NotLiteral::Number)?),
        Json::String(string) => Value::string(&text(string)?),
        Json::Array(items) => Value::tuple(items.iter().map(|item| value(item, text)).collect::<Result<_, _>>()?),
        Json::Object(members) => {
            let mut named = BTreeMap::new();
            for (name, member) in members {
                named.insert(Text::new(&text(name)?), value(member, text)?);
            }
            Value::object(named.into_iter().collect())
        }
    })
}

/// Strings in JSON syntax are templates.
fn template(text: &str) -> Result<String, NotLiteral> {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '%']) {
        let (before, from) = rest.split_at(at);
        read.push_str(before);
        if let Some(after) = from.strip_prefix("$${") {
            read.push_str("${");
            rest = after;
        } else if let Some(after) = from.strip_prefix("%%{") {
            read.push_str("%{");
            rest = after;
        } else if from.starts_with("${") || from.starts_with("%{") {
            return Err(NotLiteral::Template);
        } else {
            let (sign, after) = from.split_at(1);
            read.push_str(sign);
            rest = after;
        }
    }
    read.push_str(rest);
    Ok(read)
}
