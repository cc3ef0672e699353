//! Section 13.

use super::fixture::{Fixture, Script, actions, configured, present, request, summaries, value_of};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyRequest, Configured, Dependency, Link, Orphan, PlanOptions, PlanRequest, Presence, ReadDataAnswer,
};
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::state::{Object, Stored};
use planfuzz_core::value::{PathSet, Tri, Value};

fn fixture() -> Fixture {
    Fixture::usual(Dialect::TERRAFORM_1_11)
}

fn data(configured: Configured) -> PlanRequest {
    PlanRequest { kind: ResourceKind::Data, ..request(None, present(configured)) }
}

fn known(fixture: &Fixture) -> Configured {
    configured(fixture.usual_value(r#"{"name": "a"}"#), &PathSet::parse([".name"]).expect("paths"))
}

fn unknown(fixture: &Fixture) -> Configured {
    configured(fixture.usual_value(r#"{"name": {"$unknown": true}}"#), &PathSet::EMPTY)
}

#[test]
fn l144_a_known_configuration_is_read_without_a_change() {
    let fixture = fixture();
    let mut script = Script::default();
    let plan = fixture.plan(&data(known(&fixture)), &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "validate", "read_data"]);
    assert!(plan.changes.is_empty() && plan.drift.is_none());
    let stored = plan.refreshed.current.expect("an object");
    assert_eq!(stored.sensitive.texts(), [".name", ".secret"]);
    assert!(plan.working.is_some_and(|working| working.value() == value_of(&stored)));
}

#[test]
fn l144_answers_that_are_refused() {
    let fixture = fixture();
    for (state, want) in [
        (fixture.null(), "error Provider produced null object"),
        (Value::string("x"), "error Provider produced invalid object"),
        (fixture.usual_value(r#"{"id": {"$unknown": true}}"#), "error Provider produced invalid object"),
    ] {
        let mut script = Script::default();
        script.data.push_back(ReadDataAnswer { state: state.clone(), remarks: Vec::new() });
        let plan = fixture.plan(&data(known(&fixture)), &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), [want]);
        assert!(plan.working.is_none());

        let mut configured = known(&fixture);
        configured.in_check = true;
        script.data.push_back(ReadDataAnswer { state, remarks: Vec::new() });
        let plan = fixture.plan(&data(configured), &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), [want.replace("error", "warning")], "L145");
        assert!(!plan.changes[0].change.after.value().is_wholly_known());
        let stored = plan.refreshed.current.expect("an object");
        assert_eq!(*value_of(&stored), fixture.usual_value(r#"{"name": "a"}"#), "L145");
    }
}

#[test]
fn l141_l142_unknowns_and_pending_dependencies_delay_the_read() {
    let fixture = fixture();
    let plan = fixture.plan(&data(unknown(&fixture)), &mut Script::default()).expect("no refusal");
    assert_eq!(actions(&plan.changes), [(Action::Read, ActionReason::ReadBecauseConfigUnknown)]);
    assert!(plan.changes[0].change.before.is_null() && plan.working.is_some() && plan.refreshed.is_absent());

    let pending = |kind, link, action, conditions: bool| {
        let mut configured = known(&fixture);
        configured.dependencies = vec![Dependency { address: "a.a".into(), kind, link, actions: vec![action] }];
        if conditions {
            configured.postconditions = vec![Tri::Unknown];
        }
        let plan = fixture.plan(&data(configured), &mut Script::default()).expect("no refusal");
        plan.changes.first().map(|change| change.reason)
    };
    let reason = Some(ActionReason::ReadBecauseDependencyPending);
    use ResourceKind::{Data, Managed};
    assert_eq!(pending(Managed, Link::Reference, Action::Update, false), reason);
    assert_eq!(pending(Managed, Link::DependsOn, Action::Delete, false), reason);
    assert_eq!(pending(Managed, Link::DependsOn, Action::NoOp, false), None);
    assert_eq!(pending(Managed, Link::Transitive, Action::Update, false), None);
    assert_eq!(pending(Managed, Link::Transitive, Action::Update, true), reason);
    assert_eq!(pending(Data, Link::DependsOn, Action::Read, true), None);
}

#[test]
fn l141_a_delayed_read_removes_the_object_from_the_refreshed_state() {
    let fixture = fixture();
    let mut request = data(unknown(&fixture));
    request.state.current = Some(Object::ready(fixture.usual_value("{}")));
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert!(plan.refreshed.is_absent());
    request.mode = Mode::Destroy;
    assert!(fixture.plan(&request, &mut Script::default()).expect("no refusal").changes.is_empty());
}

#[test]
fn l157_data_makes_no_refresh_only_plan_applyable() {
    let fixture = fixture();
    let request = PlanRequest { mode: Mode::RefreshOnly, ..data(known(&fixture)) };
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert!(plan.refreshed.current.is_some() && !plan.applyable);
}

#[test]
fn l144_write_only_values_of_data_are_not_checked() {
    let fixture = Fixture::usual(Dialect::OPENTOFU_1_12);
    let mut script = Script::default();
    script.data.push_back(ReadDataAnswer { state: fixture.usual_value(r#"{"w": "x"}"#), remarks: Vec::new() });
    let plan = fixture.plan(&data(known(&fixture)), &mut script).expect("no refusal");
    assert!(plan.diagnostics.is_empty() && plan.working.is_some());
}

#[test]
fn l143_a_refresh_only_plan_drops_unreadable_objects() {
    let fixture = fixture();
    let mut request = data(unknown(&fixture));
    request.state.current = Some(Object::ready(fixture.usual_value("{}")));
    request.mode = Mode::RefreshOnly;
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert!(plan.changes.is_empty() && plan.refreshed.is_absent() && plan.working.is_none());
}

#[test]
fn l145_in_a_check_it_is_read_now_and_again() {
    let fixture = fixture();
    let mut configured = known(&fixture);
    configured.in_check = true;
    let plan = fixture.plan(&data(configured), &mut Script::default()).expect("no refusal");
    assert_eq!(actions(&plan.changes), [(Action::Read, ActionReason::ReadBecauseCheckNested)]);
    assert!(plan.changes[0].change.after.value().is_wholly_known() && plan.refreshed.current.is_some());
}

#[test]
fn l146_deletions() {
    let fixture = fixture();
    let mut request = data(known(&fixture));
    request.mode = Mode::Destroy;
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert_eq!(actions(&plan.changes), [(Action::Delete, ActionReason::None)]);
    assert!(plan.changes[0].change.before.value().ty().is_dynamic());

    let mut request = data(known(&fixture));
    request.state.current = Some(Object::ready(fixture.usual_value("{}")));
    request.presence = Presence::Orphan(Orphan::default());
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert!(plan.changes.is_empty() && plan.refreshed.is_absent() && plan.diagnostics.is_empty());
}

#[test]
fn l147_a67_applying() {
    let fixture = fixture();
    let plan = fixture.plan(&data(unknown(&fixture)), &mut Script::default()).expect("no refusal");
    let mut request = ApplyRequest {
        kind: ResourceKind::Data,
        options: PlanOptions::default(),
        state: plan.refreshed,
        changes: plan.changes,
        presence: present(known(&fixture)),
    };
    let mut script = Script::default();
    let applied = fixture.apply(&request, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "read_data"]);
    let stored = applied.state.current.expect("an object");
    assert!(stored.private.is_none() && stored.dependencies.is_empty());

    request.state.current = Some(stored);
    request.changes[0].change.action = Action::Delete;
    assert!(fixture.apply(&request, &mut Script::default()).expect("no refusal").state.is_absent());
}

#[test]
fn l144_a_failed_read_leaves_an_object_of_the_present_version() {
    let fixture = fixture();
    let left = |attributes: &str| {
        let mut request = data(known(&fixture));
        let mut object = Object::ready(fixture.null());
        object.stored = Stored::Raw { version: 2, attributes: Json::parse(attributes).expect("JSON").into() };
        request.state.current = Some(object);
        let mut script = Script::default();
        script.data.push_back(ReadDataAnswer { state: fixture.null(), remarks: Vec::new() });
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), ["error Provider produced null object"]);
        plan.refreshed.current.expect("an object").stored
    };
    assert!(matches!(left(r#"{"id": "1"}"#), Stored::Value(_)));
    assert!(matches!(left(r#"{"id": ["1"]}"#), Stored::Raw { version: 3, .. }), "what does not fit stays as it is");
}
