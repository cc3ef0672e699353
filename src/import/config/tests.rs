//! Configurations become the values that an engine decodes of them.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::IgnoreChanges;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

use super::*;

const DIALECT: Dialect = Dialect::TERRAFORM_1_11;

fn schema() -> Schema {
    Schema::parse(
        r#"{"block":{"attributes":{
            "s":{"type":"string","optional":true},
            "n":{"type":"number","optional":true},
            "b":{"type":"bool","optional":true},
            "id":{"type":"string","computed":true},
            "oc":{"type":"string","optional":true,"computed":true},
            "tags":{"type":["map","string"],"optional":true},
            "rules":{"type":["list",["object",{"port":"number","note":"string"}]],"optional":true,"computed":true},
            "d":{"type":"dynamic","optional":true},
            "nest":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
                "k":{"type":"string","required":true},"v":{"type":"string","computed":true}}}}},
          "block_types":{
            "one":{"nesting_mode":"single","block":{"attributes":{"x":{"type":"string","optional":true}}}},
            "grp":{"nesting_mode":"group","block":{"attributes":{"x":{"type":"string","optional":true}}}},
            "lst":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","optional":true},"c":{"type":"string","computed":true}}}},
            "set":{"nesting_mode":"set","block":{"attributes":{"x":{"type":"string","optional":true}}}},
            "map":{"nesting_mode":"map","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}"#,
    )
    .expect("a schema")
}

fn of(text: &str) -> Value {
    let json = Json::parse(text).expect("JSON");
    Value::from_json(&json, &schema().implied_type(DIALECT)).expect("a value")
}

/// An object with these members, and the value of an empty body for all others.
fn object(members: &str) -> Value {
    let given = Json::parse(&format!("{{{members}}}")).expect("members");
    let names = ["s", "n", "b", "id", "oc", "tags", "rules", "d", "nest", "one"].map(|name| (name, Json::Null));
    let empty = [
        ("grp", Json::object([("x", Json::Null)])),
        ("lst", Json::Array(vec![])),
        ("set", Json::Array(vec![])),
        ("map", Json::object([])),
    ];
    let all = names.into_iter().chain(empty);
    let all = all.map(|(name, default)| (name, given.member(name).cloned().unwrap_or(default)));
    of(&Json::object(all).to_compact())
}

fn native(text: &str) -> Body {
    let resources = native_resources(format!("resource \"t\" \"a\" {{\n{text}\n}}\n").as_bytes());
    resources.expect("configuration").remove(0).body
}

#[track_caller]
fn assert_native(text: &str, want: &str) {
    let decoded = decode(&native(text), &schema(), None, DIALECT).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    assert_eq!(decoded.value, object(want), "{text}");
    assert_eq!(decoded.filled, 0);
}

#[test]
fn literals_of_the_native_syntax_have_their_written_values() {
    assert_native(r#"s = "a\"\n\t\\ü$${x} %%{y}""#, r#""s":"a\"\n\t\\ü${x} %{y}""#);
    assert_native("s = \"\\u00e9\"", r#""s":"é""#);
    assert_native("n = -1.50", r#""n":-1.5"#);
    assert_native("n = 123456789012345678901234567890", r#""n":123456789012345678901234567890"#);
    assert_native("n = \"12\"", r#""n":12"#);
    assert_native("s = 12", r#""s":"12""#);
    assert_native("b = true", r#""b":true"#);
    assert_native("s = null", r#""s":null"#);
    assert_native("s = (\"a\")", r#""s":"a""#);
    assert_native("tags = { a = \"1\", \"b c\" = 2, 3 = true }", r#""tags":{"a":"1","b c":"2","3":"true"}"#);
    assert_native(
        "d = [1, \"a\", {}]",
        r#""d":{"type":["tuple",["number","string",["object",{}]]],"value":[1,"a",{}]}"#,
    );
    assert_native("nest = [{ k = \"a\" }]", r#""nest":[{"k":"a","v":null}]"#);
}

#[test]
fn heredocs_keep_their_last_newline_and_lose_indentation_where_they_ask() {
    assert_native("s = <<EOT\na\n  b\nEOT", r#""s":"a\n  b\n""#);
    assert_native("s = <<-EOT\n    a\n      b\n  EOT", r#""s":"a\n  b\n""#);
    assert_native("s = <<EOT\n$${x} \"q\" \\n\nEOT", r#""s":"${x} \"q\" \\n\n""#);
}

#[test]
fn blocks_are_decoded_by_their_mode() {
    assert_native("one {\n x = \"a\"\n}", r#""one":{"x":"a"}"#);
    assert_native("grp {\n x = \"a\"\n}", r#""grp":{"x":"a"}"#);
    assert_native("lst {\n x = \"a\"\n}\nlst {}", r#""lst":[{"x":"a","c":null},{"x":null,"c":null}]"#);
    assert_native("set {\n x = \"a\"\n}\nset {\n x = \"a\"\n}", r#""set":[{"x":"a"}]"#);
    assert_native("map \"k\" {\n x = \"a\"\n}", r#""map":{"k":{"x":"a"}}"#);
}

#[test]
fn an_attribute_of_objects_may_be_written_as_blocks() {
    assert_native("rules {\n port = 80\n}", r#""rules":[{"port":80,"note":null}]"#);
}

#[test]
fn expressions_that_have_to_be_evaluated_are_not_literal() {
    let cases = [
        ("s = var.x", NotLiteral::Reference),
        ("s = local.x.y[0]", NotLiteral::Reference),
        ("s = upper(\"a\")", NotLiteral::Function),
        ("s = \"a-${var.x}\"", NotLiteral::Template),
        ("s = <<EOT\n%{ if true }a%{ endif }\nEOT", NotLiteral::Template),
        ("n = 1 + 1", NotLiteral::Expression),
        ("s = true ? \"a\" : \"b\"", NotLiteral::Expression),
        ("tags = { (var.k) = \"a\" }", NotLiteral::Reference),
        ("tags = { for k in [] : k => k }", NotLiteral::Expression),
    ];
    for (text, why) in cases {
        match decode(&native(text), &schema(), None, DIALECT) {
            Err(Unfit::Open { why: found, .. }) => assert_eq!(found, why, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn open_places_are_filled_from_the_plan() {
    let planned = object(
        r#""s":"from var","n":5,"id":{"$unknown":true},"oc":{"$unknown":true},"tags":{"$unknown":true},
           "lst":[{"x":"a","c":{"$unknown":true}},{"x":"ref","c":"known"}],"set":[{"x":"e"},{"x":"f"}]"#,
    );
    let text = "s = var.s\nn = 5\noc = var.o\ntags = var.t\nlst {\n x = \"a\"\n}\nlst {\n x = var.x\n}\n\
                dynamic \"set\" {\n for_each = []\n content {}\n}";
    let decoded = decode(&native(text), &schema(), Some(planned.view()), DIALECT).expect("everything is planned");
    let want = object(
        r#""s":"from var","n":5,"oc":{"$unknown":true},"tags":{"$unknown":true},
           "lst":[{"x":"a","c":null},{"x":"ref","c":null}],"set":[{"x":"e"},{"x":"f"}]"#,
    );
    assert_eq!(decoded.value, want);
    assert_eq!(decoded.filled, 5);
}

#[test]
fn members_that_the_schema_does_not_have_are_refused() {
    for text in ["nope = 1", "nope {}", "n = \"x\"", "one {}\none {}", "dynamic \"nope\" {}"] {
        assert!(decode(&native(text), &schema(), None, DIALECT).is_err(), "{text}");
    }
}

#[test]
fn meta_arguments_are_no_part_of_the_body() {
    let text = "count = 2\nprovider = a.b\ndepends_on = [a.b]\ns = \"x\"\nprovisioner \"local-exec\" {}\n\
                lifecycle {\n create_before_destroy = true\n ignore_changes = [tags[\"a\"], lst[0].x, n]\n}";
    assert_native(text, r#""s":"x""#);
    let resources = native_resources(format!("data \"t\" \"a\" {{\n{text}\n}}\n").as_bytes()).expect("configuration");
    assert!(resources[0].is_data && resources[0].lifecycle.create_before_destroy);
    let IgnoreChanges::Some(paths) = &resources[0].lifecycle.ignore_changes else { panic!("some paths") };
    assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), [".tags[\"a\"]", ".lst[0].x", ".n"]);
}

#[test]
fn the_json_syntax_gives_the_same_values() {
    let file = Json::parse(
        r#"{"resource":[{"t":{"a":{"//":"note","s":"$${x}","n":1,"one":{"x":"a"},"lst":[{"x":"a"},{}],
            "map":{"k":{"x":"a"},"l":[{"x":"b"}]},"tags":{"a":1},"lifecycle":{"create_before_destroy":true}}}}]}"#,
    )
    .expect("JSON");
    let json = json_resource(&file, false, "t", "a").expect("the resource");
    let (body, lifecycle) = json_body(json, &schema().block);
    assert!(lifecycle.create_before_destroy);
    let decoded = decode(&body, &schema(), None, DIALECT).expect("all literal");
    let want = r#""s":"${x}","n":1,"one":{"x":"a"},"lst":[{"x":"a","c":null},{"x":null,"c":null}],
        "map":{"k":{"x":"a"},"l":{"x":"b"}},"tags":{"a":"1"}"#;
    assert_eq!(decoded.value, object(want));
    assert!(json_resource(&file, false, "t", "b").is_none());
    let open = Json::parse(r#"{"s":"a-${var.x}"}"#).expect("JSON");
    assert!(decode(&json_body(&open, &schema().block).0, &schema(), None, DIALECT).is_err());
}

#[test]
fn the_tree_of_a_plan_gives_the_same_values() {
    let tree = Json::parse(
        r#"{"s":{"constant_value":"a"},"n":{"references":["var.n"]},"b":{"constant_value":null},
            "one":{"x":{"constant_value":"a"}},"lst":[{"x":{"constant_value":"a"}}],"map":{"k":{"x":{}}},
            "rules":[{"port":{"constant_value":80}}]}"#,
    )
    .expect("JSON");
    let planned = object(r#""n":7,"map":{"k":{"x":"f"}},"lst":[{"x":"a","c":null}]"#);
    let body = tree_body(&tree, &schema().block);
    let decoded = decode(&body, &schema(), Some(planned.view()), DIALECT).expect("everything is planned");
    let want = r#""s":"a","n":7,"one":{"x":"a"},"lst":[{"x":"a","c":null}],"map":{"k":{"x":"f"}},
        "rules":[{"port":80,"note":null}]"#;
    assert_eq!(decoded.value, object(want));
    assert_eq!(decoded.filled, 2);
}

#[test]
fn hostile_configuration_is_refused() {
    assert_eq!(native_resources(&[0xff]).err(), Some(NativeError::Text));
    assert!(matches!(native_resources(b"a = \"x").err(), Some(NativeError::Syntax { line: 1, .. })));
    for deep in ["[", "(", "!", "{a=", "\"${", "-"] {
        let text = format!("a = {}", deep.repeat(20_000));
        assert!(native_resources(text.as_bytes()).is_err(), "{deep}");
    }
    let blocks = "b {\n".repeat(20_000);
    assert!(native_resources(blocks.as_bytes()).is_err());
}

#[test]
fn no_nesting_makes_reading_slow() {
    let shapes = [
        ("[", "1", "]"),
        ("{ a = ", "1", " }"),
        ("{ (", "1", ") = 1 }"),
        ("(", "1", ")"),
        ("-", "1", ""),
        ("f(", "1", ")"),
        ("\"${", "1", "}\""),
        ("[for a in ", "b", " : a]"),
        ("true ? ", "1", " : 2"),
        ("a[", "1", "]"),
        ("{ \"${", "a", "}\" = 1 }"),
    ];
    let start = std::time::Instant::now();
    for (open, inner, close) in shapes {
        for depth in [20, 30, 60] {
            let text = format!("a = {}{inner}{}\n", open.repeat(depth), close.repeat(depth));
            // The result does not matter, only that it takes no time.
            native_resources(text.as_bytes()).ok();
            assert!(start.elapsed().as_secs() < 20, "{open} {depth} levels deep");
        }
    }
}
