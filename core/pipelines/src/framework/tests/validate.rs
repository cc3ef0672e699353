//! Validation.

use super::*;
use crate::model::Model;
use crate::model::Style;

const SCHEMA: &str = r#"{"block":{"attributes":{"a":{"type":"string","optional":true},"b":{"type":"string","optional":true},
    "c":{"type":"string","computed":true},"l":{"type":["list","string"],"optional":true},
    "n":{"nested_type":{"nesting_mode":"list","attributes":{"c":{"type":"string","computed":true},
        "r":{"type":"number","required":true}}},"optional":true},
    "w":{"type":"string","optional":true,"write_only":true}}}}"#;

/// The rules and paths of the errors of a configuration, given by its members.
#[track_caller]
fn check(rules: &str, validate: &str, members: &str, want: &[(&str, &str)]) {
    let schema = std::sync::Arc::new(Schema::parse(SCHEMA).expect("a schema"));
    let document = format!(r#"{{"style":"framework","rules":{rules},"resource":{{"validate":{validate}}}}}"#);
    let model = Model::from_json(&json(&document), schema).expect("a model");
    let Style::Framework { schema, plan } = &model.style else { panic!("a framework model") };
    let program = Program::new(schema, &model.rules, &model.validate, plan.as_deref()).expect("a provider");
    let given = json(&format!("{{{members}}}"));
    let members = ["a", "b", "c", "l", "n", "w"].map(|name| (name, given.member(name).cloned().unwrap_or(Json::Null)));
    let config = Value::from_json(&Json::object(members), program.ty()).expect("a configuration");
    let errors = program.validate(&config, false).expect("a configuration of the schema");
    let errors: Vec<(&str, String)> = errors.iter().map(|error| (error.rule, error.path.to_string())).collect();
    let want: Vec<(&str, String)> = want.iter().map(|(rule, path)| (*rule, (*path).to_owned())).collect();
    assert_eq!(errors, want);
}

#[test]
fn f141_flags_are_checked_in_each_known_element() {
    check(
        "{}",
        "[]",
        r#""c":"x","n":[{"c":null,"r":1},{"c":{"$unknown":true},"r":null}]"#,
        &[("F141", ".c"), ("F141", ".n[1].c"), ("F141", ".n[1].r")],
    );
    check("{}", "[]", r#""n":[{"c":null,"r":{"$unknown":true}}],"w":"x""#, &[("F141", ".w")]);
    check("{}", "[]", r#""n":{"$unknown":true}"#, &[]);
}

#[test]
fn f140_all_checks_run_and_unknown_passes() {
    let rules = r#"{"a":{"validate":[{"one_of":["x","yy"]},{"length":[2,3]},{"prefix":"y"}]},
        "l":{"validate":[{"length":[1,1]}]},"n.r":{"validate":[{"range":[0,2.5]}]},
        "b":{"validate":[{"error_if":{"eq":[{"this":"config"},{"sibling":["config","a"]}]}}]}}"#;
    check(
        rules,
        "[]",
        r#""a":"x","b":"x","l":[],"n":[{"c":null,"r":3}]"#,
        &[("F140", ".a"), ("F140", ".a"), ("F140", ".b"), ("F140", ".l"), ("F140", ".n[0].r")],
    );
    let unknown = r#"{"$unknown":true}"#;
    let members = format!(r#""a":{unknown},"b":{unknown},"l":{unknown},"n":[{{"c":null,"r":{unknown}}}]"#);
    check(rules, "[]", &members, &[]);
    check(rules, "[]", r#""a":"yy","l":["x"],"n":[{"c":null,"r":2.5}]"#, &[]);
}

#[test]
fn f140_checks_of_the_whole_run_first_and_count_known_values() {
    let fails = |validate: &str, members: &str| {
        check("{}", &format!("[{validate}]"), &format!(r#"{members},"w":"x""#), &[("F140", ""), ("F141", ".w")]);
    };
    let holds = |validate: &str, members: &str| check("{}", &format!("[{validate}]"), members, &[]);
    let unknown = r#"{"$unknown":true}"#;
    let (conflicts, together) = (r#"{"conflicts":["a","b"]}"#, r#"{"together":["a","b"]}"#);
    let (exactly, at_least) = (r#"{"exactly_one":["a","b"]}"#, r#"{"at_least_one":["a","b"]}"#);
    fails(conflicts, r#""a":"x","b":"y""#);
    holds(conflicts, &format!(r#""a":"x","b":{unknown}"#));
    fails(together, r#""a":"x""#);
    holds(together, &format!(r#""a":"x","b":{unknown}"#));
    fails(exactly, r#""a":"x","b":"y""#);
    fails(exactly, r#""l":[]"#);
    holds(exactly, &format!(r#""b":{unknown}"#));
    fails(at_least, r#""l":[]"#);
    holds(at_least, r#""a":"x","b":"y""#);
    fails(r#"{"error_if":{"is_null":{"root":["config",["a"]]}}}"#, r#""b":"y""#);
}
