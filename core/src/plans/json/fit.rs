//! Checks that the trees of a change fit its values, as far as this can be checked without a schema (JS21 to JS23).

use super::document::ChangeJson;
use super::lookup::Lookup;
use crate::json::{Json, JsonError, JsonProblem};

/// The trees of a change.
pub(super) fn change(change: &ChangeJson) -> Result<(), JsonError> {
    let ChangeJson { before, after, after_unknown, before_sensitive, after_sensitive, .. } = change;
    if let Some(tree) = after_unknown {
        unknown(after.as_ref(), tree).map_err(|error| error.inside_member("after_unknown"))?;
    }
    if let Some(tree) = before_sensitive {
        sensitive(before.as_ref(), tree).map_err(|error| error.inside_member("before_sensitive"))?;
    }
    if let Some(tree) = after_sensitive {
        sensitive(after.as_ref(), tree).map_err(|error| error.inside_member("after_sensitive"))?;
    }
    Ok(())
}

/// Unknown parts are absent from the value, or null in a sequence; all others are there.
fn unknown(known: Option<&Json>, tree: &Json) -> Result<(), JsonError> {
    match (known, tree) {
        (Some(Json::Null) | None, Json::Bool(true)) | (Some(_), Json::Bool(false)) => Ok(()),
        // Without any unknowns (JS22).
        (Some(_), Json::Object(parts)) if parts.is_empty() => Ok(()),
        (Some(Json::Object(members)), Json::Object(parts)) => {
            let members = Lookup::new(members);
            parts.iter().try_for_each(|(name, part)| {
                let member = members.get(name);
                unknown(member, part).map_err(|error| error.inside_member(name))
            })
        }
        (Some(Json::Array(items)), Json::Array(parts)) if items.len() == parts.len() => {
            items.iter().zip(parts).enumerate().try_for_each(|(index, (item, part))| {
                unknown(Some(item), part).map_err(|error| error.inside_index(index))
            })
        }
        (known, tree) => Err(misfit(known, tree)),
    }
}

/// Sensitive parts are in the value, or among its unknown parts.
///
/// Versions before 1.6 write trees of another value where a list changes its length. As long as nothing in them is sensitive they are
/// accepted.
pub(super) fn sensitive(known: Option<&Json>, tree: &Json) -> Result<(), JsonError> {
    match (known, tree) {
        (_, Json::Bool(_)) => Ok(()),
        (Some(Json::Object(members)), Json::Object(parts)) => {
            let members = Lookup::new(members);
            parts.iter().try_for_each(|(name, part)| {
                sensitive(members.get(name), part).map_err(|error| error.inside_member(name))
            })
        }
        (Some(Json::Array(items)), Json::Array(parts)) if items.len() == parts.len() => {
            items.iter().zip(parts).enumerate().try_for_each(|(index, (item, part))| {
                sensitive(Some(item), part).map_err(|error| error.inside_index(index))
            })
        }
        (_, Json::Object(_) | Json::Array(_)) if !has_true(tree) => Ok(()),
        (known, tree) => Err(misfit(known, tree)),
    }
}

/// Whether a tree of unknown or sensitive parts marks any: has a true in it. A part of another form is left to the other checks.
pub fn has_true(tree: &Json) -> bool {
    match tree {
        Json::Bool(bool) => *bool,
        Json::Array(parts) => parts.iter().any(has_true),
        Json::Object(parts) => parts.iter().any(|(_, part)| has_true(part)),
        Json::Null | Json::Number(_) | Json::String(_) => false,
    }
}

fn misfit(known: Option<&Json>, tree: &Json) -> JsonError {
    let value = known.map_or_else(|| "a value that is left out".to_owned(), Json::describe);
    let expected = format!("what goes with {value}");
    JsonProblem::Unexpected { expected, found: tree.describe() }.into()
}
