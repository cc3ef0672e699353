//! Serialised values (PL61).

use std::fmt;

use triomphe::Arc;

use crate::msgpack::{self, DecodeError, EncodeError};
use crate::value::{Type, Value};

/// A value as msgpack: it takes a type to read it (PL61). An absent value is `None` of an `Option`; a null value is one byte.
///
/// Clones share the bytes, which never change.
///
/// ```
/// use planfuzz_core::plans::DynamicValue;
/// use planfuzz_core::value::{Type, Value};
///
/// let written = DynamicValue::new(&Value::string("a"), &Type::String)?;
/// assert_eq!(written.as_msgpack(), b"\xa1a");
/// assert_eq!(written.implied_type()?, Type::String);
/// assert_eq!(written.decode(&Type::String)?, Value::string("a"));
/// assert_eq!(DynamicValue::from_msgpack(b""), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DynamicValue(Arc<[u8]>);

impl DynamicValue {
    /// A value, written against a type; converted to it first where it does not conform (V60).
    ///
    /// # Errors
    /// A value that does not fit the type.
    pub fn new(value: &Value, ty: &Type) -> Result<DynamicValue, EncodeError> {
        Ok(DynamicValue(Arc::from(msgpack::encode(value.view(), ty)?)))
    }

    /// Null, which is the same of every type.
    pub fn null() -> DynamicValue {
        DynamicValue(Arc::from(b"\xc0".as_slice()))
    }

    /// Bytes that are assumed to encode a value; `None` if they are empty. Only reading them checks them.
    pub fn from_msgpack(bytes: &[u8]) -> Option<DynamicValue> {
        (!bytes.is_empty()).then(|| DynamicValue(Arc::from(bytes)))
    }

    /// The bytes; there is one at least.
    pub fn as_msgpack(&self) -> &[u8] {
        &self.0
    }

    /// Whether this is null, of whatever type.
    pub fn is_null(&self) -> bool {
        *self.0 == *b"\xc0"
    }

    /// The value, read against a type.
    ///
    /// # Errors
    /// Bytes that encode no value of the type.
    pub fn decode(&self, ty: &Type) -> Result<Value, DecodeError> {
        msgpack::decode(&self.0, ty)
    }

    /// The type that the bytes imply. It is of no use for a value that was written against the dynamic type: most of these are
    /// refused, as their type stands in the bytes as a bin.
    ///
    /// # Errors
    /// Bytes that imply no type (V90).
    pub fn implied_type(&self) -> Result<Type, DecodeError> {
        msgpack::implied_type(&self.0)
    }
}

impl fmt::Debug for DynamicValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DynamicValue(\"{}\")", self.0.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pl61_there_and_back() {
        let map = Type::map(Type::String);
        for (value, ty) in [
            (Value::string("a"), &Type::String),
            (Value::string("a"), &Type::Dynamic),
            (Value::unknown(Type::Number), &Type::Number),
            (Value::null(map.clone()), &map),
        ] {
            let written = DynamicValue::new(&value, ty).expect("written");
            assert_eq!(written.decode(ty).expect("read"), value);
        }
        assert!(DynamicValue::new(&Value::string("a"), &map).is_err(), "a string is no map");
    }

    #[test]
    fn pl61_absent_is_not_null() {
        assert_eq!(DynamicValue::from_msgpack(b""), None);
        let null = DynamicValue::new(&Value::null(Type::Bool), &Type::Bool).expect("null");
        assert_eq!((null.as_msgpack(), null.is_null()), (b"\xc0".as_slice(), true));
        assert_eq!(DynamicValue::from_msgpack(b"\xc0"), Some(DynamicValue::null()));
    }

    #[test]
    fn pl61_implied_types_are_of_the_structure() {
        let ty = Type::parse(r#"["object",{"a":["list","number"]}]"#).expect("a type");
        let value =
            Value::object(vec![("a".into(), Value::list(&Type::Number, vec![Value::number(1_i64)]).expect("a list"))]);
        let implied = DynamicValue::new(&value, &ty).expect("written").implied_type().expect("a type");
        assert_eq!(implied, Type::object([("a".into(), Type::tuple(vec![Type::Number]))]));
        let dynamic = DynamicValue::new(&value, &Type::Dynamic).expect("written");
        assert!(dynamic.implied_type().is_err(), "its type is a bin");
    }
}
