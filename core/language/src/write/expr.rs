//! Writes expressions as JSON: literals as JSON values, everything else as a template with one interpolation (E10).

use planfuzz_core::value::{Type, Value};

use crate::config::{Form, Static, StepKind, Traversal, Written, read_static, text_at};
use crate::json::{Json, JsonKind};
use crate::sources::Sources;

/// An expression as a JSON value with the same meaning.
pub(super) fn expression(written: &Written, sources: &Sources) -> Json {
    match written {
        Written::Json(json) => json.clone(),
        Written::Native(_) => form(&read_static(written, sources), sources),
    }
}

fn form(found: &Static, sources: &Sources) -> Json {
    match &found.form {
        Form::Literal(value) => literal(value, true).unwrap_or_else(|| interpolation(found, sources)),
        Form::List(elements) => Json::array(elements.iter().map(|element| form(element, sources))),
        Form::Object(pairs) => object(pairs, sources).unwrap_or_else(|| interpolation(found, sources)),
        Form::Traversal(_) | Form::Call(..) | Form::Other => interpolation(found, sources),
    }
}

fn interpolation(found: &Static, sources: &Sources) -> Json {
    let text = text_at(found.place, sources);
    // The marker that ends a heredoc stands alone on its line.
    let end = if text.contains("<<") { "\n" } else { "" };
    Json::string(format!("${{{text}{end}}}"))
}

/// An object whose keys are texts; `None` for other or duplicate keys, which are an error in JSON.
fn object(pairs: &[(Static, Static)], sources: &Sources) -> Option<Json> {
    let mut names = hashbrown::HashSet::new();
    let mut members = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let name = match &key.form {
            Form::Literal(text) if text.ty() == &Type::String => text.view().as_text()?.as_str().to_owned(),
            Form::Traversal(traversal) if traversal.steps.is_empty() => traversal.root.as_str().to_owned(),
            _ => return None,
        };
        if !names.insert(name.clone()) {
            return None;
        }
        members.push((escaped(&name), form(value, sources)));
    }
    Some(Json::object(members))
}

/// A known value; `in_template`: whether strings are templates in this place.
pub(super) fn literal(value: &Value, in_template: bool) -> Option<Json> {
    let text = value.view();
    if value.is_null() {
        return Some(Json::new(JsonKind::Null));
    }
    if let Some(value) = text.as_bool() {
        return Some(Json::new(JsonKind::Bool(value)));
    }
    if let Some(number) = text.as_number() {
        return Some(Json::new(JsonKind::Number(number.text().into())));
    }
    let text = text.as_text()?;
    Some(Json::string(if in_template { escaped(text) } else { text.as_str().to_owned() }))
}

/// A literal text, for a place where strings are templates.
pub(super) fn escaped(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}

/// A reference as text.
pub(super) fn traversal(found: &Traversal) -> String {
    let mut out = found.root.as_str().to_owned();
    for step in &found.steps {
        match &step.kind {
            StepKind::Attribute(name) => {
                out.push('.');
                out.push_str(name);
            }
            StepKind::Index(key) => {
                out.push('[');
                match key.view().as_text() {
                    Some(text) => native_text(text, &mut out),
                    None => {
                        out.push_str(&key.view().as_number().map_or(String::new(), |number| number.text().into_owned()))
                    }
                }
                out.push(']');
            }
        }
    }
    out
}

/// A text in quotes of the native syntax.
fn native_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in escaped(text).chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter => out.push(letter),
        }
    }
    out.push('"');
}
