//! Values that formats.md cannot distinguish.
//!
//! An engine that is reached over a line answers in documents, and a document does not hold all of a type: not that of a null or
//! empty collection if the schema has `dynamic`, nor optional markers (S34). Two values are alike beyond that if reading their
//! documents gives equal values. The texts are not compared: -0 and 0 are one number.

use planfuzz_core::json::Json;
use planfuzz_core::value::{Type, Value};

use crate::case::lifecycle::{read_value, write_value};

/// Whether two values are the same except for parts of their types that a document does not hold; `declared` is the type of the schema.
pub(in crate::compare) fn are_written_alike(first: &Value, second: &Value, declared: &Type) -> bool {
    as_read(first, declared) == as_read(second, declared)
}

/// The value that a reader gets from a value's document; the document if it cannot be read.
fn as_read(value: &Value, declared: &Type) -> Result<Value, Json> {
    let document = write_value(value, declared);
    read_value(&document, declared).map_err(|_| document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: &str, own: &Type) -> Value {
        let json = Json::parse(&format!(r#"{{"n": {number}, "o": null}}"#)).expect("a document");
        Value::from_json(&json, own).expect("a value")
    }

    #[test]
    fn s34_optional_markers_do_not_count_and_numbers_do() {
        let ty = Type::object([("n".into(), Type::Number), ("o".into(), Type::object([("a".into(), Type::String)]))]);
        let text = r#"["object", {"n": "number", "o": ["object", {"a": "string"}, ["a"]]}]"#;
        let marked = Type::parse(text).expect("a type");
        assert_ne!(
            write_value(&of("-0", &ty), &marked),
            write_value(&of("0", &marked), &marked),
            "as texts they differ"
        );
        assert!(are_written_alike(&of("0", &ty), &of("0", &marked), &marked));
        assert!(are_written_alike(&of("-0", &ty), &of("0", &marked), &marked), "-0 is 0");
        assert!(!are_written_alike(&of("1", &ty), &of("0", &marked), &marked));
    }
}
