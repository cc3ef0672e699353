//! Stored objects as documents, which is how state files and engines hold them.

use std::borrow::Cow;

use planfuzz_core::json::Json;
use planfuzz_core::planner::RawState;
use planfuzz_core::value::{Type, Value};

/// Whether two stored objects are the same document. `declared` is the type of the schema.
pub(super) fn is_same(declared: Option<&Type>, first: &RawState, second: &RawState) -> bool {
    match (document(declared, first), document(declared, second)) {
        (Some(first), Some(second)) => is_same_document(&first, &second),
        _ => false,
    }
}

/// Whether a document is the one that a state file holds for a value.
pub(super) fn is_written_as(declared: Option<&Type>, value: &Value, document: &Json) -> bool {
    written(declared, value).is_some_and(|written| is_same_document(&written, document))
}

fn document<'s>(declared: Option<&Type>, state: &'s RawState) -> Option<Cow<'s, Json>> {
    match state {
        RawState::Json(json) => Some(Cow::Borrowed(json)),
        RawState::Value(value) => written(declared, value).map(Cow::Owned),
    }
}

fn written(declared: Option<&Type>, value: &Value) -> Option<Json> {
    let declared = declared.filter(|declared| value.ty().conforms_to(declared)).unwrap_or(value.ty());
    value.view().to_stored_json(declared).ok()
}

/// Equality of documents: members have no order.
fn is_same_document(first: &Json, second: &Json) -> bool {
    match (first, second) {
        (Json::Object(first), Json::Object(second)) => {
            let is_there = |(name, member): &(Box<str>, Json)| {
                second.iter().any(|(other, found)| other == name && is_same_document(member, found))
            };
            first.len() == second.len() && first.iter().all(is_there)
        }
        (Json::Array(first), Json::Array(second)) => {
            first.len() == second.len()
                && first.iter().zip(second).all(|(first, second)| is_same_document(first, second))
        }
        _ => first == second,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawState {
        RawState::Json(Json::parse(text).expect("JSON").into())
    }

    #[test]
    fn members_have_no_order_and_values_equal_their_documents() {
        let value =
            RawState::Value(Value::object(vec![("a".into(), Value::string("x")), ("b".into(), Value::bool(true))]));
        assert!(is_same(None, &value, &raw(r#"{"b":true,"a":"x"}"#)));
        assert!(is_same(None, &raw(r#"{"b":[{"c":1,"d":2}],"a":"x"}"#), &raw(r#"{"a":"x","b":[{"d":2,"c":1}]}"#)));
        for other in [r#"{"a":"x"}"#, r#"{"a":"x","b":true,"c":1}"#, r#"{"a":"x","b":false}"#, r#"["a","b"]"#] {
            assert!(!is_same(None, &value, &raw(other)), "{other}");
        }
    }

    #[test]
    fn values_declared_dynamic_are_written_with_their_types() {
        let declared = Type::parse(r#"["object",{"a":"dynamic"}]"#).expect("a type");
        let value = Value::object(vec![("a".into(), Value::string("x"))]);
        let document = Json::parse(r#"{"a":{"value":"x","type":"string"}}"#).expect("JSON");
        assert!(is_written_as(Some(&declared), &value, &document));
        assert!(!is_written_as(None, &value, &document));
    }
}
