//! Diagnostics of references before anything is evaluated, in small configurations.

use planfuzz_core::json::Json;
use planfuzz_language::Sources;
use planfuzz_language::check::{Schemas, validate};
use planfuzz_language::config::load;

/// A provider with one type, which has an argument `name` and blocks `rule`.
fn schemas() -> Schemas {
    let text = r#"{"provider_schemas": {"registry.terraform.io/hashicorp/w": {"resource_schemas": {"w_thing": {
        "version": 0, "block": {"attributes": {"name": {"type": "string", "optional": true}}, "block_types": {"rule": {
            "nesting_mode": "list", "block": {"attributes": {"to": {"type": "string", "optional": true}}}}}}}}}}}"#;
    Schemas::from_json(&Json::parse(text).expect("JSON")).expect("schemas")
}

/// The summaries of the diagnostics, in order.
fn summaries(text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    sources.add("main.tf", text).expect("a small file");
    let loaded = load(&sources, "");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let found = validate(&loaded.configuration, &sources, &schemas());
    found.into_iter().map(|one| one.summary).collect()
}

#[test]
fn e31_references_of_a_content_are_reported_for_each_element() {
    let with = |elements: &str| {
        let content = "    content {\n      to = local.nope\n    }\n";
        let dynamic = format!("  dynamic \"rule\" {{\n    for_each = {elements}\n{content}  }}\n");
        summaries(&format!("resource \"w_thing\" \"a\" {{\n{dynamic}}}\n"))
    };
    let undeclared = "Reference to undeclared local value";
    assert_eq!(with("[]"), [""; 0]);
    assert_eq!(with("[1, 2]"), [undeclared, undeclared]);
    // The number of elements is not known without values: a diagnostic may be reported once too often, never too seldom.
    assert_eq!(with("toset([])"), [undeclared]);
    assert_eq!(with("null"), ["Invalid dynamic for_each value"]);
}

#[test]
fn e68_an_element_outside_of_a_repetition_has_summaries_of_its_own() {
    assert_eq!(summaries("output \"o\" {\n  value = each.value\n}\n"), ["each.value cannot be used in this context"]);
    let key = summaries("output \"o\" {\n  value = each.key\n}\n");
    assert_eq!(key, ["Reference to \"each\" in context without for_each"]);
}

#[test]
fn e68_in_an_argument_of_a_call_that_does_not_repeat_is_no_fault_of_the_validation() {
    let mut sources = Sources::new();
    let call = "module \"m\" {\n  source = \"./m\"\n  a      = count.index\n}\n";
    for (path, text) in [("main.tf", call), ("m/main.tf", "variable \"a\" {}\n")] {
        sources.add(path, text).expect("a small file");
    }
    let loaded = load(&sources, "");
    assert!(validate(&loaded.configuration, &sources, &schemas()).is_empty());
}

#[test]
fn e68a_values_are_not_looked_up_beside_objects_that_are_not_there() {
    let resource = "Reference to undeclared resource";
    assert_eq!(summaries("output \"o\" {\n  value = \"${local.nope}${w_thing.nope.id}\"\n}\n"), [resource]);
    // An invalid reference is reported first, and stops nothing.
    let stray = summaries("output \"o\" {\n  value = [w_thing, local.nope]\n}\n");
    assert_eq!(stray, ["Invalid reference", "Reference to undeclared local value"]);
}

#[test]
fn e68a_a_body_is_checked_against_its_schema_if_its_references_have_no_diagnostics() {
    assert_eq!(summaries("resource \"w_thing\" \"a\" {\n  nope = 1\n}\n"), ["Unsupported argument"]);
    let both = summaries("resource \"w_thing\" \"a\" {\n  nope = 1\n  name = local.nope\n}\n");
    assert_eq!(both, ["Reference to undeclared local value"]);
    // References in an unexpected argument are ignored.
    assert_eq!(summaries("resource \"w_thing\" \"a\" {\n  nope = local.nope\n}\n"), ["Unsupported argument"]);
}

#[test]
fn e27_steps_beyond_a_whole_object_are_reported_declared_or_not() {
    let found = summaries("output \"o\" {\n  value = 1\n  depends_on = [w_thing.nope.id]\n}\n");
    assert_eq!(found, ["Invalid depends_on reference"]);
}

#[test]
fn e151a_after_a_precondition_with_an_error_an_output_is_not_looked_at() {
    let text = "output \"o\" {\n  value = local.nope\n  precondition {\n    condition = w_thing.nope.id == 1\n    error_message = \"a\"\n  }\n}\n";
    assert_eq!(summaries(text), ["Reference to undeclared resource", "Unknown variable"]);
}
