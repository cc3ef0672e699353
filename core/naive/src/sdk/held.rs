//! Values inside the SDK (Z20, Z21), and the codes of elements of sets (Z30 to Z32).

use std::collections::BTreeMap;

use planfuzz_pipelines::sdk::{Elem, Kind, Primitive, Resource, SdkValue};

use super::Crash;
use crate::value::crc;

/// A value inside the SDK.
#[derive(Clone, Debug)]
pub enum Held {
    /// Of a bool field.
    Bool(bool),
    /// Of an int field.
    Int(i64),
    /// Of a float field.
    Float(f64),
    /// Of a string field.
    Text(String),
    /// Of a list; elements that do not exist are absent.
    List(Vec<Option<Held>>),
    /// Of a map.
    Map(BTreeMap<String, Held>),
    /// Of a resource, every field.
    Object(BTreeMap<String, Held>),
    /// Of a set, by code.
    Set(BTreeMap<String, Option<Held>>),
}

impl Held {
    /// The zero value of a kind.
    pub fn zero(kind: &Kind) -> Held {
        match kind {
            Kind::Primitive(primitive) => Held::zero_primitive(*primitive),
            Kind::List(_) => Held::List(Vec::new()),
            Kind::Map(_) => Held::Map(BTreeMap::new()),
            Kind::Set(_) => Held::Set(BTreeMap::new()),
        }
    }

    /// The zero value of a primitive kind.
    pub fn zero_primitive(primitive: Primitive) -> Held {
        match primitive {
            Primitive::Bool => Held::Bool(false),
            Primitive::Int => Held::Int(0),
            Primitive::Float => Held::Float(0.0),
            Primitive::String => Held::Text(String::new()),
        }
    }

    /// A default.
    pub fn of_default(value: &SdkValue) -> Option<Held> {
        match value {
            SdkValue::Bool(bool) => Some(Held::Bool(*bool)),
            SdkValue::Int(int) => Some(Held::Int(*int)),
            SdkValue::Float(float) => Some(Held::Float(*float)),
            SdkValue::Text(text) => Some(Held::Text(text.clone())),
            _ => None,
        }
    }

    /// A text read as a primitive (Z21).
    pub fn parse(primitive: Primitive, text: &str) -> Result<Held, Crash> {
        if primitive == Primitive::String {
            return Ok(Held::Text(text.to_owned()));
        }
        if text.is_empty() {
            return Ok(Held::zero_primitive(primitive));
        }
        match primitive {
            Primitive::Bool => match text {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Held::Bool(true)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Held::Bool(false)),
                _ => Err(Crash),
            },
            Primitive::Int => int(text).map(Held::Int).ok_or(Crash),
            _ => text.parse().map(Held::Float).map_err(|_| Crash),
        }
    }

    /// The text in a diff.
    pub fn weak_text(&self) -> String {
        match self {
            Held::Bool(bool) => u8::from(*bool).to_string(),
            Held::Int(int) => int.to_string(),
            Held::Float(float) => plain(*float),
            Held::Text(text) => text.clone(),
            _ => String::new(),
        }
    }

    /// The text in a state.
    pub fn state_text(&self) -> String {
        match self {
            Held::Bool(bool) => bool.to_string(),
            Held::Float(float) => short(*float, 'E'),
            other => other.weak_text(),
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            Held::List(items) => items.len(),
            Held::Map(entries) => entries.len(),
            Held::Set(items) => items.len(),
            _ => 0,
        }
    }

    /// Deep equality, by which lists are compared (Z55): a value with a set in it is equal to nothing.
    pub fn is_deeply(&self, other: &Held) -> bool {
        self.is_alike(other, false)
    }

    /// Equality in which sets are their codes (Z71).
    pub fn is_same(&self, other: &Held) -> bool {
        self.is_alike(other, true)
    }

    fn is_alike(&self, other: &Held, by_codes: bool) -> bool {
        let all = |a: &BTreeMap<String, Held>, b: &BTreeMap<String, Held>| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.is_alike(b.1, false))
        };
        match (self, other) {
            (Held::Bool(a), Held::Bool(b)) => a == b,
            (Held::Int(a), Held::Int(b)) => a == b,
            (Held::Float(a), Held::Float(b)) => a == b,
            (Held::Text(a), Held::Text(b)) => a == b,
            (Held::List(a), Held::List(b)) => {
                let pair = |(a, b): (&Option<Held>, &Option<Held>)| match (a, b) {
                    (Some(a), Some(b)) => a.is_alike(b, false),
                    (None, None) => true,
                    _ => false,
                };
                a.len() == b.len() && a.iter().zip(b).all(pair)
            }
            (Held::Map(a), Held::Map(b)) | (Held::Object(a), Held::Object(b)) => all(a, b),
            (Held::Set(a), Held::Set(b)) => by_codes && a.keys().eq(b.keys()),
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
    set: &mut BTreeMap<String, Option<Held>>,
    elem: &Elem,
    element: Option<Held>,
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
pub fn code(elem: &Elem, element: Option<&Held>) -> Result<String, Crash> {
    let text = match (elem, element) {
        (Elem::Resource(_), None) => String::new(),
        (Elem::Resource(resource), Some(Held::Object(fields))) => of_fields(resource, fields)?,
        (Elem::Resource(_), Some(_)) => return Err(Crash),
        (Elem::Kind(kind), element) => of_value(kind, element)?,
    };
    Ok(crc(text.as_bytes()).to_string())
}

/// Z32.
fn of_fields(resource: &Resource, fields: &BTreeMap<String, Held>) -> Result<String, Crash> {
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
fn of_value(kind: &Kind, value: Option<&Held>) -> Result<String, Crash> {
    let Some(value) = value else { return Ok(";".to_owned()) };
    let elements = |elem: &Elem, items: Vec<Option<&Held>>| {
        let texts: Result<Vec<String>, Crash> = items.into_iter().map(|item| of_element(elem, item)).collect();
        Ok(texts?.concat())
    };
    Ok(match (kind, value) {
        (_, Held::Float(float)) => format!("{};", short(*float, 'e')),
        (Kind::Primitive(_), value) => format!("{};", value.weak_text()),
        (Kind::List(elem), Held::List(items)) => {
            format!("({});", elements(elem, items.iter().map(Option::as_ref).collect())?)
        }
        (Kind::Set(elem), Held::Set(items)) => {
            format!("{{{}}};", elements(elem, items.values().map(Option::as_ref).collect())?)
        }
        (Kind::Map(primitive), Held::Map(entries)) => {
            let mut text = String::new();
            for (key, entry) in entries {
                if matches!(entry, Held::Bool(_)) {
                    return Err(Crash);
                }
                text.push_str(&format!("{key}:{}", of_value(&Kind::Primitive(*primitive), Some(entry))?));
            }
            format!("[{text}];")
        }
        _ => return Err(Crash),
    })
}

fn of_element(elem: &Elem, element: Option<&Held>) -> Result<String, Crash> {
    Ok(match (elem, element) {
        (Elem::Kind(kind), element) => of_value(kind, element)?,
        (Elem::Resource(_), None) => "<>;".to_owned(),
        (Elem::Resource(resource), Some(Held::Object(fields))) => format!("<{}>;", of_fields(resource, fields)?),
        (Elem::Resource(_), Some(_)) => return Err(Crash),
    })
}
