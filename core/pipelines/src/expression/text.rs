//! Texts: of values, of several values, and short hashes of them.

use crate::fnv::Fnv;
use planfuzz_core::value::{Node, Truth, Type, Value};

/// The texts of strings, numbers and bools, one after the other. Null is the empty text; one unknown makes all unknown,
/// one value without a text makes all null.
pub(super) fn concatenated(parts: impl Iterator<Item = Value>) -> Value {
    joined(parts, "", None).map_or_else(|other| other, |text| Value::string(&text))
}

/// `h` and eight hexadecimal digits of the hash of the texts; a value without a text counts with its JSON form, so that a hash is never
/// null.
pub(super) fn hashed(parts: impl Iterator<Item = Value>) -> Value {
    let form = |value: &Value| value.to_json(value.ty()).to_compact();
    joined(parts, "|", Some(form)).map_or_else(|other| other, |text| Value::string(&hash_text(&text)))
}

fn joined(
    parts: impl Iterator<Item = Value>,
    between: &str,
    form: Option<fn(&Value) -> String>,
) -> Result<String, Value> {
    let mut joined = String::new();
    let mut without_text = false;
    let mut unknown = false;
    for (index, part) in parts.enumerate() {
        if index > 0 {
            joined.push_str(between);
        }
        unknown |= !part.is_wholly_known();
        match part.node() {
            Node::Null => {}
            Node::String(text) => joined.push_str(text),
            // Providers never see a negative zero (PF51).
            Node::Number(number) if number.to_i64() == Some(0) => joined.push('0'),
            Node::Number(number) => number.write_text(&mut joined),
            Node::Bool(Truth(bool)) => joined.push_str(if *bool { "true" } else { "false" }),
            Node::Unknown(_) | Node::Seq(_) | Node::Map(_) => match form {
                Some(form) => joined.push_str(&form(&part)),
                None => without_text = true,
            },
        }
    }
    match (unknown, without_text) {
        (true, _) => Err(Value::unknown(Type::String)),
        (_, true) => Err(Value::null(Type::String)),
        _ => Ok(joined),
    }
}

/// The number of characters of a text, or of elements; null for other values.
pub(super) fn length(value: &Value) -> Value {
    // The length of a set depends on elements that are not known yet.
    if value.is_unknown() || (matches!(value.ty(), Type::Set(_)) && !value.is_wholly_known()) {
        return Value::unknown(Type::Number);
    }
    match value.node() {
        Node::String(text) => Value::number(text.chars().count() as i64),
        Node::Seq(_) | Node::Map(_) => Value::number(value.node().parts().len() as i64),
        Node::Null | Node::Unknown(_) | Node::Bool(_) | Node::Number(_) => Value::null(Type::Number),
    }
}

/// `h` and the first eight of the sixteen hexadecimal digits of FNV-1a.
pub fn hash_text(text: &str) -> String {
    format!("h{:08x}", Fnv::EMPTY.then(text).get() >> 32)
}
