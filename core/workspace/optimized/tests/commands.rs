//! The commands `refresh` and `import`, by their rules: the calls that they make, and the states that they write.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_workspace::{Import, Request};
use planfuzz_workspace_cases::case::{Command, Step};
use planfuzz_workspace_cases::play::{PlayedStep, play};
use planfuzz_workspace_cases::{Case, pairs};
use planfuzz_workspace_optimized::Optimized;

/// Plays commands, one after the other.
fn played(main: &str, commands: Vec<Command>) -> Vec<PlayedStep> {
    let main = Json::parse(main).expect("a document");
    let steps = commands.into_iter().map(Step::of).collect();
    let base = pairs::pair(0, Dialect::TERRAFORM_1_11);
    let case = Case { files: BTreeMap::from([("main.tf.json".to_owned(), main)]), state: None, steps, ..base };
    play(&case, &Optimized).expect("a case that can be played").steps
}

fn import(to: &str, id: &str) -> Command {
    Command::Import(Import { to: to.to_owned(), id: id.to_owned() })
}

/// The calls about an instance, by their words.
fn calls<'s>(step: &'s PlayedStep, visit: &str) -> Vec<&'s str> {
    let word = |request: &Request| match request {
        Request::Upgrade { .. } => "upgrade",
        Request::Read { .. } => "read",
        Request::Import { .. } => "import",
        Request::Validate { .. } => "validate",
        Request::Plan { .. } => "plan",
        _ => "other",
    };
    let made = step.planned.trace.calls.iter().filter(|made| made.visit == visit);
    made.map(|made| word(&made.call.request)).collect()
}

fn summaries(step: &PlayedStep) -> Vec<&str> {
    step.planned.diagnostics.iter().map(|one| one.summary.as_str()).collect()
}

const TWO: &str = r#"{"resource": {"w_thing": {"a": {"name": "a"}, "b": {"name": "b", "count": 2}}},
    "output": {"all": {"value": "${w_thing.b[*].name}"}}}"#;
const ONE: &str = r#"{"resource": {"w_thing": {"a": {"name": "a"}}}}"#;

#[test]
fn g15_stored_objects_are_upgraded_and_not_read_and_one_address_is_imported() {
    let steps = played(ONE, vec![import("w_thing.a", "id-a"), import("w_thing.a", "id-a")]);
    assert_eq!(summaries(&steps[0]), [""; 0]);
    assert_eq!(calls(&steps[0], "w_thing.a"), ["import", "read"]);
    assert_eq!(steps[0].written.as_ref().map(|state| state.resources.len()), Some(1));
    // U116: it is found only when the provider has answered.
    assert_eq!(summaries(&steps[1]), ["Resource already managed by Terraform"]);
    assert_eq!(calls(&steps[1], "w_thing.a"), ["import"]);
    assert!(steps[1].written.is_none());
}

#[test]
fn g15_a_repeated_block_is_unknown_until_an_instance_of_it_is_stored() {
    let steps = played(TWO, vec![import("w_thing.a", "id-a"), import("w_thing.b[1]", "id-b")]);
    let output = |step: &PlayedStep| {
        let outputs = step.written.as_ref().map(|state| state.outputs.clone()).expect("a state");
        outputs["all"].value.clone()
    };
    assert!(output(&steps[0]).is_null());
    assert_eq!(calls(&steps[1], "w_thing.a"), ["upgrade"]);
    assert_eq!(output(&steps[1]).node().parts().len(), 2);
}

#[test]
fn g15_an_address_without_a_block_ends_before_any_call_and_one_that_is_not_declared_at_its_block() {
    let steps =
        played(TWO, vec![import("w_thing.c", "id"), import("module.m.w_thing.a", "id"), import("w_thing.b", "id")]);
    assert_eq!(summaries(&steps[0]), [r#"resource address "w_thing.c" does not exist in the configuration."#]);
    assert_eq!(summaries(&steps[1]), ["Import to non-existent module"]);
    assert_eq!(summaries(&steps[2]), ["Configuration for import target does not exist"]);
    assert!(steps[..2].iter().all(|step| step.planned.trace.calls.is_empty()));
    assert_eq!(calls(&steps[2], "w_thing.b"), [""; 0]);
}

#[test]
fn u114_a_refresh_plans_and_drops_its_plan() {
    let steps = played(ONE, vec![Command::Refresh, Command::Apply, Command::Refresh]);
    assert_eq!(summaries(&steps[0]), ["Empty or non-existent state"]);
    assert_eq!(summaries(&steps[2]), [""; 0]);
    assert_eq!(calls(&steps[2], "w_thing.a"), ["validate", "upgrade", "read", "validate", "plan"]);
    assert!(steps[2].written.as_ref().is_some_and(|state| state.checks.is_none()));
}
