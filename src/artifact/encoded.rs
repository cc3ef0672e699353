//! Values as files have them: they can only be read with a type.

use planfuzz_core::json::{Json, JsonProblem};
use planfuzz_core::msgpack::{DecodeProblem, decode};
use planfuzz_core::plans::Marked;
use planfuzz_core::plans::json::{ChangeJson, NotTyped, has_true};
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

/// A value as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoded {
    /// No value: the file has none where one could be.
    Absent,
    /// As plan files have it: msgpack, and the paths of what is sensitive.
    Packed {
        /// The bytes.
        bytes: Vec<u8>,
        /// The sensitive paths.
        sensitive: Vec<WrittenPath>,
    },
    /// As `show -json` has it (JS21 to JS23): the known parts, and the unknown and sensitive ones, all as the `after` of a change.
    Shown(Box<ChangeJson>),
    /// As state files have it: JSON with the types of dynamic attributes, and the paths of what is sensitive.
    Stored {
        /// The attributes.
        attributes: Json,
        /// The sensitive paths.
        sensitive: Vec<WrittenPath>,
    },
}

/// Why a value does not fit a type. It contains no part of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where in the value; empty for the whole.
    pub path: String,
    /// What was expected there.
    pub expected: String,
}

impl Encoded {
    /// Whether the value is null or absent.
    pub fn is_null(&self) -> bool {
        match self {
            Encoded::Absent => true,
            Encoded::Packed { bytes, .. } => bytes.first() == Some(&0xc0),
            Encoded::Stored { attributes, .. } => *attributes == Json::Null,
            Encoded::Shown(shown) => {
                matches!(shown.after, None | Some(Json::Null)) && shown.after_unknown != Some(Json::Bool(true))
            }
        }
    }

    /// Whether something in the value is unknown; `None` where that depends on the type.
    pub fn has_unknown(&self) -> Option<bool> {
        match self {
            Encoded::Absent | Encoded::Stored { .. } => Some(false),
            Encoded::Packed { .. } => None,
            Encoded::Shown(shown) => Some(shown.after_unknown.as_ref().is_some_and(has_true)),
        }
    }

    /// The known parts as JSON, where the file has JSON.
    pub fn as_json(&self) -> Option<&Json> {
        match self {
            Encoded::Absent | Encoded::Packed { .. } => None,
            Encoded::Stored { attributes, .. } => Some(attributes),
            Encoded::Shown(shown) => shown.after.as_ref(),
        }
    }

    /// The sensitive parts as a tree (JS23), where the file has one.
    pub fn sensitive_tree(&self) -> Option<&Json> {
        match self {
            Encoded::Shown(shown) => shown.after_sensitive.as_ref(),
            _ => None,
        }
    }

    /// The sensitive paths, as the file has them.
    pub fn sensitive(&self) -> &[WrittenPath] {
        match self {
            Encoded::Absent | Encoded::Shown(_) => &[],
            Encoded::Packed { sensitive, .. } | Encoded::Stored { sensitive, .. } => sensitive,
        }
    }

    /// The value, read with a type; null of that type if it is absent.
    ///
    /// # Errors
    /// A value of another type.
    pub fn decode(&self, ty: &Type) -> Result<Marked, Misfit> {
        let value = match self {
            Encoded::Shown(shown) => return marked(shown, ty),
            Encoded::Absent => Value::null(ty.strip_optional()),
            Encoded::Packed { bytes, .. } => decode(bytes, ty)
                .map_err(|error| Misfit { path: error.path().to_string(), expected: of_bytes(error.problem()) })?,
            Encoded::Stored { attributes, .. } => Value::from_stored_json(attributes, ty)
                .map_err(|error| Misfit { path: error.path().to_owned(), expected: of_json(error.problem()) })?,
        };
        let paths: PathSet = self.sensitive().iter().cloned().collect();
        Ok(Marked::new(value, &paths))
    }
}

fn marked(shown: &ChangeJson, ty: &Type) -> Result<Marked, Misfit> {
    match shown.to_change(ty) {
        Ok(change) => Ok(change.after),
        Err(NotTyped::Value { error, .. }) => {
            Err(Misfit { path: error.path().to_owned(), expected: of_json(error.problem()) })
        }
        Err(_) => Err(Misfit { path: String::new(), expected: "a value of the type".to_owned() }),
    }
}

/// The expected part of a problem, without what was found.
fn of_bytes(problem: &DecodeProblem) -> String {
    match problem {
        DecodeProblem::Unexpected { expected, .. } => (*expected).to_owned(),
        DecodeProblem::Length { expected, .. } => format!("{expected} entries"),
        DecodeProblem::UnknownAttribute { .. } => "no attribute that the schema lacks".to_owned(),
        DecodeProblem::Number(_) | DecodeProblem::NotANumber => "a number".to_owned(),
        DecodeProblem::Type(_) => "the type of a dynamic value".to_owned(),
        DecodeProblem::MixedElements { .. } => "elements of one type".to_owned(),
        DecodeProblem::Contradiction(_) => "facts that hold together".to_owned(),
        _ => "a whole value".to_owned(),
    }
}

/// Likewise.
pub(super) fn of_json(problem: &JsonProblem) -> String {
    match problem {
        JsonProblem::Unexpected { expected, .. } => expected.clone(),
        JsonProblem::Missing { name } => format!("the attribute {name:?}"),
        JsonProblem::Unknown { name, .. } => format!("no attribute {name:?}"),
        JsonProblem::MixedElements { .. } => "elements of one type".to_owned(),
        JsonProblem::Number { .. } => "a number".to_owned(),
        JsonProblem::Deep { .. } => "fewer levels".to_owned(),
        _ => "a value of the type".to_owned(),
    }
}
