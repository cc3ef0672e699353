//! Values of one type as messages.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack::{self, DecodeError};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};

use super::Unsendable;
use super::messages::plugin::DynamicValue;

/// Why a value of a request could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("expected a value, found none")]
    Absent,
    #[error("expected msgpack, found a value in JSON")]
    Json,
    #[error("{0}")]
    Decode(DecodeError),
    #[error("expected a value that conforms to the schema, found one of type {0}")]
    NotConforming(String),
}

/// Converts the objects of one schema to messages and back.
#[derive(Debug)]
pub(crate) struct Carrier {
    ty: Type,
}

impl Carrier {
    /// A carrier of objects of the schema.
    pub(crate) fn new(schema: &Schema, dialect: Dialect) -> Carrier {
        Carrier { ty: schema.implied_type(dialect) }
    }

    /// The type that the schema implies.
    pub(crate) fn ty(&self) -> &Type {
        &self.ty
    }

    /// The value of a message.
    ///
    /// # Errors
    /// The message is not an object of the schema.
    pub(crate) fn decode(&self, message: Option<&DynamicValue>) -> Result<Value, Unreadable> {
        let message = message.ok_or(Unreadable::Absent)?;
        if message.msgpack.is_empty() {
            return Err(if message.json.is_empty() { Unreadable::Absent } else { Unreadable::Json });
        }
        let value = msgpack::decode(&message.msgpack, &self.ty).map_err(Unreadable::Decode)?;
        if !value.ty().conforms_to(&self.ty) {
            return Err(Unreadable::NotConforming(value.ty().to_v05_text()));
        }
        Ok(value)
    }

    /// The message of a value, which must be read back as that very value: numbers of more digits than their text, long prefixes and types
    /// that nothing shows would be read as something else.
    ///
    /// # Errors
    /// The value would be read back as another one.
    pub(crate) fn encode(&self, value: &Value) -> Result<DynamicValue, Unsendable> {
        if !value.ty().conforms_to(&self.ty) {
            return Err("a value that does not conform to the schema");
        }
        let bytes = msgpack::encode(value.view(), &self.ty).map_err(|_| "a value that has no msgpack form")?;
        let carried = msgpack::decode(&bytes, &self.ty).map_err(|_| "a value that cannot be read back")?;
        if carried != *value {
            return Err("a value that is read back as another one");
        }
        Ok(DynamicValue { msgpack: bytes, json: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carrier(ty: &str) -> Carrier {
        Carrier { ty: Type::parse(ty).expect("a type") }
    }

    /// Values written as in formats.md go over the wire and come back.
    fn check(ty: &str, texts: &[&str]) {
        let carrier = carrier(ty);
        for text in texts {
            let json = planfuzz_core::json::Json::parse(text).expect("JSON");
            let value = Value::from_json(&json, carrier.ty()).expect("a value");
            let message = carrier.encode(&value).expect(text);
            assert_eq!(carrier.decode(Some(&message)).expect(text), value, "{ty}: {text}");
        }
    }

    const UNKNOWN: &str = r#"{"$unknown":true}"#;

    #[test]
    fn values_of_every_type_come_back() {
        check("\"bool\"", &["true", "null", UNKNOWN, r#"{"$unknown":{"not_null":true}}"#]);
        check("\"number\"", &["0", "-1", "0.1", "18446744073709551616", "1.5", "1e+30", "null", UNKNOWN]);
        check(
            "\"string\"",
            &["\"\"", "\"é\"", "null", UNKNOWN, r#"{"$unknown":{"not_null":true,"string_prefix":"ab"}}"#],
        );
        check("[\"list\",\"string\"]", &["[]", "[\"a\",null]", &format!("[{UNKNOWN}]"), "null", UNKNOWN]);
        check("[\"set\",\"number\"]", &["[]", "[1,2]", &format!("[1,{UNKNOWN}]"), "null", UNKNOWN]);
        check("[\"map\",\"bool\"]", &["{}", r#"{"a":true,"b":null}"#, "null", UNKNOWN]);
        check("[\"tuple\",[\"bool\",\"string\"]]", &["[true,\"a\"]", "null", UNKNOWN]);
        check(r#"["object",{"a":["set",["object",{"b":"string"}]]}]"#, &[r#"{"a":[{"b":"x"},{"b":null}]}"#, "null"]);
    }

    #[test]
    fn values_at_dynamic_places_come_back() {
        let ty = r#"["object",{"d":"dynamic"}]"#;
        let typed = |ty: &str, value: &str| format!(r#"{{"d":{{"type":{ty},"value":{value}}}}}"#);
        check(ty, &[r#"{"d":null}"#, &format!(r#"{{"d":{UNKNOWN}}}"#)]);
        let texts = [typed("\"string\"", "\"a\""), typed("[\"list\",\"number\"]", "[1]"), typed("\"bool\"", UNKNOWN)];
        check(ty, &texts.each_ref().map(String::as_str));
    }

    #[test]
    fn values_that_would_arrive_changed_are_not_sent() {
        let number = |text: &str| planfuzz_core::value::Number::parse(text).expect("a number");
        assert!(carrier("\"string\"").encode(&Value::number(number("1"))).is_err());
        let imprecise = planfuzz_core::value::Number::from_f64(1e300).expect("a number");
        assert!(carrier("\"number\"").encode(&Value::number(imprecise)).is_err());
        assert!(carrier("[\"list\",\"dynamic\"]").encode(&Value::null(Type::list(Type::Bool))).is_err());
    }

    #[test]
    fn messages_without_a_value_of_the_type_are_not_read() {
        let carrier = carrier("\"bool\"");
        assert!(matches!(carrier.decode(None), Err(Unreadable::Absent)));
        let of = |msgpack: &[u8], json: &[u8]| DynamicValue { msgpack: msgpack.to_vec(), json: json.to_vec() };
        assert!(matches!(carrier.decode(Some(&of(&[], &[]))), Err(Unreadable::Absent)));
        assert!(matches!(carrier.decode(Some(&of(&[], b"true"))), Err(Unreadable::Json)));
        assert!(matches!(carrier.decode(Some(&of(&[0x01], &[]))), Err(Unreadable::Decode(_))));
    }
}
