//! Reading the members of an object by name, so that no member is overlooked.

use super::Json;
use super::error::{JsonError, JsonProblem, shortened};

/// Takes members out of an object by name; [`ObjectReader::finish`] refuses the members that are left.
#[derive(Debug)]
pub struct ObjectReader<'a> {
    members: &'a [(Box<str>, Json)],
    asked: Vec<&'static str>,
}

impl<'a> ObjectReader<'a> {
    /// A reader of `json`, which must be an object; `what` names the object in the error.
    ///
    /// # Errors
    /// Anything but an object.
    pub fn new(json: &'a Json, what: &str) -> Result<ObjectReader<'a>, JsonError> {
        match json {
            Json::Object(members) => Ok(ObjectReader { members, asked: Vec::new() }),
            other => Err(other.unexpected(format!("an object ({what})"))),
        }
    }

    /// The member `name` as it stands, if it is there.
    pub fn take(&mut self, name: &'static str) -> Option<&'a Json> {
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        self.members.iter().find(|(probe, _)| **probe == *name).map(|(_, value)| value)
    }

    /// Reads the member `name` if it is there.
    ///
    /// # Errors
    /// What `read` refuses, inside the member.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'a Json) -> Result<T, JsonError>,
    ) -> Result<Option<T>, JsonError> {
        let member = self.take(name);
        member.map(read).transpose().map_err(|error| error.inside_member(name))
    }

    /// Reads the member `name`, which must be there.
    ///
    /// # Errors
    /// No such member, and what `read` refuses, inside the member.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'a Json) -> Result<T, JsonError>,
    ) -> Result<T, JsonError> {
        self.optional(name, read)?.ok_or_else(|| JsonProblem::Missing { name: name.into() }.into())
    }

    /// A flag: the bool `name`, false where it is absent.
    ///
    /// # Errors
    /// Anything but a bool.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, JsonError> {
        Ok(self.optional(name, Json::expect_bool)?.unwrap_or(false))
    }

    /// Ends the reading: every member must have been taken.
    ///
    /// # Errors
    /// A member that was not taken.
    pub fn finish(self) -> Result<(), JsonError> {
        let unknown = self.members.iter().find(|(name, _)| !self.asked.iter().any(|asked| **asked == **name));
        match unknown {
            None => Ok(()),
            Some((name, _)) => Err(JsonProblem::Unknown { name: shortened(name), known: self.asked.join(", ") }.into()),
        }
    }
}
