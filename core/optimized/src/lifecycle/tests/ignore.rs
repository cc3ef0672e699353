//! Section 8: the marks, and cases that recorded runs do not reach.

use super::fixture::{Asked, Fixture, Script, configured, present, request};
use crate::program;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::IgnoreChanges;
use planfuzz_core::plans::Marked;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Object;
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

/// The configuration that is sent to plan, and the marks of the planned object.
fn sent(
    prior: (&str, &[&str]),
    config: (&str, &[&str]),
    entries: &[&str],
) -> (Fixture, planfuzz_core::value::Value, Marked) {
    let fixture = Fixture::usual(Dialect::TERRAFORM_1_11);
    let marks = |paths: &[&str]| PathSet::parse(paths.iter().copied()).expect("paths");
    let mut object = Object::ready(fixture.usual_value(prior.0));
    object.sensitive = marks(prior.1);
    let mut configured = configured(fixture.usual_value(config.0), &marks(config.1));
    configured.lifecycle.ignore_changes = match entries {
        ["all"] => IgnoreChanges::All,
        entries => IgnoreChanges::Some(entries.iter().map(|text| WrittenPath::parse(text).expect("a path")).collect()),
    };
    let mut request = request(Some(object), present(configured));
    request.options.skip_refresh = true;
    let mut script = Script::default();
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    let Some(Asked::Plan(asked)) = script.asked.last() else { panic!("a plan call") };
    (fixture, asked.config.clone(), plan.changes[0].change.after.clone())
}

#[track_caller]
fn check(prior: &str, config: &str, entries: &[&str], want: &str) {
    let (fixture, got, _) = sent((prior, &[]), (config, &[]), entries);
    assert_eq!(got, fixture.usual_value(want), "{entries:?}");
}

#[test]
fn l69_other_types_than_maps() {
    use super::super::ignore::of_answer;
    let value = |ty: &str, json: &str| {
        let json = Json::parse(json).expect("JSON");
        let value = Value::from_json(&json, &Type::parse(ty).expect("a type")).expect("a value");
        Value::object(vec![("d".into(), value)])
    };
    let ignore = IgnoreChanges::Some(vec![WrittenPath::parse(r#".d["k"]"#).expect("a path")]);
    let reverted = |ty: &str, json: &str| {
        let now = of_answer(&ignore, &value(ty, json), value(r#"["map","string"]"#, r#"{"k":"new"}"#)).ok()?;
        Some(now.view().member("d").and_then(|map| map.entry("k")).map(|entry| entry.to_value()))
    };
    assert_eq!(reverted(r#"["object",{"k":"string"}]"#, r#"{"k":"old"}"#), Some(Some(Value::string("old"))));
    assert_eq!(reverted(r#"["set","string"]"#, r#"["k","l"]"#), Some(Some(Value::string("k"))));
    for (ty, nothing) in [(r#"["set","string"]"#, r#"["z"]"#), (r#"["list","number"]"#, "[]"), (r#""bool""#, "null")] {
        assert_eq!(reverted(ty, nothing), Some(None), "{ty}");
    }
    for (ty, deadly) in [
        (r#"["set","string"]"#, r#"[null]"#),
        (r#"["set","bool"]"#, "[true]"),
        (r#"["list","string"]"#, r#"["k"]"#),
        (r#"["tuple",["string"]]"#, r#"["k"]"#),
        (r#""number""#, "1"),
    ] {
        assert_eq!(reverted(ty, deadly), None, "{ty}");
    }
}

#[test]
fn l69_l70_keys_of_maps() {
    let (prior, config) = (r#"{"tags": {"a": "1", "x": "9"}}"#, r#"{"tags": {"a": "2", "b": "3"}}"#);
    check(prior, config, &[".tags[\"a\"]"], r#"{"tags": {"a": "1", "b": "3"}}"#);
    check(prior, config, &[".tags[\"x\"]"], r#"{"tags": {"a": "2", "b": "3", "x": "9"}}"#);
    check(prior, config, &[".tags[\"b\"]"], r#"{"tags": {"a": "2"}}"#);
    check(prior, config, &[".tags[\"a\"]", ".tags[\"b\"]"], r#"{"tags": {"a": "1"}}"#);
    check(prior, config, &[".tags"], prior);
    check(prior, config, &[".tags[\"a\"]", ".tags"], prior);
    check("{}", r#"{"tags": {"b": "3"}}"#, &[".tags[\"b\"]"], r#"{"tags": {}}"#);
    check(prior, "{}", &[".tags[\"z\"]"], "{}");
    check(prior, "{}", &[".tags[\"a\"]"], r#"{"tags": {"a": "1"}}"#);
    check(prior, r#"{"tags": {"$unknown": true}}"#, &[".tags"], r#"{"tags": {"$unknown": true}}"#);
}

#[test]
fn l63_l65_l71_positions() {
    let element = |x: &str| format!(r#"{{"n": [{{"x": "{x}", "c": null, "s": null}}]}}"#);
    check(&element("1"), &element("2"), &[".n[0].x"], &element("1"));
    check(&element("1"), &element("2"), &[".n[1].x"], &element("2"));
    check(&element("1"), &element("2"), &[".n[0].x", ".n"], &element("1"));
    check("{}", &element("2"), &[".n[0].x"], &element("2"));
}

#[test]
fn l61_all_attributes_but_purely_computed_ones_are_ignored() {
    let prior = r#"{"id": "1", "name": "a", "oc": "o", "n": [{"x": "1", "c": "2", "s": null}]}"#;
    let want = r#"{"name": "a", "oc": "o", "n": [{"x": "1", "c": null, "s": null}]}"#;
    check(prior, r#"{"name": "b", "w": "x"}"#, &["all"], want);
}

#[test]
fn l64_l66_marks_go_with_ignored_parts() {
    let (a, b) = (r#"{"name": "a", "oc": "x"}"#, r#"{"name": "b", "oc": "x"}"#);
    let (_, _, after) = sent((a, &[]), (b, &[".name"]), &[".name"]);
    assert_eq!(after.sensitive().texts(), [".secret"]);
    let (_, _, after) = sent((a, &[".name"]), (b, &[]), &[".name"]);
    assert_eq!(after.sensitive().texts(), [".name", ".secret"]);
    let (_, _, after) = sent((a, &[]), (a, &[".name"]), &[".name"]);
    assert_eq!(after.sensitive().texts(), [".secret"], "a mark alone is a difference");
}

#[test]
fn l70_the_marks_of_the_map_stay_and_those_of_elements_move() {
    let (prior, config) = (r#"{"tags": {"a": "1"}}"#, r#"{"tags": {"a": "2", "b": "3"}}"#);
    let (_, _, after) = sent((prior, &[".tags[\"a\"]"]), (config, &[".tags", ".tags[\"b\"]"]), &[".tags[\"a\"]"]);
    assert_eq!(after.sensitive().texts(), [".secret", ".tags", ".tags[\"a\"]", ".tags[\"b\"]"]);
}

fn typed(ty: &str, json: &str) -> Value {
    Value::from_json(&Json::parse(json).expect("JSON"), &Type::parse(ty).expect("a type")).expect("a value")
}

/// The value of attribute `d`, of these types and values, where `entry` is ignored; `None` where it is refused.
fn taken_back(entry: &str, prior: (&str, &str), now: (&str, &str)) -> Option<Value> {
    let object = |(ty, json): (&str, &str)| Value::object(vec![("d".into(), typed(ty, json))]);
    let ignore = IgnoreChanges::Some(vec![WrittenPath::parse(entry).expect("a path")]);
    let got = super::super::ignore::of_answer(&ignore, &object(prior), object(now)).ok()?;
    got.view().member("d").map(|member| member.to_value())
}

#[test]
fn v08_an_ignored_part_may_have_another_type_where_there_is_room() {
    let (numbers, strings) = (r#"["list","number"]"#, r#"["list","string"]"#);
    let mixed = r#"["tuple",["number","string"]]"#;
    let got = taken_back(".d[0]", (mixed, r#"[1,"x"]"#), (r#"["tuple",["string","string"]]"#, r#"["a","y"]"#));
    assert_eq!(got, Some(typed(mixed, r#"[1,"y"]"#)));
    assert_eq!(taken_back(".d[0]", (numbers, "[1]"), (strings, r#"["a"]"#)), Some(typed(numbers, "[1]")));
    assert_eq!(taken_back(".d[0]", (numbers, "[1]"), (strings, r#"["a","b"]"#)), None);
    let (number, string) = (r#"["map",["object",{"b":"number"}]]"#, r#"["map",["object",{"b":"string"}]]"#);
    let (old, new) = (r#"{"k":{"b":1}}"#, r#"{"k":{"b":"x"}}"#);
    assert_eq!(taken_back(".d[\"k\"].b", (number, old), (string, new)), Some(typed(number, old)));
    assert_eq!(taken_back(".d[\"k\"].b", (number, old), (string, r#"{"k":{"b":"x"},"l":{"b":"y"}}"#)), None);
}

#[test]
fn l65_a_position_inside_an_entry_of_a_map() {
    let ty = r#"["map",["object",{"b":"string"}]]"#;
    let got =
        taken_back(".d[\"k\"].b", (ty, r#"{"k":{"b":"1"},"l":{"b":"1"}}"#), (ty, r#"{"k":{"b":"2"},"l":{"b":"2"}}"#));
    assert_eq!(got, Some(typed(ty, r#"{"k":{"b":"1"},"l":{"b":"2"}}"#)));
}

#[test]
fn l63_a_null_on_the_way_drops_the_entry() {
    let ty = r#"["object",{"b":"string"}]"#;
    assert_eq!(taken_back(".d.b", (ty, "null"), (ty, r#"{"b":"2"}"#)), Some(typed(ty, r#"{"b":"2"}"#)));
}

#[test]
fn l61_a_set_is_built_anew_where_members_were_taken_out() {
    let block = r#"{"block":{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
        "id":{"type":"string","computed":true},"k":{"type":"string","optional":true}}}}}}}"#;
    let dialect = Dialect::TERRAFORM_1_11;
    let schema = Schema::parse(block).expect("a schema");
    let value = |json: &str| {
        Value::from_json(&Json::parse(json).expect("JSON"), &schema.implied_type(dialect)).expect("a value")
    };
    let root = program::Object::of_block(&schema.block, dialect);
    let prior = Marked::plain(value(r#"{"s":[{"id":"1","k":"b"},{"id":"2","k":"a"},{"id":"3","k":"a"}]}"#));
    let config = Marked::plain(value(r#"{"s":[]}"#));
    let got = super::super::ignore::of_config(&root, &IgnoreChanges::All, &prior, &config).expect("no refusal");
    assert_eq!(*got.value(), value(r#"{"s":[{"id":null,"k":"a"},{"id":null,"k":"b"}]}"#));
}

#[test]
fn l64_a_shared_value_may_differ_in_marks_and_in_types() {
    let dialect = Dialect::TERRAFORM_1_11;
    let schema =
        Schema::parse(r#"{"block":{"attributes":{"d":{"type":"dynamic","optional":true}}}}"#).expect("a schema");
    let root = program::Object::of_block(&schema.block, dialect);
    let ignore = IgnoreChanges::Some(vec![WrittenPath::parse(".d").expect("a path")]);
    let of_config = |prior: &Marked, config: &Marked| {
        super::super::ignore::of_config(&root, &ignore, prior, config).expect("no refusal")
    };
    let value = Value::object(vec![("d".into(), Value::string("x"))]);
    let marked = Marked::new(value.clone(), &PathSet::parse([".d"]).expect("paths"));
    assert_eq!(of_config(&marked, &Marked::plain(value.clone())).sensitive().texts(), [".d"]);
    assert!(of_config(&Marked::plain(value), &marked).sensitive().is_empty());
    let null = Value::object(vec![("d".into(), Value::null(Type::String))]);
    let other = Value::object(vec![("d".into(), Value::null(Type::Number))]);
    let shared = Value::from_parts(other.ty().clone(), null.node().clone());
    assert_eq!(*of_config(&Marked::plain(null.clone()), &Marked::plain(shared)).value(), null);
}
