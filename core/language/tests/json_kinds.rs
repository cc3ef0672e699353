//! Values of a wrong kind in JSON, as the engine reports them (E08, E11, E12, E14): what each member takes was asked with every kind of value.

use planfuzz_language::Sources;
use planfuzz_language::config::load;

const INCORRECT: &str = "Incorrect JSON value type";
const UNSUITABLE: &str = "Unsuitable value type";
const VERSION: &str = "Invalid version constraint";
const CHARACTER: &str = "Invalid character";
const EXPRESSION: &str = "Invalid expression";
const NO_REFERENCE: &str = "Invalid reference expression";

/// A file and the summaries of its errors.
const FILES: &[(&str, &[&str])] = &[
    (r#"{"terraform": 5}"#, &[INCORRECT; 3]),
    (r#"{"terraform": ["x"]}"#, &[INCORRECT; 4]),
    (r#"{"terraform": {"//": "x"}}"#, &[]),
    (r#"{"terraform": {"required_version": null}}"#, &[]),
    (r#"{"terraform": {"required_version": "x"}}"#, &[VERSION]),
    (r#"{"terraform": {"required_version": true}}"#, &[VERSION]),
    (r#"{"terraform": {"required_version": []}}"#, &[VERSION]),
    (r#"{"terraform": {"required_providers": {"w": 5}}}"#, &[]),
    (r#"{"terraform": {"required_providers": {"w": true}}}"#, &[VERSION]),
    (r#"{"terraform": {"required_providers": {"w": "x"}}}"#, &[VERSION]),
    (r#"{"terraform": {"required_providers": {"w": null}}}"#, &["Invalid required_providers object"]),
    (r#"{"terraform": {"required_providers": {"w": {"version": 5}}}}"#, &[VERSION]),
    (r#"{"terraform": {"required_providers": {"w": {"version": null}}}}"#, &[VERSION]),
    (r#"{"terraform": {"required_providers": {"w": {"source": 5}}}}"#, &["Invalid source"]),
    (r#"{"terraform": {"required_providers": {"w": {"source": null}}}}"#, &["Invalid source"]),
    (r#"{"terraform": {"required_providers": [[]]}}"#, &[INCORRECT]),
    (r#"{"locals": [[]]}"#, &[INCORRECT]),
    (r#"{"variable": {"//": "x"}}"#, &[INCORRECT]),
    (r#"{"resource": {"//": "x"}}"#, &[INCORRECT, "Missing block label"]),
    (r#"{"variable": {"a": {"//": "x"}}}"#, &[]),
    (r#"{"variable": {"a": {"sensitive": null}}}"#, &[UNSUITABLE]),
    (r#"{"variable": {"a": {"description": null}}}"#, &[UNSUITABLE]),
    (r#"{"output": {"a": {"value": 1, "sensitive": null}}}"#, &[UNSUITABLE]),
    (r#"{"module": {"a": {"source": null}}}"#, &[UNSUITABLE]),
    (r#"{"output": {"a": {"value": 1, "depends_on": [null]}}}"#, &[EXPRESSION]),
    (r#"{"output": {"a": {"value": 1, "depends_on": ["null.x"]}}}"#, &[]),
    (r#"{"resource": {"w_thing": {"a": {"provider": true}}}}"#, &["Invalid provider configuration reference"]),
    (r#"{"resource": {"w_thing": {"a": {"lifecycle": {"ignore_changes": [true]}}}}}"#, &[EXPRESSION]),
    (r#"{"resource": {"w_thing": {"a": {"lifecycle": {"prevent_destroy": null}}}}}"#, &[UNSUITABLE]),
    (r#"{"resource": {"w_thing": {"a": {"lifecycle": {"replace_triggered_by": [5]}}}}}"#, &[NO_REFERENCE]),
    (r#"{"resource": {"w_thing": {"a": {"lifecycle": {"replace_triggered_by": [null]}}}}}"#, &[NO_REFERENCE]),
    (r#"{"resource": {"w_thing": {"a": {}}}, "import": [{"to": ["x"], "id": "i"}]}"#, &[NO_REFERENCE]),
    (
        r#"{"resource": {"w_thing": {"a": {}}}, "import": [{"to": "${w_thing.a}", "id": "i"}]}"#,
        &[CHARACTER, EXPRESSION],
    ),
    (
        r#"{"resource": {"w_thing": {"a": {"lifecycle": {"replace_triggered_by": ["$${a.b}"]}}}}}"#,
        &[CHARACTER, CHARACTER, EXPRESSION],
    ),
    (r#"{"moved": [{"from": null, "to": "w_thing.a"}]}"#, &[EXPRESSION]),
    (r#"{"removed": [{"from": true, "lifecycle": {"destroy": false}}]}"#, &[EXPRESSION]),
];

#[test]
fn e12_values_of_a_wrong_kind_are_reported_as_the_engine_does() {
    let wrong: Vec<String> = FILES.iter().filter_map(|(file, wanted)| difference(file, wanted)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is reported of a file, if that is something else.
fn difference(file: &str, wanted: &[&str]) -> Option<String> {
    let mut sources = Sources::new();
    sources.add("main.tf.json", file).expect("a small file");
    let mut found: Vec<String> =
        load(&sources, "").diagnostics.into_iter().map(|one| one.summary.to_string()).collect();
    found.sort();
    (found != wanted).then(|| format!("{file}\n  wanted {wanted:?}\n  found  {found:?}"))
}
