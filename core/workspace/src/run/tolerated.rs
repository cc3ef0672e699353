//! Differences that follow from an engine's schedule and so are no fault of the planner: tolerated by name, and counted.

use planfuzz_core::address::{AbsResource, InstanceKey};
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

/// L183, U45: an instance that its apply did not make is an unknown gap if an instance with a higher index is already made, and an invalid
/// index otherwise.
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
    let is_by_index = differences.iter().any(is_index) && are_made_together(plan);
    let name = |one: &Difference| match husk(one) {
        Some(resource) if is_destroyed(&resource) => Some(HUSK),
        None if is_by_index && (is_index(one) || is_check_result(one)) => Some(INDEX),
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

/// Whether the difference is the error of a condition that refers to an instance that its apply did not make.
fn is_index(difference: &Difference) -> bool {
    let is_of_index =
        difference.text.starts_with("apply: the engine ") && difference.text.contains("error Invalid index");
    difference.kind == Kind::Diagnostics && is_of_index
}

fn is_check_result(difference: &Difference) -> bool {
    difference.kind == Kind::State && difference.text.starts_with("state.check_results")
}

/// Whether several numbered instances of one resource are made.
fn are_made_together(plan: &Plan) -> bool {
    let mut made: Vec<AbsResource> = plan
        .changes
        .iter()
        .filter(|change| matches!(change.addr.key, InstanceKey::Int(_)))
        .filter(|change| {
            matches!(change.action(), Action::Create | Action::DeleteThenCreate | Action::CreateThenDelete)
        })
        .map(|change| change.addr.abs_resource())
        .collect();
    made.sort();
    made.windows(2).any(|pair| pair[0] == pair[1])
}

/// The address of a resource without instances, if the difference is that resource and nothing else.
fn husk(difference: &Difference) -> Option<String> {
    if difference.kind != Kind::State {
        return None;
    }
    let forms = ["state.resources: missing, the engine has ", "state.resources: the engine has no "];
    let document = forms.iter().find_map(|form| difference.text.strip_prefix(form))?;
    let resource = Json::parse(document).ok()?;
    let text = |name: &str| resource.member(name).and_then(|text| text.expect_string().ok()).unwrap_or_default();
    if !resource.member("instances")?.expect_array().ok()?.is_empty() {
        return None;
    }
    let module = if text("module").is_empty() { String::new() } else { format!("{}.", text("module")) };
    let data = if text("mode") == "data" { "data." } else { "" };
    Some(format!("{module}{data}{}.{}", text("type"), text("name")))
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
        assert!(of(Kind::Diagnostics, "apply: the engine does not report: error Invalid index"));
        assert!(!of(Kind::Diagnostics, "plan: the engine does not report: error Invalid index"));
        assert!(!of(Kind::Diagnostics, "apply: the engine does not report: error Invalid for_each argument"));
    }
}
