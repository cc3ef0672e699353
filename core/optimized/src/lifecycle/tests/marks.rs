//! S70 to S73, LD47: cases that the recorded runs do not reach.

use crate::lifecycle::marks::{sensitive, write_only};
use crate::operations::Program;
use crate::program;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Marked;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

const T11: Dialect = Dialect::TERRAFORM_1_11;
const OT: Dialect = Dialect::OPENTOFU_1_12;

fn asked(block: &str, dialect: Dialect, json: &str) -> (Program, Value) {
    let schema = Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
    let value = Value::from_json(&Json::parse(json).expect("JSON"), &schema.implied_type(dialect)).expect("a value");
    let root = program::Object::of_block(&schema.block, dialect);
    (Program { root, dialect, version: 0, accepted: Default::default() }, value)
}

#[track_caller]
fn check(dialect: Dialect, json: &str, want: &[&str]) {
    let secret = r#"{"attributes":{"p":{"type":"string","optional":true,"sensitive":true}}}"#;
    let nested = r#"{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{"p":{"type":"string","optional":true,"sensitive":true}}}}"#;
    let block = format!(
        r#"{{"attributes":{{"n":{nested},"o":{{"optional":true,"nested_type":{{"nesting_mode":"list","attributes":{{"n":{nested}}}}}}}}},
            "block_types":{{"l":{{"nesting_mode":"list","block":{secret}}},"s":{{"nesting_mode":"set","block":{secret}}},
            "z":{{"nesting_mode":"list","block":{secret}}}}}}}"#
    );
    let (program, value) = asked(&block, dialect, json);
    let marks = sensitive(&program, &value).expect("no refusal");
    assert_eq!(Marked::new(value, &marks).sensitive().texts(), want, "{dialect} {json}");
}

#[test]
fn s72_a_null_block_in_a_set_marks_the_set_in_opentofu() {
    let json = r#"{"n":[],"o":null,"l":[null],"s":[null],"z":[null]}"#;
    check(OT, json, &[".s"]);
    check(T11, json, &[]);
    check(T11, r#"{"n":[],"o":null,"l":[],"s":[{"p":null}],"z":[]}"#, &[".s"]);
}

#[test]
fn ld47_an_unknown_element_marks_the_first_set_only() {
    for dialect in [T11, OT] {
        check(dialect, r#"{"n":[{"$unknown":true}],"o":null,"l":[],"s":[],"z":[]}"#, &[".n"]);
        check(dialect, r#"{"n":null,"o":[{"n":[{"$unknown":true}]}],"l":[],"s":[],"z":[]}"#, &[]);
    }
}

#[test]
fn s73_write_only_values_in_sets_and_unknown_blocks() {
    let block = r#"{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{"w":{"type":"string","optional":true,"write_only":true}}}},
        "l":{"nesting_mode":"list","block":{"attributes":{"w":{"type":"string","optional":true,"write_only":true}}}}}}"#;
    let count = |json: &str| {
        let (program, value) = asked(block, OT, json);
        write_only(&program, &value).expect("no refusal").len()
    };
    assert_eq!(count(r#"{"s":[{"w":"1"},{"w":"2"}],"l":[{"w":"3"}]}"#), 3, "LD22: one each");
    assert_eq!(count(r#"{"s":[],"l":[{"$unknown":true}]}"#), 0);
    assert_eq!(count(r#"{"$unknown":true}"#), 0);
}
