//! Taking the members of an object by name, and counting the members that are not taken.

use std::collections::BTreeMap;

use crate::json::{Json, JsonError, JsonProblem};

/// The members that a reader does not know, by their place, each with its count: `.resource_changes[].change.new` 12 times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownMembers(BTreeMap<String, usize>);

impl UnknownMembers {
    /// The places and their counts, by the text of the place.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(place, count)| (place.as_str(), *count))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of such members in all.
    pub fn count(&self) -> usize {
        self.0.values().sum()
    }

    fn add(&mut self, place: &str, name: &str) {
        *self.0.entry(format!("{place}.{name}")).or_default() += 1;
    }

    pub(super) fn join(&mut self, place: &str, other: UnknownMembers) {
        for (inner, count) in other.0 {
            *self.0.entry(format!("{place}{inner}")).or_default() += count;
        }
    }
}

/// The members of an object that have not been taken.
pub(super) struct Members(Vec<(Box<str>, Json)>);

impl Members {
    /// The members of `json`, which must be an object; `what` names the object in the error.
    pub(super) fn of(json: Json, what: &str) -> Result<Members, JsonError> {
        match json {
            Json::Object(members) => Ok(Members(members)),
            other => Err(other.unexpected(format!("an object ({what})"))),
        }
    }

    /// The member of a name as it stands, if it is there.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        let at = self.0.iter().position(|(probe, _)| **probe == *name)?;
        Some(self.0.remove(at).1)
    }

    /// The string of a name, if it is one; it is not taken.
    pub(super) fn peek(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(probe, _)| **probe == *name).and_then(|(_, value)| value.expect_string().ok())
    }

    /// Reads the member `name` if it is there.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Json) -> Result<T, JsonError>,
    ) -> Result<Option<T>, JsonError> {
        self.take(name).map(read).transpose().map_err(|error| error.inside_member(name))
    }

    /// Reads the member `name`, which must be there.
    pub(super) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Json) -> Result<T, JsonError>,
    ) -> Result<T, JsonError> {
        self.optional(name, read)?.ok_or_else(|| JsonProblem::Missing { name: name.to_owned() }.into())
    }

    /// Counts the members that are left.
    pub(super) fn finish(self, place: &str, unknown: &mut UnknownMembers) {
        self.0.iter().for_each(|(name, _)| unknown.add(place, name));
    }
}

/// A string.
pub(super) fn text(json: Json) -> Result<String, JsonError> {
    match json {
        Json::String(text) => Ok(text.into()),
        other => Err(other.unexpected("a string")),
    }
}

/// A bool.
pub(super) fn bool(json: Json) -> Result<bool, JsonError> {
    json.expect_bool()
}

/// The value as it stands.
pub(super) fn anything(json: Json) -> Result<Json, JsonError> {
    Ok(json)
}

/// An object as it stands.
pub(super) fn object(json: Json) -> Result<Json, JsonError> {
    json.expect_object()?;
    Ok(json)
}

/// The items of an array, each read; errors say which.
pub(super) fn items<T>(json: Json, mut read: impl FnMut(Json) -> Result<T, JsonError>) -> Result<Vec<T>, JsonError> {
    let Json::Array(items) = json else { return Err(json.unexpected("an array")) };
    let items = items.into_iter().enumerate();
    items.map(|(index, item)| read(item).map_err(|error| error.inside_index(index))).collect()
}

/// The members of a map, each read; errors say which.
pub(super) fn entries<T>(
    json: Json,
    mut read: impl FnMut(Json) -> Result<T, JsonError>,
) -> Result<Vec<(String, T)>, JsonError> {
    let Json::Object(members) = json else { return Err(json.unexpected("an object")) };
    let members = members.into_iter();
    members
        .map(|(name, value)| match read(value) {
            Ok(value) => Ok((name.into(), value)),
            Err(error) => Err(error.inside_member(&name)),
        })
        .collect()
}
