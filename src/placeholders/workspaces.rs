//! Placeholders in a case of a whole workspace: what its schemas, its variables and outputs, and its state call sensitive, wherever it is.
//!
//! A file of the JSON syntax has templates: what stands between their `${…}` is a value, and so is a text in quotes inside of these. Names that
//! the schemas have are no secrets, whatever a secret is called.

mod document;
mod template;

use std::collections::BTreeSet;
use std::sync::Arc;

use planfuzz_core::json::Json;
use planfuzz_core::value::{Number, Text};

use super::cases::CaseError;
use super::{Notes, Placeholders, WHOLE};
use crate::case::{Call, Case, CaseFile, Task};
use document::{Part, Sensitive};
use template::Piece;

/// The case with placeholders in the place of what is sensitive; nothing where nothing is.
///
/// # Errors
/// See [`CaseError`].
pub(super) fn of_case(case: &Case, workspace: &planfuzz_workspace_cases::Case) -> Result<Option<Case>, CaseError> {
    let mut document = case.to_json();
    let sensitive = Sensitive::of(workspace);
    let mut notes = Notes::new();
    document::walk(&mut document, &sensitive, &mut |part| note(&mut notes, part));
    let placeholders = notes.placeholders();
    if placeholders.is_empty() {
        return Ok(None);
    }
    let words = words(&workspace.providers);
    document::walk(&mut document, &sensitive, &mut |part| replace(&placeholders, &words, part));
    Ok(Some(CaseFile::from_json(&document)?.case))
}

/// A workspace of somebody with placeholders in the place of what is sensitive; nothing where nothing is.
///
/// # Errors
/// See [`CaseError`].
pub fn of_workspace(
    workspace: &planfuzz_workspace_cases::Case,
) -> Result<Option<planfuzz_workspace_cases::Case>, CaseError> {
    let case = Case::new(workspace.dialect, Task::Call(Call::Workspace(Arc::new(workspace.clone()))));
    Ok(of_case(&case, workspace)?.and_then(|case| match case.task {
        Task::Call(Call::Workspace(workspace)) => Some(Arc::unwrap_or_clone(workspace)),
        Task::Call(_) | Task::Merge(_) => None,
    }))
}

/// The names in schemas: of types, attributes and members.
fn words(schemas: &Json) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut open = vec![schemas];
    while let Some(json) = open.pop() {
        match json {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                words.extend(members.iter().map(|(name, _)| name.to_string()));
                open.extend(members.iter().map(|(_, member)| member));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    words
}

fn note(notes: &mut Notes, part: Part<'_>) {
    match part {
        Part::Secret(Json::String(text)) => notes.secret(text),
        Part::Secret(Json::Number(text)) => match Number::parse(text) {
            Ok(number) => notes.secret_number(&number),
            Err(_) => notes.text(text),
        },
        Part::SecretTemplate(text) => {
            notes.text(text);
            for piece in template::pieces(text) {
                match piece {
                    Piece::Literal(value) => notes.secret(&value),
                    Piece::Code(code) => secrets_in(&code).for_each(|secret| notes.secret(secret)),
                }
            }
        }
        Part::SecretKey(text) => notes.secret(text),
        Part::Text(text) | Part::Key(text) => notes.text(text),
        Part::Secret(_) => {}
    }
}

/// The texts in quotes of an expression that are long enough to be told from a word of it.
fn secrets_in(code: &str) -> impl Iterator<Item = &str> {
    template::quoted(code).filter(|text| text.chars().count() >= WHOLE)
}

fn replace(placeholders: &Placeholders, words: &BTreeSet<String>, part: Part<'_>) {
    let of_secret = |text: &str| placeholders.of_secret(&Text::new(text)).to_string();
    match part {
        Part::Secret(json) => match json {
            Json::String(text) => *text = of_secret(text).into(),
            Json::Number(text) => {
                if let Ok(number) = Number::parse(text) {
                    *text = placeholders.of_secret_number(&number).text().into_owned().into();
                }
            }
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => {}
        },
        Part::SecretTemplate(text) => {
            let piece = |piece| match piece {
                Piece::Literal(value) => of_secret(&value),
                Piece::Code(code) => {
                    let secrets: Vec<&str> = secrets_in(&code).collect();
                    let in_quotes = |code: String, secret: &&str| {
                        code.replace(&format!("\"{secret}\""), &format!("\"{}\"", of_secret(secret)))
                    };
                    placeholders.of_text(&secrets.iter().fold(code.clone(), in_quotes)).into_owned()
                }
            };
            *text = template::pieces(text).into_iter().map(piece).collect::<String>().into();
        }
        Part::Text(text) => *text = placeholders.of_text(text).into(),
        Part::SecretKey(text) => *text = of_secret(text).into(),
        Part::Key(text) if words.contains(&**text) => {}
        Part::Key(text) => *text = placeholders.of_text(text).into(),
    }
}

#[cfg(test)]
mod tests;
