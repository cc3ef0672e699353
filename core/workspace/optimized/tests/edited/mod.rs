//! Cases of one edit between two steps, for things that the generator's edits seldom touch: variables, expansions, conditions, static checks.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace_cases::case::{Command, Step};
use planfuzz_workspace_cases::{Case, pairs};

/// A case of files; each step gives a variable or rewrites a file.
fn case(files: &[(&str, &str)], steps: Vec<Step>) -> Case {
    let json = |text: &str| Json::parse(text).expect("a document");
    let files: BTreeMap<String, Json> = files.iter().map(|(path, text)| ((*path).to_owned(), json(text))).collect();
    Case { files, state: None, steps, ..pairs::pair(0, Dialect::TERRAFORM_1_11) }
}

fn given(name: &str, value: &str) -> Step {
    let mut step = Step::of(Command::Apply);
    step.options.variables = vec![(name.to_owned(), value.to_owned())];
    step
}

fn written(path: &str, text: &str) -> Step {
    let mut step = Step::of(Command::Apply);
    step.edits.insert(path.to_owned(), Some(Json::parse(text).expect("a document")));
    step
}

/// The cases.
pub fn cases() -> Vec<Case> {
    let variable = r#"{"variable": {"v": {"type": "string"}},
        "resource": {"w_thing": {"t": {"name": "t", "note": "${var.v}"}}}}"#;
    let counted_module = r#"{"variable": {"v": {"type": "number"}},
        "module": {"m": {"source": "./m", "count": "${var.v}", "at": "x"}}}"#;
    let module = r#"{"variable": {"at": {"type": "string"}},
        "resource": {"w_thing": {"t": {"name": "t-${var.at}"}}}}"#;
    let conditions = r#"{"variable": {"v": {"type": "number"}}, "resource": {"w_thing": {"t": {
        "count": "${var.v}", "name": "t-${count.index}",
        "lifecycle": {"postcondition": {"condition": "${self.name != \"\"}", "error_message": "no"}}}}}}"#;
    let leaf = |of: &str| format!(r#"{{"resource": {{"w_thing": {{"t": {{"name": "t", "depends_on": ["{of}"]}}}}}}}}"#);
    let locals = |value: &str| format!(r#"{{"locals": {{"l": "{value}"}}}}"#);
    let chain = r#"{"resource": {"w_thing": {"a": {"name": "a", "note": "${local.l}"},
        "b": {"name": "b", "note": "${w_thing.a.note}"}}}, "output": {"o": {"value": "${w_thing.b.note}"}}}"#;
    let waited_for = r#"{"variable": {"v": {"type": "string"}}, "resource": {"w_thing": {"a": {"name": "a", "note": "${var.v}"}}},
        "module": {"m": {"source": "./m", "depends_on": ["w_thing.a"]}}}"#;
    let data = r#"{"data": {"w_info": {"d": {"name": "d"}}}}"#;
    let moved = r#"{"variable": {"v": {"type": "number"}}, "moved": [{"from": "w_thing.c[1]", "to": "w_thing.d"}],
        "resource": {"w_thing": {"c": {"count": "${var.v}", "name": "c-${count.index}"}, "d": {"name": "d"}}}}"#;
    vec![
        case(&[("main.tf.json", moved)], vec![given("v", "1"), given("v", "1"), given("v", "2")]),
        case(
            &[("main.tf.json", waited_for), ("m/main.tf.json", data)],
            vec![given("v", "one"), given("v", "two"), given("v", "two")],
        ),
        case(&[("main.tf.json", variable)], vec![given("v", "one"), given("v", "two")]),
        case(
            &[("main.tf.json", counted_module), ("m/main.tf.json", module)],
            vec![given("v", "1"), given("v", "2"), given("v", "2")],
        ),
        case(&[("main.tf.json", conditions)], vec![given("v", "2"), given("v", "1")]),
        case(
            &[("main.tf.json", r#"{"resource": {"w_thing": {"a": {"name": "a"}}}}"#)],
            vec![written("leaf.tf.json", &leaf("w_thing.a")), written("leaf.tf.json", &leaf("w_thing.a.id"))],
        ),
        case(
            &[("main.tf.json", chain)],
            vec![written("locals.tf.json", &locals("one")), written("locals.tf.json", &locals("two"))],
        ),
    ]
}
