//! Types and values in the JSON notation of formats.md.
//!
//! Reading is directed by a type and strict: a missing or additional attribute, a key twice and an unknown member are
//! errors with their path inside the value. A written value is read back as the same value, with the exceptions that
//! the notation itself makes: a number comes back with the precision of text (V16), and a null, an unknown or an empty
//! collection whose *declared* type has `dynamic` inside comes back as one of the declared type (or of its neighbours'
//! type, inside a collection), because its own type is written nowhere.
//!
//! State files have a notation of their own (ST05), read and written here too: `Notation` selects it.

mod concrete;
mod read;
mod record;
mod stored;
mod types;
mod write;

use crate::json::{Compact, Field, Json, JsonError, JsonProblem, Sink, Tree};

use super::{MAX_DEPTH, NumberError, RefinementError, Text, Type, Value, ValueRef};

pub use stored::NotStorable;

/// The notation in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// That of formats.md: unknowns and infinities can be written, and names that begin with `$` have two.
    Suite,
    /// That of attributes in state files (ST05): wholly known, numbers finite, names as they are.
    Stored,
    /// The same, where an absent attribute is null: written by a person, or by another version of a provider.
    StoredOrAbsent,
}

impl Notation {
    fn is_stored(self) -> bool {
        self != Notation::Suite
    }
}

/// The problem of a type, or of the type that a schema implies, which nests too deep.
pub fn too_deep() -> JsonProblem {
    JsonProblem::Deep { what: "a type", most: MAX_DEPTH }
}

impl From<NumberError> for JsonProblem {
    fn from(error: NumberError) -> JsonProblem {
        JsonProblem::Number { message: error.to_string() }
    }
}

impl From<RefinementError> for JsonProblem {
    fn from(error: RefinementError) -> JsonProblem {
        JsonProblem::Refinement { message: error.to_string() }
    }
}

impl Value {
    /// Reads a value of the declared type `ty`; its own type is `ty` where no `dynamic` is inside, and without
    /// optional markers in any case.
    ///
    /// # Errors
    /// JSON to which formats.md gives no meaning at this type, with its path inside the value; elements of one
    /// collection with different types (V08); refinements that crash an engine (V42); a value deeper than
    /// [`MAX_DEPTH`].
    pub fn from_json(json: &Json, ty: &Type) -> Result<Value, JsonError> {
        Value::from_notation(json, ty, Notation::Suite)
    }

    fn from_notation(json: &Json, ty: &Type, notation: Notation) -> Result<Value, JsonError> {
        if ty.depth() > MAX_DEPTH {
            return Err(too_deep().into());
        }
        let declared = ty.strip_optional();
        if !declared.has_dynamic() {
            let node = read::node(json, &declared, &declared, notation)?;
            return Ok(Value::from_parts(declared, node));
        }
        let concrete = concrete::type_of(json, &declared, notation)?;
        if concrete.depth() > MAX_DEPTH {
            return Err(too_deep().into());
        }
        let node = read::node(json, &declared, &concrete, notation)?;
        Ok(Value::from_parts(concrete, node))
    }

    /// The value as a document; see [`ValueRef::to_json`].
    pub fn to_json(&self, declared: &Type) -> Json {
        self.view().to_json(declared)
    }

    /// Reads a value of any type in the form of a value at a `dynamic` place.
    ///
    /// # Errors
    /// As [`Value::from_json`].
    pub fn from_dynamic_json(json: &Json) -> Result<Value, JsonError> {
        Value::from_json(json, &Type::Dynamic)
    }
}

impl ValueRef<'_> {
    /// Writes the value for a reader that expects the type `declared`, to which it conforms (V03). Where `declared` is
    /// `dynamic` the value carries its type with it.
    pub fn write_json(self, declared: &Type, sink: &mut impl Sink) {
        write::value(self.ty(), self.node(), declared, Notation::Suite, sink);
    }

    /// The value as a document, for a reader that expects the type `declared`.
    pub fn to_json(self, declared: &Type) -> Json {
        Tree::of(|tree| self.write_json(declared, tree))
    }

    /// The value on one line, for a reader that expects the type `declared`.
    pub fn to_json_text(self, declared: &Type) -> String {
        let mut out = String::new();
        self.write_json(declared, &mut Compact::new(&mut out));
        out
    }
}

impl Field for Text {
    fn write(&self) -> Json {
        Json::string(self.as_str())
    }

    fn read(json: &Json) -> Result<Text, JsonError> {
        json.expect_string().map(Text::new)
    }
}

#[cfg(test)]
pub(crate) mod laws;
#[cfg(test)]
mod tests;
