//! The results of shrinking scenarios.

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Exchange, Planner};
use planfuzz_core::plans::{Action, ActionReason};
use planfuzz_pipelines::model::FaultName;
use planfuzz_reference::Reference;

use super::document::members;
use super::shrink;
use crate::case::{Call, Case, CaseFile, Task};
use crate::generate::{Generator, Scenarios, Settings};
use crate::scenario::{Scenario, ScenarioProviders, Trace, play};

fn scenario(case: &Case) -> &Scenario {
    match &case.task {
        Task::Call(Call::Scenario(scenario)) => scenario,
        other => panic!("no scenario: {other:?}"),
    }
}

/// The reference planner's run of a scenario; `None` if it cannot be played.
fn trace(case: &Case) -> Option<Trace> {
    let scenario = scenario(case);
    let mut remote = ScenarioProviders::default().provider_of(scenario).ok()?;
    let planner = Reference.prepare(&scenario.schema, case.dialect);
    Some(play(scenario, &mut &*planner, &mut remote))
}

fn read(text: &str) -> Case {
    let document = Json::parse(text).expect("JSON");
    CaseFile::from_json(&document).unwrap_or_else(|problem| panic!("{problem}")).case
}

/// Shrinks the first `count` generated scenarios for which `holds` is true, and checks their size against a bound.
fn check(seed: u64, count: usize, most: (usize, usize), holds: impl Fn(&Case, &Trace) -> bool) {
    let mut scenarios = Scenarios::new(Generator::new(Settings::MIXED), seed);
    let shows = |case: &Case| trace(case).is_some_and(|trace| holds(case, &trace));
    let mut shrunk = 0;
    for number in 0..20_000 {
        let case = scenarios.case(number);
        if !shows(&case) {
            continue;
        }
        let small = shrink(&case, 3_000, &mut |case| shows(case));
        let document = small.case.to_json();
        let size = (members(&document).len(), scenario(&small.case).steps.len());
        assert!(size.0 <= most.0 && size.1 <= most.1, "case {number}: {size:?} {}", document.to_compact());
        assert_eq!(read(&document.to_compact()).to_json(), document);
        shrunk += 1;
        if shrunk == count {
            return;
        }
    }
    panic!("only {shrunk} scenarios show it");
}

#[test]
fn a_replacement_that_the_provider_asks_for_needs_one_attribute_and_one_step() {
    // Nested lists of the SDK stay if the attribute that requires replacement is inside them.
    check(1, 12, (3, 2), |_, trace| {
        let changes = trace.steps.iter().flat_map(|step| &step.plan.plan.changes);
        let asked = |reason| reason == ActionReason::ReplaceBecauseCannotUpdate;
        changes.into_iter().any(|change| change.change.action == Action::DeleteThenCreate && asked(change.reason))
    });
}

#[test]
fn faults_need_at_most_three_attributes_and_two_steps() {
    for (seed, fault) in
        [FaultName::PlanOverride, FaultName::ApplyChangeKnown, FaultName::ReadUnstable, FaultName::SecondDiffers]
            .into_iter()
            .enumerate()
    {
        check(seed as u64, 3, (3, 2), |case, trace| {
            let has = scenario(case).model.faults.iter().any(|one| one.name == fault);
            has && trace.steps.iter().any(|step| {
                let diagnostics = step.plan.plan.diagnostics.iter();
                let applied = step.apply.iter().flat_map(|apply| &apply.applied.diagnostics);
                diagnostics.chain(applied).any(|diagnostic| diagnostic.rule == rule_of(fault))
                    || fault == FaultName::ReadUnstable && step.plan.plan.drift.is_some()
            })
        });
    }
}

/// The rule by which the reference planner reports a fault.
fn rule_of(fault: FaultName) -> &'static str {
    match fault {
        FaultName::PlanOverride => "L41",
        FaultName::ApplyChangeKnown => "A31",
        FaultName::SecondDiffers => "A07",
        _ => "none",
    }
}

#[test]
fn a_failed_call_needs_no_attributes() {
    check(9, 6, (2, 2), |_, trace| {
        let exchanges = trace.steps.iter().filter_map(|step| step.apply.as_ref()).flat_map(|apply| &apply.exchanges);
        exchanges.into_iter().any(|exchange| {
            matches!(exchange, Exchange::Apply(request, answer)
                if !answer.remarks.is_empty() && !request.prior.is_null() && !request.config.is_null())
        })
    });
}

/// Whether the last step plans a change with this action and reason.
fn plans(case: &Case, action: Action, reason: ActionReason) -> bool {
    trace(case).is_some_and(|trace| {
        let mut changes = trace.steps.last().into_iter().flat_map(|step| &step.plan.plan.changes);
        changes.any(|change| change.change.action == action && change.reason == reason)
    })
}

#[test]
fn outside_events_before_a_removed_step_happen_before_the_next_one() {
    let case = read(
        r#"{"format": 1, "dialect": "terraform-1.11", "op": "scenario", "schema": {"block": {
            "attributes": {"a": {"type": "string", "optional": true}}}}, "model": {"style": "framework"},
            "steps": [{"command": "apply", "presence": {"config": {"a": "x"}}}, {"command": "refresh"},
              {"outside": ["taint"], "command": "plan"}, {"command": "apply"}]}"#,
    );
    let holds = |case: &Case| plans(case, Action::DeleteThenCreate, ActionReason::ReplaceBecauseTainted);
    assert!(holds(&case));
    let small = shrink(&case, 3_000, &mut |case| holds(case)).case;
    assert_eq!(scenario(&small).steps.len(), 1, "{}", small.to_json().to_compact());
}

#[test]
fn the_object_of_the_first_step_is_stored_instead() {
    let case = read(
        r#"{"format": 1, "dialect": "terraform-1.11", "op": "scenario", "sdk_schema": {
            "a": {"type": "string", "optional": true, "force_new": true}}, "model": {"style": "sdk"},
            "steps": [{"command": "apply", "presence": {"config": {"a": "x", "id": null}}},
              {"command": "apply", "presence": {"config": {"a": "y", "id": null}}}]}"#,
    );
    let holds = |case: &Case| plans(case, Action::DeleteThenCreate, ActionReason::ReplaceBecauseCannotUpdate);
    assert!(holds(&case));
    let small = shrink(&case, 3_000, &mut |case| holds(case)).case;
    assert_eq!(scenario(&small).steps.len(), 1, "{}", small.to_json().to_compact());
    assert!(small.to_json().member("state").is_some());
}

#[test]
fn a_resource_of_the_sdk_makes_way_for_its_fields() {
    let case = read(
        r#"{"format": 1, "dialect": "terraform-1.11", "op": "scenario", "sdk_schema": {
            "blk": {"type": "list", "optional": true, "elem": {"resource": {
                "id": {"type": "string", "optional": true, "force_new": true}}}}}, "model": {"style": "sdk"},
            "state": {"current": {"value": {"id": "a", "blk": [{"id": "x"}]}}},
            "steps": [{"command": "plan", "presence": {"config": {"id": null, "blk": [{"id": "y"}]}}}]}"#,
    );
    let holds = |case: &Case| plans(case, Action::DeleteThenCreate, ActionReason::ReplaceBecauseCannotUpdate);
    assert!(holds(&case));
    let small = shrink(&case, 3_000, &mut |case| holds(case)).case.to_json();
    assert_eq!(members(&small).len(), 1, "{}", small.to_compact());
    assert_eq!(members(&small)[0].steps.len(), 1, "{}", small.to_compact());
}

#[test]
fn parts_that_steps_have_in_common_are_removed_from_all_of_them() {
    let case = read(
        r#"{"format": 1, "dialect": "terraform-1.11", "op": "scenario", "schema": {"block": {
            "attributes": {"a": {"type": "string", "optional": true}}}}, "model": {"style": "framework"},
            "steps": [{"command": "plan", "presence": {"config": {"a": "x"}, "dependencies": [{"address": "test_a.a"}]}},
              {"command": "plan"}]}"#,
    );
    let holds = |case: &Case| {
        let steps = &scenario(case).steps;
        steps.len() == 2 && steps[0].presence == steps[1].presence
    };
    let small = shrink(&case, 3_000, &mut |case| holds(case)).case.to_json().to_compact();
    assert!(!small.contains("dependencies"), "{small}");
}

#[test]
fn references_to_members_follow_their_names() {
    let case = read(
        r#"{"format": 1, "dialect": "terraform-1.11", "op": "scenario", "schema": {"block": {
            "attributes": {"size": {"type": "number", "optional": true}, "zone": {"type": "string", "optional": true},
                "other": {"type": "string", "optional": true, "computed": true}},
            "block_types": {"disk": {"nesting_mode": "list", "block": {"attributes": {"id": {"type": "string", "optional": true}}}}}}},
            "model": {"style": "framework", "rules": {
                "size": {"plan": [{"requires_replace_if": {"not": {"is_null": {"sibling": ["config", "zone"]}}}}]},
                "disk.id": {"validate": [{"length": [0, 9]}]}, "other": {"default": "x"}},
              "resource": {"validate": [{"conflicts": ["other", "disk"]}]},
              "faults": [{"fault": "private_lost", "at": "other"}], "seed": 3},
            "steps": [
              {"command": "apply", "presence": {"config": {"size": 1, "zone": "z", "other": null, "disk": [{"id": "i"}]},
                "sensitive": [".zone", ".disk[0].id"], "lifecycle": {"ignore_changes": [".disk"]}}},
              {"outside": [{"drift": {".other": "y"}}], "command": "refresh"},
              {"command": "plan", "presence": {"config": {"size": 2, "zone": "z", "other": null, "disk": []}}}]}"#,
    );
    let shows = |case: &Case| {
        trace(case).is_some_and(|trace| {
            let mut changes = trace.steps.iter().flat_map(|step| &step.plan.plan.changes);
            let rules = case.to_json().to_compact().contains("sibling");
            rules && changes.any(|change| change.change.action == Action::DeleteThenCreate)
        })
    };
    assert!(shows(&case));
    let small = shrink(&case, 3_000, &mut |case| shows(case)).case.to_json().to_compact();
    for gone in ["size", "zone", "other", "disk", "sensitive", "drift", "refresh", "conflicts", "private_lost"] {
        assert!(!small.contains(gone), "{gone} in {small}");
    }
    assert!(small.contains(r#""sibling":["config","#), "{small}");
}
