//! Stored objects in the JSON of state files, as engines send them to be upgraded.

use std::collections::HashMap;

use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Number, ObjectType, Text, Truth, Type, ValueRef};

/// Whether `json` is what a state file has for `value`, which conforms to `want`: members in any order, a set in the order of its elements.
pub(super) fn is_written(json: &Json, value: ValueRef<'_>, want: &Type) -> bool {
    let given = value.ty();
    if want.is_dynamic() && !given.is_dynamic() {
        return is_written_dynamic(json, value);
    }
    match (value.node(), json) {
        (Node::Null, json) => *json == Json::Null,
        (Node::Bool(Truth(bool)), Json::Bool(found)) => bool == found,
        (Node::Number(number), Json::Number(found)) => {
            // The text is all that a state file has of a number, whatever its precision; and the wire has no negative zero (PF51).
            let is_zero = |number: &Number| number.to_i64() == Some(0);
            Number::parse(found).is_ok_and(|found| found.text() == number.text() || is_zero(&found) && is_zero(number))
        }
        (Node::String(text), Json::String(found)) => *text == Text::new(found),
        (Node::Seq(_), Json::Array(items)) => are_elements_written(items, value, want),
        (Node::Map(_), Json::Object(members)) => are_entries_written(members, value, want),
        (Node::Seq(_), Json::Object(members)) => match want {
            Type::Object(want) => is_object_written(members, value, want),
            _ => false,
        },
        _ => false,
    }
}

fn is_written_dynamic(json: &Json, value: ValueRef<'_>) -> bool {
    let (Some(ty), Some(inner)) = (json.member("type"), json.member("value")) else { return false };
    Type::from_json(ty).is_ok_and(|ty| ty == *value.ty()) && is_written(inner, value, value.ty())
}

fn are_elements_written(items: &[Json], value: ValueRef<'_>, want: &Type) -> bool {
    let want_of = |index: usize| match want {
        Type::List(element) | Type::Set(element) => Some(&**element),
        Type::Tuple(tuple) => tuple.elements().get(index),
        _ => None,
    };
    let is_item = |(index, item): (usize, &Json)| match (value.element(index), want_of(index)) {
        (Some(element), Some(want)) => is_written(item, element, want),
        _ => false,
    };
    items.len() == value.len() && items.iter().enumerate().all(is_item)
}

fn are_entries_written(members: &[(Box<str>, Json)], value: ValueRef<'_>, want: &Type) -> bool {
    let Some(want) = want.element() else { return false };
    let is_entry = |(key, json): &(Box<str>, Json)| {
        value.entry(&Text::new(key)).is_some_and(|entry| is_written(json, entry, want))
    };
    members.len() == value.len() && members.iter().all(is_entry)
}

/// A missing member is null.
fn is_object_written(members: &[(Box<str>, Json)], value: ValueRef<'_>, want: &ObjectType) -> bool {
    let by_name: HashMap<Text, &Json> = members.iter().map(|(name, json)| (Text::new(name), json)).collect();
    let mut found = 0;
    let are_written = want.attributes().iter().all(|attribute| {
        let Some(member) = value.member(&attribute.name) else { return false };
        match by_name.get(&attribute.name) {
            Some(json) => {
                found += 1;
                is_written(json, member, &attribute.ty)
            }
            None => member.is_null(),
        }
    });
    are_written && found == members.len()
}

/// The document with its members in the order that they have in `model`, followed by the others.
///
/// Engines rewrite objects in an order of their own, which has no meaning.
pub(super) fn ordered_like(json: Json, model: &Json) -> Json {
    match (json, model) {
        (Json::Array(items), Json::Array(models)) => {
            let mut models = models.iter();
            let ordered = |item| match models.next() {
                Some(model) => ordered_like(item, model),
                None => item,
            };
            Json::Array(items.into_iter().map(ordered).collect())
        }
        (Json::Object(members), Json::Object(models)) => {
            let places: HashMap<&str, (usize, &Json)> =
                models.iter().enumerate().map(|(place, (name, model))| (&**name, (place, model))).collect();
            let mut placed: Vec<(usize, (Box<str>, Json))> = members
                .into_iter()
                .map(|(name, member)| match places.get(&*name) {
                    Some((place, model)) => (*place, (name, ordered_like(member, model))),
                    None => (usize::MAX, (name, member)),
                })
                .collect();
            placed.sort_by_key(|(place, _)| *place);
            Json::Object(placed.into_iter().map(|(_, member)| member).collect())
        }
        (json, _) => json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::value::Value;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("JSON")
    }

    /// Whether `written` stands for the value that is `text` in formats.md.
    fn is(ty: &str, text: &str, written: &str) -> bool {
        let ty = Type::parse(ty).expect("a type");
        let value = Value::from_json(&json(text), &ty).expect("a value");
        is_written(&json(written), value.view(), &ty)
    }

    #[test]
    fn a_value_is_known_by_its_json() {
        let object =
            r#"["object",{"a":"string","b":["list","number"],"c":["map","bool"],"d":["tuple",["bool","string"]]}]"#;
        let text = r#"{"a":"é","b":[1,2.50],"c":{"x":true,"y":null},"d":[false,null]}"#;
        assert!(is(object, text, r#"{"d":[false,null],"c":{"y":null,"x":true},"b":[1,2.5],"a":"é"}"#));
        assert!(!is(object, text, r#"{"d":[false,null],"c":{"y":null,"x":true},"b":[1,2],"a":"é"}"#));
        assert!(!is(object, text, r#"{"d":[false,null],"c":{"x":true},"b":[1,2.5],"a":"é"}"#));
        assert!(!is(object, text, r#"{"c":{"y":null,"x":true},"b":[1,2.5],"a":"é"}"#));
        assert!(!is(object, text, r#"{"d":[false,null],"c":{"y":null,"x":true},"b":[1,2.5],"a":"é","e":1}"#));
        assert!(is(object, "null", "null"));
        assert!(!is(object, "null", text));
        assert!(is(r#"["object",{"a":"string"}]"#, r#"{"a":null}"#, "{}"));
        assert!(is(r#"["set","number"]"#, "[2,1]", "[1,2]"));
        assert!(is("\"number\"", "-0", "0") && is("\"number\"", "0", "-0") && !is("\"number\"", "-0", "1"));
        assert!(!is("\"string\"", r#"{"$unknown":true}"#, "null"));
    }

    #[test]
    fn values_at_dynamic_places_are_known_with_their_type() {
        let ty = "\"dynamic\"";
        let list = r#"{"type":["list","string"],"value":["a"]}"#;
        assert!(is(ty, list, r#"{"value":["a"],"type":["list","string"]}"#));
        assert!(!is(ty, list, r#"{"value":["a"],"type":["tuple",["string"]]}"#));
        assert!(!is(ty, list, r#"["a"]"#));
        assert!(is(ty, "null", "null"));
    }

    #[test]
    fn order_is_that_of_the_model() {
        let found = ordered_like(json(r#"{"a":[{"x":1,"y":2}],"b":1,"z":0}"#), &json(r#"{"b":0,"a":[{"y":0,"x":0}]}"#));
        assert_eq!(found.to_compact(), r#"{"b":1,"a":[{"y":2,"x":1}],"z":0}"#);
    }
}
