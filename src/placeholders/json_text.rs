//! JSON in texts: the placeholder of a JSON document is a document of the same shape.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_core::value::{Number, Text};

use super::numbered::NumberedPlaceholders;

/// A longer text is not parsed.
const LONGEST: usize = 1 << 16;

/// The object or array that a text contains in JSON.
fn document(text: &str) -> Option<Json> {
    let begins = text.trim_start().starts_with(['{', '[']);
    if !begins || text.len() > LONGEST {
        return None;
    }
    Json::parse(text).ok()
}

/// Whether a text is an object or an array in JSON.
pub(super) fn is_document(text: &str) -> bool {
    document(text).is_some()
}

/// The texts in a document, which are as secret as the whole.
pub(super) fn texts_inside(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(json) = document(text) {
        collect(&json, &mut texts);
    }
    texts
}

fn collect(json: &Json, texts: &mut Vec<String>) {
    match json {
        Json::String(text) => texts.push(text.to_string()),
        Json::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Json::Object(members) => members.iter().for_each(|(_, member)| collect(member, texts)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// A document of the same shape: names by their order, texts by their placeholders, numbers by others.
pub(super) fn placeholder(text: &Text, texts: &BTreeMap<Text, Text>, numbered: &mut NumberedPlaceholders<'_>) -> Text {
    match document(text) {
        Some(json) => {
            let shape = reshaped(&json, texts, numbered).to_compact();
            numbered.spaced(shape)
        }
        None => numbered.text(text),
    }
}

fn reshaped(json: &Json, texts: &BTreeMap<Text, Text>, numbered: &mut NumberedPlaceholders<'_>) -> Json {
    match json {
        Json::String(text) => match texts.get(&**text) {
            Some(placeholder) => Json::string(placeholder),
            None if text.is_empty() => Json::string(""),
            // A document within the document: `texts` has no placeholder for it.
            None => Json::string(&numbered.text(text)),
        },
        Json::Number(text) => {
            let number = Number::parse(text).map(|number| numbered.number(&number).text().into_owned());
            Json::Number(number.unwrap_or_else(|_| "0".to_owned()).into())
        }
        Json::Array(items) => Json::Array(items.iter().map(|item| reshaped(item, texts, numbered)).collect()),
        Json::Object(members) => {
            let members = members.iter().zip(1..);
            let reshaped = members.map(|((_, member), n)| (format!("k{n}").into(), reshaped(member, texts, numbered)));
            Json::Object(reshaped.collect())
        }
        Json::Null | Json::Bool(_) => json.clone(),
    }
}
