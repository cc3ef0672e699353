//! The laws of placeholders.

use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, PathSet, Truth, Type, Value, ValueRef, WrittenPath, raw_equals};

use super::*;
use crate::case::Task;
use crate::generate::{Cases, Generator, Settings};

fn ty() -> Type {
    Type::parse(
        r#"["object",{"a":"string","b":"string","n":"number","l":["list","string"],"s":["set","string"],
            "m":["map","string"],"t":"bool","d":"dynamic"}]"#,
    )
    .expect("a type")
}

fn of(members: &str) -> Value {
    let given = Json::parse(&format!("{{{members}}}")).expect("members");
    let all = ["a", "b", "n", "l", "s", "m", "t", "d"];
    let all = all.map(|name| (name, given.member(name).cloned().unwrap_or(Json::Null)));
    Value::from_json(&Json::object(all), &ty()).expect("a value")
}

fn paths(texts: &[&str]) -> PathSet {
    PathSet::parse(texts.iter().copied()).expect("paths")
}

fn placeholders(values: &[&Value], sensitive: &PathSet) -> Vec<Value> {
    let mut notes = Notes::new();
    values.iter().for_each(|value| notes.value(value.view(), sensitive));
    let placeholders = notes.placeholders();
    values.iter().map(|value| placeholders.of_value(value, sensitive).expect("the same types")).collect()
}

fn text(value: &Value) -> String {
    value.to_json(&ty()).to_compact()
}

#[test]
fn nothing_changes_where_nothing_is_sensitive() {
    let value = of(r#""a":"x","l":["y"],"m":{"k":"v"}"#);
    assert_eq!(placeholders(&[&value], &PathSet::EMPTY), [value]);
}

#[test]
fn equal_stays_equal_and_different_stays_different() {
    let before = of(r#""a":"hunter2hunter2","l":["x","y","x"],"s":["p","q"],"n":42"#);
    let after = of(r#""a":"hunter2hunter2","l":["y","x"],"s":["q","p"],"n":43"#);
    let all = paths(&[".a", ".l", ".s", ".n"]);
    let replaced = placeholders(&[&before, &after], &all);
    let member = |value: &Value, name: &str| value.view().member(name).expect("a member").to_value();
    assert_eq!(member(&replaced[0], "a"), member(&replaced[1], "a"));
    assert_eq!(member(&replaced[0], "s"), member(&replaced[1], "s"));
    assert_eq!(member(&replaced[0], "s").view().len(), 2);
    assert_ne!(member(&replaced[0], "n"), member(&replaced[1], "n"));
    let list = member(&replaced[0], "l");
    let at = |index| list.view().element(index).expect("an element").to_value();
    assert_eq!(at(0), at(2));
    assert_ne!(at(0), at(1));
    for (replaced, value) in replaced.iter().zip([&before, &after]) {
        assert_ne!(replaced, value);
        for secret in ["hunter2", "\"x\"", "\"p\"", ":42", ":43"] {
            assert!(!text(replaced).contains(secret), "{secret} in {}", text(replaced));
        }
    }
}

#[test]
fn nothing_empty_null_or_unknown_changes_its_kind() {
    let value = of(r#""a":"","b":null,"l":[],"s":[{"$unknown":true}],"m":{},"n":0,"t":true"#);
    let all = paths(&[".a", ".b", ".l", ".s", ".m", ".n", ".t"]);
    assert_eq!(placeholders(&[&value], &all), [value]);
}

#[test]
fn lengths_keep_their_class_and_digits_stay_digits() {
    for secret in ["a", "ab", "abc", "abcdefg", "abcdefgh", "a long secret of many words", "7", "12345", "99999999999"]
    {
        let value = of(&format!(r#""a":"{secret}""#));
        let replaced = placeholders(&[&value], &paths(&[".a"])).remove(0);
        let replaced = replaced.view().member("a").and_then(|a| a.as_text().cloned()).expect("a text");
        assert_ne!(*replaced, *secret);
        assert_eq!(replaced.len().ilog2(), secret.len().ilog2(), "{secret}: {replaced}");
        assert_eq!(replaced.parse::<u64>().is_ok(), secret.parse::<u64>().is_ok(), "{secret}: {replaced}");
    }
}

#[test]
fn a_secret_is_replaced_wherever_it_is() {
    let value = of(
        r#""a":"correct-horse","b":"https://me:correct-horse@host","m":{"correct-horse":"v"},"l":["correct-horse"]"#,
    );
    let replaced = placeholders(&[&value], &paths(&[".a"])).remove(0);
    let text = text(&replaced);
    assert!(!text.contains("correct-horse"), "{text}");
    assert!(text.contains("https://me:") && text.contains("@host"), "{text}");
}

#[test]
fn a_short_secret_is_replaced_where_it_is_secret() {
    let value = of(r#""a":"80","b":"80""#);
    let replaced = placeholders(&[&value], &paths(&[".a"])).remove(0);
    let member = |name: &str| replaced.view().member(name).and_then(|of| of.as_text().cloned());
    assert_ne!(member("a"), member("b"));
    assert_eq!(member("b").as_deref(), Some("80"));
}

#[test]
fn keys_of_a_sensitive_map_are_sensitive() {
    let value = of(r#""m":{"user":"u","pass":"p"}"#);
    let replaced = placeholders(&[&value], &paths(&[".m"])).remove(0);
    let text = text(&replaced);
    assert!(!text.contains("user") && !text.contains("pass"), "{text}");
    assert_eq!(replaced.view().member("m").map(|map| map.len()), Some(2));
}

#[test]
fn json_in_a_text_stays_json_of_the_same_shape() {
    let value = of(r#""a":"{\"password\":\"opensesame\",\"port\":5432,\"on\":true,\"tags\":[\"x\",\"\"]}""#);
    let replaced = placeholders(&[&value], &paths(&[".a"])).remove(0);
    let json = replaced.view().member("a").and_then(|a| a.as_text().cloned()).expect("a text");
    assert!(!json.contains("opensesame") && !json.contains("password") && !json.contains("5432"), "{json}");
    let json = Json::parse(&json).expect("still JSON");
    let members = json.expect_object().expect("still an object");
    assert!(
        matches!(members, [(_, Json::String(_)), (_, Json::Number(_)), (_, Json::Bool(true)), (_, Json::Array(two))]
        if two.len() == 2 && two[1] == Json::string(""))
    );
}

#[test]
fn a_path_into_a_set_means_each_of_its_elements() {
    let value = of(r#""s":["secret-one","secret-two"]"#);
    let replaced = placeholders(&[&value], &paths(&[".s[<set element>]"])).remove(0);
    assert!(!text(&replaced).contains("secret"), "{}", text(&replaced));
}

#[test]
fn prefixes_of_unknown_secrets_are_removed() {
    let value = of(r#""a":{"$unknown":{"not_null":true,"string_prefix":"secret-"}}"#);
    let replaced = placeholders(&[&value], &paths(&[".a"])).remove(0);
    assert_eq!(replaced, of(r#""a":{"$unknown":{"not_null":true}}"#));
}

#[test]
fn no_stand_in_is_a_text_that_was_there() {
    let value = of(r#""a":"the secret of eight","l":["stand-in-0000001","s001","1"],"b":"x"}"#.trim_end_matches('}'));
    let replaced = placeholders(&[&value], &paths(&[".a", ".b"])).remove(0);
    let member = |name: &str| replaced.view().member(name).and_then(|of| of.as_text().cloned()).expect("a text");
    let list = replaced.view().member("l").expect("the list").to_value();
    for element in list.view().children().filter_map(|(_, element)| element.as_text().cloned()) {
        assert_ne!(element, member("a"));
        assert_ne!(element, member("b"));
    }
}

#[test]
fn secrets_that_were_never_noted_are_replaced_too() {
    let value = of(r#""a":"forgotten-secret","n":4711,"b":"plain""#);
    let replaced = Placeholders::none().of_value(&value, &paths(&[".a", ".n"])).expect("the same types");
    assert!(!text(&replaced).contains("forgotten") && !text(&replaced).contains("4711"), "{}", text(&replaced));
    assert!(text(&replaced).contains("plain"));
}

#[test]
fn the_same_document_gives_the_same_stand_ins() {
    let value = of(r#""a":"one secret text","b":"another one","n":12.5,"l":["x","y"]"#);
    let all = paths(&[".a", ".b", ".l", ".n"]);
    assert_eq!(placeholders(&[&value], &all), placeholders(&[&value], &all));
}

/// The kind of each place of a value, without what is there: what a placeholder keeps.
fn shape(value: ValueRef<'_>) -> String {
    match value.node() {
        Node::Null => "null".to_owned(),
        Node::Unknown(_) => "unknown".to_owned(),
        Node::Bool(Truth(bool)) => bool.to_string(),
        Node::Number(number) => {
            format!("number {} {}", number.text().starts_with('-'), number.is_whole())
        }
        Node::String(text) => {
            let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            format!("text {} {is_digits}", text.is_empty())
        }
        Node::Seq(_) | Node::Map(_) => {
            let mut parts: Vec<String> = value.children().map(|(_, child)| shape(child)).collect();
            if !matches!(value.ty(), Type::List(_) | Type::Tuple(_) | Type::Object(_)) {
                parts.sort();
            }
            format!("[{}]", parts.join(","))
        }
    }
}

#[test]
fn generated_values_keep_their_shape_and_their_equalities() {
    let mut cases = Cases::new(Generator::new(Settings::SMALL), 11);
    let whole: PathSet = [WrittenPath::default()].into_iter().collect();
    let (mut replaced, mut changed) = (0, 0);
    for number in 0..300 {
        let Task::Merge(merge) = cases.case(number).task else { continue };
        let values = [&merge.prior, &merge.config, &merge.planned, &merge.actual];
        let others = placeholders(&values, &whole);
        for (value, other) in values.iter().zip(&others) {
            assert_eq!(other.ty(), value.ty());
            assert_eq!(shape(other.view()), shape(value.view()), "{}", value.to_json(value.ty()).to_compact());
            replaced += 1;
            changed += u64::from(other != *value);
        }
        for (a, of_a) in values.iter().zip(&others) {
            for (b, of_b) in values.iter().zip(&others) {
                let is_known = a.is_wholly_known() && b.is_wholly_known();
                let (equal, still) = (raw_equals(a.view(), b.view()), raw_equals(of_a.view(), of_b.view()));
                assert!(!equal || still, "what was equal stays equal");
                assert!(!is_known || equal == still, "what was different stays different");
            }
        }
    }
    assert!(replaced > 400 && changed * 2 > replaced, "{changed} of {replaced} values had anything to replace");
}
