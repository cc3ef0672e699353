//! Passes over an expression and its scope.
//!
//! An expression is edited as text ([`smaller`]). A text that does not parse, or no longer shows the finding, is refused like any
//! other candidate.

use planfuzz_core::json::Json;
use planfuzz_core::value::Text;
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::ROOT;
use planfuzz_language::expression::{Expression, Kind, PLAINEST, Reference, ReferenceStep, parse, smaller};

use super::Shrinker;
use super::document::{member_mut, remove_member};
use crate::case::ExpressionCall;

/// The plainest values of a scope.
const PLAIN_VALUES: [&str; 12] = [
    r#"{"type":"string","value":"","sensitive":false}"#,
    r#"{"type":"number","value":0,"sensitive":false}"#,
    r#"{"type":"bool","value":true,"sensitive":false}"#,
    r#"{"type":"string","value":"a","sensitive":false}"#,
    r#"{"type":"string","value":null,"sensitive":false}"#,
    r#"{"type":"dynamic","value":null,"sensitive":false}"#,
    r#"{"type":"dynamic","value":{"$unknown":true},"sensitive":false}"#,
    r#"{"type":"string","value":{"$unknown":true},"sensitive":false}"#,
    r#"{"type":["list","string"],"value":["a"],"sensitive":false}"#,
    r#"{"type":["map","string"],"value":{"a":""},"sensitive":false}"#,
    r#"{"type":["object",{"a":"string"}],"value":{"a":""},"sensitive":false}"#,
    r#"{"type":["tuple",["string"]],"value":[""],"sensitive":false}"#,
];

/// Makes the expression of a case smaller, and then its scope.
pub(super) fn simplify(shrinker: &mut Shrinker<'_>) {
    if expression(&shrinker.document).is_none() {
        return;
    }
    take_away(shrinker);
    let mut number = 0;
    while let Some(name) = names(&shrinker.document).get(number).cloned() {
        if shrinker.is_spent() {
            return;
        }
        if !shrinker.offer_edit(|document| drop_name(document, &name)) {
            plainer(shrinker, &name);
            number += 1;
        }
    }
    rename(shrinker);
}

/// Whether an expression can be parsed and refers to names of its scope alone.
pub(super) fn is_valid(call: &ExpressionCall) -> bool {
    let Ok(tree) = parse(&call.expression, SourcePlace::default()) else { return false };
    let is_there = |reference: &Reference| match reference.steps.first() {
        Some(ReferenceStep::Attribute(name)) => {
            reference.root.as_str() == ROOT && call.scope.get(name.as_str()).is_some()
        }
        _ => false,
    };
    tree.references().iter().all(is_there)
}

fn expression(document: &Json) -> Option<&str> {
    document.member("scope")?;
    document.member("expression")?.expect_string().ok()
}

/// Tries the edits of an expression, those that remove most first.
fn take_away(shrinker: &mut Shrinker<'_>) {
    let mut number = 0;
    while let Some(text) = expression(&shrinker.document).map(str::to_owned) {
        let edits = smaller(&text);
        let Some(edited) = edits.get(number) else { return };
        if shrinker.is_spent() {
            return;
        }
        let taken = edited.len() <= text.len()
            && shrinker.offer_edit(|document| {
                if let Some(member) = member_mut(document, "expression") {
                    *member = Json::string(edited);
                }
            });
        // After an edit the places change; edits before this one were refused and seldom become possible.
        number = if taken { number.saturating_sub(PLAINEST.len()) } else { number + 1 };
    }
}

fn range(node: &Expression) -> (usize, usize) {
    (node.place.span.start as usize, node.place.span.end as usize)
}

fn names(document: &Json) -> Vec<String> {
    let scope = document.member("scope").and_then(|scope| scope.expect_object().ok()).unwrap_or_default();
    scope.iter().map(|(name, _)| name.to_string()).collect()
}

fn drop_name(document: &mut Json, name: &str) {
    if let Some(scope) = member_mut(document, "scope") {
        remove_member(scope, name);
    }
}

/// Replaces a value of the scope by plainer ones.
fn plainer(shrinker: &mut Shrinker<'_>, name: &str) {
    for plain in PLAIN_VALUES.iter().filter_map(|text| Json::parse(text).ok()) {
        if shrinker.offer_edit(|document| _ = named(document, name).map(|value| *value = plain)) {
            break;
        }
    }
    for mark in ["sensitive_paths", "sensitive"] {
        shrinker.offer_edit(|document| {
            if let Some(value) = named(document, name) {
                remove_member(value, mark);
            }
        });
    }
    shrinker.offer_edit(|document| {
        if let Some(value) = named(document, name).and_then(|value| member_mut(value, "value")) {
            forget_records(value);
        }
    });
    let mut place = 0;
    while !shrinker.is_spent() {
        let mut left = place;
        let mut was_there = false;
        let taken = shrinker.offer_edit(|document| {
            if let Some(value) = named(document, name).and_then(|value| member_mut(value, "value")) {
                was_there = drop_part(value, &mut left);
            }
        });
        if !was_there {
            return;
        }
        place += usize::from(!taken);
    }
}

fn named<'j>(document: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    member_mut(member_mut(document, "scope")?, name)
}

/// Removes the records of unknown values.
fn forget_records(value: &mut Json) {
    match value {
        Json::Object(members) if members.iter().any(|(name, _)| **name == *"$unknown") => {
            *value = Json::object([("$unknown", Json::Bool(true))]);
        }
        Json::Object(members) => members.iter_mut().for_each(|(_, member)| forget_records(member)),
        Json::Array(items) => items.iter_mut().for_each(forget_records),
        _ => {}
    }
}

/// Drops an element or an entry by its number. Returns whether it was there.
fn drop_part(value: &mut Json, left: &mut usize) -> bool {
    match value {
        Json::Array(items) => {
            if *left < items.len() {
                items.remove(*left);
                return true;
            }
            *left -= items.len();
            items.iter_mut().any(|item| drop_part(item, left))
        }
        Json::Object(members) => {
            if *left < members.len() {
                members.remove(*left);
                return true;
            }
            *left -= members.len();
            members.iter_mut().any(|(_, member)| drop_part(member, left))
        }
        _ => false,
    }
}

/// Gives the shortest possible names.
fn rename(shrinker: &mut Shrinker<'_>) {
    for (number, name) in names(&shrinker.document).into_iter().enumerate() {
        let short = super::names::letters(number);
        if name == short || names(&shrinker.document).contains(&short) {
            continue;
        }
        shrinker.offer_edit(|document| {
            let Some(text) = expression(document).map(|text| renamed(text, &name, &short)) else { return };
            if let Some(member) = member_mut(document, "expression") {
                *member = Json::string(&text);
            }
            let Some(Json::Object(scope)) = member_mut(document, "scope") else { return };
            if let Some((own, _)) = scope.iter_mut().find(|(own, _)| **own == *name) {
                *own = short.as_str().into();
            }
        });
    }
}

fn renamed(text: &str, from: &str, to: &str) -> String {
    let Ok(tree) = parse(text, SourcePlace::default()) else { return text.to_owned() };
    let mut ends = std::collections::BTreeSet::new();
    let mut waiting = vec![&tree];
    while let Some(node) = waiting.pop() {
        if let Kind::Attribute(of, name) = &node.kind
            && matches!(&of.kind, Kind::Root(root) if root.as_str() == "local")
            && *name == Text::new(from)
        {
            ends.insert(range(node).1);
        }
        waiting.extend(node.children());
    }
    let mut text = text.to_owned();
    for end in ends.into_iter().rev().filter(|end| *end >= from.len()) {
        text.replace_range(end - from.len()..end, to);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::CaseFile;
    use crate::shrink::shrink;

    #[test]
    fn parts_that_matter_are_left() {
        let text = r#"{"format":1,"dialect":"terraform-1.11","op":"expression",
            "scope":{"other":{"type":"string","value":"x","sensitive":false},
                     "list":{"type":["list","string"],"value":["a","b",null],"sensitive":true}},
            "expression":"upper(\"${join(\",\", [for x in local.list : \"${x}-${local.other}\"], [\"k\"])}!\")"}"#;
        let case = CaseFile::from_json(&Json::parse(text).expect("a document")).expect("a case").case;
        let shrunk = shrink(&case, 10_000, &mut |case| {
            let json = case.to_json();
            let text = expression(&json).expect("one").to_owned();
            let is_named = names(&json).iter().any(|name| text.contains(&format!("local.{name}")));
            parse(&text, SourcePlace::default()).is_ok()
                && text.contains("join(")
                && text.contains("local.")
                && is_named
        });
        let json = shrunk.case.to_json();
        assert_eq!(expression(&json), Some("join(local.a)"), "{}", json.to_compact());
    }
}
