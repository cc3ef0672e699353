//! Compares JSON values by their meaning.

use std::collections::HashMap;

use planfuzz_core::json::Json;
use planfuzz_core::value::Number;

/// Whether two documents have the same meaning: members in any order, numbers by their value.
pub fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a == b || same_number(a, b),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => a.len() == b.len() && same_members(a, b),
        (a, b) => a == b,
    }
}

fn same_number(a: &str, b: &str) -> bool {
    match (Number::parse(a), Number::parse(b)) {
        (Ok(a), Ok(b)) => a.equals(&b),
        _ => false,
    }
}

fn same_members(a: &[(Box<str>, Json)], b: &[(Box<str>, Json)]) -> bool {
    if a.iter().zip(b).all(|((left, _), (right, _))| left == right) {
        return a.iter().zip(b).all(|((_, a), (_, b))| same(a, b));
    }
    let by_name: HashMap<&str, &Json> = b.iter().map(|(name, value)| (&**name, value)).collect();
    a.iter().all(|(name, value)| by_name.get(&**name).is_some_and(|other| same(value, other)))
}

/// Whether two trees of sensitive parts mean the same: parts that are not sensitive may be absent.
pub fn same_marks(a: Option<&Json>, b: Option<&Json>) -> bool {
    match (a.and_then(marked), b.and_then(marked)) {
        (Some(a), Some(b)) => same(&a, &b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// The tree without parts that are not sensitive; `None` if all are.
fn marked(tree: &Json) -> Option<Json> {
    match tree {
        Json::Bool(true) => Some(Json::Bool(true)),
        Json::Array(parts) => {
            let parts: Vec<_> = parts.iter().map(marked).collect();
            let any = parts.iter().any(Option::is_some);
            any.then(|| Json::Array(parts.into_iter().map(|part| part.unwrap_or(Json::Bool(false))).collect()))
        }
        Json::Object(parts) => {
            let parts: Vec<_> = parts.iter().filter_map(|(name, part)| Some((name.clone(), marked(part)?))).collect();
            (!parts.is_empty()).then_some(Json::Object(parts))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("JSON")
    }

    #[test]
    fn documents_in_another_order_are_the_same() {
        for (a, b, want) in [
            (r#"{"a": 1, "b": [1.0]}"#, r#"{"b": [1], "a": 1e0}"#, true),
            (r#"{"a": 1}"#, r#"{"a": 2}"#, false),
            (r#"{"a": 1}"#, r#"{"b": 1}"#, false),
            (r#"[1, 2]"#, r#"[2, 1]"#, false),
            (r#""1""#, "1", false),
        ] {
            assert_eq!(same(&json(a), &json(b)), want, "{a} {b}");
        }
    }

    #[test]
    fn parts_that_are_not_sensitive_may_be_left_out() {
        let same = |a: &str, b: &str| same_marks(Some(&json(a)), Some(&json(b)));
        assert!(same(r#"{"a": true, "b": [false, {}]}"#, r#"{"a": true, "c": {}}"#));
        assert!(!same(r#"{"b": [false, true]}"#, r#"{"b": [true, false]}"#));
        assert!(same_marks(Some(&json("false")), None));
    }
}
