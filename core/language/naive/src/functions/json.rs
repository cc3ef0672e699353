//! JSON from values and back (FN23, FN24).

use planfuzz_core::value::{Number, Text, Type, Value, ValueRef};

use planfuzz_language::FileId;
use planfuzz_language::json::{Json, JsonKind};

use super::{ARGUMENT, Answer, CALL};
use crate::unknowns::{not_null, prefixed, unknown_not_null};

pub(super) fn encode(value: &Value) -> Answer<Value> {
    if value.is_wholly_known() {
        if !is_finite(value.view()) {
            return Err(CALL);
        }
        let mut out = String::new();
        write(value.view(), &mut out);
        return Ok(Value::string(&out));
    }
    let first = match value.ty() {
        Type::String => "\"",
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => "[",
        Type::Map(_) | Type::Object(_) => "{",
        _ => "",
    };
    Ok(if first.is_empty() || !not_null(value) { unknown_not_null(Type::String) } else { prefixed(first) })
}

/// Whether all numbers in a value are finite: JSON has no infinities.
fn is_finite(value: ValueRef<'_>) -> bool {
    let parts_are = || value.children().all(|(_, part)| is_finite(part));
    value.is_null() || value.as_number().map_or_else(parts_are, |number| !number.is_infinite())
}

fn write(value: ValueRef<'_>, out: &mut String) {
    if value.is_null() {
        out.push_str("null");
    } else if let Some(truth) = value.as_bool() {
        out.push_str(if truth { "true" } else { "false" });
    } else if let Some(number) = value.as_number() {
        number.write_text(out);
    } else if let Some(text) = value.as_text() {
        write_text(text.as_str(), out);
    } else if matches!(value.ty(), Type::Map(_) | Type::Object(_)) {
        out.push('{');
        for (at, (name, member)) in value.entries().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_text(name.as_str(), out);
            out.push(':');
            write(member, out);
        }
        out.push('}');
    } else {
        out.push('[');
        for (at, (_, element)) in value.children().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write(element, out);
        }
        out.push(']');
    }
}

pub(super) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)))
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The type of a JSON text with this known prefix.
pub(super) fn type_of_beginning(prefix: &str) -> Answer<Type> {
    match prefix.trim_start_matches([' ', '\t', '\r', '\n']).bytes().next() {
        None | Some(b'{' | b'[' | b'n') => Ok(Type::Dynamic),
        Some(b'"') => Ok(Type::String),
        Some(b't' | b'f') => Ok(Type::Bool),
        Some(b'0'..=b'9' | b'-' | b'.') => Ok(Type::Number),
        Some(_) => Err(ARGUMENT),
    }
}

pub(super) fn decode(text: &str) -> Answer<Value> {
    // The configuration reader rejects a scalar document, so the text is wrapped in an array.
    let json = planfuzz_language::json::parse(format!("[{text}]").as_bytes(), FileId(0)).map_err(|_| CALL)?;
    match &json.kind {
        JsonKind::Array(elements) if elements.len() == 1 => value(&elements[0]),
        _ => Err(CALL),
    }
}

fn value(json: &Json) -> Answer<Value> {
    Ok(match &json.kind {
        JsonKind::Null => Value::null(Type::Dynamic),
        JsonKind::Bool(truth) => Value::bool(*truth),
        JsonKind::Number(text) => Value::number(Number::parse(text.as_ref()).map_err(|_| CALL)?),
        JsonKind::String(text) => Value::string(text.as_ref()),
        JsonKind::Array(elements) => Value::tuple(elements.iter().map(value).collect::<Answer<_>>()?),
        JsonKind::Object(members) => {
            let member =
                |member: &planfuzz_language::json::Member| Ok((Text::new(member.name.as_ref()), value(&member.value)?));
            Value::object(members.iter().map(member).collect::<Answer<_>>()?)
        }
    })
}
