//! Mistakes of providers.

use super::lives::*;
use super::{Fixture, apply_call, broken, count, held, held_in, plan_call, reported_breach};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Exchange, StepTrace, summary};
use planfuzz_core::plans::Action;
use planfuzz_core::value::Value;

/// The plan without the apply: the steps after an error do not matter.
fn only_plan(life: Vec<StepTrace>) -> Vec<StepTrace> {
    life.into_iter().map(|step| StepTrace { apply: None, ..step }).collect()
}

fn exchanges_of_apply(life: &mut [StepTrace]) -> &mut Vec<Exchange> {
    &mut life[0].apply.as_mut().expect("an apply").exchanges
}

fn plans(life: &mut [StepTrace], planned: &str) {
    plan_call(&mut life[0].plan.exchanges, 0).1.planned = value(planned);
}

fn makes(life: &mut [StepTrace], made: Value) {
    apply_call(exchanges_of_apply(life), 0).1.new_state = Some(made);
}

fn finds(life: &mut [StepTrace], found: Value) {
    for exchange in &mut life[0].plan.exchanges {
        match exchange {
            Exchange::Read(_, answer) => answer.new_state = found.clone(),
            Exchange::ReadData(_, answer) => answer.state = found.clone(),
            _ => {}
        }
    }
}

macro_rules! fixtures {
    ($($name:ident $invariant:literal $life:expr, $spoil:expr;)*) => {
        pub(super) const FIXTURES: &[Fixture] = &[$(Fixture {
            name: stringify!($name),
            invariant: $invariant,
            life: || $life,
            spoil: $spoil,
        }),*];
    };
}

fixtures! {
    i05_plans_another_type "I05" only_plan(create()), |life| {
        plan_call(&mut life[0].plan.exchanges, 0).1.planned = Value::string("x");
    };
    i06_plans_another_value "I06" only_plan(update()), |life| plans(life, r#"{"id": "1", "name": "c", "oc": "z"}"#);
    i07_plans_an_unconfigured_value "I07" only_plan(update()), |life| {
        plans(life, r#"{"id": "1", "name": "b", "oc": "z", "secret": "s"}"#);
    };
    i09_plans_more_blocks "I09" only_plan(update()), |life| {
        plans(life, r#"{"id": "1", "name": "b", "oc": "z", "b": [{"x": null}]}"#);
    };
    i10_plans_null "I10" only_plan(update()), |life| plans(life, "null");
    i11_plans_what_is_write_only "I11" only_plan(update()), |life| {
        plans(life, r#"{"id": "1", "name": "b", "oc": "z", "wo": "w"}"#);
    };
    i11_reads_what_is_write_only "I11" refresh_only(), |life| {
        finds(life, value(r#"{"id": "1", "name": "b", "wo": "w"}"#));
    };
    i11_upgrades_to_what_is_write_only "I11" refresh_only(), |life| {
        if let Exchange::Upgrade(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.upgraded = value(r#"{"id": "1", "wo": "w"}"#);
        }
    };
    i11_imports_what_is_write_only "I11" import(), |life| {
        if let Exchange::Import(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.imported[0].0 = value(r#"{"id": "1", "wo": "w"}"#);
        }
    };
    i11_makes_what_is_write_only "I11" create(), |life| {
        makes(life, value(r#"{"id": "1", "name": "b", "oc": "y", "wo": "w"}"#));
    };
    i12_gives_a_path_that_does_not_exist "I12" only_plan(replace()), |life| {
        plan_call(&mut life[0].plan.exchanges, 0).1.requires_replace.push(path(".b[3].x"));
    };
    i20_plans_another_object "I20" update(), |life| {
        plan_call(exchanges_of_apply(life), 0).1.planned = value(MADE);
    };
    i21_leaves_the_range "I21" {
        let mut life = create();
        let planned = r#"{"id": {"$unknown": {"not_null": true}}, "name": "b", "oc": {"$unknown": true}}"#;
        plans(&mut life, planned);
        life[0].plan.plan.changes[0].change.after = marked(value(planned));
        life[0].plan.plan.working = Some(marked(value(planned)));
        let changes = life[0].plan.plan.changes.clone();
        life[0].apply.as_mut().expect("an apply").request.changes = changes;
        life
    }, |life| {
        plan_call(exchanges_of_apply(life), 0).1.planned = value(r#"{"id": null, "name": "b", "oc": "y"}"#);
    };
    i22_asks_for_a_replacement "I22" update(), |life| {
        plan_call(exchanges_of_apply(life), 0).1.requires_replace.push(path(".name"));
    };
    i24_makes_another_object "I24" update(), |life| makes(life, value(MADE));
    i25_leaves_an_unknown_value "I25" create(), |life| makes(life, value(PLANNED));
    i26_makes_another_type "I26" create(), |life| makes(life, Value::string("x"));
    i26_does_not_answer "I26" create(), |life| {
        apply_call(exchanges_of_apply(life), 0).1.new_state = None;
    };
    i27_leaves_an_object "I27" delete(), |life| makes(life, value(THERE));
    i28_makes_nothing "I28" create(), |life| makes(life, null());
    i33_reads_another_type "I33" refresh_only(), |life| finds(life, Value::bool(true));
    i33_reads_what_is_unknown "I33" refresh_only(), |life| finds(life, value(PLANNED));
    i33_reads_no_data "I33" data(), |life| finds(life, null());
    i33_reads_unknown_data "I33" data(), |life| finds(life, value(PLANNED));
    i35_upgrades_to_another_type "I35" refresh_only(), |life| {
        if let Exchange::Upgrade(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.upgraded = Value::bool(true);
        }
    };
    i35_upgrades_to_what_is_unknown "I35" refresh_only(), |life| {
        if let Exchange::Upgrade(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.upgraded = value(PLANNED);
        }
    };
    i36_reads_another_object "I36" settled(), |life| {
        let walk = &mut life[1].plan;
        if let Exchange::Read(_, answer) = &mut walk.exchanges[1] {
            answer.new_state = value(MADE);
        }
        walk.plan.changes[0] = change(Action::Update, MADE, UPDATED, "P");
    };
    i45_plans_to_keep "I45" delete(), |life| plans(life, THERE);
    i46_judges_what_is_unknown "I46" validated_twice(), |life| {
        if let Exchange::Validate(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.remarks.push(error("no"));
        }
    };
    i47_gives_another_answer "I47" planned_twice(), |life| {
        // A path that does not change, so that Core's plan is the same.
        plan_call(&mut life[1].plan.exchanges, 0).1.requires_replace.push(path(".oc"));
    };
    i54_puts_a_plan_off "I54" only_plan(create()), |life| {
        plan_call(&mut life[0].plan.exchanges, 0).1.deferred = true;
    };
    i54_puts_a_read_off "I54" refresh_only(), |life| {
        if let Exchange::Read(_, answer) = &mut life[0].plan.exchanges[1] {
            answer.deferred = true;
        }
    };
    i55_imports_nothing "I55" import(), |life| {
        if let Exchange::Import(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.imported.clear();
        }
    };
    i55_imports_null "I55" import(), |life| {
        if let Exchange::Import(_, answer) = &mut life[0].plan.exchanges[0] {
            answer.imported[0].0 = null();
        }
    };
    i55_imports_what_does_not_exist "I55" import(), |life| finds(life, null());
    i47_validates_differently "I47" planned_twice(), |life| {
        for exchange in &mut life[1].plan.exchanges {
            if let Exchange::Validate(_, answer) = exchange {
                answer.remarks.push(planfuzz_core::planner::Remark { severity: planfuzz_core::planner::Severity::Warning, summary: "w".into() });
            }
        }
    };
    i47_imports_another_object "I47" import().into_iter().chain(import()).collect(), |life| {
        if let Exchange::Import(_, answer) = &mut life[1].plan.exchanges[0] {
            answer.imported[0].0 = value(MADE);
        }
    };
}

type Spoil = fn(&mut Vec<StepTrace>);

/// The summaries of a breach under one dialect and under another.
fn reported_as(spoil: Spoil, life: fn() -> Vec<StepTrace>, invariant: &str) -> [Option<&'static str>; 2] {
    let mut life = life();
    spoil(&mut life);
    [Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12].map(|dialect| {
        let held = held_in(&life, dialect);
        broken(&held, invariant).first().and_then(|broken| broken.reported_as)
    })
}

#[test]
fn i11_has_the_summaries_of_its_engine() {
    let of_plan = reported_as(|life| plans(life, PROPOSED), || only_plan(update()), "I11");
    assert_eq!(of_plan, [Some(summary::INVALID_PLAN), Some(summary::INVALID_RESPONSE)]);
    let of_apply = reported_as(|life| makes(life, value(PROPOSED)), update, "I11");
    assert_eq!(of_apply, [Some(summary::INVALID_OBJECT), Some(summary::INVALID_RESPONSE)]);
}

#[test]
fn i33_opentofu_reads_unknown_values() {
    assert_eq!(
        reported_as(|life| finds(life, value(PLANNED)), refresh_only, "I33"),
        [Some(summary::INVALID_OBJECT), None]
    );
}

#[test]
fn i54_opentofu_passes_over_deferrals() {
    let spoil: Spoil = |life| plan_call(&mut life[0].plan.exchanges, 0).1.deferred = true;
    assert_eq!(reported_as(spoil, || only_plan(create()), "I54"), [Some(summary::DEFERRED), None]);
}

#[test]
fn breaches_of_legacy_providers_are_tolerated() {
    let spoils: [(&str, Spoil); 4] = [
        ("I06", |life| plans(life, r#"{"id": "1", "name": "c", "oc": "z"}"#)),
        ("I07", |life| plans(life, r#"{"id": "1", "name": "b", "oc": "z", "secret": "s"}"#)),
        ("I09", |life| plans(life, r#"{"id": "1", "name": "b", "oc": "z", "b": [{"x": null}]}"#)),
        ("I10", |life| plans(life, "null")),
    ];
    for (invariant, spoil) in spoils {
        let mut life = only_plan(update());
        plan_call(&mut life[0].plan.exchanges, 0).1.legacy_type_system = true;
        spoil(&mut life);
        let found = held(&life);
        let breach = broken(&found, invariant)[0];
        assert!(breach.tolerated && !breach.is_of_planner(), "{breach:?}");
        reported_breach(&life, invariant).expect("a planner that reports it is wrong");
    }
}

#[test]
fn i28_a_legacy_provider_that_makes_nothing_is_reported_by_another_name() {
    let mut life = create();
    makes(&mut life, null());
    apply_call(exchanges_of_apply(&mut life), 0).1.legacy_type_system = true;
    let found = held(&life);
    let summaries: Vec<_> = broken(&found, "I28").iter().map(|broken| (broken.reported_as, broken.tolerated)).collect();
    assert_eq!(summaries, [(Some(summary::INCONSISTENT_RESULT), true), (Some(summary::INVALID_RESULT), false)]);
}

#[test]
fn i20_legacy_providers_are_not_excused() {
    let mut life = update();
    let (_, answer) = plan_call(exchanges_of_apply(&mut life), 0);
    (answer.planned, answer.legacy_type_system) = (value(MADE), true);
    let found = held(&life);
    assert!(broken(&found, "I20").iter().all(|broken| !broken.tolerated && broken.is_of_planner()));
    assert!(!broken(&found, "I20").is_empty());
}

#[test]
fn an_answer_to_a_wrong_question_is_the_fault_of_the_asking_party() {
    let mut life = only_plan(update());
    let (request, answer) = plan_call(&mut life[0].plan.exchanges, 0);
    request.config = value(r#"{"name": "c"}"#);
    answer.planned = value(r#"{"id": "1", "name": "d", "oc": "z"}"#);
    let found = held(&life);
    assert!(broken(&found, "I06").iter().all(|broken| broken.fault == super::Party::Core));
    assert!(!broken(&found, "I06").is_empty());
}

#[test]
fn a_check_that_core_does_not_reach_is_no_breach() {
    let mut life = only_plan(update());
    let (_, answer) = plan_call(&mut life[0].plan.exchanges, 0);
    answer.planned = value(MADE);
    answer.remarks.push(error("no"));
    assert!(broken(&held(&life), "I06").is_empty());
}

#[test]
fn i52_second_calls_that_contradict_their_configuration_are_counted() {
    let life = replace();
    assert_eq!((held(&life).observed, count(&held(&life), "I52")), (0, 1));
    let mut life = only_plan(life);
    plan_call(&mut life[0].plan.exchanges, 1).1.planned = value(MADE.replace('b', "c").as_str());
    life[0].plan.plan.changes[0].change.after = marked(value(MADE.replace('b', "c").as_str()));
    assert_eq!(held(&life).observed, 1);
}

#[test]
fn i53_a_known_configuration_is_not_to_be_called_unknown() {
    let mut life = create();
    life[0]
        .apply
        .as_mut()
        .expect("an apply")
        .applied
        .diagnostics
        .push(error_diagnostic(summary::UNKNOWN_CONFIGURATION));
    assert_eq!(broken(&held(&life), "I53").len(), 1);
}

#[test]
fn i53_a_summary_of_a_provider_may_equal_one_of_core() {
    let mut life = only_plan(create());
    plan_call(&mut life[0].plan.exchanges, 0).1.remarks.push(error(summary::INVALID_PLAN));
    let plan = &mut life[0].plan.plan;
    (plan.changes, plan.working) = (Vec::new(), None);
    plan.diagnostics.push(error_diagnostic(summary::INVALID_PLAN));
    let found = held(&life);
    assert_eq!((broken(&found, "I53").len(), count(&found, "I53")), (0, 1));
}

#[test]
fn a_report_of_another_call_does_not_report_an_excused_breach() {
    let mut life = only_plan(replace());
    let (_, first) = plan_call(&mut life[0].plan.exchanges, 0);
    (first.legacy_type_system, first.planned) = (true, value(r#"{"id": "1", "name": "c", "oc": "z"}"#));
    plan_call(&mut life[0].plan.exchanges, 1).1.planned = Value::string("x");
    life[0].plan.plan.diagnostics.push(error_diagnostic(summary::INVALID_PLAN));
    let found = held(&life);
    let excused = broken(&found, "I06");
    assert!(
        !excused.is_empty() && excused.iter().all(|broken| broken.tolerated && !broken.is_of_planner()),
        "{excused:?}"
    );
    assert!(broken(&found, "I05").iter().all(|broken| broken.is_reported));
}

#[test]
fn i55_an_import_that_fails_by_itself_is_not_counted() {
    let mut life = import();
    if let Exchange::Import(_, answer) = &mut life[0].plan.exchanges[0] {
        answer.imported.clear();
        answer.remarks.push(error("no"));
    }
    assert!(broken(&held(&life), "I55").is_empty());
    let mut life = import();
    if let Exchange::Import(_, answer) = &mut life[0].plan.exchanges[0] {
        let leaking = (value(r#"{"id": "1", "wo": "w"}"#), private("A"));
        answer.imported = vec![leaking.clone(), leaking];
    }
    assert!(broken(&held_in(&life, Dialect::OPENTOFU_1_12), "I55").is_empty());
    assert!(!broken(&held(&life), "I55").is_empty());
}

#[test]
fn i33_data_in_a_check_are_excused_before_a_destruction_only() {
    let mut life = data();
    settings(&mut life[0].plan.request.presence).in_check = true;
    finds(&mut life, null());
    assert!(!broken(&held(&life), "I33").is_empty());
    life[0].plan.request.mode = planfuzz_core::plans::Mode::Destroy;
    assert!(broken(&held(&life), "I33").is_empty());
}
