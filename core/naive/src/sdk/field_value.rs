//! Values inside the SDK (Z20, Z21), and the codes of elements of sets (Z30 to Z32).

use std::collections::BTreeMap;

use planfuzz_pipelines::sdk::{Elem, Kind, Primitive, Resource, SdkValue};

use super::Crash;
use crate::value::crc;

/// A value inside the SDK.
#[derive(Clone, Debug)]
pub enum FieldValue {
    /// Of a bool field.
    Bool(bool),
    /// Of an int field.
    Int(i64),
    /// Of a float field.
    Float(f64),
    /// Of a string field.
    Text(String),
    /// Of a list; elements that do not exist are absent.
    List(Vec<Option<FieldValue>>),
    /// Of a map.
    Map(BTreeMap<String, FieldValue>),
    /// Of a resource, every field.
    Object(BTreeMap<String, FieldValue>),
    /// Of a set, by code.
    Set(BTreeMap<String, Option<FieldValue>>),
}

impl FieldValue {
    /// The zero value of a kind.
    pub fn zero(kind: &Kind) -> FieldValue {
        match kind {
            Kind::Primitive(primitive) => FieldValue::zero_primitive(*primitive),
            Kind::List(_) => FieldValue::List(Vec::new()),
            Kind::Map(_) => FieldValue::Map(BTreeMap::new()),
            Kind::Set(_) => FieldValue::Set(BTreeMap::new()),
        }
    }

    /// The zero value of a primitive kind.
    pub fn zero_primitive(primitive: Primitive) -> FieldValue {
        match primitive {
            Primitive::Bool => FieldValue::Bool(false),
            Primitive::Int => FieldValue::Int(0),
            Primitive::Float => FieldValue::Float(0.0),
            Primitive::String => FieldValue::Text(String::new()),
        }
    }

    /// A default.
    pub fn of_default(value: &SdkValue) -> Option<FieldValue> {
        match value {
            SdkValue::Bool(bool) => Some(FieldValue::Bool(*bool)),
            SdkValue::Int(int) => Some(FieldValue::Int(*int)),
            SdkValue::Float(float) => Some(FieldValue::Float(*float)),
            SdkValue::Text(text) => Some(FieldValue::Text(text.clone())),
            _ => None,
        }
    }

    /// A text read as a primitive (Z21).
    pub fn parse(primitive: Primitive, text: &str) -> Result<FieldValue, Crash> {
        if primitive == Primitive::String {
            return Ok(FieldValue::Text(text.to_owned()));
        }
        if text.is_empty() {
            return Ok(FieldValue::zero_primitive(primitive));
        }
        match primitive {
            Primitive::Bool => match text {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(FieldValue::Bool(true)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(FieldValue::Bool(false)),
                _ => Err(Crash),
            },
            Primitive::Int => int(text).map(FieldValue::Int).ok_or(Crash),
            _ => text.parse().map(FieldValue::Float).map_err(|_| Crash),
        }
    }

    /// The text in a diff.
    pub fn weak_text(&self) -> String {
        match self {
            FieldValue::Bool(bool) => u8::from(*bool).to_string(),
            FieldValue::Int(int) => int.to_string(),
            FieldValue::Float(float) => plain(*float),
            FieldValue::Text(text) => text.clone(),
            _ => String::new(),
        }
    }

    /// The text in a state.
    pub fn state_text(&self) -> String {
        match self {
            FieldValue::Bool(bool) => bool.to_string(),
            FieldValue::Float(float) => short(*float, 'E'),
            other => other.weak_text(),
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            FieldValue::List(items) => items.len(),
            FieldValue::Map(entries) => entries.len(),
            FieldValue::Set(items) => items.len(),
            _ => 0,
        }
    }

    /// Deep equality, by which lists are compared (Z55): a value with a set in it is equal to nothing.
    pub fn is_deeply(&self, other: &FieldValue) -> bool {
        self.is_alike(other, false)
    }

    /// Equality in which sets are their codes (Z71).
    pub fn is_same(&self, other: &FieldValue) -> bool {
        self.is_alike(other, true)
    }

    fn is_alike(&self, other: &FieldValue, by_codes: bool) -> bool {
        let all = |a: &BTreeMap<String, FieldValue>, b: &BTreeMap<String, FieldValue>| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.is_alike(b.1, false))
        };
        match (self, other) {
            (FieldValue::Bool(a), FieldValue::Bool(b)) => a == b,
            (FieldValue::Int(a), FieldValue::Int(b)) => a == b,
            (FieldValue::Float(a), FieldValue::Float(b)) => a == b,
            (FieldValue::Text(a), FieldValue::Text(b)) => a == b,
            (FieldValue::List(a), FieldValue::List(b)) => {
                let pair = |(a, b): (&Option<FieldValue>, &Option<FieldValue>)| match (a, b) {
                    (Some(a), Some(b)) => a.is_alike(b, false),
                    (None, None) => true,
                    _ => false,
                };
                a.len() == b.len() && a.iter().zip(b).all(pair)
            }
            (FieldValue::Map(a), FieldValue::Map(b)) | (FieldValue::Object(a), FieldValue::Object(b)) => all(a, b),
            (FieldValue::Set(a), FieldValue::Set(b)) => by_codes && a.keys().eq(b.keys()),
            _ => false,
        }
    }
}

/// An integer as source code has it: with the prefixes of bases.
fn int(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let bases = [("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)];
    let based = bases.into_iter().find(|(prefix, _)| lower.len() > prefix.len() && lower.starts_with(prefix));
    let (digits, base) = based.map_or((&*lower, 10), |(prefix, base)| (&lower[prefix.len()..], base));
    if digits.starts_with(['+', '-']) {
        return None;
    }
    i64::from_str_radix(&format!("{sign}{digits}"), base).ok()
}

/// The shortest decimal without exponent.
pub fn plain(float: f64) -> String {
    match float {
        float if float.is_nan() => "NaN".to_owned(),
        float if float.is_infinite() => if float > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
        float => float.to_string(),
    }
}

/// The shortest decimal, with an exponent where it is small or large (Z21).
fn short(float: f64, mark: char) -> String {
    if !float.is_finite() || float == 0.0 {
        return plain(float);
    }
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return plain(float);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{mark}{sign}{:02}", exponent.abs())
}

/// Puts an element into a set (Z30). An element that is not wholly known equals no other.
pub fn add(
    set: &mut BTreeMap<String, Option<FieldValue>>,
    elem: &Elem,
    element: Option<FieldValue>,
    is_partly_known: bool,
) -> Result<String, Crash> {
    let code = code(elem, element.as_ref())?;
    if !is_partly_known {
        set.entry(code.clone()).or_insert(element);
        return Ok(code);
    }
    let first = format!("~{code}");
    let mut own = first.clone();
    let mut number = 0;
    while set.contains_key(&own) {
        number += 1;
        own = format!("{first}{number}");
    }
    set.insert(own.clone(), element);
    Ok(own)
}

/// The code of an element.
pub fn code(elem: &Elem, element: Option<&FieldValue>) -> Result<String, Crash> {
    let text = match (elem, element) {
        (Elem::Resource(_), None) => String::new(),
        (Elem::Resource(resource), Some(FieldValue::Object(fields))) => of_fields(resource, fields)?,
        (Elem::Resource(_), Some(_)) => return Err(Crash),
        (Elem::Kind(kind), element) => of_value(kind, element)?,
    };
    Ok(crc(text.as_bytes()).to_string())
}

/// Z32.
fn of_fields(resource: &Resource, fields: &BTreeMap<String, FieldValue>) -> Result<String, Crash> {
    let configurable = |name: &str| resource.fields().get(name).is_some_and(|field| field.optional || field.required);
    let none_is = !resource.fields().iter().any(|(name, _)| configurable(name));
    let mut text = String::new();
    for (name, field) in resource.fields().iter() {
        if none_is || configurable(name) {
            text.push_str(&format!("{name}:{}", of_value(&field.kind, fields.get(name.as_str()))?));
        }
    }
    Ok(text)
}

/// Z31.
fn of_value(kind: &Kind, value: Option<&FieldValue>) -> Result<String, Crash> {
    let Some(value) = value else { return Ok(";".to_owned()) };
    let elements = |elem: &Elem, items: Vec<Option<&FieldValue>>| {
        let texts: Result<Vec<String>, Crash> = items.into_iter().map(|item| of_element(elem, item)).collect();
        Ok(texts?.concat())
    };
    Ok(match (kind, value) {
        (_, FieldValue::Float(float)) => format!("{};", short(*float, 'e')),
        (Kind::Primitive(_), value) => format!("{};", value.weak_text()),
        (Kind::List(elem), FieldValue::List(items)) => {
            format!("({});", elements(elem, items.iter().map(Option::as_ref).collect())?)
        }
        (Kind::Set(elem), FieldValue::Set(items)) => {
            format!("{{{}}};", elements(elem, items.values().map(Option::as_ref).collect())?)
        }
        (Kind::Map(primitive), FieldValue::Map(entries)) => {
            let mut text = String::new();
            for (key, entry) in entries {
                if matches!(entry, FieldValue::Bool(_)) {
                    return Err(Crash);
                }
                text.push_str(&format!("{key}:{}", of_value(&Kind::Primitive(*primitive), Some(entry))?));
            }
            format!("[{text}];")
        }
        _ => return Err(Crash),
    })
}

fn of_element(elem: &Elem, element: Option<&FieldValue>) -> Result<String, Crash> {
    Ok(match (elem, element) {
        (Elem::Kind(kind), element) => of_value(kind, element)?,
        (Elem::Resource(_), None) => "<>;".to_owned(),
        (Elem::Resource(resource), Some(FieldValue::Object(fields))) => format!("<{}>;", of_fields(resource, fields)?),
        (Elem::Resource(_), Some(_)) => return Err(Crash),
    })
}
