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

/// Members sorted by name, sets by text, everywhere.
pub fn canonical(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(name, value)| {
                    let mut value = canonical(value);
                    if let (true, Json::Array(items)) = (SETS.contains(&&**name), &mut value) {
                        items.sort_by_cached_key(key);
                    }
                    (name.clone(), value)
                })
                .collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(members)
        }
        other => other.clone(),
    }
}

/// What an element of a set is sorted by: its address, if it has one, then its text.
fn key(item: &Json) -> (String, String) {
    let text = |name: &str| match item.member(name) {
        Some(Json::String(text)) => text.to_string(),
        _ => String::new(),
    };
    (format!("{} {}", text("address"), text("deposed")), item.to_compact())
}
