//! Mistakes of providers.

use super::runs::*;
use super::{Fixture, apply_call, broken, count, held, held_in, plan_call, reported_breach};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Exchange, StepTrace, summary};
use planfuzz_core::plans::Action;
use planfuzz_core::value::Value;

/// The plan without the apply: the steps after an error do not matter.
fn only_plan(trace: Vec<StepTrace>) -> Vec<StepTrace> {
    trace.into_iter().map(|step| StepTrace { apply: None, ..step }).collect()
}

fn exchanges_of_apply(trace: &mut [StepTrace]) -> &mut Vec<Exchange> {
    &mut trace[0].apply.as_mut().expect("an apply").exchanges
}

fn plans(trace: &mut [StepTrace], planned: &str) {
    plan_call(&mut trace[0].plan.exchanges, 0).1.planned = value(planned);
}

fn makes(trace: &mut [StepTrace], made: Value) {
    apply_call(exchanges_of_apply(trace), 0).1.new_state = Some(made);
}

fn finds(trace: &mut [StepTrace], found: Value) {
    for exchange in &mut trace[0].plan.exchanges {
        match exchange {
            Exchange::Read(_, answer) => answer.new_state = found.clone(),
            Exchange::ReadData(_, answer) => answer.state = found.clone(),
            _ => {}
        }
    }
}

macro_rules! fixtures {
    ($($name:ident $invariant:literal $run:expr, $spoil:expr;)*) => {
        pub(super) const FIXTURES: &[Fixture] = &[$(Fixture {
            name: stringify!($name),
            invariant: $invariant,
            run: || $run,
            spoil: $spoil,
        }),*];
    };
}

fixtures! {
    i05_plans_another_type "I05" only_plan(create()), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).1.planned = Value::string("x");
    };
    i06_plans_another_value "I06" only_plan(update()), |trace| plans(trace, r#"{"id": "1", "name": "c", "oc": "z"}"#);
    i07_plans_an_unconfigured_value "I07" only_plan(update()), |trace| {
        plans(trace, r#"{"id": "1", "name": "b", "oc": "z", "secret": "s"}"#);
    };
    i09_plans_more_blocks "I09" only_plan(update()), |trace| {
        plans(trace, r#"{"id": "1", "name": "b", "oc": "z", "b": [{"x": null}]}"#);
    };
    i10_plans_null "I10" only_plan(update()), |trace| plans(trace, "null");
    i11_plans_what_is_write_only "I11" only_plan(update()), |trace| {
        plans(trace, r#"{"id": "1", "name": "b", "oc": "z", "wo": "w"}"#);
    };
    i11_reads_what_is_write_only "I11" refresh_only(), |trace| {
        finds(trace, value(r#"{"id": "1", "name": "b", "wo": "w"}"#));
    };
    i11_upgrades_to_what_is_write_only "I11" refresh_only(), |trace| {
        if let Exchange::Upgrade(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.upgraded = value(r#"{"id": "1", "wo": "w"}"#);
        }
    };
    i11_imports_what_is_write_only "I11" import(), |trace| {
        if let Exchange::Import(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.imported[0].0 = value(r#"{"id": "1", "wo": "w"}"#);
        }
    };
    i11_makes_what_is_write_only "I11" create(), |trace| {
        makes(trace, value(r#"{"id": "1", "name": "b", "oc": "y", "wo": "w"}"#));
    };
    i12_gives_a_path_that_does_not_exist "I12" only_plan(replace()), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).1.requires_replace.push(path(".b[3].x"));
    };
    i20_plans_another_object "I20" update(), |trace| {
        plan_call(exchanges_of_apply(trace), 0).1.planned = value(MADE);
    };
    i21_leaves_the_range "I21" {
        let mut trace = create();
        let planned = r#"{"id": {"$unknown": {"not_null": true}}, "name": "b", "oc": {"$unknown": true}}"#;
        plans(&mut trace, planned);
        trace[0].plan.plan.changes[0].change.after = marked(value(planned));
        trace[0].plan.plan.working = Some(marked(value(planned)));
        let changes = trace[0].plan.plan.changes.clone();
        trace[0].apply.as_mut().expect("an apply").request.changes = changes;
        trace
    }, |trace| {
        plan_call(exchanges_of_apply(trace), 0).1.planned = value(r#"{"id": null, "name": "b", "oc": "y"}"#);
    };
    i22_asks_for_a_replacement "I22" update(), |trace| {
        plan_call(exchanges_of_apply(trace), 0).1.requires_replace.push(path(".name"));
    };
    i24_makes_another_object "I24" update(), |trace| makes(trace, value(MADE));
    i25_leaves_an_unknown_value "I25" create(), |trace| makes(trace, value(PLANNED));
    i26_makes_another_type "I26" create(), |trace| makes(trace, Value::string("x"));
    i26_does_not_answer "I26" create(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).1.new_state = None;
    };
    i27_leaves_an_object "I27" delete(), |trace| makes(trace, value(THERE));
    i28_makes_nothing "I28" create(), |trace| makes(trace, null());
    i33_reads_another_type "I33" refresh_only(), |trace| finds(trace, Value::bool(true));
    i33_reads_what_is_unknown "I33" refresh_only(), |trace| finds(trace, value(PLANNED));
    i33_reads_no_data "I33" data(), |trace| finds(trace, null());
    i33_reads_unknown_data "I33" data(), |trace| finds(trace, value(PLANNED));
    i35_upgrades_to_another_type "I35" refresh_only(), |trace| {
        if let Exchange::Upgrade(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.upgraded = Value::bool(true);
        }
    };
    i35_upgrades_to_what_is_unknown "I35" refresh_only(), |trace| {
        if let Exchange::Upgrade(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.upgraded = value(PLANNED);
        }
    };
    i36_reads_another_object "I36" settled(), |trace| {
        let walk = &mut trace[1].plan;
        if let Exchange::Read(_, answer) = &mut walk.exchanges[1] {
            answer.new_state = value(MADE);
        }
        walk.plan.changes[0] = change(Action::Update, MADE, UPDATED, "P");
    };
    i45_plans_to_keep "I45" delete(), |trace| plans(trace, THERE);
    i46_judges_what_is_unknown "I46" validated_twice(), |trace| {
        if let Exchange::Validate(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.remarks.push(error("no"));
        }
    };
    i47_gives_another_answer "I47" planned_twice(), |trace| {
        // A path that does not change, so that Core's plan is the same.
        plan_call(&mut trace[1].plan.exchanges, 0).1.requires_replace.push(path(".oc"));
    };
    i54_puts_a_plan_off "I54" only_plan(create()), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).1.deferred = true;
    };
    i54_puts_a_read_off "I54" refresh_only(), |trace| {
        if let Exchange::Read(_, answer) = &mut trace[0].plan.exchanges[1] {
            answer.deferred = true;
        }
    };
    i55_imports_nothing "I55" import(), |trace| {
        if let Exchange::Import(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.imported.clear();
        }
    };
    i55_imports_null "I55" import(), |trace| {
        if let Exchange::Import(_, answer) = &mut trace[0].plan.exchanges[0] {
            answer.imported[0].0 = null();
        }
    };
    i55_imports_what_does_not_exist "I55" import(), |trace| finds(trace, null());
    i47_validates_differently "I47" planned_twice(), |trace| {
        for exchange in &mut trace[1].plan.exchanges {
            if let Exchange::Validate(_, answer) = exchange {
                answer.remarks.push(planfuzz_core::planner::Remark { severity: planfuzz_core::planner::Severity::Warning, summary: "w".into() });
            }
        }
    };
    i47_imports_another_object "I47" import().into_iter().chain(import()).collect(), |trace| {
        if let Exchange::Import(_, answer) = &mut trace[1].plan.exchanges[0] {
            answer.imported[0].0 = value(MADE);
        }
    };
}

type Spoil = fn(&mut Vec<StepTrace>);

/// The summaries of a breach under one dialect and under another.
fn reported_as(spoil: Spoil, trace: fn() -> Vec<StepTrace>, invariant: &str) -> [Option<&'static str>; 2] {
    let mut trace = trace();
    spoil(&mut trace);
    [Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12].map(|dialect| {
        let held = held_in(&trace, dialect);
        broken(&held, invariant).first().and_then(|broken| broken.reported_as)
    })
}

#[test]
fn i11_has_the_summaries_of_its_engine() {
    let of_plan = reported_as(|trace| plans(trace, PROPOSED), || only_plan(update()), "I11");
    assert_eq!(of_plan, [Some(summary::INVALID_PLAN), Some(summary::INVALID_RESPONSE)]);
    let of_apply = reported_as(|trace| makes(trace, value(PROPOSED)), update, "I11");
    assert_eq!(of_apply, [Some(summary::INVALID_OBJECT), Some(summary::INVALID_RESPONSE)]);
}

#[test]
fn i33_opentofu_reads_unknown_values() {
    assert_eq!(
        reported_as(|trace| finds(trace, value(PLANNED)), refresh_only, "I33"),
        [Some(summary::INVALID_OBJECT), None]
    );
}

#[test]
fn i54_opentofu_passes_over_deferrals() {
    let spoil: Spoil = |trace| plan_call(&mut trace[0].plan.exchanges, 0).1.deferred = true;
    assert_eq!(reported_as(spoil, || only_plan(create()), "I54"), [Some(summary::DEFERRED), None]);
}

#[test]
fn breaches_of_legacy_providers_are_tolerated() {
    let spoils: [(&str, Spoil); 4] = [
        ("I06", |trace| plans(trace, r#"{"id": "1", "name": "c", "oc": "z"}"#)),
        ("I07", |trace| plans(trace, r#"{"id": "1", "name": "b", "oc": "z", "secret": "s"}"#)),
        ("I09", |trace| plans(trace, r#"{"id": "1", "name": "b", "oc": "z", "b": [{"x": null}]}"#)),
        ("I10", |trace| plans(trace, "null")),
    ];
    for (invariant, spoil) in spoils {
        let mut trace = only_plan(update());
        plan_call(&mut trace[0].plan.exchanges, 0).1.legacy_type_system = true;
        spoil(&mut trace);
        let found = held(&trace);
        let breach = broken(&found, invariant)[0];
        assert!(breach.tolerated && !breach.is_of_planner(), "{breach:?}");
        reported_breach(&trace, invariant).expect("a planner that reports it is wrong");
    }
}

#[test]
fn i28_a_legacy_provider_that_makes_nothing_is_reported_by_another_name() {
    let mut trace = create();
    makes(&mut trace, null());
    apply_call(exchanges_of_apply(&mut trace), 0).1.legacy_type_system = true;
    let found = held(&trace);
    let summaries: Vec<_> = broken(&found, "I28").iter().map(|broken| (broken.reported_as, broken.tolerated)).collect();
    assert_eq!(summaries, [(Some(summary::INCONSISTENT_RESULT), true), (Some(summary::INVALID_RESULT), false)]);
}

#[test]
fn i20_legacy_providers_are_not_excused() {
    let mut trace = update();
    let (_, answer) = plan_call(exchanges_of_apply(&mut trace), 0);
    (answer.planned, answer.legacy_type_system) = (value(MADE), true);
    let found = held(&trace);
    assert!(broken(&found, "I20").iter().all(|broken| !broken.tolerated && broken.is_of_planner()));
    assert!(!broken(&found, "I20").is_empty());
}

#[test]
fn an_answer_to_a_wrong_question_is_the_fault_of_the_asking_party() {
    let mut trace = only_plan(update());
    let (request, answer) = plan_call(&mut trace[0].plan.exchanges, 0);
    request.config = value(r#"{"name": "c"}"#);
    answer.planned = value(r#"{"id": "1", "name": "d", "oc": "z"}"#);
    let found = held(&trace);
    assert!(broken(&found, "I06").iter().all(|broken| broken.fault == super::Party::Core));
    assert!(!broken(&found, "I06").is_empty());
}

#[test]
fn a_check_that_core_does_not_reach_is_no_breach() {
    let mut trace = only_plan(update());
    let (_, answer) = plan_call(&mut trace[0].plan.exchanges, 0);
    answer.planned = value(MADE);
    answer.remarks.push(error("no"));
    assert!(broken(&held(&trace), "I06").is_empty());
}

#[test]
fn i52_second_calls_that_contradict_their_configuration_are_counted() {
    let trace = replace();
    assert_eq!((held(&trace).observed, count(&held(&trace), "I52")), (0, 1));
    let mut trace = only_plan(trace);
    plan_call(&mut trace[0].plan.exchanges, 1).1.planned = value(MADE.replace('b', "c").as_str());
    trace[0].plan.plan.changes[0].change.after = marked(value(MADE.replace('b', "c").as_str()));
    assert_eq!(held(&trace).observed, 1);
}

#[test]
fn i53_a_known_configuration_is_not_to_be_called_unknown() {
    let mut trace = create();
    trace[0]
        .apply
        .as_mut()
        .expect("an apply")
        .applied
        .diagnostics
        .push(error_diagnostic(summary::UNKNOWN_CONFIGURATION));
    assert_eq!(broken(&held(&trace), "I53").len(), 1);
}

#[test]
fn i53_a_summary_of_a_provider_may_equal_one_of_core() {
    let mut trace = only_plan(create());
    plan_call(&mut trace[0].plan.exchanges, 0).1.remarks.push(error(summary::INVALID_PLAN));
    let plan = &mut trace[0].plan.plan;
    (plan.changes, plan.working) = (Vec::new(), None);
    plan.diagnostics.push(error_diagnostic(summary::INVALID_PLAN));
    let found = held(&trace);
    assert_eq!((broken(&found, "I53").len(), count(&found, "I53")), (0, 1));
}

#[test]
fn a_report_of_another_call_does_not_report_an_excused_breach() {
    let mut trace = only_plan(replace());
    let (_, first) = plan_call(&mut trace[0].plan.exchanges, 0);
    (first.legacy_type_system, first.planned) = (true, value(r#"{"id": "1", "name": "c", "oc": "z"}"#));
    plan_call(&mut trace[0].plan.exchanges, 1).1.planned = Value::string("x");
    trace[0].plan.plan.diagnostics.push(error_diagnostic(summary::INVALID_PLAN));
    let found = held(&trace);
    let excused = broken(&found, "I06");
    assert!(
        !excused.is_empty() && excused.iter().all(|broken| broken.tolerated && !broken.is_of_planner()),
        "{excused:?}"
    );
    assert!(broken(&found, "I05").iter().all(|broken| broken.is_reported));
}

#[test]
fn i55_an_import_that_fails_by_itself_is_not_counted() {
    let mut trace = import();
    if let Exchange::Import(_, answer) = &mut trace[0].plan.exchanges[0] {
        answer.imported.clear();
        answer.remarks.push(error("no"));
    }
    assert!(broken(&held(&trace), "I55").is_empty());
    let mut trace = import();
    if let Exchange::Import(_, answer) = &mut trace[0].plan.exchanges[0] {
        let leaking = (value(r#"{"id": "1", "wo": "w"}"#), private("A"));
        answer.imported = vec![leaking.clone(), leaking];
    }
    assert!(broken(&held_in(&trace, Dialect::OPENTOFU_1_12), "I55").is_empty());
    assert!(!broken(&held(&trace), "I55").is_empty());
}

#[test]
fn i33_data_in_a_check_are_excused_before_a_destruction_only() {
    let mut trace = data();
    settings(&mut trace[0].plan.request.presence).in_check = true;
    finds(&mut trace, null());
    assert!(!broken(&held(&trace), "I33").is_empty());
    trace[0].plan.request.mode = planfuzz_core::plans::Mode::Destroy;
    assert!(broken(&held(&trace), "I33").is_empty());
}
