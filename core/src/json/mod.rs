//! JSON documents, as they are written: numbers of any precision, members in order, no member twice.
//!
//! Everything that this suite reads or writes as text is one of these documents (formats.md): values, schemas, cases,
//! vectors, protocol lines. Reading is strict and bounded: nothing may follow the document, a member may not be
//! repeated at any depth, nesting stops at [`MAX_NESTING`], a number literal at [`MAX_NUMBER_LENGTH`]. Number text is
//! kept as it stands, so `-0`, `1e+400` and six hundred digits arrive untouched (the parser spells every exponent `e+` or
//! `e-`). The size of the document itself is for the caller to limit.
//!
//! Writing goes through [`Sink`], so that a value is described once and can be written into a string (a protocol line) or
//! into a tree (a part of a bigger document).

mod error;
mod indent;
mod object;
mod place;
mod pretty;
mod read;
mod record;
mod stream;
mod write;

pub use error::{JsonError, JsonProblem, Position};
pub use indent::Indented;
pub use object::ObjectReader;
pub(crate) use place::{write_key, write_name};
pub use read::{MAX_NESTING, MAX_NUMBER_LENGTH};
#[doc(hidden)]
pub use record::differs;
pub use record::{Field, Record, RecordMembers, Word, pairs};
pub use stream::{Handed, Members, StreamError, Take, read_in_items};
pub use write::{Compact, Flowing, Sink, Tree};

use error::shortened;

/// A JSON document or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as its text stands in the document; exponents are spelled `e+` or `e-`.
    Number(Box<str>),
    /// A string, escapes resolved.
    String(Box<str>),
    /// An array.
    Array(Vec<Json>),
    /// An object: its members in the order of the document, no name twice.
    Object(Vec<(Box<str>, Json)>),
}

impl Json {
    /// A string.
    pub fn string(text: &str) -> Json {
        Json::String(text.into())
    }

    /// A whole number.
    pub fn int(number: impl Into<i128>) -> Json {
        Json::Number(number.into().to_string().into())
    }

    /// An object of `members`, whose names are all different.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// The member of that name, if this is an object that has it.
    pub fn member(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(probe, _)| **probe == *name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The members of an object; empty for any other value.
    pub fn entries(&self) -> &[(Box<str>, Json)] {
        self.expect_object().unwrap_or_default()
    }

    /// The members of the object in the member of that name; empty where there is no such object.
    pub fn entries_of(&self, name: &str) -> &[(Box<str>, Json)] {
        self.member(name).map_or(&[], Json::entries)
    }

    /// The items of an array; empty for any other value.
    pub fn items(&self) -> &[Json] {
        self.expect_array().unwrap_or_default()
    }

    /// The items of the array in the member of that name; empty where there is no such array.
    pub fn items_of(&self, name: &str) -> &[Json] {
        self.member(name).map_or(&[], Json::items)
    }

    /// The items of an array, or any other value as the only item, for places that take one value or several.
    pub fn listed(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            single => std::slice::from_ref(single),
        }
    }

    /// As [`Json::listed`], to be changed.
    pub fn listed_mut(&mut self) -> &mut [Json] {
        match self {
            Json::Array(items) => items,
            single => std::slice::from_mut(single),
        }
    }

    /// The bool that must be here.
    ///
    /// # Errors
    /// Anything else.
    pub fn expect_bool(&self) -> Result<bool, JsonError> {
        match self {
            Json::Bool(bool) => Ok(*bool),
            other => Err(other.unexpected("a bool")),
        }
    }

    /// The string that must be here.
    ///
    /// # Errors
    /// Anything else.
    pub fn expect_string(&self) -> Result<&str, JsonError> {
        match self {
            Json::String(text) => Ok(text),
            other => Err(other.unexpected("a string")),
        }
    }

    /// The items of the array that must be here.
    ///
    /// # Errors
    /// Anything else.
    pub fn expect_array(&self) -> Result<&[Json], JsonError> {
        match self {
            Json::Array(items) => Ok(items),
            other => Err(other.unexpected("an array")),
        }
    }

    /// The members of the object that must be here.
    ///
    /// # Errors
    /// Anything else.
    pub fn expect_object(&self) -> Result<&[(Box<str>, Json)], JsonError> {
        match self {
            Json::Object(members) => Ok(members),
            other => Err(other.unexpected("an object")),
        }
    }

    /// The whole number of 64 bits, written without fraction and exponent, that must be here.
    ///
    /// # Errors
    /// Anything else.
    pub fn expect_i64(&self) -> Result<i64, JsonError> {
        match self {
            Json::Number(text) => text.parse().map_err(|_| self.unexpected("a whole number of 64 bits")),
            other => Err(other.unexpected("a whole number of 64 bits")),
        }
    }

    /// The whole number of 64 bits that is not negative, written without fraction and exponent, that must be here.
    ///
    /// # Errors
    /// Anything else.
    pub fn expect_u64(&self) -> Result<u64, JsonError> {
        match self {
            Json::Number(text) => text.parse().map_err(|_| self.unexpected("a whole number that is not negative")),
            other => Err(other.unexpected("a whole number that is not negative")),
        }
    }

    /// Reads each item of the array that must be here; errors say which item.
    ///
    /// # Errors
    /// No array, and what `read` refuses.
    pub fn read_items<T>(&self, mut read: impl FnMut(&Json) -> Result<T, JsonError>) -> Result<Vec<T>, JsonError> {
        let items = self.expect_array()?.iter().enumerate();
        items.map(|(index, item)| read(item).map_err(|error| error.inside_index(index))).collect()
    }

    /// The error that something else was expected here.
    pub fn unexpected(&self, expected: impl Into<String>) -> JsonError {
        JsonError::new(JsonProblem::Unexpected { expected: expected.into(), found: self.describe() })
    }

    /// What this is, in a few words for a message.
    pub fn describe(&self) -> String {
        match self {
            Json::Null => "null".into(),
            Json::Bool(bool) => bool.to_string(),
            Json::Number(text) => format!("the number {}", shortened(text)),
            Json::String(text) => format!("the string {:?}", shortened(text)),
            Json::Array(items) if items.len() == 1 => "an array of one item".into(),
            Json::Array(items) => format!("an array of {} items", items.len()),
            Json::Object(members) => match members.first() {
                None => "an empty object".into(),
                Some((name, _)) if members.len() == 1 => format!("an object with the member {:?}", shortened(name)),
                Some(_) => format!("an object of {} members", members.len()),
            },
        }
    }
}

#[cfg(test)]
mod tests;
