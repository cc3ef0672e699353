//! Mistakes of planners.

use super::runs::*;
use super::{Fixture, apply_call, plan_call};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Exchange, IgnoreChanges, RawState, StepTrace};
use planfuzz_core::plans::{Action, ActionReason, Marked, Mode};
use planfuzz_core::state::{InstanceState, Private, Status};
use planfuzz_core::value::{PathSet, Tri};

pub(super) fn ignoring() -> Vec<StepTrace> {
    let mut trace = no_op();
    let of_plan = settings(&mut trace[0].plan.request.presence);
    of_plan.config = Marked::plain(value(r#"{"name": "other", "wo": "w"}"#));
    of_plan.lifecycle.ignore_changes = IgnoreChanges::Some(vec![path(".name")]);
    trace[0].plan.exchanges[2] = validate(r#"{"name": "other", "wo": "w"}"#);
    trace[0].apply = None;
    trace
}

fn ignoring_all() -> Vec<StepTrace> {
    let mut trace = ignoring();
    settings(&mut trace[0].plan.request.presence).lifecycle.ignore_changes = IgnoreChanges::All;
    let sent = r#"{"name": "b", "oc": "z"}"#;
    trace[0].plan.exchanges[3] = plan(UPDATED, sent, UPDATED, "S", UPDATED, "P");
    trace
}

pub(super) fn failing(trace: Vec<StepTrace>, keeps: bool) -> Vec<StepTrace> {
    let mut trace = trace;
    let apply = trace[0].apply.as_mut().expect("an apply");
    let (_, answer) = apply_call(&mut apply.exchanges, 0);
    answer.remarks.push(error("no"));
    if !keeps {
        answer.new_state = Some(null());
        apply.applied.state = apply.request.state.clone();
    }
    apply.applied.diagnostics.push(error_diagnostic("no"));
    trace
}

pub(super) fn exchanges_of_apply(trace: &mut [StepTrace]) -> &mut Vec<Exchange> {
    &mut trace[0].apply.as_mut().expect("an apply").exchanges
}

pub(super) fn saved(trace: &mut [StepTrace]) -> &mut InstanceState {
    &mut trace[0].apply.as_mut().expect("an apply").applied.state
}

fn first_change(trace: &mut [StepTrace]) -> &mut planfuzz_core::plans::ResourceInstanceChange {
    &mut trace[0].plan.plan.changes[0]
}

/// The plan call of the apply fails, so that nothing is applied.
fn unapplied(trace: Vec<StepTrace>) -> Vec<StepTrace> {
    let mut trace = trace;
    let apply = trace[0].apply.as_mut().expect("an apply");
    apply.exchanges.pop();
    plan_call(&mut apply.exchanges, 0).1.remarks.push(error("no"));
    apply.applied.state = apply.request.state.clone();
    apply.applied.diagnostics.push(error_diagnostic("no"));
    trace
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
    i01_validates_another_configuration "I01" create(), |trace| {
        trace[0].plan.exchanges[0] = validate(r#"{"name": "x"}"#);
    };
    i01_applies_another_configuration "I01" create(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.config = value(r#"{"name": "x"}"#);
    };
    i02_adds_to_the_configuration "I02" update(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.config = value(r#"{"name": "b", "oc": "z", "wo": "w"}"#);
    };
    i02_adds_beside_what_is_ignored "I02" ignoring(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.config = value(r#"{"name": "b", "oc": "z", "wo": "w"}"#);
    };
    i02_sends_what_the_provider_sets "I02" ignoring_all(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.config = value(UPDATED);
    };
    i03_proposes_no_merge "I03" update(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.proposed = value(CONFIG);
    };
    i03_creates_with_a_prior "I03" create(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.prior = value(THERE);
    };
    i03_sends_another_prior "I03" update(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.prior = value(MADE);
    };
    i04_destroys_with_a_proposal "I04" delete(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.proposed = value(THERE);
    };
    i04_destroys_nothing "I04" delete(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.prior = null();
    };
    i13_replaces_without_change "I13" replace(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).1.requires_replace = vec![path(".oc")];
    };
    i13_keeps_what_does_not_change "I13" replace(), |trace| {
        first_change(trace).required_replace = paths(&[".name", ".oc"]);
    };
    i13_asks_twice_for_an_update "I13" update(), |trace| {
        let second = plan("null", CONFIG, CONFIG, "P", PLANNED, "P");
        trace[0].plan.exchanges.push(second);
    };
    i14_changes_in_a_no_op "I14" no_op(), |trace| {
        first_change(trace).change.after = marked(value(MADE));
    };
    i14_marks_in_a_no_op "I14" no_op(), |trace| {
        first_change(trace).change.after = Marked::plain(value(UPDATED));
    };
    i15_updates_to_the_same "I15" update(), |trace| {
        first_change(trace).change.after = marked(value(THERE));
    };
    i15_updates_what_must_be_replaced "I15" replace(), |trace| {
        let change = first_change(trace);
        (change.change.action, change.reason) = (Action::Update, ActionReason::None);
    };
    i15_forgets_what_the_user_asks_for "I15" update(), |trace| trace[0].plan.request.options.replace = true;
    i16_creates_from_an_object "I16" create(), |trace| {
        first_change(trace).change.before = marked(value(THERE));
    };
    i16_creates_nothing "I16" create(), |trace| {
        first_change(trace).change.after = marked(null());
    };
    i17_replaces_another_object "I17" replace(), |trace| {
        first_change(trace).change.before = marked(value(MADE));
    };
    i17_replaces_by_another_object "I17" replace(), |trace| {
        first_change(trace).change.after = marked(value(UPDATED));
    };
    i17_gives_no_reason "I17" replace(), |trace| first_change(trace).reason = ActionReason::None;
    i17_gives_a_false_reason "I17" replace(), |trace| {
        first_change(trace).reason = ActionReason::ReplaceBecauseTainted;
    };
    i18_keeps_no_path "I18" replace(), |trace| first_change(trace).required_replace = PathSet::EMPTY;
    i18_keeps_a_strange_path "I18" replace(), |trace| {
        first_change(trace).required_replace = paths(&[".name", ".id"]);
    };
    i19_deletes_to_an_object "I19" delete(), |trace| {
        first_change(trace).change.after = marked(value(THERE));
    };
    i19_deletes_nothing "I19" delete(), |trace| {
        first_change(trace).change.before = marked(null());
    };
    i19_deletes_what_is_configured "I19" delete(), |trace| {
        trace[0].plan.request.presence = configured(CONFIG);
    };
    i23_applies_the_first_plan "I23" create(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.planned = value(MADE);
    };
    i23_applies_to_another_prior "I23" update(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.prior = value(MADE);
    };
    i23_destroys_another_object "I23" delete(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.prior = value(MADE);
    };
    i29_loses_what_an_error_left "I29" failing(update(), false), |trace| saved(trace).current = None;
    i29_taints_what_an_error_left "I29" failing(update(), false), |trace| {
        saved(trace).current.as_mut().expect("an object").status = Status::Tainted;
    };
    i29_loses_private_data "I29" failing(delete(), false), |trace| {
        saved(trace).current.as_mut().expect("an object").private = Private::NONE;
    };
    i29_changes_in_a_no_op "I29" no_op(), |trace| {
        store(saved(trace).current.as_mut().expect("an object"), MADE);
    };
    i30_loses_what_was_made "I30" create(), |trace| saved(trace).current = None;
    i30_saves_another_object "I30" update(), |trace| {
        store(saved(trace).current.as_mut().expect("an object"), THERE);
    };
    i30_taints_what_is_fine "I30" create(), |trace| {
        saved(trace).current.as_mut().expect("an object").status = Status::Tainted;
    };
    i30_keeps_what_was_destroyed "I30" delete(), |trace| saved(trace).current = Some(object(THERE, "A"));
    i31_loses_the_old_object "I31" {
        let mut trace = failing(replace_creating_first(), true);
        exchanges_of_apply(&mut trace).truncate(3);
        saved(&mut trace).current.as_mut().expect("an object").status = Status::Tainted;
        saved(&mut trace).deposed = [(fresh_key(), object(THERE, "A"))].into();
        trace
    }, |trace| saved(trace).deposed.clear();
    i31_deposes_under_another_key "I31" replace_creating_first(), |trace| {
        saved(trace).deposed = [(old_key(), object(THERE, "A"))].into();
    };
    i31_destroys_after_a_failure "I31" replace_creating_first(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).1.remarks.push(error("no"));
    };
    i32_leaves_the_old_object_deposed "I32" replace_creating_first_in_vain(), |trace| {
        let state = saved(trace);
        state.deposed = state.current.take().map(|old| (fresh_key(), old)).into_iter().collect();
    };
    i34_keeps_what_was_not_read "I34" update(), |trace| {
        store(trace[0].plan.plan.refreshed.current.as_mut().expect("an object"), MADE);
    };
    i34_plans_in_refresh_only_mode "I34" refresh_only(), |trace| {
        trace[0].plan.plan.changes.push(change(Action::Update, THERE, UPDATED, "P"));
    };
    i35_upgrades_another_object "I35" update(), |trace| {
        if let Exchange::Upgrade(request, _) = &mut trace[0].plan.exchanges[0] {
            request.state = RawState::Value(value(MADE));
        }
    };
    i35_upgrades_what_is_not_there "I35" create(), |trace| trace[0].plan.exchanges.push(upgrade(THERE));
    i36_finds_more_to_do "I36" settled(), |trace| {
        trace[1].plan.plan.changes[0] = change(Action::Update, UPDATED, MADE, "P");
    };
    i37_sends_what_is_ignored "I37" ignoring(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.config = value(r#"{"name": "other", "wo": "w"}"#);
    };
    i37_sends_all_that_is_ignored "I37" ignoring_all(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.config = value(r#"{"name": "other", "oc": "z"}"#);
    };
    i38_ignores_in_the_second_call "I38" replace(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 1).0.config = value(r#"{"name": "a", "wo": "w"}"#);
    };
    i39_updates_what_is_tainted "I39" tainted(), |trace| first_change(trace).change.action = Action::Update;
    i39_sends_private_data_of_what_is_tainted "I39" tainted(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.private = private("A");
    };
    i40_applies_a_no_op "I40" no_op(), |trace| {
        exchanges_of_apply(trace).push(apply(UPDATED, CONFIG, UPDATED, "P", UPDATED, "S"));
    };
    i40_does_not_apply "I40" create(), |trace| {
        exchanges_of_apply(trace).pop();
    };
    i40_creates_after_a_failed_destruction "I40" replace(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).1.remarks.push(error("no"));
    };
    i40_goes_on_to_deposed_objects_after_an_error "I40" deposed(), |trace| {
        let apply = trace[0].apply.as_mut().expect("an apply");
        settings(&mut apply.request.presence).postconditions = vec![Tri::False];
    };
    i41_reads_with_other_private_data "I41" update(), |trace| {
        if let Exchange::Read(request, _) = &mut trace[0].plan.exchanges[1] {
            request.private = private("x");
        }
    };
    i41_plans_with_other_private_data "I41" update(), |trace| {
        plan_call(&mut trace[0].plan.exchanges, 0).0.private = private("A");
    };
    i41_keeps_other_private_data "I41" create(), |trace| first_change(trace).private = Private::NONE;
    i41_applies_with_private_data_of_the_plan "I41" create(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.private = private("P");
    };
    i41_saves_other_private_data "I41" create(), |trace| {
        saved(trace).current.as_mut().expect("an object").private = private("Q");
    };
    i41_destroys_deposed_with_other_private_data "I41" deposed(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.private = private("D");
    };
    i42_reads_what_is_pending "I42" data(), |trace| {
        settings(&mut trace[0].plan.request.presence).config =
            Marked::plain(value(r#"{"name": {"$unknown": true}}"#));
    };
    i42_does_not_read "I42" data(), |trace| {
        trace[0].plan.exchanges.pop();
    };
    i42_records_a_change "I42" data(), |trace| {
        trace[0].plan.plan.changes.push(change(Action::Read, "null", PLANNED, ""));
    };
    i43_shows_another_object "I43" update(), |trace| {
        trace[0].plan.plan.working = Some(marked(value(THERE)));
    };
    i43_shows_no_marks "I43" update(), |trace| {
        trace[0].plan.plan.working = Some(Marked::plain(value(UPDATED)));
    };
    i44_saves_without_marks "I44" create(), |trace| {
        saved(trace).current.as_mut().expect("an object").sensitive = PathSet::EMPTY;
    };
    i44_refreshes_without_marks "I44" update(), |trace| {
        trace[0].plan.plan.refreshed.current.as_mut().expect("an object").sensitive = PathSet::EMPTY;
    };
    i44_saves_without_marks_of_the_configuration "I44" {
        let mut trace = create();
        let apply = trace[0].apply.as_mut().expect("an apply");
        settings(&mut apply.request.presence).config = Marked::new(value(CONFIG), &paths(&[".name"]));
        apply.applied.state.current.as_mut().expect("an object").sensitive = paths(&[".name", ".secret"]);
        trace
    }, |trace| saved(trace).current.as_mut().expect("an object").sensitive = paths(&[".secret"]);
    i47_plans_with_another_reason "I47" planned_twice(), |trace| trace[1].plan.plan.changes[0].reason = ActionReason::ReplaceByTriggers;
    i48_leaves_a_deposed_object_out "I48" deposed(), |trace| {
        trace[0].plan.plan.changes.pop();
        trace[0].plan.plan.diagnostics.push(error_diagnostic("no"));
    };
    i49_saves_what_is_unknown "I49" create(), |trace| {
        store(saved(trace).current.as_mut().expect("an object"), PLANNED);
    };
    i49_saves_what_is_write_only "I49" create(), |trace| {
        store(saved(trace).current.as_mut().expect("an object"), r#"{"id": "2", "name": "b", "oc": "y", "wo": "w"}"#);
    };
    i51_changes_one_object_twice "I51" update(), |trace| {
        let again = trace[0].plan.plan.changes[0].clone();
        trace[0].plan.plan.changes.push(again);
    };
    i53_blames_a_plan "I53" {
        let mut trace = create();
        plan_call(&mut trace[0].plan.exchanges, 0).1.planned = value(r#"{"name": "x"}"#);
        trace[0].plan.plan.changes.clear();
        trace[0].plan.plan.working = None;
        trace[0].apply = None;
        trace[0].plan.plan.diagnostics.push(planfuzz_core::planner::Diagnostic::error(
            planfuzz_core::planner::summary::INVALID_PLAN, path(".name"), "",
        ));
        trace
    }, |trace| trace[0].plan.plan.diagnostics.push(planfuzz_core::planner::Diagnostic::error(
        planfuzz_core::planner::summary::INVALID_PLAN, path(".oc"), "",
    ));
    i40_applies_twice "I40" create(), |trace| {
        let again = exchanges_of_apply(trace).last().expect("an apply call").clone();
        exchanges_of_apply(trace).push(again);
    };
    i40_reads_for_a_no_op "I40" no_op(), |trace| exchanges_of_apply(trace).push(upgrade(UPDATED));
    i40_upgrades_for_a_creation "I40" create(), |trace| exchanges_of_apply(trace).insert(0, upgrade(THERE));
    i40_upgrades_twice "I40" update(), |trace| exchanges_of_apply(trace).insert(0, upgrade(THERE));
    i40_validates_for_a_destruction "I40" delete(), |trace| exchanges_of_apply(trace).insert(1, validate(CONFIG));
    i40_plans_a_destruction_twice "I40" deposed(), |trace| {
        let again = exchanges_of_apply(trace)[1].clone();
        exchanges_of_apply(trace).insert(2, again);
    };
    i40_destroys_with_a_configuration "I40" delete(), |trace| {
        apply_call(exchanges_of_apply(trace), 0).0.config = value(CONFIG);
    };
    i40_destroys_a_deposed_object_after_an_error "I40" deposed(), |trace| {
        plan_call(exchanges_of_apply(trace), 0).1.remarks.push(error("no"));
    };
    i41_creates_with_private_data "I41" create(), |trace| {
        plan_call(exchanges_of_apply(trace), 0).0.private = private("x");
    };
    i31_destroys_after_a_false_postcondition "I31" replace_creating_first(), |trace| {
        settings(&mut trace[0].apply.as_mut().expect("an apply").request.presence).postconditions = vec![Tri::False];
    };
    i31_destroys_after_a_failed_provisioner "I31" replace_creating_first(), |trace| {
        let fails = planfuzz_core::planner::Provisioner { on_destroy: false, fails: true, on_failure_continue: false };
        settings(&mut trace[0].apply.as_mut().expect("an apply").request.presence).provisioners = vec![fails];
    };
    i30_keeps_a_deposed_object_that_was_destroyed "I30" deposed(), |trace| {
        saved(trace).deposed = [(old_key(), object(THERE, "A"))].into();
    };
    i29_saves_an_object_of_a_failed_creation "I29" failing(create(), false), |trace| {
        saved(trace).current = Some(object(MADE, "S"));
    };
    i29_changes_what_an_error_left "I29" failing(update(), false), |trace| {
        store(saved(trace).current.as_mut().expect("an object"), MADE);
    };
    i29_loses_what_was_not_applied "I29" unapplied(update()), |trace| saved(trace).current = None;
    i29_taints_what_was_not_applied "I29" unapplied(update()), |trace| {
        saved(trace).current.as_mut().expect("an object").status = Status::Tainted;
    };
    i30_saves_what_was_not_created "I30" unapplied(create()), |trace| saved(trace).current = Some(object(MADE, "S"));
    i30_saves_what_was_not_begun "I30" {
        let mut trace = unapplied(create());
        exchanges_of_apply(&mut trace).clear();
        trace
    }, |trace| saved(trace).current = Some(object(MADE, "S"));
    i32_loses_the_old_object "I32" replace_creating_first_in_vain(), |trace| saved(trace).current = None;
    i32_keeps_the_old_object_twice "I32" replace_creating_first_in_vain(), |trace| {
        saved(trace).deposed = [(fresh_key(), object(THERE, "A"))].into();
    };
    i44_saves_without_marks_beside_a_destruction "I44" {
        let mut trace = replace_creating_first();
        let apply = trace[0].apply.as_mut().expect("an apply");
        settings(&mut apply.request.presence).config = Marked::new(value(CONFIG), &paths(&[".name"]));
        apply.applied.state.current.as_mut().expect("an object").sensitive = paths(&[".name", ".secret"]);
        trace
    }, |trace| saved(trace).current.as_mut().expect("an object").sensitive = paths(&[".secret"]);
    i44_refreshes_without_marks_of_the_object "I44" {
        let mut trace = update();
        let walk = &mut trace[0].plan;
        for object in [&mut walk.request.state.current, &mut walk.plan.refreshed.current] {
            object.as_mut().expect("an object").sensitive = paths(&[".name", ".secret"]);
        }
        trace
    }, |trace| trace[0].plan.plan.refreshed.current.as_mut().expect("an object").sensitive = paths(&[".secret"]);
    i15_updates_nothing "I15" update(), |trace| first_change(trace).change.before = marked(null());
    i16_creates_nothing_of_a_legacy_answer "I16" {
        let mut trace = create();
        trace[0].apply = None;
        plan_call(&mut trace[0].plan.exchanges, 0).1.legacy_type_system = true;
        trace
    }, |trace| first_change(trace).change.after = marked(null());
    i41_keeps_other_private_data_of_a_no_op "I41" {
        let mut trace = no_op();
        trace[0].apply = None;
        trace
    }, |trace| first_change(trace).private = Private::NONE;
    i42_records_another_change "I42" data(), |trace| {
        trace[0].plan.plan.changes.push(change(Action::NoOp, MADE, MADE, ""));
    };
    i17_gives_another_reason_than_the_request "I17" replace(), |trace| trace[0].plan.request.options.replace = true;
    i47_sends_another_request "I47" planned_twice(), |trace| {
        let (request, answer) = plan_call(&mut trace[1].plan.exchanges, 0);
        (request.config, answer.planned) = (value(r#"{"name": "c"}"#), value(MADE));
        trace[1].plan.plan.changes[0].change.after = marked(value(MADE));
    };
    i36_forgets_what_is_there "I36" settled(), |trace| {
        trace[1].plan.exchanges[3] = plan("null", CONFIG, CONFIG, "", PLANNED, "P");
        trace[1].plan.plan.changes[0] = change(Action::Create, "null", PLANNED, "P");
    };
}

/// The modes and kinds that the fixtures need beside the usual ones.
#[test]
fn refresh_only_and_data_have_their_mode_and_kind() {
    assert_eq!(refresh_only()[0].plan.request.mode, Mode::RefreshOnly);
    assert_eq!(data()[0].plan.request.kind, ResourceKind::Data);
}
