//! Section 20: cases that the recorded runs do not reach.

use super::fixture::{
    Asked, Fixture, Script, applied, configured, error, planned, present, request, summaries, value_of,
};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyRequest, Configured, Dependency, Link, Orphan, Plan, PlanRequest, Presence, Provisioner,
};
use planfuzz_core::plans::{Action, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, Object, Private, Status};
use planfuzz_core::value::{PathSet, Tri, Value};

const T11: Dialect = Dialect::TERRAFORM_1_11;
const TH: Dialect = Dialect::TERRAFORM_1_17;
const OT: Dialect = Dialect::OPENTOFU_1_12;

fn plain(fixture: &Fixture, members: &str) -> Configured {
    configured(fixture.usual_value(members), &PathSet::EMPTY)
}

fn object(fixture: &Fixture, members: &str) -> Object {
    Object {
        private: Private::from(b"own".as_slice()),
        sensitive: PathSet::parse([".secret"]).expect("paths"),
        ..Object::ready(fixture.usual_value(members))
    }
}

/// The apply request of a plan.
fn of(request: &PlanRequest, plan: Plan) -> ApplyRequest {
    ApplyRequest {
        kind: request.kind,
        options: request.options.clone(),
        state: plan.refreshed,
        changes: plan.changes,
        presence: request.presence.clone(),
    }
}

/// Plans with a provider that returns the proposed object, then applies with `script`.
fn live(fixture: &Fixture, request: &PlanRequest, script: &mut Script) -> Applied {
    let plan = fixture.plan(request, &mut Script { plan_destroy: script.plan_destroy, ..Script::default() });
    let plan = plan.expect("no refusal");
    assert!(!plan.is_errored(), "{:?}", summaries(&plan.diagnostics));
    fixture.apply(&of(request, plan), script).expect("no refusal")
}

fn create(fixture: &Fixture) -> PlanRequest {
    request(None, present(plain(fixture, r#"{"name": "a"}"#)))
}

fn update(fixture: &Fixture) -> PlanRequest {
    request(Some(object(fixture, "{}")), present(plain(fixture, r#"{"name": "a"}"#)))
}

fn answer(new_state: Option<Value>) -> Script {
    let mut script = Script::default();
    script.applies.push_back(ApplyAnswer { new_state, ..applied(Value::bool(true)) });
    script
}

#[test]
fn a14_a_saved_object_has_the_configured_dependencies() {
    let fixture = Fixture::usual(T11);
    let mut configured = plain(&fixture, "{}");
    configured.dependencies = ["b.b", "a.a"]
        .map(|address| Dependency {
            address: address.into(),
            kind: ResourceKind::Data,
            link: Link::Transitive,
            actions: Vec::new(),
        })
        .to_vec();
    let mut script = Script::default();
    let got = live(&fixture, &request(None, present(configured)), &mut script);
    assert_eq!(script.calls(), ["validate", "plan", "apply"]);
    assert_eq!(
        got.state.current.expect("an object").dependencies,
        ["a.a", "b.b"].map(planfuzz_core::value::Text::from)
    );
}

#[test]
fn a62_an_error_of_the_current_object_keeps_deposed_ones() {
    let fixture = Fixture::usual(T11);
    for (asked, fails) in [
        (create(&fixture), true),
        (update(&fixture), true),
        (create(&fixture), false),
        (request(Some(object(&fixture, "{}")), Presence::Orphan(Orphan::default())), true),
    ] {
        let is_destroyed = matches!(asked.presence, Presence::Orphan(_));
        let mut asked = asked;
        asked.state.deposed.insert(DeposedKey::new("00000009").expect("a key"), object(&fixture, r#"{"id": "9"}"#));
        let mut script = Script::default();
        if fails {
            script.applies.push_back(ApplyAnswer { remarks: error("no"), ..applied(fixture.null()) });
        }
        let got = live(&fixture, &asked, &mut script);
        assert_eq!(got.state.deposed.len(), usize::from(fails && !is_destroyed));
    }
}

#[test]
fn a15_a16_a_failing_provisioner_taints() {
    for (on_failure_continue, status, want) in
        [(false, Status::Tainted, &["error Provisioner failed"][..]), (true, Status::Ready, &[])]
    {
        let fixture = Fixture::usual(T11);
        let mut configured = plain(&fixture, "{}");
        configured.lifecycle.create_before_destroy = true;
        configured.provisioners = vec![Provisioner { on_destroy: false, fails: true, on_failure_continue }];
        let mut request = request(Some(object(&fixture, "{}")), present(configured));
        request.options.replace = true;
        let got = live(&fixture, &request, &mut Script::default());
        assert_eq!(summaries(&got.diagnostics), want, "LD44");
        assert_eq!(got.state.current.expect("an object").status, status);
        assert_eq!(got.state.deposed.len(), usize::from(!on_failure_continue), "A16, I31");
    }
}

#[test]
fn a16_a_creation_that_leaves_nothing_brings_the_old_object_back() {
    let fixture = Fixture::usual(T11);
    let mut configured = plain(&fixture, "{}");
    configured.lifecycle.create_before_destroy = true;
    let mut request = request(Some(object(&fixture, r#"{"id": "1"}"#)), present(configured));
    request.options.replace = true;
    request.options.fresh_key = DeposedKey::new("0000000a").expect("a key");
    let mut script = answer(Some(fixture.null()));
    script.applies[0].remarks = error("no");
    let got = live(&fixture, &request, &mut script);
    let current = got.state.current.expect("the old object");
    assert!(value_of(&current).view().member("id").is_some_and(|id| !id.is_null()) && got.state.deposed.is_empty());

    let mut script = Script::default();
    let mut broken = planned(fixture.null());
    broken.remarks = error("no");
    script.plans.push_back(broken);
    let got = live(&fixture, &request, &mut script);
    assert!(got.state.current.is_none() && got.state.deposed.len() == 1, "A08");
}

#[test]
fn a50_a_replaced_object_is_destroyed_even_where_others_are_forgotten() {
    let fixture = Fixture::usual(T11);
    let mut configured = plain(&fixture, "{}");
    configured.lifecycle.create_before_destroy = true;
    let mut request = request(Some(object(&fixture, r#"{"id": "1"}"#)), present(configured));
    (request.options.replace, request.options.forget) = (true, true);
    let mut script = Script::default();
    let got = live(&fixture, &request, &mut script);
    assert_eq!(script.calls().iter().filter(|call| **call == "apply").count(), 2);
    assert!(got.state.deposed.is_empty() && got.state.current.is_some());
}

#[test]
fn a42_a_failing_provisioner_keeps_the_object() {
    for (status, calls) in [(Status::Ready, vec!["upgrade"]), (Status::Tainted, vec!["upgrade", "apply"])] {
        let fixture = Fixture::usual(T11);
        let mut configured = plain(&fixture, "{}");
        configured.provisioners = vec![Provisioner { on_destroy: true, fails: true, on_failure_continue: false }];
        let object = Object { status, ..object(&fixture, "{}") };
        let mut request = request(Some(object), present(configured));
        request.mode = Mode::Destroy;
        let mut script = Script::default();
        let got = live(&fixture, &request, &mut script);
        assert_eq!(script.calls(), calls);
        assert_eq!(got.state.current.is_some(), status == Status::Ready);
    }
}

#[test]
fn a10_a17_conditions_with_final_values() {
    let fixture = Fixture::usual(T11);
    let mut request = request(Some(object(&fixture, "{}")), present(plain(&fixture, "{}")));
    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    assert_eq!(plan.changes[0].change.action, Action::NoOp);
    let mut late = plain(&fixture, "{}");
    late.postconditions = vec![Tri::False];
    request.presence = present(late.clone());
    let mut script = Script::default();
    let got = fixture.apply(&of(&request, plan.clone()), &mut script).expect("no refusal");
    assert_eq!(summaries(&got.diagnostics), ["error Resource postcondition failed"]);
    late.preconditions = vec![Tri::False];
    request.presence = present(late);
    let got = fixture.apply(&of(&request, plan), &mut script).expect("no refusal");
    assert_eq!(summaries(&got.diagnostics), ["error Resource precondition failed"], "L30 before L31");
    assert_eq!(script.calls(), ["upgrade", "upgrade"], "A10: what has conditions is read");
    assert!(got.state.current.is_some());
}

#[test]
fn a21_an_unknown_configuration_drops_the_object() {
    let fixture = Fixture::usual(T11);
    let unknown = present(plain(&fixture, r#"{"name": {"$unknown": true}}"#));
    let mut script = Script::default();
    let got = live(&fixture, &request(Some(object(&fixture, "{}")), unknown), &mut script);
    assert_eq!(summaries(&got.diagnostics), ["error Configuration contains unknown value"]);
    assert_eq!(script.calls(), ["upgrade", "validate", "plan"]);
    assert!(got.state.is_absent());
}

#[test]
fn a24_marks_alone_do_not_reach_the_provider() {
    let fixture = Fixture::usual(T11);
    let config = configured(fixture.usual_value(r#"{"name": "a"}"#), &PathSet::parse([".name"]).expect("paths"));
    let mut script = Script::default();
    let request = request(Some(object(&fixture, r#"{"name": "a"}"#)), present(config));
    let got = live(&fixture, &request, &mut script);
    assert_eq!(script.calls(), ["upgrade", "validate", "plan"]);
    let current = got.state.current.expect("an object");
    assert_eq!(current.sensitive.texts(), [".name", ".secret"]);
    assert_eq!(current.private, Private::from(b"own".as_slice()));
}

#[test]
fn a26_a_call_without_an_answer() {
    for (remarks, want) in [(vec![], "error Provider produced invalid object"), (error("dead"), "error dead")] {
        let fixture = Fixture::usual(T11);
        let mut script = answer(None);
        script.applies[0].remarks = remarks;
        let got = live(&fixture, &update(&fixture), &mut script);
        assert_eq!(summaries(&got.diagnostics), [want]);
        let current = got.state.current.expect("the old object");
        assert!(*value_of(&current) == fixture.usual_value("{}") && current.private.is_none());
        assert!(live(&fixture, &create(&fixture), &mut answer(None)).state.is_absent());
    }
    let fixture = Fixture::usual(T11);
    let mut request = update(&fixture);
    request.mode = Mode::Destroy;
    let got = live(&fixture, &request, &mut answer(None));
    assert_eq!(got.state.current.expect("the old object").private, Private::from(b"own".as_slice()));
}

#[test]
fn a27_a28_unusable_answers_are_reported() {
    for (dialect, new, want, kept) in [
        (T11, "string", "error Provider produced invalid object", None),
        (TH, "string", "error Provider produced invalid object", Some("own")),
        (T11, "leak", "error Provider produced invalid object .w", None),
        (TH, "leak", "error Provider produced invalid object .w", Some("own")),
        (OT, "leak", "error Invalid provider response .w", Some("applied")),
    ] {
        let fixture = Fixture::usual(dialect);
        let new = match new {
            "string" => Value::string("x"),
            _ => fixture.usual_value(r#"{"name": "a", "w": "x"}"#),
        };
        let got = live(&fixture, &update(&fixture), &mut answer(Some(new.clone())));
        assert_eq!(summaries(&got.diagnostics), [want]);
        let private = got.state.current.map(|object| object.private);
        assert_eq!(private, kept.map(|text| Private::from(text.as_bytes())), "{dialect}");
        let created = live(&fixture, &create(&fixture), &mut answer(Some(new))).state.current;
        assert_eq!(created.map(|object| object.status), (dialect == OT).then_some(Status::Tainted));
    }
}

#[test]
fn a04_the_head_sends_planned_private_data() {
    for (dialect, want) in [(T11, "own"), (TH, "planned")] {
        let fixture = Fixture::usual(dialect);
        let mut script = Script::default();
        live(&fixture, &update(&fixture), &mut script);
        let sent = script.asked.iter().find_map(|asked| match asked {
            Asked::Plan(plan) => Some(plan.private.clone()),
            _ => None,
        });
        assert_eq!(sent, Some(Private::from(want.as_bytes())), "{dialect}");
    }
}

#[test]
fn a05_a_deferral_in_the_apply_is_an_error() {
    let fixture = Fixture::usual(T11);
    let mut script = Script::default();
    script.plans.push_back(planfuzz_core::planner::PlanAnswer { deferred: true, ..planned(fixture.null()) });
    let got = live(&fixture, &create(&fixture), &mut script);
    assert_eq!(summaries(&got.diagnostics), ["error Resource deferred during apply, but not during plan"]);
}

#[test]
fn ld46_a_deposed_object_that_is_gone_beside_conditions() {
    for (dialect, condition, dies) in [(T11, true, true), (T11, false, false), (Dialect::OPENTOFU_1_12, true, true)] {
        let fixture = Fixture::usual(dialect);
        let mut configured = plain(&fixture, "{}");
        configured.preconditions.extend(condition.then_some(Tri::True));
        let request = request(Some(object(&fixture, "{}")), present(configured));
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        let mut apply = of(&request, plan);
        let mut gone = apply.changes[0].clone();
        gone.deposed = DeposedKey::new("0000000a");
        gone.change.action = Action::NoOp;
        apply.changes.push(gone);
        assert_eq!(fixture.apply(&apply, &mut Script::default()).is_err(), dies, "{dialect}");
    }
}

#[test]
fn a50_a52_a53_deposed_legs() {
    let fixture = Fixture::usual(T11);
    let keys = ["0000000a", "0000000b"].map(|text| DeposedKey::new(text).expect("a key"));
    let mut request = request(None, present(plain(&fixture, "{}")));
    for key in &keys {
        request.state.deposed.insert(key.clone(), object(&fixture, "{}"));
    }
    let mut script = Script { plan_destroy: true, ..Script::default() };
    script.applies.push_back(applied(fixture.usual_value("{}")));
    let mut broken = applied(fixture.null());
    broken.remarks = error("no");
    script.applies.push_back(broken);
    let got = live(&fixture, &request, &mut script);
    assert_eq!(summaries(&got.diagnostics), ["error no"]);
    assert_eq!(got.state.deposed.keys().collect::<Vec<_>>(), [&keys[0]], "A52, A34");
    let calls = ["validate", "plan", "apply", "upgrade", "plan", "apply", "upgrade", "plan", "apply"];
    assert_eq!(script.calls(), calls);

    let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
    let mut late = of(&request, plan);
    late.state.deposed.remove(&keys[1]);
    let got = fixture.apply(&late, &mut Script::default()).expect("no refusal");
    assert_eq!(summaries(&got.diagnostics), ["error Deposed object not found"]);
}

#[test]
fn a54_a_deferral_of_a_deposed_objects_destruction_keeps_it_without_diagnostics() {
    for (dialect, is_kept) in [(T11, true), (TH, true), (Dialect::OPENTOFU_1_12, false)] {
        let fixture = Fixture::usual(dialect);
        let key = DeposedKey::new("0000000a").expect("a key");
        let mut request = request(None, planfuzz_core::planner::Presence::Orphan(Default::default()));
        request.state.deposed.insert(key, object(&fixture, "{}"));
        let mut script = Script { plan_destroy: true, ..Script::default() };
        script
            .plans
            .push_back(planfuzz_core::planner::PlanAnswer { deferred: true, ..planned(fixture.usual_value("{}")) });
        let got = live(&fixture, &request, &mut script);
        // L121 is not checked after a deferral.
        let want: &[&str] = if is_kept { &[] } else { &["error Provider produced invalid plan"] };
        assert_eq!(summaries(&got.diagnostics), want, "{dialect}");
        assert_eq!(got.state.deposed.len(), 1, "{dialect}");
        assert_eq!(script.calls(), ["upgrade", "plan"], "{dialect}");
    }
}

#[test]
fn forgotten_objects_are_read_and_leave_the_state() {
    let fixture = Fixture::usual(T11);
    let mut request =
        request(Some(object(&fixture, "{}")), planfuzz_core::planner::Presence::Removed(Default::default()));
    request.state.deposed.insert(DeposedKey::zeros(), object(&fixture, "{}"));
    let mut script = Script::default();
    assert!(live(&fixture, &request, &mut script).state.is_absent());
    assert_eq!(script.calls(), ["upgrade", "upgrade"], "20.7");
}

#[test]
fn a06_opentofu_forgets_and_then_creates() {
    let fixture = Fixture::usual(OT);
    let mut configured = plain(&fixture, "{}");
    configured.lifecycle.keep_on_destroy = true;
    let mut request = request(Some(object(&fixture, r#"{"id": "1"}"#)), present(configured));
    request.options.replace = true;
    let mut script = Script::default();
    let got = live(&fixture, &request, &mut script);
    assert!(got.diagnostics.is_empty(), "{:?}", summaries(&got.diagnostics));
    assert_eq!(script.calls(), ["validate", "plan", "apply"]);
    assert!(got.state.current.is_some_and(|object| object.skip_destroy));
}

/// AC10: the violations of an attribute with a sensitive part are one, at the attribute.
#[test]
fn ac10_sensitive_parts_hide_where_an_attribute_is_inconsistent() {
    let fixture = Fixture::usual(T11);
    let element = |x: &str| format!(r#"{{"n": [{{"x": "{x}", "c": null, "s": "t"}}], "tags": {{"k": "{x}"}}}}"#);
    let request = request(None, present(plain(&fixture, &element("1"))));
    let got = live(&fixture, &request, &mut answer(Some(fixture.usual_value(&element("2")))));
    let summary = "error Provider produced inconsistent result after apply";
    assert_eq!(summaries(&got.diagnostics), [format!("{summary} .n"), format!("{summary} .tags[\"k\"]")]);
}

/// AC10: the same inside blocks, where the marks are the configuration's.
#[test]
fn ac10_marks_in_blocks_hide_where_an_attribute_of_theirs_is_inconsistent() {
    let tags = r#"{"attributes":{"tags":{"type":["map","string"],"optional":true}}}"#;
    let schema = format!(
        r#"{{"block":{{"block_types":{{"l":{{"nesting_mode":"list","block":{tags}}},"z":{{"nesting_mode":"single","block":{tags}}}}}}}}}"#
    );
    let fixture = Fixture::new(Schema::parse(&schema).expect("a schema"), T11);
    let value = |x: &str| {
        let tags = format!(r#"{{"tags":{{"a":"{x}","b":"{x}"}}}}"#);
        let json = format!(r#"{{"l":[{tags}],"z":{tags}}}"#);
        Value::from_json(&Json::parse(&json).expect("JSON"), &fixture.ty).expect("a value")
    };
    let marks = PathSet::parse([".l[0].tags[\"a\"]", ".z.tags[\"a\"]"]).expect("paths");
    let request = request(None, present(configured(value("1"), &marks)));
    let got = live(&fixture, &request, &mut answer(Some(value("2"))));
    let summary = "error Provider produced inconsistent result after apply";
    assert_eq!(summaries(&got.diagnostics), [format!("{summary} .l[0].tags"), format!("{summary} .z.tags")]);
}

#[test]
fn a29_unknowns_in_a_set_become_one_null() {
    use super::super::unknowns::without_unknowns;
    let ty = planfuzz_core::value::Type::String;
    let set = |elements| Value::set(&ty, elements).expect("one type");
    let unknown = || Value::unknown(ty.clone());
    assert_eq!(
        without_unknowns(set(vec![unknown(), unknown(), Value::string("a")])),
        set(vec![Value::string("a"), Value::null(ty.clone())])
    );
}
