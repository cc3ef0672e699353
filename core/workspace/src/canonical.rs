//! JSON in one form: members sorted, and lists that are sets sorted by their text.

use planfuzz_core::json::Json;

/// Lists whose order has no meaning (canonical order of the format).
const SETS: [&str; 12] = [
    "changes",
    "drift",
    "resources",
    "instances",
    "dependencies",
    "sensitive_attributes",
    "check_results",
    "objects",
    "checks",
    "relevant",
    "problems",
    "failure_messages",
];

/// Members whose contents are values of users. A list there has an order, whatever the attribute is called.
const VALUES: [&str; 13] = [
    "attributes",
    "value",
    "before",
    "after",
    "before_sensitive",
    "after_sensitive",
    "after_unknown",
    "config",
    "current",
    "prior",
    "proposed",
    "planned",
    "raw",
];

/// Members sorted by name, sets by text, everywhere but in values.
pub fn canonical(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Object(members) => of_members(members, |name, value| {
            if VALUES.contains(&name) {
                return canonical_value(value);
            }
            let mut value = canonical(value);
            if let (true, Json::Array(items)) = (SETS.contains(&name), &mut value) {
                items.sort_by_cached_key(key);
            }
            value
        }),
        other => other.clone(),
    }
}

/// A value of a user in one form: members sorted by name, lists as they are.
pub fn canonical_value(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(canonical_value).collect()),
        Json::Object(members) => of_members(members, |_, value| canonical_value(value)),
        other => other.clone(),
    }
}

fn of_members(members: &[(Box<str>, Json)], form: impl Fn(&str, &Json) -> Json) -> Json {
    let mut members: Vec<_> = members.iter().map(|(name, value)| (name.clone(), form(name, value))).collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    Json::Object(members)
}

/// What an element of a set is sorted by: its address, if it has one, then its text.
fn key(item: &Json) -> (String, String) {
    let text = |name: &str| match item.member(name) {
        Some(Json::String(text)) => text.to_string(),
        _ => String::new(),
    };
    (format!("{} {}", text("address"), text("deposed")), item.to_compact())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Json {
        Json::parse(text).expect("JSON")
    }

    #[test]
    fn lists_of_documents_have_no_order_and_those_of_values_have_one() {
        let of = |text: &str| canonical(&parsed(text));
        assert_eq!(of(r#"{"resources": [2, 1]}"#), of(r#"{"resources": [1, 2]}"#));
        for value in ["attributes", "value", "before", "after"] {
            let [one, other] =
                ["[2, 1]", "[1, 2]"].map(|list| of(&format!(r#"{{"{value}": {{"resources": {list}}}}}"#)));
            assert_ne!(one, other, "{value}");
        }
    }
}
