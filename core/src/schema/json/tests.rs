use crate::json::{Json, JsonProblem};
use crate::schema::{Attribute, Nesting, ProviderSchemas, Schema, Shape};
use crate::value::Type;
use crate::value::json::too_deep;

const EVERYTHING: &str = r#"{"version":3,"block":{"attributes":{"a":{"type":["list","string"],"required":true,"sensitive":true},"n":{"nested_type":{"attributes":{"x":{"type":["object",{"q":"bool"},["q"]],"optional":true,"computed":true,"write_only":true}},"nesting_mode":"group"},"deprecated":true,"deprecation_message":"use a","optional":true}},"block_types":{"b":{"nesting_mode":"list","block":{"computed":true},"min_items":-1,"max_items":4}},"deprecated":true}}"#;

#[track_caller]
fn check_refused(attribute: &str, message: &str) {
    let text = format!(r#"{{"block":{{"attributes":{{"a":{attribute}}}}}}}"#);
    assert_eq!(Schema::parse(&text).expect_err(attribute).to_string(), message);
}

#[test]
fn s06_schemas_are_written_as_they_were_read() {
    let schema = Schema::parse(EVERYTHING).unwrap();
    assert_eq!(schema.to_json().to_compact(), EVERYTHING);
    let nested = schema.block.attributes.get("n").unwrap().nested_type().unwrap();
    assert_eq!(nested.nesting, Nesting::Group);
    let block = schema.block.block_types.get("b").unwrap();
    assert_eq!((block.min_items, block.max_items, block.block.computed), (-1, 4, true));
}

#[test]
fn s06_absent_members_are_false_empty_or_zero() {
    let schema = Schema::parse(r#"{"block":{"attributes":{"a":{"type":"bool","required":false}}}}"#).unwrap();
    assert_eq!(schema.version, 0);
    assert_eq!(schema.block.attributes.get("a"), Some(&Attribute::new(Shape::Leaf(Type::Bool))));
    assert_eq!(schema.to_json().to_compact(), r#"{"version":0,"block":{"attributes":{"a":{"type":"bool"}}}}"#);
    assert_eq!(Schema::parse(r#"{"block":{}}"#).unwrap(), Schema::default());
}

#[test]
fn s06_unknown_members_are_ignored() {
    let text =
        r#"{"x":1,"block":{"description_kind":"plain","attributes":{"a":{"type":"bool","description":null,"z":{}}}}}"#;
    assert_eq!(Schema::parse(text).unwrap().block.attributes.len(), 1);
}

#[test]
fn s12_an_attribute_has_one_shape() {
    check_refused(
        r#"{"required":true}"#,
        ".block.attributes.a: expected an attribute with either \"type\" or \"nested_type\", found neither (S12)",
    );
    check_refused(
        r#"{"type":"bool","nested_type":{"nesting_mode":"list","attributes":{}}}"#,
        ".block.attributes.a: expected an attribute with either \"type\" or \"nested_type\", found both (S12)",
    );
}

#[test]
fn s13_s24_a_nesting_mode_has_a_name() {
    check_refused(
        r#"{"nested_type":{"nesting_mode":"bag"}}"#,
        ".block.attributes.a.nested_type.nesting_mode: expected single, group, list, set or map, found the string \
         \"bag\" (S13)",
    );
    let error = Schema::parse(r#"{"block":{"block_types":{"b":{"nesting_mode":"","block":{}}}}}"#).unwrap_err();
    assert!(matches!(error.problem(), JsonProblem::Schema { rule: "S24", .. }));
    assert_eq!(error.path(), ".block.block_types.b.nesting_mode");
}

#[test]
fn malformed_parts_are_refused_with_their_path() {
    check_refused(
        r#"{"type":"bool","optional":"true"}"#,
        ".block.attributes.a.optional: expected a bool, found the string \"true\"",
    );
    check_refused(r#"{"type":"text"}"#, ".block.attributes.a.type: expected a type (V05), found the string \"text\"");
    check_refused("[]", ".block.attributes.a: expected an object (an attribute), found an array of 0 items");
    for text in [
        "null",
        "{}",
        r#"{"block":null}"#,
        r#"{"version":-1,"block":{}}"#,
        r#"{"version":"1","block":{}}"#,
        r#"{"block":{"attributes":[]}}"#,
        r#"{"block":{"block_types":{"b":{"block":{}}}}}"#,
        r#"{"block":{"block_types":{"b":{"nesting_mode":"list"}}}}"#,
        r#"{"block":{"block_types":{"b":{"nesting_mode":"list","block":{},"min_items":1.5}}}}"#,
        r#"{"block":{"computed":1}}"#,
        "{\"block\":{\"attributes\":{\"é\":{\"type\":\"bool\"},\"e\\u0301\":{\"type\":\"bool\"}}}}",
    ] {
        assert!(Schema::parse(text).is_err(), "{text}");
    }
}

#[test]
fn values_of_a_schema_are_never_too_deep() {
    let leaf = |levels: usize| {
        let ty = "[\"list\",".repeat(levels - 1) + "\"bool\"" + &"]".repeat(levels - 1);
        Schema::parse(&format!(r#"{{"block":{{"attributes":{{"a":{{"type":{ty}}}}}}}}}"#))
    };
    let deepest = leaf(crate::value::MAX_DEPTH - 1).unwrap();
    assert_eq!(deepest.block.attributes.get("a").unwrap().leaf_type().unwrap().depth(), crate::value::MAX_DEPTH - 1);
    assert_eq!(leaf(crate::value::MAX_DEPTH).unwrap_err().problem(), &too_deep());

    let mut blocks = Json::object([]);
    for _ in 0..crate::value::MAX_DEPTH {
        let nested = Json::object([("nesting_mode", Json::string("single")), ("block", blocks)]);
        blocks = Json::object([("block_types", Json::object([("b", nested)]))]);
    }
    let error = Schema::from_json(&Json::object([("block", blocks)])).unwrap_err();
    assert_eq!(error.problem(), &too_deep());
}

#[test]
fn whole_files_are_read_in_their_order() {
    let text = format!(
        r#"{{"format_version":"0.1","provider_schemas":{{"aws":{{"provider":{{"version":0}},"resource_schemas":{{"b":{EVERYTHING},"a":{EVERYTHING}}}}},"x/y/z":{{"data_source_schemas":{{"d":{EVERYTHING}}},"functions":{{}}}}}}}}"#
    );
    let schemas = ProviderSchemas::from_json(&Json::parse(&text).unwrap()).unwrap();
    let names: Vec<_> = schemas.resources.iter().map(|entry| (&*entry.provider, &*entry.name)).collect();
    assert_eq!(names, [("aws", "b"), ("aws", "a")]);
    assert_eq!((&*schemas.data_sources[0].provider, &*schemas.data_sources[0].name), ("x/y/z", "d"));
    let empty = Json::parse(r#"{"format_version":"1.0"}"#).unwrap();
    assert!(ProviderSchemas::from_json(&empty).unwrap().resources.is_empty());
}

#[test]
fn files_of_another_format_are_refused() {
    for text in [r#"{"format_version":"2.0"}"#, r#"{"format_version":"1"}"#, r#"{"provider_schemas":{}}"#, "[]"] {
        assert!(ProviderSchemas::from_json(&Json::parse(text).unwrap()).is_err(), "{text}");
    }
    let text = r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"r":{"block":{"attributes":{"a":{}}}}}}}}"#;
    let error = ProviderSchemas::from_json(&Json::parse(text).unwrap()).unwrap_err();
    assert_eq!(error.path(), ".provider_schemas.p.resource_schemas.r.block.attributes.a");
}
