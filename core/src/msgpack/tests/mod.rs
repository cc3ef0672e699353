//! Rule by rule; the spec's example lines are run for every feature at once elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::json::Json;
use crate::value::{Type, Value};

mod decode;
mod encode;
mod hostile;
mod implied;
mod properties;

/// The type of a text of V05.
fn ty(text: &str) -> Type {
    Type::parse(text).expect("a type")
}

/// The value of a text in the notation of formats.md.
fn value(declared: &str, text: &str) -> Value {
    Value::from_json(&Json::parse(text).expect("a document"), &ty(declared)).expect("a value")
}

fn base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text).expect("base64")
}
