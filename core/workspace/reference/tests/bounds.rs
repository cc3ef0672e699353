//! Hostile workspaces end quickly, with one error that names the place and the limit.

use planfuzz_workspace::run::Recorded;
use planfuzz_workspace::{Answer, Call, Outcome, Planned, Providers, Request, WorkspacePlanner};
use planfuzz_workspace_reference::Reference;

/// A provider that agrees with everything.
struct Agreeing;

impl Providers for Agreeing {
    fn call(&mut self, call: &Call) -> Answer {
        let outcome = match &call.request {
            Request::Plan { proposed, .. } => Outcome::Planned {
                planned: proposed.clone(),
                requires_replace: Vec::new(),
                private: Default::default(),
            },
            _ => Outcome::Done,
        };
        Answer { outcome: Some(outcome), remarks: Vec::new() }
    }
}

fn plan(files: serde_json::Value) -> Planned {
    let attribute = serde_json::json!({ "type": "number", "optional": true });
    let resource = serde_json::json!({ "version": 0, "block": { "attributes": { "size": attribute } } });
    let provider = serde_json::json!({ "version": 0, "block": {} });
    let line = serde_json::json!({
        "id": "hostile", "op": "workspace_run", "dialect": "terraform-1.11", "files": files, "state": null,
        "schemas": { "registry.terraform.io/hashicorp/w": { "provider": provider, "resource_schemas": { "w_thing": resource } } },
        "command": "plan", "options": {}, "exchanges": [], "want": {},
    });
    let recorded = Recorded::read(&line.to_string()).expect("a recorded run");
    Reference.plan(&recorded.workspace, &mut Agreeing)
}

fn errors(planned: &Planned) -> Vec<&str> {
    planned.diagnostics.iter().filter(|one| one.is_error()).map(|one| one.summary.as_str()).collect()
}

/// A chain of blocks, each of which refers to the one before.
fn chain(length: usize) -> serde_json::Value {
    let block = |index: usize| match index {
        0 => serde_json::json!({ "size": 1 }),
        _ => serde_json::json!({ "size": format!("${{w_thing.a{}.size}}", index - 1) }),
    };
    let things: serde_json::Map<_, _> = (0..length).map(|index| (format!("a{index}"), block(index))).collect();
    serde_json::json!({ "main.tf.json": { "resource": { "w_thing": things } } })
}

#[test]
fn e101_a_count_of_a_thousand_million_is_refused_before_it_is_expanded() {
    let planned =
        plan(serde_json::json!({ "main.tf.json": { "resource": { "w_thing": { "a": { "count": 1_000_000_000 } } } } }));
    let wanted = "Workspace too large: w_thing.a has 1000000000 instances, and a workspace may have 20000 in all";
    assert_eq!(errors(&planned), [wanted]);
}

#[test]
fn e100_calls_that_multiply_are_refused_where_they_are_too_many() {
    let call = |source: &str| serde_json::json!({ "module": { "m": { "source": source, "count": 150 } } });
    let planned = plan(serde_json::json!({
        "main.tf.json": call("./m"), "m/main.tf.json": call("./n"),
        "m/n/main.tf.json": { "resource": { "w_thing": { "a": {} } } },
    }));
    assert_eq!(errors(&planned).len(), 1, "{:?}", errors(&planned));
    assert!(errors(&planned)[0].starts_with("Workspace too large: module.m.module.m has 150 instances"));
}

#[test]
fn g140_a_chain_is_planned_as_long_as_its_dependencies_have_room() {
    let planned = plan(chain(300));
    assert_eq!(errors(&planned), [""; 0]);
    assert_eq!(planned.plan.expect("a plan").changes.len(), 300);
}

#[test]
fn g140_a_chain_of_20000_ends_with_one_error() {
    let planned = plan(chain(20_000));
    assert_eq!(errors(&planned).len(), 1, "{:?}", errors(&planned));
    assert!(errors(&planned)[0].starts_with("Workspace too large: w_thing.a"), "{:?}", errors(&planned));
}
