//! Values as the attributes of state files (ST05).

use crate::json::{Json, JsonError, JsonProblem, Tree};
use crate::value::{Node, Number, Text, Truth, Type, Value, ValueRef};

use super::{Notation, write};

/// The error for a value that cannot be an attribute of a state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotStorable {
    /// Something in it is unknown.
    #[error("expected a wholly known value, found an unknown one")]
    Unknown,
    /// A number in it is infinite, which JSON cannot express.
    #[error("expected finite numbers, found an infinite one")]
    Infinite,
}

impl Value {
    /// Reads a value of the declared type `ty` from the attributes of a state file (ST05).
    ///
    /// # Errors
    /// JSON that does not fit the type, an absent attribute included; elements of one collection with different types
    /// (V08); a value deeper than [`MAX_DEPTH`](crate::value::MAX_DEPTH).
    pub fn from_stored_json(json: &Json, ty: &Type) -> Result<Value, JsonError> {
        Value::from_notation(json, ty, Notation::Stored)
    }

    /// As [`Value::from_stored_json`], with null for attributes that are absent.
    ///
    /// # Errors
    /// As for [`Value::from_stored_json`].
    pub fn from_stored_json_or_absent(json: &Json, ty: &Type) -> Result<Value, JsonError> {
        Value::from_notation(json, ty, Notation::StoredOrAbsent)
    }
}

impl ValueRef<'_> {
    /// The value as attributes of a state file (ST05), for a reader that expects the type `declared`, to which it conforms.
    ///
    /// # Errors
    /// Unknown values and infinite numbers.
    pub fn to_stored_json(self, declared: &Type) -> Result<Json, NotStorable> {
        storable(self.node())?;
        Ok(Tree::of(|tree| write::value(self.ty(), self.node(), declared, Notation::Stored, tree)))
    }
}

/// A primitive as engines read it back (ST05): a string may stand for a number or a bool, and they for a string.
pub(super) fn primitive(json: &Json, ty: &Type) -> Result<Node, JsonError> {
    match (ty, json) {
        (Type::Bool, Json::String(text)) => match &**text {
            "true" | "1" => Ok(Node::Bool(Truth(true))),
            "false" | "0" => Ok(Node::Bool(Truth(false))),
            _ => Err(json.unexpected("a bool")),
        },
        (Type::Bool, _) => json.expect_bool().map(|bool| Node::Bool(Truth(bool))),
        (Type::Number, Json::Number(text) | Json::String(text)) => {
            Number::parse(text).map(Node::Number).map_err(|error| JsonProblem::from(error).into())
        }
        (Type::Number, _) => Err(json.unexpected("a number")),
        (_, Json::Number(text)) => Ok(Node::String(Text::new(text))),
        (_, Json::Bool(bool)) => Ok(Node::String(Text::new(if *bool { "true" } else { "false" }))),
        _ => json.expect_string().map(|text| Node::String(Text::new(text))),
    }
}

fn storable(node: &Node) -> Result<(), NotStorable> {
    match node {
        Node::Unknown(_) => Err(NotStorable::Unknown),
        Node::Number(number) if number.is_infinite() => Err(NotStorable::Infinite),
        node => node.parts().iter().try_for_each(storable),
    }
}
