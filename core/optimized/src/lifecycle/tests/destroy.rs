//! Section 12 and the destroy mode.

use super::fixture::{Fixture, Script, actions, configured, planned, present, read, request, summaries, value_of};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{KeyKind, Orphan, PlanRequest, Presence, PreventDestroy, Repetition, summary};
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, Object, Private};
use planfuzz_core::value::{PathSet, Tri, Value};

const T11: Dialect = Dialect::TERRAFORM_1_11;
const TH: Dialect = Dialect::TERRAFORM_1_17;
const OT: Dialect = Dialect::OPENTOFU_1_12;

fn object(fixture: &Fixture, members: &str) -> Object {
    Object { private: Private::from(b"own".as_slice()), ..Object::ready(fixture.usual_value(members)) }
}

fn orphan(fixture: &Fixture, orphan: Orphan) -> PlanRequest {
    request(Some(object(fixture, r#"{"id": "1"}"#)), Presence::Orphan(orphan))
}

/// A provider with `plan_destroy` that finds another name.
fn drifting(fixture: &Fixture) -> Script {
    let mut script = Script { plan_destroy: true, ..Script::default() };
    script.reads.push_back(read(fixture.usual_value(r#"{"id": "1", "name": "new"}"#)));
    script
}

#[test]
fn l123_when_an_orphan_is_refreshed() {
    for (dialect, calls, refreshed) in [
        (T11, ["upgrade", "plan", "read"], false),
        (TH, ["upgrade", "read", "plan"], true),
        (OT, ["upgrade", "read", "plan"], true),
    ] {
        let fixture = Fixture::usual(dialect);
        let mut script = drifting(&fixture);
        let plan = fixture.plan(&orphan(&fixture, Orphan::default()), &mut script).expect("no refusal");
        assert_eq!(script.calls(), calls, "{dialect}");
        let before = plan.changes[0].change.before.value().view().member("name").expect("a member");
        assert_eq!(!before.is_null(), refreshed, "{dialect}");
        assert_eq!(actions(&plan.changes), [(Action::Delete, ActionReason::DeleteBecauseNoResourceConfig)]);
        assert_eq!(plan.changes[0].private, Private::from(b"planned".as_slice()), "L122");
        assert!(plan.working.is_none() && plan.drift.is_some(), "L126, L170");
    }
}

#[test]
fn l123_an_orphan_that_is_gone_has_no_change() {
    for dialect in [T11, TH, OT] {
        let fixture = Fixture::usual(dialect);
        let mut script = Script { plan_destroy: true, ..Script::default() };
        script.reads.push_back(read(fixture.null()));
        let plan = fixture.plan(&orphan(&fixture, Orphan::default()), &mut script).expect("no refusal");
        assert!(plan.changes.is_empty() && plan.refreshed.is_absent(), "{dialect}");
        assert_eq!(script.calls().contains(&"plan"), dialect == T11);
    }
}

#[test]
fn l123_l151_a_refresh_only_plan_asks_in_terraform_1_11_and_plans_nothing() {
    for (dialect, asks) in [(T11, true), (TH, false), (OT, false)] {
        let fixture = Fixture::usual(dialect);
        let mut script = drifting(&fixture);
        let mut request = orphan(&fixture, Orphan::default());
        request.mode = Mode::RefreshOnly;
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(script.calls().contains(&"plan"), asks, "{dialect}");
        assert!(plan.changes.is_empty() && plan.working.is_some() && plan.applyable);
    }
}

#[test]
fn l120_without_the_capability_the_provider_is_not_asked() {
    let fixture = Fixture::usual(T11);
    let mut script = Script::default();
    let plan = fixture.plan(&orphan(&fixture, Orphan::default()), &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["upgrade", "read"]);
    assert_eq!(plan.changes[0].private, Private::from(b"own".as_slice()));
}

#[test]
fn l121_a_planned_destruction_is_null() {
    let fixture = Fixture::usual(T11);
    let mut script = Script { plan_destroy: true, ..Script::default() };
    let mut answer = planned(fixture.usual_value("{}"));
    answer.legacy_type_system = true;
    script.plans.push_back(answer);
    let plan = fixture.plan(&orphan(&fixture, Orphan::default()), &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Provider produced invalid plan"]);
    assert!(plan.changes.is_empty() && script.calls() == ["upgrade", "plan"]);
}

#[test]
fn l125_prevention_holds_for_orphans_with_a_block() {
    for (block, errors) in [(true, 1), (false, 0)] {
        let fixture = Fixture::usual(T11);
        let it = Orphan { block, module: true, prevent_destroy: PreventDestroy::Yes, ..Orphan::default() };
        let plan = fixture.plan(&orphan(&fixture, it), &mut Script::default()).expect("no refusal");
        assert_eq!((plan.diagnostics.len(), plan.changes.len()), (errors, 1));
    }
}

#[test]
fn l127_reasons() {
    let check = |dialect, orphan: Orphan, moved: bool, want| {
        let fixture = Fixture::usual(dialect);
        let mut request = self::orphan(&fixture, orphan);
        request.options.moved_from = moved.then(|| "a.b".into());
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        assert_eq!(actions(&plan.changes), [(Action::Delete, want)]);
    };
    let block = Orphan { block: true, module: true, ..Orphan::default() };
    let of = |key, repetition, declared| Orphan { key, repetition, declared, ..block.clone() };
    check(T11, Orphan::default(), true, ActionReason::DeleteBecauseNoMoveTarget);
    check(T11, Orphan::default(), false, ActionReason::DeleteBecauseNoResourceConfig);
    check(T11, Orphan { module: false, ..block.clone() }, true, ActionReason::DeleteBecauseNoModule);
    use ActionReason::{
        DeleteBecauseCountIndex, DeleteBecauseEachKey, DeleteBecauseEnabledFalse, DeleteBecauseWrongRepetition,
    };
    use KeyKind::{Index, Text};
    use Repetition::{Count, Enabled, ForEach, Single};
    for (key, repetition, declared, want) in [
        (KeyKind::None, Count, false, DeleteBecauseWrongRepetition),
        (KeyKind::None, ForEach, false, DeleteBecauseWrongRepetition),
        (KeyKind::None, Single, false, ActionReason::None),
        (KeyKind::None, Enabled, false, ActionReason::None),
        (Index, Single, false, DeleteBecauseWrongRepetition),
        (Index, ForEach, false, DeleteBecauseWrongRepetition),
        (Index, Count, false, DeleteBecauseCountIndex),
        (Index, Count, true, ActionReason::None),
        (Text, Count, false, DeleteBecauseWrongRepetition),
        (Text, ForEach, false, DeleteBecauseEachKey),
        (Text, ForEach, true, ActionReason::None),
    ] {
        check(T11, of(key, repetition, declared), false, want);
    }
    check(OT, of(KeyKind::None, Enabled, false), false, DeleteBecauseEnabledFalse);
}

#[test]
fn l129_removed_blocks_forget() {
    for (dialect, calls) in [(T11, vec!["upgrade"]), (OT, vec!["upgrade", "read"])] {
        let reason = ActionReason::DeleteBecauseNoResourceConfig;
        let fixture = Fixture::usual(dialect);
        let mut request = orphan(&fixture, Orphan::default());
        request.presence = Presence::Removed(Orphan::default());
        let mut script = Script { plan_destroy: true, ..Script::default() };
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(script.calls(), calls);
        assert_eq!(actions(&plan.changes), [(Action::Forget, reason)]);
        assert!(plan.changes[0].change.after.is_null() && plan.changes[0].private.is_none());
    }
}

#[test]
fn l129_opentofu_forgets_orphans_that_are_to_live_on() {
    let fixture = Fixture::usual(OT);
    let block = Orphan { block: true, module: true, keep_on_destroy: true, ..Orphan::default() };
    let plan = fixture.plan(&orphan(&fixture, block), &mut Script::default()).expect("no refusal");
    assert_eq!(actions(&plan.changes), [(Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInConfig)]);
    let mut request = orphan(&fixture, Orphan::default());
    request.state.current = request.state.current.map(|object| Object { skip_destroy: true, ..object });
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert_eq!(actions(&plan.changes), [(Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInState)]);
    let removed = PlanRequest { presence: Presence::Removed(Orphan::default()), ..request };
    let plan = fixture.plan(&removed, &mut Script::default()).expect("no refusal");
    assert_eq!(actions(&plan.changes), [(Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInState)]);
    assert_eq!(plan.diagnostics[0].summary, summary::FORGOTTEN);
}

#[test]
fn l130_deposed_objects_are_refreshed_and_destroyed_each_on_its_own() {
    let fixture = Fixture::usual(T11);
    let key = |text: &str| DeposedKey::new(text).expect("a key");
    let mut request = request(None, present(configured(fixture.usual_value("{}"), &PathSet::EMPTY)));
    for (name, id) in [("0000000a", "1"), ("0000000b", "2"), ("0000000c", "3")] {
        request.state.deposed.insert(key(name), object(&fixture, &format!(r#"{{"id": "{id}"}}"#)));
    }
    let mut script = Script::default();
    let mut broken = read(fixture.null());
    broken.remarks = super::fixture::error("no");
    script.reads.extend([read(fixture.null()), broken]);
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error no"]);
    let found: Vec<_> = plan.changes.iter().map(|change| (change.deposed.clone(), change.change.action)).collect();
    assert_eq!(
        found,
        [(None, Action::Create), (Some(key("0000000a")), Action::NoOp), (Some(key("0000000c")), Action::Delete)]
    );
    let gone = &plan.changes[1].change;
    assert!(gone.before.value().ty().is_dynamic() && gone.after.value().ty().is_dynamic());
    assert_eq!(plan.refreshed.deposed.len(), 2);
    assert_eq!(plan.previous_run.deposed.len(), 3);
}

#[test]
fn l120_l123_forgetting_plans_nothing_but_refreshes_an_orphan() {
    let fixture = Fixture::usual(T11);
    let mut request = orphan(&fixture, Orphan::default());
    request.options.forget = true;
    request.state.deposed.insert(DeposedKey::zeros(), object(&fixture, "{}"));
    let mut script = Script { plan_destroy: true, ..Script::default() };
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["upgrade", "read", "upgrade"]);
    assert_eq!(plan.changes.iter().map(|change| change.change.action).collect::<Vec<_>>(), [Action::Forget; 2]);
}

#[test]
fn l152_destroy_mode_refreshes_by_a_normal_plan() {
    let fixture = Fixture::usual(T11);
    let mut configured = configured(fixture.usual_value(r#"{"name": "c"}"#), &PathSet::EMPTY);
    configured.preconditions = vec![Tri::False];
    let mut request = request(Some(object(&fixture, r#"{"id": "1"}"#)), present(configured.clone()));
    request.mode = Mode::Destroy;
    let mut script = drifting(&fixture);
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "upgrade", "read", "validate", "plan", "upgrade", "plan"]);
    assert!(plan.diagnostics.is_empty(), "LD09: {:?}", summaries(&plan.diagnostics));
    assert_eq!(actions(&plan.changes), [(Action::Delete, ActionReason::None)], "L128");
    let before = plan.changes[0].change.before.value();
    assert_eq!(*before, fixture.usual_value(r#"{"id": "1", "name": "new"}"#));
    assert!(plan.working.is_some() && plan.drift.is_none(), "L170");
    assert_eq!(
        *value_of(plan.previous_run.current.as_ref().expect("an object")),
        fixture.usual_value(r#"{"id": "1"}"#)
    );

    configured.lifecycle.prevent_destroy = PreventDestroy::Yes;
    request.presence = present(configured);
    request.options.skip_refresh = true;
    let mut script = drifting(&fixture);
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "upgrade", "plan"]);
    assert_eq!(summaries(&plan.diagnostics), ["error Instance cannot be destroyed"]);
    assert!(plan.changes.len() == 1 && plan.refreshed.current.is_some(), "L153, L158");
}

#[test]
fn l23_l152_errors_of_the_refresh_end_a_destroy_plan_and_nothing_is_imported() {
    let fixture = Fixture::usual(T11);
    let configured = configured(fixture.usual_value("{}"), &PathSet::EMPTY);
    let mut request = request(None, present(configured));
    request.mode = Mode::Destroy;
    request.options.import = Some("i".into());
    let mut script = Script::default();
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "validate", "plan"]);
    assert!(plan.changes.is_empty() && plan.refreshed.is_absent() && !plan.applyable);

    request.state.current = Some(object(&fixture, "{}"));
    let mut script = Script::default();
    let mut broken = planned(fixture.usual_value("{}"));
    broken.remarks = super::fixture::error("no");
    script.plans.push_back(broken);
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error no"]);
    assert!(plan.changes.is_empty() && plan.refreshed.is_absent(), "LD09");
}

#[test]
fn ld09_opentofu_forgets_kept_objects_where_all_is_destroyed() {
    for (dialect, want) in [
        (T11, (Action::Delete, ActionReason::None)),
        (OT, (Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInConfig)),
    ] {
        let fixture = Fixture::usual(dialect);
        let mut configured = configured(fixture.usual_value("{}"), &PathSet::EMPTY);
        configured.lifecycle.keep_on_destroy = true;
        let mut request = request(Some(object(&fixture, r#"{"id": "1"}"#)), present(configured));
        request.mode = Mode::Destroy;
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        assert_eq!(actions(&plan.changes), [want], "{dialect}");
    }
}

#[test]
fn ld30_the_block_or_the_flag_of_the_state_keeps_an_orphan() {
    let fixture = Fixture::usual(OT);
    for (block, keep_on_destroy, want) in [
        (false, false, (Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInState)),
        (true, false, (Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInState)),
        (true, true, (Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInConfig)),
    ] {
        let facts = Orphan { block, module: true, keep_on_destroy, ..Orphan::default() };
        let mut request = orphan(&fixture, facts);
        request.state.current.as_mut().expect("an object").skip_destroy = true;
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        assert_eq!(actions(&plan.changes), [want]);
    }
}

#[test]
fn l130_opentofu_forgets_deposed_objects_that_are_flagged_even_where_they_are_gone() {
    for (dialect, is_gone, want) in [
        (T11, false, (Action::Delete, ActionReason::None)),
        (T11, true, (Action::NoOp, ActionReason::None)),
        (OT, false, (Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInState)),
        (OT, true, (Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInState)),
    ] {
        let fixture = Fixture::usual(dialect);
        let mut request = request(None, present(configured(fixture.usual_value("{}"), &PathSet::EMPTY)));
        let flagged = Object { skip_destroy: true, ..object(&fixture, r#"{"id": "1"}"#) };
        request.state.deposed.insert(DeposedKey::new("0000000a").expect("a key"), flagged);
        let mut script = Script::default();
        if is_gone {
            script.reads.push_back(read(fixture.null()));
        }
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(actions(&plan.changes)[1], want, "{dialect} {is_gone}");
        assert_eq!(plan.changes[1].change.before.is_null(), is_gone);
    }
}

#[test]
fn ld08_opentofu_refreshes_deposed_objects_that_it_forgets() {
    for (dialect, calls) in [(T11, vec!["upgrade"]), (OT, vec!["upgrade", "read"])] {
        let fixture = Fixture::usual(dialect);
        let mut request = request(None, Presence::Removed(Orphan::default()));
        request.state.deposed.insert(DeposedKey::new("0000000a").expect("a key"), object(&fixture, "{}"));
        let mut script = Script::default();
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(script.calls(), calls, "{dialect}");
        assert_eq!(actions(&plan.changes), [(Action::Forget, ActionReason::None)]);
    }
}

#[test]
fn l170_a_missing_object_drifts_to_null_of_the_schemas_type() {
    let schema = r#"{"block": {"attributes": {"a": {"type": "dynamic", "optional": true}}}}"#;
    let fixture = Fixture::new(Schema::parse(schema).expect("a schema"), T11);
    let stored = r#"{"a": {"type": "string", "value": "x"}}"#;
    let stored = Value::from_json(&Json::parse(stored).expect("JSON"), &fixture.ty).expect("a value");
    let mut script = Script::default();
    script.reads.push_back(read(fixture.null()));
    let request = request(Some(Object::ready(stored)), Presence::Orphan(Orphan::default()));
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(*plan.drift.expect("a drift").after.value().ty(), fixture.ty);
}
