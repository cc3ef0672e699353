//! Paths (PF40 to PF42, ST04), whose steps are a name, `{"index": n}`, `{"key": "…"}` or `{"element": true}` in trees.

use planfuzz_core::json::Json;

use super::fields::{Content, Field, Message};
use super::shape;
use crate::msgpack;
use crate::value::{Is, Num, Ty, Val, nfc};

/// A step of a path.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Name(String),
    Index(u64),
    Key(String),
    Element,
}

/// The steps of a path in a tree.
pub(super) fn of_tree(path: &Json) -> Option<Vec<Step>> {
    let Json::Array(steps) = path else { return None };
    steps.iter().map(step_of_tree).collect()
}

fn step_of_tree(step: &Json) -> Option<Step> {
    match step {
        Json::String(name) => Some(Step::Name(nfc(name))),
        Json::Object(members) => match members.as_slice() {
            [(name, Json::Number(index))] if **name == *"index" => index.parse().ok().map(Step::Index),
            [(name, Json::String(key))] if **name == *"key" => Some(Step::Key(nfc(key))),
            [(name, Json::Bool(true))] if **name == *"element" => Some(Step::Element),
            _ => None,
        },
        _ => None,
    }
}

/// A path as trees have it.
pub(super) fn tree(steps: Vec<Step>) -> Json {
    let step = |step: Step| match step {
        Step::Name(name) => Json::string(&name),
        Step::Index(index) => Json::object([("index", Json::int(index))]),
        Step::Key(key) => Json::object([("key", Json::string(&key))]),
        Step::Element => Json::object([("element", Json::Bool(true))]),
    };
    Json::Array(steps.into_iter().map(step).collect())
}

/// The message of a path; `None` for a path that leads into a set.
pub(super) fn message(path: &Json) -> Option<Vec<u8>> {
    let mut out = Message::default();
    for step in of_tree(path)? {
        let mut written = Message::default();
        match step {
            // A field of a oneof is written even if it holds its default.
            Step::Name(name) => written.part(1, name.as_bytes()),
            Step::Index(index) => {
                let index = i64::try_from(index).ok()?;
                written.part(2, &key(Ty::Number, Is::Num(Num::int(index)))?);
            }
            Step::Key(text) => written.part(2, &key(Ty::String, Is::Str(text))?),
            Step::Element => return None,
        }
        out.part(1, &written.bytes);
    }
    Some(out.bytes)
}

/// PF40.
fn key(ty: Ty, is: Is) -> Option<Vec<u8>> {
    let mut out = Message::default();
    out.bytes(1, &msgpack::encode(&Val { ty: ty.clone(), is }, &ty)?);
    Some(out.bytes)
}

/// The path of a message, as trees have it.
pub(super) fn read(path: &shape::Message<'_>) -> Option<Json> {
    path.messages(1).iter().map(step).collect::<Option<_>>().map(tree)
}

/// Every path of a list.
pub(super) fn read_all(of: &shape::Message<'_>, number: u32) -> Option<Json> {
    of.messages(number).iter().map(read).collect::<Option<_>>().map(Json::Array)
}

/// The last field counts. A repeated key adds to the one before it.
fn step(step: &shape::Message<'_>) -> Option<Step> {
    let mut found: Option<Result<String, &[u8]>> = None;
    for Field { number, content } in step.fields() {
        match (number, content) {
            (1, Content::Bytes(name)) => found = Some(Ok(String::from_utf8(name.to_vec()).ok()?)),
            (2, Content::Bytes(key)) => {
                let before = match found {
                    Some(Err(before)) => before,
                    _ => &[],
                };
                found = Some(Err(last_value(key)?.unwrap_or(before)));
            }
            _ => {}
        }
    }
    match found? {
        Ok(name) => Some(Step::Name(nfc(&name))),
        Err(key) => index_or_key(key),
    }
}

/// The bytes of a dynamic value; `None` inside where it has none.
fn last_value(bytes: &[u8]) -> Option<Option<&[u8]>> {
    let all = super::fields::fields(bytes, 0)?;
    let value = |field: &Field<'_>| field.number == 1;
    Some(match all.into_iter().rfind(value) {
        Some(Field { content: Content::Bytes(bytes), .. }) => Some(bytes),
        _ => None,
    })
}

/// PF40: a key whose bytes imply its own type.
fn index_or_key(bytes: &[u8]) -> Option<Step> {
    let ty = msgpack::implied_type(bytes)?;
    match (&ty, msgpack::decode(bytes, &ty).ok()?.is) {
        (Ty::String, Is::Str(text)) => Some(Step::Key(text)),
        (Ty::Number, Is::Num(number)) => u64::try_from(number.to_i64()?).ok().map(Step::Index),
        _ => None,
    }
}
