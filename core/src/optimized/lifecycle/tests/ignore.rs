//! Section 8: the marks, and what recorded lives do not reach.

use super::fixture::{Asked, Fixture, Script, configured, present, request};
use crate::dialect::Dialect;
use crate::json::Json;
use crate::planner::IgnoreChanges;
use crate::plans::Marked;
use crate::state::Object;
use crate::value::{PathSet, Type, Value, WrittenPath};

/// The configuration that is sent to plan, and the marks of what is planned.
fn sent(prior: (&str, &[&str]), config: (&str, &[&str]), entries: &[&str]) -> (Fixture, crate::value::Value, Marked) {
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
fn l61_all_but_what_only_the_provider_sets() {
    let prior = r#"{"id": "1", "name": "a", "oc": "o", "n": [{"x": "1", "c": "2", "s": null}]}"#;
    let want = r#"{"name": "a", "oc": "o", "n": [{"x": "1", "c": null, "s": null}]}"#;
    check(prior, r#"{"name": "b", "w": "x"}"#, &["all"], want);
}

#[test]
fn l64_l66_marks_go_with_what_is_ignored() {
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
