//! Reading documents: serde_json's parser, and the checks that it does not make.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::BuildHasher;
#[cfg(not(fuzzing))]
use std::hash::RandomState as Hashing;

// Hashing has no random seed: the coverage that a fuzzer sees depends on the input alone.
#[cfg(fuzzing)]
use foldhash::quality::FixedState as Hashing;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Json;
use super::error::{JsonError, JsonProblem, shortened};

/// The most levels of arrays and objects in a document: serde_json's limit.
pub const MAX_NESTING: usize = 127;

/// The longest number literal, in characters. The largest numbers that engines hold have fewer digits than that in any real
/// file; a longer literal is an attack on the code that computes with it.
pub const MAX_NUMBER_LENGTH: usize = 20_000;

/// Objects with more members look names up in a table when they search for a repetition.
const SMALL_OBJECT: usize = 16;

impl Json {
    /// Reads one document; white space may surround it, nothing else.
    ///
    /// # Errors
    /// Text that is no JSON, repeated members, and documents beyond the bounds of this module; with line, column and path.
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        read(serde_json::Deserializer::from_str(text))
    }

    /// Reads one document of UTF-8 bytes.
    ///
    /// # Errors
    /// As [`Json::parse`], and bytes that are not UTF-8.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Json, JsonError> {
        read(serde_json::Deserializer::from_slice(bytes))
    }
}

fn read<'de, R: serde_json::de::Read<'de>>(mut document: serde_json::Deserializer<R>) -> Result<Json, JsonError> {
    let mut fault = Fault::default();
    let json = DocumentReader { fault: &mut fault }.deserialize(&mut document);
    json.and_then(|json| document.end().map(|()| json)).map_err(|error| fault.into_error(&error))
}

/// The details of a failed read: serde's own errors carry a text only.
#[derive(Default)]
pub(super) struct Fault {
    problem: Option<JsonProblem>,
    /// The error of the callback that takes items.
    pub(super) refused: Option<JsonError>,
    /// The steps to the failing part, innermost first.
    pub(super) steps: Vec<Place>,
}

pub(super) enum Place {
    Item(usize),
    Member(String),
}

impl Fault {
    pub(super) fn into_error(self, error: &serde_json::Error) -> JsonError {
        let problem = self.problem.unwrap_or_else(|| syntax_problem(error));
        let found = self.refused.unwrap_or_else(|| JsonError::new(problem));
        let error = found.at(error.line(), error.column());
        self.steps.into_iter().fold(error, |error, place| match place {
            Place::Item(index) => error.inside_index(index),
            Place::Member(name) => error.inside_member(&name),
        })
    }
}

fn syntax_problem(error: &serde_json::Error) -> JsonProblem {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    match message {
        "recursion limit exceeded" => JsonProblem::TooDeep,
        message => JsonProblem::Syntax { message: message.to_owned() },
    }
}

/// Visits values that are neither an array nor an object.
macro_rules! single_values {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
            Ok(Json::Null)
        }

        fn visit_bool<E: de::Error>(self, bool: bool) -> Result<Json, E> {
            Ok(Json::Bool(bool))
        }

        // serde_json reads whole literals of 64 bits itself; JSON spells each of them in one way, and `-0` is not among them.
        fn visit_u64<E: de::Error>(self, number: u64) -> Result<Json, E> {
            Ok(Json::int(number))
        }

        fn visit_i64<E: de::Error>(self, number: i64) -> Result<Json, E> {
            Ok(Json::int(number))
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Json, E> {
            Ok(Json::string(text))
        }
    };
}
pub(super) use single_values;

/// Reads one value of a document.
pub(super) struct DocumentReader<'f> {
    pub(super) fault: &'f mut Fault,
}

impl DocumentReader<'_> {
    pub(super) fn refuse<E: de::Error>(self, problem: JsonProblem) -> E {
        self.fault.problem = Some(problem);
        E::custom("refused")
    }

    pub(super) fn number<E: de::Error>(self, text: String) -> Result<Json, E> {
        if text.len() > MAX_NUMBER_LENGTH {
            return Err(self.refuse(JsonProblem::LongNumber { length: text.len() }));
        }
        Ok(Json::Number(text.into()))
    }
}

impl<'de> DeserializeSeed<'de> for DocumentReader<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DocumentReader<'_> {
    type Value = Json;

    single_values!();

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        loop {
            match array.next_element_seed(DocumentReader { fault: &mut *self.fault }) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return Ok(Json::Array(items)),
                Err(error) => {
                    self.fault.steps.push(Place::Item(items.len()));
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        let mut names = Names::default();
        loop {
            let name = match object.next_key_seed(KeyReader)? {
                None => return Ok(Json::Object(members)),
                Some(Key::Number) => {
                    let text = object.next_value()?;
                    return self.number(text);
                }
                Some(Key::Member(name)) => name,
            };
            if names.repeats(&name, &members) {
                return Err(self.refuse(JsonProblem::Duplicate { name: shortened(&name) }));
            }
            match object.next_value_seed(DocumentReader { fault: &mut *self.fault }) {
                Ok(value) => members.push((name, value)),
                Err(error) => {
                    self.fault.steps.push(Place::Member(shortened(&name)));
                    return Err(error);
                }
            }
        }
    }
}

/// The names of an object so far.
#[derive(Default)]
pub(super) struct Names {
    hasher: Option<Hashing>,
    hashes: BTreeSet<u64>,
}

impl Names {
    /// Whether `name` is among the members already. Two names of one hash are compared, so the answer is exact.
    pub(super) fn repeats(&mut self, name: &str, members: &[(Box<str>, Json)]) -> bool {
        let is_member = || members.iter().any(|(probe, _)| **probe == *name);
        if members.len() < SMALL_OBJECT {
            return is_member();
        }
        let hasher = self.hasher.get_or_insert_with(Hashing::default);
        if self.hashes.is_empty() {
            self.hashes.extend(members.iter().map(|(name, _)| hasher.hash_one(&**name)));
        }
        !self.hashes.insert(hasher.hash_one(name)) && is_member()
    }
}

/// A key, or the sign that an apparent object is a number.
pub(super) enum Key {
    Member(Box<str>),
    Number,
}

/// Distinguishes keys from numbers.
///
/// serde_json hands a number of arbitrary precision over as a map with one private key, and a document may spell that
/// key out. Only a real key is offered as an optional value, so asking for one distinguishes the two, whatever the key is.
pub(super) struct KeyReader;

impl<'de> DeserializeSeed<'de> for KeyReader {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for KeyReader {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_some<D: Deserializer<'de>>(self, key: D) -> Result<Key, D::Error> {
        key.deserialize_str(NameReader).map(Key::Member)
    }

    fn visit_str<E: de::Error>(self, _private: &str) -> Result<Key, E> {
        Ok(Key::Number)
    }
}

/// Reads a member's name.
struct NameReader;

impl Visitor<'_> for NameReader {
    type Value = Box<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Box<str>, E> {
        Ok(name.into())
    }
}
