//! Models read and written.

use super::*;
use crate::expression::{Cond, Expr, MAX_DEPTH};
use crate::path::SchemaPath;
use crate::rules::Mod;
use planfuzz_core::json::JsonProblem;
use planfuzz_core::value::Type;

const SCHEMA: &str = r#"{"version":0,"block":{"attributes":{
    "a":{"type":"string","optional":true},
    "d":{"type":"dynamic","optional":true},
    "n":{"type":"number","optional":true,"computed":true},
    "o":{"nested_type":{"nesting_mode":"list","attributes":{
        "x":{"type":"string","optional":true},"y":{"type":["list","string"],"computed":true}}},"optional":true}},
    "block_types":{"b":{"nesting_mode":"set","block":{"attributes":{"k":{"type":"bool","required":true}}}}}}}"#;

fn schema() -> Arc<Schema> {
    Arc::new(Schema::parse(SCHEMA).expect("a schema"))
}

fn read(text: &str) -> Result<Model, JsonError> {
    Model::from_json(&Json::parse(text).expect("a document"), schema())
}

/// A model is read, written and read again: both models and both texts are equal.
#[track_caller]
fn check(text: &str) -> Model {
    let model = read(text).expect("a model");
    assert_eq!(model.to_json(), Json::parse(text).expect("a document"));
    assert_eq!(Model::from_document(&model.to_document()).expect("a model"), model);
    model
}

#[track_caller]
fn refused(text: &str, path: &str) {
    let error = read(text).expect_err(text);
    assert_eq!(error.path(), path, "{error}");
}

#[test]
fn every_word_is_read_and_written() {
    let model = check(
        r#"{"style":"framework",
        "rules":{
            "a":{"equal":"case","plan":["requires_replace","requires_replace_if_configured","use_state_for_unknown",
                "use_non_null_state_for_unknown",{"keep_state_if":"trim"},{"set":{"this":"prior"}}],
                "validate":[{"one_of":["x","y"]},{"length":[1,3]},{"prefix":"x"},{"error_if":{"is_null":{"this":"config"}}}],
                "computed":{"once":{"hash":[{"sibling":["plan","n"]}]}},"remote_form":"json"},
            "b.k":{"computed":"null"},
            "d":{"default":{"type":["list","string"],"value":["x"]},"computed":{"const":{"type":"bool","value":true}}},
            "n":{"default":null,"plan":[{"requires_replace_if":{"lt":[{"this":"plan"},{"const":3}]}},
                {"default_if":[{"changed":"a"},{"add":[{"const":1},{"length":{"root":["config",["a"]]}}]}]},
                {"unknown_if":{"changed":{"sibling":["plan","a"]}}},{"error_if":{"op":"destroy"}}],
                "validate":[{"range":[0,1.5]}],"computed":{"counter":-4}},
            "o":{"element_plan":[{"set":{"const":{"x":"1","y":[{"$unknown":true}]}}},{"set":"unknown"}]},
            "o.x":{"computed":{"fill":3},"remote_form":{"prefix":"p-"},"unreadable":true},
            "o.y":{"plan":[{"keep_state_if":"unordered"},{"set":{"canon":["sorted",{"this":"config"}]}}],
                "computed":{"copy":{"this":"prior"}}}},
        "resource":{"validate":[{"conflicts":["a","n"]},{"together":["a","b"]},{"exactly_one":["a"]},
                {"at_least_one":["a","d"]},{"error_if":{"partly_unknown":{"root":["config",["o"]]}}}],
            "plan":[{"requires_replace":"nope"},{"requires_replace":".b[<set element>].k"},
                {"replace_if":["a",{"not":{"all":[{"any":[]},false]}}]},
                {"default":["a",{"is_unknown":{"root":["plan",["d"]]}},{"concat":[{"const":"x"},{"const":2},{"const":true}]}]},
                {"unknown_if":["n",{"same":[{"canon":"unique"},{"const":{"type":["list","string"],"value":[]}},"null"]}]},
                {"set":["n",{"if":[{"eq":[{"root":["plan",["n"]]},{"const":7}]},{"const":8},"null"]}]},
                {"set_all":{"const":null}},{"when":[{"op":"create"},{"error_if":true}]}]},
        "remote":{"respond":"remote"},
        "failures":[{"on":"update","times":2,"when":{"changed":"a"},"done":["a"]},{"on":"read","times":1,"done":"all"}],
        "seed":7,
        "faults":[{"fault":"plan_override","at":"o.x","when":{"op":"create","nth":2}},{"fault":"private_lost"}]}"#,
    );
    assert_eq!(model.rules.iter().len(), 7);
}

#[test]
fn absent_members_have_the_simplest_value() {
    let model = check(r#"{"style":"framework"}"#);
    assert_eq!(model, Model::new(Style::Framework { schema: schema(), plan: None }));
    let Style::Framework { plan, .. } = check(r#"{"style":"framework","resource":{"plan":[]}}"#).style else {
        panic!("a framework model")
    };
    assert_eq!(plan, Some(Vec::new()), "F80 runs where the list is there");
}

#[test]
fn a_constant_has_the_type_of_the_value_it_is_compared_with() {
    let model = check(
        r#"{"style":"framework","rules":{"a":{"plan":[{"error_if":{"eq":[{"const":{"type":"bool","value":null}},{"root":["plan",["d"]]}]}}]}}}"#,
    );
    let rule = model.rules.get(&SchemaPath::parse("a")).expect("a rule");
    let Mod::ErrorIf(Cond::Eq(Expr::Const(value), _)) = &rule.plan[0] else { panic!("an error condition") };
    assert_eq!(*value.ty(), Type::Bool);
}

#[test]
fn meaningless_members_are_refused_with_their_place() {
    refused(r#"{"style":"framework","extra":1}"#, "");
    refused(r#"{"style":"sdk"}"#, ".style");
    refused(r#"{"style":"framework","rules":{"z":{}}}"#, ".rules.z");
    refused(r#"{"style":"framework","rules":{"o.z":{}}}"#, ".rules.\"o.z\"");
    refused(r#"{"style":"framework","rules":{"a":{"default":1}}}"#, ".rules.a.default");
    refused(r#"{"style":"framework","rules":{"a":{"element_plan":[]}}}"#, ".rules.a");
    refused(r#"{"style":"framework","rules":{"a":{"plan":["replace"]}}}"#, ".rules.a.plan[0]");
    refused(
        r#"{"style":"framework","rules":{"a":{"plan":[{"set":{"sibling":["plan","z"]}}]}}}"#,
        ".rules.a.plan[0].set",
    );
    refused(r#"{"style":"framework","rules":{"n":{"plan":[{"set":{"const":"x"}}]}}}"#, ".rules.n.plan[0].set.const");
    refused(r#"{"style":"framework","resource":{"plan":[{"set":["z","null"]}]}}"#, ".resource.plan[0].set[0]");
    refused(
        r#"{"style":"framework","resource":{"validate":[{"conflicts":["z"]}]}}"#,
        ".resource.validate[0].conflicts",
    );
    refused(r#"{"style":"framework","faults":[{"fault":"nothing"}]}"#, ".faults[0].fault");
    refused(r#"{"style":"framework","faults":[{"fault":"plan_null","at":"z"}]}"#, ".faults[0].at");
    refused(r#"{"style":"framework","failures":[{"on":"plan"}]}"#, ".failures[0].on");
}

#[test]
fn depth_is_bounded_with_one_clear_error() {
    let nested = |depth: usize| {
        let (open, close) = (r#"{"not":"#.repeat(depth), "}".repeat(depth));
        format!(r#"{{"style":"framework","rules":{{"a":{{"plan":[{{"error_if":{open}true{close}}}]}}}}}}"#)
    };
    assert!(read(&nested(MAX_DEPTH)).is_ok());
    let error = read(&nested(MAX_DEPTH + 1)).expect_err("too deep");
    assert!(matches!(error.problem(), JsonProblem::Deep { most: MAX_DEPTH, .. }), "{error}");
}
