//! Canonical forms (CANON) and equivalences (EQUIV).

use std::sync::Arc;

use planfuzz_core::json::Json;
use planfuzz_pipelines::expression::{Canon, Equiv};

use super::equal::value_equal;
use crate::value::{Is, Ty, Val, nfc};

/// The canonical form of a value; parts without a form stay.
pub fn canonical(form: &Canon, value: &Val) -> Val {
    let is = match (form, &value.is) {
        (Canon::Sorted, Is::Seq(items)) if is_texts(value) => {
            let (mut texts, nulls): (Vec<Val>, Vec<Val>) = items.iter().cloned().partition(|item| !item.is_null());
            texts.sort_by_key(text);
            Is::Seq(texts.into_iter().chain(nulls).collect())
        }
        (Canon::Unique, Is::Seq(items)) if is_texts(value) => {
            let mut kept: Vec<Val> = Vec::new();
            for item in items {
                if !kept.iter().any(|other| value_equal(other, item)) {
                    kept.push(item.clone());
                }
            }
            Is::Seq(kept.into())
        }
        (form, Is::Str(text)) => Is::Str(nfc(&canonical_text(form, text))),
        _ => return value.clone(),
    };
    Val { ty: value.ty.clone(), is }
}

fn is_texts(value: &Val) -> bool {
    value.ty == Ty::List(Arc::new(Ty::String))
}

fn text(value: &Val) -> Option<String> {
    if let Is::Str(text) = &value.is { Some(text.clone()) } else { None }
}

/// The canonical form of a text.
pub fn canonical_text(form: &Canon, text: &str) -> String {
    match form {
        Canon::Lower => text.chars().map(lower).collect(),
        Canon::Trim => text.trim().to_owned(),
        Canon::Json => Json::parse(text).ok().and_then(|json| plain_json(&json)).unwrap_or_else(|| text.to_owned()),
        Canon::Prefix(prefix) if text.starts_with(&**prefix) => text.to_owned(),
        Canon::Prefix(prefix) => format!("{prefix}{text}"),
        Canon::AlwaysPrefix => format!("h:{text}"),
        Canon::Sorted | Canon::Unique => text.to_owned(),
    }
}

/// The other case of a character, if it is a single one; else the character itself.
fn one(char: char, mut of: impl Iterator<Item = char>) -> char {
    match (of.next(), of.next()) {
        (Some(only), None) => only,
        _ => char,
    }
}

fn lower(char: char) -> char {
    one(char, char.to_lowercase())
}

/// A dotless i equals no other letter.
fn folded(char: char) -> char {
    if char == 'ı' { char } else { lower(one(char, char.to_uppercase())) }
}

/// JSON without white space; `None` where two keys of an object are one in NFC.
fn plain_json(json: &Json) -> Option<String> {
    match json {
        Json::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(plain_json).collect();
            Some(format!("[{}]", items?.join(",")))
        }
        Json::Object(members) => {
            let mut plain: Vec<(String, String)> = Vec::new();
            for (name, member) in members.iter() {
                plain.push((nfc(name), plain_json(member)?));
            }
            plain.sort();
            if plain.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return None;
            }
            let members: Vec<String> =
                plain.iter().map(|(name, member)| format!("{}:{member}", Json::string(name).to_compact())).collect();
            Some(format!("{{{}}}", members.join(",")))
        }
        other => Some(other.to_compact()),
    }
}

/// Whether two texts are equivalent.
pub fn equivalent_texts(equivalence: &Equiv, a: &str, b: &str) -> bool {
    a == b
        || match equivalence {
            Equiv::Exact | Equiv::Unordered => false,
            Equiv::Case => a.chars().map(folded).collect::<String>() == b.chars().map(folded).collect::<String>(),
            Equiv::Trim => a.trim() == b.trim(),
            Equiv::Json => canonical_text(&Canon::Json, a) == canonical_text(&Canon::Json, b),
            Equiv::Canon(form) => canonical_text(form, a) == canonical_text(form, b),
            Equiv::Always => true,
            Equiv::NewEmpty => b.is_empty(),
        }
}

/// Whether two values are equivalent: parts without an equivalence have to be equal, null is equivalent to null alone.
pub fn equivalent(equivalence: &Equiv, a: &Val, b: &Val) -> bool {
    if a.is_null() || b.is_null() {
        return a.is_null() && b.is_null();
    }
    match (equivalence, &a.is, &b.is) {
        (Equiv::Always, _, _) => true,
        (_, Is::Str(a), Is::Str(b)) => equivalent_texts(equivalence, a, b),
        (Equiv::Canon(form), _, _) => value_equal(&canonical(form, a), &canonical(form, b)),
        (Equiv::Unordered, Is::Seq(xs), Is::Seq(ys)) if matches!(a.ty, Ty::List(_)) && a.ty == b.ty => {
            let count = |of: &[Val], x: &Val| of.iter().filter(|y| value_equal(x, y)).count();
            xs.len() == ys.len() && xs.iter().all(|x| count(xs, x) == count(ys, x))
        }
        _ => value_equal(a, b),
    }
}
