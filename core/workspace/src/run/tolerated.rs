//! Differences that say nothing of a planner, for they follow from an engine's schedule: tolerated by name, and counted.

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;

use super::compare::{Difference, Kind};
use super::read::Recorded;
use crate::planner::{Applied, Planned};

/// A difference that is tolerated.
#[derive(Clone, Debug)]
pub struct Tolerated {
    /// Why, in a word.
    pub name: &'static str,
    /// The difference.
    pub difference: Difference,
}

/// U69: after a failure a resource without instances is stored, or not, as its block was visited after the last of its instances was
/// destroyed, or before.
const HUSK: &str = "husk by schedule";

/// Takes out of the differences what is tolerated.
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
    let (kept, taken): (Vec<Difference>, Vec<Difference>) =
        differences.drain(..).partition(|one| !husk(one).is_some_and(|resource| is_destroyed(&resource)));
    *differences = kept;
    taken.into_iter().map(|difference| Tolerated { name: HUSK, difference }).collect()
}

/// The address of a resource without instances that is the whole difference.
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
    fn u69_a_resource_without_instances_is_told_from_one_that_has_some() {
        let of = |text: &str| husk(&Difference { kind: Kind::State, text: text.to_owned() });
        let missing = r#"state.resources: missing, the engine has {"instances":[],"mode":"managed","module":"module.m[0]","name":"a","type":"t"}"#;
        assert_eq!(of(missing).as_deref(), Some("module.m[0].t.a"));
        assert_eq!(of(&missing.replace("[],", "[{}],")), None);
        assert_eq!(of("state.outputs.a: missing, the engine has 1"), None);
    }
}
