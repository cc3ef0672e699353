//! The encoded layer of changes (PL05, PL07 to PL09).

use super::change::Change;
use super::dynamic_value::DynamicValue;
use super::marked::Marked;
use crate::msgpack::{DecodeError, EncodeError};
use crate::value::{PathSet, Type, Value};

/// A value with its marks, encoded: it takes a type to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedValue {
    /// The value without its marks; `None` stands for null.
    pub value: Option<DynamicValue>,
    /// The sensitive paths in it. Paths that do not exist in the value mark nothing (PL08).
    pub sensitive: PathSet,
}

/// A change with its values encoded (PL05).
pub type EncodedChange = Change<EncodedValue>;

/// The value of a change that is wrong, and the error.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the value {side}: {error}")]
pub struct OfSide<E> {
    /// Before or after.
    pub side: &'static str,
    /// The error.
    pub error: E,
}

/// The error for a change that cannot be encoded against a type.
pub type NotEncodable = OfSide<EncodeError>;

/// The error for a change that cannot be decoded against a type.
pub type NotDecodable = OfSide<DecodeError>;

impl EncodedValue {
    /// A value encoded against a type, with its marks split off (PL07). Every mark is one of sensitivity, so none is
    /// refused.
    ///
    /// # Errors
    /// A value that does not fit the type.
    pub fn encode(marked: &Marked, ty: &Type) -> Result<EncodedValue, EncodeError> {
        Ok(EncodedValue { value: Some(DynamicValue::new(marked.value(), ty)?), sensitive: marked.sensitive().clone() })
    }

    /// The value, read against a type, with its marks put on (PL08).
    ///
    /// # Errors
    /// Bytes that encode no value of the type.
    pub fn decode(&self, ty: &Type) -> Result<Marked, DecodeError> {
        let value = match &self.value {
            None => Value::null(ty.strip_optional()),
            Some(value) => value.decode(ty)?,
        };
        Ok(Marked::new(value, &self.sensitive))
    }

    /// Whether the value is absent or null.
    pub fn is_null(&self) -> bool {
        self.value.as_ref().is_none_or(DynamicValue::is_null)
    }
}

impl Change {
    /// The change with its values written against a type (PL07).
    ///
    /// # Errors
    /// Values that do not fit the type.
    ///
    /// ```
    /// use planfuzz_core::plans::{Action, Change, Marked};
    /// use planfuzz_core::value::{Type, Value};
    ///
    /// let after = Marked::plain(Value::unknown(Type::String));
    /// let change = Change { action: Action::Create, before: Marked::null(Type::String), after, importing: None };
    /// assert_eq!(change.encode(&Type::String)?.decode(&Type::String)?, change);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode(&self, ty: &Type) -> Result<EncodedChange, NotEncodable> {
        let encode = |marked, side| EncodedValue::encode(marked, ty).map_err(|error| OfSide { side, error });
        Ok(Change {
            action: self.action,
            before: encode(&self.before, "before")?,
            after: encode(&self.after, "after")?,
            importing: self.importing.clone(),
        })
    }
}

impl EncodedChange {
    /// The change with its values read against a type (PL08).
    ///
    /// # Errors
    /// Bytes that encode no values of the type.
    pub fn decode(&self, ty: &Type) -> Result<Change, NotDecodable> {
        let decode = |value: &EncodedValue, side| value.decode(ty).map_err(|error| OfSide { side, error });
        Ok(Change {
            action: self.action,
            before: decode(&self.before, "before")?,
            after: decode(&self.after, "after")?,
            importing: self.importing.clone(),
        })
    }
}
