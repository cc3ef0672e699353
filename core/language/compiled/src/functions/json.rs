//! JSON (FN23, FN24).

use std::fmt::Write as _;

use planfuzz_core::value::{Node, Number, Text, Type, Value, ValueRef};

use super::{Given, Made, Wrong, text};
use crate::make;

/// FN23
pub(crate) fn encode(given: &Given<'_, '_>) -> Made {
    let value = given.value(0)?;
    if !value.is_wholly_known() {
        let prefix = match value.ty() {
            _ if make::may_be_null(value.view()) => "",
            Type::String => "\"",
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => "[",
            Type::Map(_) | Type::Object(_) => "{",
            _ => "",
        };
        return Ok(make::refined(Type::String, |refiner| {
            refiner.not_null().is_ok() && (prefix.is_empty() || refiner.string_prefix(prefix).is_ok())
        })
        .into());
    }
    text(&checked(value.view())?)
}

/// The JSON text of a value; an infinite number is an error.
pub(crate) fn checked(value: ValueRef<'_>) -> Result<String, Wrong> {
    if has_infinite(value) {
        return Err(Wrong::Call);
    }
    let mut out = String::new();
    write_value(value, &mut out);
    Ok(out)
}

fn has_infinite(value: ValueRef<'_>) -> bool {
    match value.node() {
        Node::Number(number) => number.is_infinite(),
        Node::Null | Node::Unknown(_) => false,
        _ => value.children().any(|(_, part)| has_infinite(part)),
    }
}

pub(crate) fn write_value(value: ValueRef<'_>, out: &mut String) {
    match (value.ty(), value.node()) {
        (_, Node::Null | Node::Unknown(_)) => out.push_str("null"),
        (_, Node::Bool(bool)) => out.push_str(if bool.0 { "true" } else { "false" }),
        (_, Node::Number(number)) => out.push_str(&number.text()),
        (_, Node::String(text)) => write_text(text, out),
        (Type::Map(_) | Type::Object(_), _) => {
            out.push('{');
            for (at, (name, part)) in value.entries().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write_value(part, out);
            }
            out.push('}');
        }
        _ => {
            out.push('[');
            for (at, (_, part)) in value.children().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_value(part, out);
            }
            out.push(']');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
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
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// FN24
pub(crate) fn decode(given: &Given<'_, '_>) -> Made {
    match given.value(0)?.node() {
        Node::Unknown(record) => begun(record.as_ref().map_or("", |record| record.prefix())),
        _ => decoded(given.text(0)?, given),
    }
}

/// An unknown of the type that a known prefix determines.
fn begun(prefix: &str) -> Made {
    let first = prefix.trim_start_matches([' ', '\t', '\n', '\r']).chars().next();
    let ty = match first {
        None | Some('{' | '[' | 'n') => Type::Dynamic,
        Some('"') => Type::String,
        Some('0'..='9' | '-' | '.') => Type::Number,
        Some('t' | 'f') => Type::Bool,
        Some(_) => return Err(Wrong::Argument),
    };
    Ok(Value::unknown(ty).into())
}

fn decoded(text: &str, given: &Given<'_, '_>) -> Made {
    let json: serde_json::Value = serde_json::from_str(&without_halves(text)).map_err(|_| Wrong::Call)?;
    given.spend(text.len() / 8)?;
    Ok(value_of(&json)?.into())
}

/// Replaces escapes of lone surrogates by the replacement character.
fn without_halves(text: &str) -> std::borrow::Cow<'_, str> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return text.into();
    }
    let (mut out, mut at) = (String::new(), 0);
    while let Some(letter) = text[at..].chars().next() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                at += 6;
                continue;
            }
            _ if letter == '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => letter.len_utf8(),
        };
        out.push_str(&text[at..at + length]);
        at += length;
    }
    out.into()
}

fn value_of(json: &serde_json::Value) -> Result<Value, Wrong> {
    Ok(match json {
        serde_json::Value::Null => Value::null(Type::Dynamic),
        serde_json::Value::Bool(bool) => Value::bool(*bool),
        serde_json::Value::Number(number) => {
            Value::number(Number::parse(&number.to_string()).map_err(|_| Wrong::Call)?)
        }
        serde_json::Value::String(text) => Value::string(text),
        serde_json::Value::Array(parts) => Value::tuple(parts.iter().map(value_of).collect::<Result<_, _>>()?),
        serde_json::Value::Object(members) => {
            let member = |(name, part): (&String, &serde_json::Value)| Ok((Text::new(name), value_of(part)?));
            Value::object(members.iter().map(member).collect::<Result<_, Wrong>>()?)
        }
    })
}
