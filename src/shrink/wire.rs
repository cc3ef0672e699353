//! Decodes the msgpack documents of cases: bytes cannot be made plainer, but the values in them can.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::value::{Type, Value};

use super::document::remove_member;
use crate::case::{Call, Case, Op, Task, ValueCall};

/// The document of a case, with the value in place of its msgpack form if encoding the value gives the same bytes.
pub(super) fn opened(case: &Case) -> Json {
    let mut document = case.to_json();
    let Task::Call(Call::Value(ValueCall::MsgpackDecode { ty, bytes })) = &case.task else {
        return document;
    };
    let written = msgpack::decode(bytes, ty)
        .ok()
        .filter(|value| msgpack::encode(value.view(), ty).is_ok_and(|again| again == *bytes));
    if let (Some(value), Json::Object(members)) = (written, &mut document) {
        members.retain(|(name, _)| **name != *"base64");
        members.push(("value".into(), value.to_json(ty)));
    }
    document
}

/// The document in the form of cases; `None` if the value does not fit its type.
pub(super) fn closed(document: &Json) -> Option<Json> {
    let is_decode = matches!(document.member("op"), Some(Json::String(op)) if **op == *Op::MsgpackDecode.name());
    let (true, Some(value), Some(ty)) = (is_decode, document.member("value"), document.member("type")) else {
        return Some(document.clone());
    };
    let ty = Type::from_json(ty).ok()?;
    let value = Value::from_json(value, &ty).ok()?;
    let bytes = msgpack::encode(value.view(), &ty).ok()?;
    let mut closed = document.clone();
    remove_member(&mut closed, "value");
    if let Json::Object(members) = &mut closed {
        members.push(("base64".into(), Json::string(&BASE64.encode(bytes))));
    }
    Some(closed)
}
