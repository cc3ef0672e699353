//! Differences that follow from an engine's schedule and so are no fault of the planner: tolerated by name, and counted.

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;

use super::compare::{Difference, Kind};
use super::read::Recorded;
use crate::plan::Plan;
use crate::planner::{Applied, Planned};

/// A difference that is tolerated.
#[derive(Clone, Debug)]
pub struct Tolerated {
    /// The name of the reason.
    pub name: &'static str,
    /// The difference.
    pub difference: Difference,
}

/// U69: after a failure a resource without instances is stored only if its block was visited after the last of its instances was destroyed,
/// which depends on the schedule.
const HUSK: &str = "a resource without instances, stored or not by schedule (U69)";

/// L183, U45: to its own conditions, an instance that its apply did not make is an unknown gap if an instance with a higher index is already
/// made, and an invalid index otherwise.
const INDEX: &str =
    "an instance that is not made, an invalid index or a gap by schedule (U45), and what checks say of it";

/// Removes the tolerated differences and returns them.
pub(super) fn tolerated(
    recorded: &Recorded,
    planned: &Planned,
    applied: Option<&Applied>,
    differences: &mut Vec<Difference>,
) -> Vec<Tolerated> {
    let has_failed = applied.is_some_and(|applied| applied.exit() != 0);
    let Some(plan) = planned.plan.as_ref().filter(|_| has_failed) else { return Vec::new() };
    if recorded.workspace.dialect.engine() != Engine::Terraform {
        return Vec::new();
    }
    let is_destroyed = |resource: &str| {
        plan.changes.iter().any(|change| {
            let destroys = matches!(change.action(), Action::Delete | Action::DeleteThenCreate | Action::Forget);
            destroys && change.addr.abs_resource().to_string() == resource
        })
    };
    let state = recorded.want.member("state").unwrap_or(&Json::Null);
    let unmade = made_together(plan).into_iter().filter(|addr| !is_stored(state, &addr.to_string()));
    let unmade = unmade.map(|addr| addr.config_resource().to_string());
    let checked: Vec<String> = unmade.filter(|resource| has_check(state, resource)).collect();
    let is_by_index = !checked.is_empty() && differences.iter().any(is_index);
    let name = |one: &Difference| match husk(one) {
        Some(resource) if is_destroyed(&resource) => Some(HUSK),
        None if is_by_index && (is_index(one) || is_check_result_of(one, state, &checked)) => Some(INDEX),
        _ => None,
    };
    let (mut kept, mut taken) = (Vec::new(), Vec::new());
    for difference in differences.drain(..) {
        match name(&difference) {
            Some(name) => taken.push(Tolerated { name, difference }),
            None => kept.push(difference),
        }
    }
    *differences = kept;
    taken
}

/// Whether the difference is the error of a condition that refers to an instance that its apply did not make. It has no address.
fn is_index(difference: &Difference) -> bool {
    let is_of_index =
        difference.text.starts_with("apply: the engine ") && difference.text.ends_with(": error Invalid index");
    difference.kind == Kind::Diagnostics && is_of_index
}

/// Whether a state has results of a resource's checks.
fn has_check(state: &Json, resource: &str) -> bool {
    state.items_of("check_results").iter().any(|checked| config_addr(checked) == Some(resource))
}

fn config_addr(checked: &Json) -> Option<&str> {
    checked.member("config_addr").and_then(|addr| addr.expect_string().ok())
}

/// Whether the difference is what the checks of one of these resources say.
fn is_check_result_of(difference: &Difference, state: &Json, resources: &[String]) -> bool {
    let number = difference.text.strip_prefix("state.check_results[").and_then(|rest| rest.split_once(']'));
    let (Some((number, _)), Kind::State) = (number, difference.kind) else { return false };
    let checked = number.parse::<usize>().ok().and_then(|number| state.items_of("check_results").get(number));
    checked.and_then(config_addr).is_some_and(|addr| resources.iter().any(|resource| resource == addr))
}

/// The numbered instances that are made beside others of their resource.
fn made_together(plan: &Plan) -> Vec<&AbsResourceInstance> {
    let is_made =
        |action: Action| matches!(action, Action::Create | Action::DeleteThenCreate | Action::CreateThenDelete);
    let made = plan.changes.iter().filter(|change| is_made(change.action()));
    let mut made: Vec<(AbsResource, &AbsResourceInstance)> = made
        .filter(|change| matches!(change.addr.key, InstanceKey::Int(_)))
        .map(|change| (change.addr.abs_resource(), &change.addr))
        .collect();
    made.sort();
    let together = made.chunk_by(|(one, _), (other, _)| one == other).filter(|of_one| of_one.len() > 1);
    together.flatten().map(|(_, addr)| *addr).collect()
}

/// Whether a state has a current object of a numbered instance.
fn is_stored(state: &Json, addr: &str) -> bool {
    state.items_of("resources").iter().any(|resource| {
        let name = resource_name(resource);
        resource.items_of("instances").iter().any(|object| {
            let key = object.member("index_key").map_or(String::new(), Json::to_compact);
            object.member("deposed").is_none() && format!("{name}[{key}]") == addr
        })
    })
}

/// The address of a resource of a state file.
fn resource_name(resource: &Json) -> String {
    let text = |name: &str| resource.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default();
    let module = if text("module").is_empty() { String::new() } else { format!("{}.", text("module")) };
    let data = if text("mode") == "data" { "data." } else { "" };
    format!("{module}{data}{}.{}", text("type"), text("name"))
}

/// The address of a resource without instances, if the difference is that resource and nothing else.
fn husk(difference: &Difference) -> Option<String> {
    if difference.kind != Kind::State {
        return None;
    }
    let forms = ["state.resources: missing, the engine has ", "state.resources: the engine has no "];
    let document = forms.iter().find_map(|form| difference.text.strip_prefix(form))?;
    let resource = Json::parse(document).ok()?;
    let is_husk = resource.member("instances")?.expect_array().ok()?.is_empty();
    is_husk.then(|| resource_name(&resource))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u69_a_resource_without_instances_is_distinguished_from_one_that_has_some() {
        let of = |text: &str| husk(&Difference { kind: Kind::State, text: text.to_owned() });
        let missing = r#"state.resources: missing, the engine has {"instances":[],"mode":"managed","module":"module.m[0]","name":"a","type":"t"}"#;
        assert_eq!(of(missing).as_deref(), Some("module.m[0].t.a"));
        assert_eq!(of(&missing.replace("[],", "[{}],")), None);
        assert_eq!(of("state.outputs.a: missing, the engine has 1"), None);
    }

    #[test]
    fn u45_a_missing_index_is_distinguished_from_other_diagnostics() {
        let of = |kind, text: &str| is_index(&Difference { kind, text: text.to_owned() });
        let text = "apply: the engine does not report: error Invalid index";
        assert!(of(Kind::Diagnostics, text) && of(Kind::Diagnostics, "apply: the engine reports: error Invalid index"));
        for other in [
            "plan: the engine does not report: error Invalid index",
            "apply: the engine does not report: error Invalid for_each argument",
            "apply: the engine does not report: error Invalid index (t.elsewhere)",
        ] {
            assert!(!of(Kind::Diagnostics, other), "{other}");
        }
        assert!(!of(Kind::State, text));
    }

    #[test]
    fn u45_only_what_checks_say_of_that_resource_is_by_schedule() {
        let state = Json::parse(r#"{"check_results":[{"config_addr":"check.c"},{"config_addr":"module.m.t.a"}]}"#);
        let (state, resource) = (state.expect("JSON"), "module.m.t.a".to_owned());
        assert!(has_check(&state, &resource) && !has_check(&state, "t.a"));
        let of = |text: &str| {
            let difference = Difference { kind: Kind::State, text: text.to_owned() };
            is_check_result_of(&difference, &state, std::slice::from_ref(&resource))
        };
        assert!(of(r#"state.check_results[1].status: "error", the engine has "pass""#));
        assert!(!of(r#"state.check_results[0].status: "error", the engine has "pass""#));
        assert!(!of(r#"state.check_results[2].status: "error", the engine has "pass""#));
        assert!(!of("state.check_results: missing, the engine has []"));
    }

    #[test]
    fn an_object_of_an_instance_is_found_in_a_state() {
        let text = r#"{"resources":[{"module":"module.m[0]","mode":"managed","type":"t","name":"a",
            "instances":[{"index_key":1},{"index_key":2,"deposed":"1f"}]}]}"#;
        let state = Json::parse(text).expect("JSON");
        assert!(is_stored(&state, "module.m[0].t.a[1]"));
        assert!(!is_stored(&state, "module.m[0].t.a[2]") && !is_stored(&state, "t.a[1]"));
    }
}
