//! Placeholders in a case of a whole workspace, for everything that its schemas, its variables and outputs, and its state call sensitive,
//! wherever it is.
//!
//! Files have templates, and addresses have keys: only their literals are values. Names are kept, even where a secret is the same word: a
//! workspace whose references lead nowhere is another question.

mod document;
mod template;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use planfuzz_core::json::Json;
use planfuzz_core::value::{Number, Text};

use super::cases::CaseError;
use super::{Notes, Placeholders, WHOLE};
use crate::case::{Call, Case, CaseFile, Task};
use document::{Part, Sensitive};
use template::{Literal, Piece};

/// The case with placeholders for sensitive values; `None` if it has none.
///
/// # Errors
/// See [`CaseError`].
pub(super) fn of_case(case: &Case, workspace: &planfuzz_workspace_cases::Case) -> Result<Option<Case>, CaseError> {
    let mut document = case.to_json();
    let sensitive = Sensitive::of(workspace);
    let mut noted = Noted { notes: Notes::new(), names: names(&workspace.providers) };
    document::walk(&mut document, &sensitive, &mut |part| noted.note(part));
    let placeholders = noted.notes.placeholders();
    if placeholders.is_empty() {
        return Ok(None);
    }
    document::walk(&mut document, &sensitive, &mut |part| replace(&placeholders, &noted.names, part));
    Ok(Some(CaseFile::from_json(&document)?.case))
}

/// A user's workspace with placeholders for sensitive values; `None` if it has none.
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
fn names(schemas: &Json) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![schemas];
    while let Some(json) = open.pop() {
        match json {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                names.extend(members.iter().map(|(name, _)| name.to_string()));
                open.extend(members.iter().map(|(_, member)| member));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    names
}

/// The secrets and the names of a workspace.
struct Noted {
    notes: Notes,
    /// Names of schemas, and all words of expressions outside of quotes: a key that is one of them stays.
    names: BTreeSet<String>,
}

impl Noted {
    fn note(&mut self, part: Part<'_>) {
        match part {
            Part::Secret(Json::String(text)) => self.notes.secret(text),
            Part::Secret(Json::Number(text)) => match Number::parse(text) {
                Ok(number) => self.notes.secret_number(&number),
                Err(_) => self.notes.text(text),
            },
            Part::Secret(_) => {}
            Part::SecretTemplate(text) => self.pieces(text, &template::of_template(text), true),
            Part::Template(text) => self.pieces(text, &template::of_template(text), false),
            Part::Code(text) => self.pieces(text, &template::of_code(text), false),
            Part::Text(text) | Part::Key(text) => self.notes.text(text),
        }
    }

    fn pieces(&mut self, text: &str, pieces: &[Piece<'_>], are_secret: bool) {
        self.notes.text(text);
        for piece in pieces {
            match piece {
                Piece::Literal(literal) if is_secret(literal, pieces, are_secret) => self.notes.secret(&literal.value),
                Piece::Literal(literal) => self.notes.text(&literal.value),
                Piece::Code(code) => {
                    let is_part = |sign: char| sign.is_alphanumeric() || "_-".contains(sign);
                    self.names.extend(code.split(|sign| !is_part(sign)).map(str::to_owned));
                }
            }
        }
    }
}

/// Whether one of the pieces of a text is a secret; `are_secret` is true if the text is in a sensitive place.
///
/// A literal that is the whole text is a secret however short it is; beside other pieces it may be punctuation.
fn is_secret(literal: &Literal<'_>, pieces: &[Piece<'_>], are_secret: bool) -> bool {
    let is_long = || literal.value.chars().count() >= WHOLE;
    literal.is_sensitive || are_secret && (pieces.len() == 1 || is_long())
}

fn replace(placeholders: &Placeholders, names: &BTreeSet<String>, part: Part<'_>) {
    let of_secret = |text: &str| placeholders.of_secret(&Text::new(text)).to_string();
    let in_pieces = |pieces: &[Piece<'_>], are_secret: bool| -> Box<str> {
        let piece = |piece: &Piece<'_>| match piece {
            Piece::Code(code) => (*code).to_owned(),
            Piece::Literal(literal) => {
                let value = match is_secret(literal, pieces, are_secret) {
                    true => Cow::Owned(of_secret(&literal.value)),
                    false => placeholders.of_text(&literal.value),
                };
                if value == literal.value { literal.raw.to_owned() } else { literal.written(&value) }
            }
        };
        pieces.iter().map(piece).collect::<String>().into()
    };
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
        Part::SecretTemplate(text) => *text = in_pieces(&template::of_template(text), true),
        Part::Template(text) => *text = in_pieces(&template::of_template(text), false),
        Part::Code(text) => *text = in_pieces(&template::of_code(text), false),
        Part::Text(text) => *text = placeholders.of_text(text).into(),
        Part::Key(text) if names.contains(&**text) => {}
        Part::Key(text) => *text = placeholders.of_text(text).into(),
    }
}

#[cfg(test)]
mod tests;
