//! Sections 3, 7, 9 to 11 and 14: cases that the recorded runs do not reach.

use super::fixture::{Asked, Fixture, Script, actions, configured, error, planned, present, read, request, summaries};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Configured, IgnoreChanges, PreventDestroy, Remark, Severity, Trigger, TriggerChange, UpgradeAnswer, ValidateAnswer,
};
use planfuzz_core::plans::{Action, ActionReason, Marked, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{Object, Status};
use planfuzz_core::value::{PathSet, Tri, Value, WrittenPath};

const T11: Dialect = Dialect::TERRAFORM_1_11;
const OT: Dialect = Dialect::OPENTOFU_1_12;

fn path(text: &str) -> WrittenPath {
    WrittenPath::parse(text).expect("a path")
}

fn plain(fixture: &Fixture, members: &str) -> Configured {
    configured(fixture.usual_value(members), &PathSet::EMPTY)
}

#[test]
fn l154_replacement_is_of_normal_plans() {
    let fixture = Fixture::usual(T11);
    let mut request = request(None, present(plain(&fixture, "{}")));
    request.options.replace = true;
    request.mode = Mode::Destroy;
    let mut script = Script::default();
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Unsupported plan mode"]);
    assert_eq!(script.calls(), ["validate"]);
    assert!(plan.previous_run.is_absent());
}

#[test]
fn l03_ephemeral_values_are_for_write_only_attributes() {
    let fixture = Fixture::usual(T11);
    let mut configured = plain(&fixture, r#"{"name": "a", "w": "b", "blk": [{"a": "c", "s": null}]}"#);
    configured.ephemeral = PathSet::parse([".w", ".name", ".blk[0].a"]).expect("paths");
    let mut script = Script::default();
    let plan = fixture.plan(&request(None, present(configured)), &mut script).expect("no refusal");
    let want = ["error Invalid use of ephemeral value .blk[0].a", "error Invalid use of ephemeral value .name"];
    assert_eq!(summaries(&plan.diagnostics), want);
    assert_eq!(script.calls(), ["validate"], "LD02");
}

#[test]
fn ld03_an_ephemeral_path_that_is_not_there_counts_for_nothing() {
    let fixture = Fixture::usual(T11);
    let mut configured = plain(&fixture, "{}");
    configured.ephemeral = PathSet::parse([".tags[\"k\"]"]).expect("paths");
    let plan = fixture.plan(&request(None, present(configured)), &mut Script::default()).expect("no refusal");
    assert!(plan.diagnostics.is_empty());
}

#[test]
fn l04_ignored_attributes_exist_and_are_worth_ignoring() {
    let fixture = Fixture::usual(T11);
    let check = |entry: &str, want: &[&str]| {
        let mut configured = plain(&fixture, "{}");
        configured.lifecycle.ignore_changes = IgnoreChanges::Some(vec![path(entry)]);
        let plan = fixture.plan(&request(None, present(configured)), &mut Script::default()).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), want, "{entry}");
    };
    for entry in [".name", ".tags[\"k\"]", ".tags.k", ".n[0].x", ".blk[0].a", ".blk"] {
        check(entry, &[]);
    }
    check(".no", &["error Unsupported attribute .no"]);
    check(".name.x", &["error Unsupported attribute .name.x"]);
    check(".blk[0].no", &["error Unsupported attribute .blk[0].no"]);
    check(".id", &["warning Redundant ignore_changes element .id"]);
    check(".n[0].c", &["warning Redundant ignore_changes element .n[0].c"]);
}

#[test]
fn l01_l02_the_provider_validates_statically_and_before_each_plan() {
    let fixture = Fixture::usual(T11);
    let mut script = Script::default();
    let refused = ValidateAnswer { remarks: super::fixture::error("bad") };
    script.validates.extend([ValidateAnswer::default(), refused]);
    let plan = fixture.plan(&request(None, present(plain(&fixture, "{}"))), &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "validate"]);
    assert_eq!(summaries(&plan.diagnostics), ["error bad"]);
}

#[test]
fn l30_l113_conditions() {
    let fixture = Fixture::usual(T11);
    for (mode, severity) in [(Mode::Normal, "error"), (Mode::RefreshOnly, "warning")] {
        let mut configured = plain(&fixture, "{}");
        configured.preconditions = vec![Tri::True, Tri::Unknown];
        configured.postconditions = vec![Tri::False, Tri::Unknown, Tri::False];
        let mut request = request(None, present(configured.clone()));
        request.mode = mode;
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), vec![format!("{severity} Resource postcondition failed"); 2]);
        assert_eq!(plan.changes.len(), usize::from(mode == Mode::Normal), "L151");

        configured.preconditions = vec![Tri::False];
        configured.postconditions.clear();
        request.presence = present(configured);
        let mut script = Script::default();
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), [format!("{severity} Resource precondition failed")]);
        assert_eq!(script.calls(), ["validate"]);
    }
}

#[test]
fn l39_write_only_values_in_plans() {
    for (dialect, legacy, want) in [
        (T11, false, "error Provider produced invalid plan .w"),
        (T11, true, "error Provider produced invalid plan .w"),
        (OT, true, "error Invalid provider response .w"),
    ] {
        let fixture = Fixture::usual(dialect);
        let mut script = Script::default();
        let mut answer = planned(fixture.usual_value(r#"{"w": "x"}"#));
        answer.legacy_type_system = legacy;
        script.plans.push_back(answer);
        let plan = fixture.plan(&request(None, present(plain(&fixture, r#"{"w": "x"}"#))), &mut script);
        assert_eq!(summaries(&plan.expect("no refusal").diagnostics), [want], "{dialect}");
        let Some(Asked::Plan(asked)) = script.asked.last() else { panic!("a plan call") };
        for sent in [&asked.config, &asked.proposed] {
            assert!(sent.view().member("w").is_some_and(|value| !value.is_null()), "L37");
        }
    }
}

#[test]
fn l40_a_plan_of_another_type_is_refused_whoever_makes_it() {
    let fixture = Fixture::usual(T11);
    let mut script = Script::default();
    let mut answer = planned(Value::string("x"));
    answer.legacy_type_system = true;
    script.plans.push_back(answer);
    let plan = fixture.plan(&request(None, present(plain(&fixture, "{}"))), &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Provider produced invalid plan"]);
}

#[test]
fn l49_opentofu_forgets_a_kept_object_and_creates_another() {
    for (dialect, action) in [(OT, Action::ForgetThenCreate), (T11, Action::DeleteThenCreate)] {
        let fixture = Fixture::usual(dialect);
        let mut object = Object::ready(fixture.usual_value("{}"));
        object.status = Status::Tainted;
        let mut configured = plain(&fixture, "{}");
        configured.lifecycle.keep_on_destroy = true;
        configured.lifecycle.prevent_destroy = PreventDestroy::No;
        let plan = fixture.plan(&request(Some(object), present(configured)), &mut Script::default());
        let plan = plan.expect("no refusal");
        assert_eq!(actions(&plan.changes), [(action, ActionReason::ReplaceBecauseTainted)]);
    }
}

#[test]
fn l111_a_prevented_destruction_stays_in_the_plan() {
    for (dialect, prevent, want) in [
        (T11, PreventDestroy::Yes, vec!["error Instance cannot be destroyed"]),
        (OT, PreventDestroy::Yes, vec!["error Resource instance cannot be destroyed"]),
        (OT, PreventDestroy::Bad, vec!["error Invalid value for prevent_destroy"]),
        (T11, PreventDestroy::No, vec![]),
    ] {
        let fixture = Fixture::usual(dialect);
        let mut configured = plain(&fixture, "{}");
        configured.lifecycle.prevent_destroy = prevent;
        let mut request = request(Some(Object::ready(fixture.usual_value("{}"))), present(configured));
        request.options.replace = true;
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), want);
        assert_eq!(actions(&plan.changes), [(Action::DeleteThenCreate, ActionReason::ReplaceByRequest)]);
    }
}

fn triggered(fixture: &Fixture, triggers: Vec<Trigger>, object: Option<Object>) -> Vec<(Action, ActionReason)> {
    let mut configured = plain(fixture, "{}");
    configured.lifecycle.replace_triggered_by = triggers;
    let plan = fixture.plan(&request(object, present(configured)), &mut Script::default()).expect("no refusal");
    assert!(summaries(&plan.diagnostics).is_empty());
    actions(&plan.changes)
}

fn trigger(action: Action, sides: [Marked; 2], attribute: Option<&str>) -> Trigger {
    let [before, after] = sides;
    Trigger { changes: vec![TriggerChange { action, before, after }], attribute: attribute.map(path) }
}

#[test]
fn l96_l101_a_trigger_replaces_and_is_the_reason() {
    let null = || [(); 2].map(|()| Marked::plain(Value::null(planfuzz_core::value::Type::Dynamic)));
    for (dialect, action, fires) in [
        (T11, Action::Update, true),
        (T11, Action::CreateThenDelete, true),
        (T11, Action::Create, false),
        (T11, Action::Delete, false),
        (T11, Action::NoOp, false),
        (OT, Action::Create, true),
        (OT, Action::ForgetThenCreate, true),
        (OT, Action::Read, false),
    ] {
        let fixture = Fixture::usual(dialect);
        let object = Object {
            sensitive: PathSet::parse([".secret"]).expect("paths"),
            ..Object::ready(fixture.usual_value("{}"))
        };
        let want = match fires {
            true => (Action::DeleteThenCreate, ActionReason::ReplaceByTriggers),
            false => (Action::NoOp, ActionReason::None),
        };
        assert_eq!(triggered(&fixture, vec![trigger(action, null(), None)], Some(object.clone())), [want], "{action}");
        if fires {
            let tainted = Object { status: Status::Tainted, ..object };
            assert_eq!(triggered(&fixture, vec![trigger(action, null(), None)], Some(tainted)), [want]);
            let created = triggered(&fixture, vec![trigger(action, null(), None)], None);
            assert_eq!(created, [(Action::Create, ActionReason::ReplaceByTriggers)]);
        }
    }
}

#[test]
fn l102_a_trigger_on_an_attribute_needs_a_difference_there() {
    let marks = || PathSet::parse([".name"]).expect("paths");
    let check = |dialect, sides: [(&str, bool); 2], attribute: &str, fires: bool| {
        let fixture = Fixture::usual(dialect);
        let side = |(members, marked): (&str, bool)| {
            Marked::new(fixture.usual_value(members), &if marked { marks() } else { PathSet::EMPTY })
        };
        let object = Object::ready(fixture.usual_value("{}"));
        let found = triggered(&fixture, vec![trigger(Action::Update, sides.map(side), Some(attribute))], Some(object));
        assert_eq!(found[0].0 == Action::DeleteThenCreate, fires, "{dialect} {attribute}");
    };
    let (a, b) = ((r#"{"name": "a"}"#, false), (r#"{"name": "b"}"#, false));
    check(T11, [a, b], ".name", true);
    check(T11, [a, b], ".oc", false);
    check(T11, [a, (r#"{"name": {"$unknown": true}}"#, false)], ".name", true);
    check(T11, [a, (r#"{"name": "a"}"#, true)], ".name", true);
    check(OT, [a, (r#"{"name": "a"}"#, true)], ".name", false);
    check(T11, [("{}", false), (r#"{"tags": {"k": "v"}}"#, false)], ".tags[\"k\"]", true);
    check(T11, [("{}", false), (r#"{"name": "b"}"#, false)], ".tags[\"k\"]", false);
}

#[test]
fn l103_a_trigger_on_an_unplanned_resource_is_an_error() {
    let fixture = Fixture::usual(T11);
    let mut configured = plain(&fixture, "{}");
    configured.lifecycle.replace_triggered_by = vec![Trigger { changes: Vec::new(), attribute: None }];
    let plan = fixture.plan(&request(None, present(configured)), &mut Script::default()).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Reference to undeclared resource"]);
    assert!(plan.changes.is_empty() && plan.working.is_none());
}

/// L81 to L85: checks the effect of one path between a prior and a planned object.
#[track_caller]
fn check_replace(prior: &str, planned_members: &str, at: &str, want: &str) {
    let fixture = Fixture::usual(T11);
    let mut script = Script::default();
    let mut answer = planned(fixture.usual_value(planned_members));
    answer.requires_replace = vec![path(at)];
    answer.legacy_type_system = true;
    script.plans.push_back(answer);
    let object = Object::ready(fixture.usual_value(prior));
    let mut request = request(Some(object), present(plain(&fixture, "{}")));
    request.options.skip_refresh = true;
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    let got = match (summaries(&plan.diagnostics).first(), plan.changes.first()) {
        (Some(_), _) => "error",
        (None, Some(change)) if change.change.action.is_replace() => "kept",
        _ => "dropped",
    };
    assert_eq!(got, want, "{at}");
}

#[test]
fn l82_to_l85_paths_that_ask_for_replacement() {
    let (a, b) = (r#"{"name": "a", "tags": {"k": "v"}}"#, r#"{"name": "b", "tags": {"k": "v"}}"#);
    check_replace(a, b, ".name", "kept");
    check_replace(a, b, ".oc", "dropped");
    check_replace(a, b, ".w", "kept");
    check_replace(a, b, ".tags.k", "dropped");
    check_replace(a, b, ".tags[\"no\"]", "error");
    check_replace(a, "{}", ".tags[\"k\"]", "kept");
    check_replace(a, r#"{"tags": {"$unknown": true}}"#, ".tags[\"k\"]", "kept");
    check_replace(a, b, "[\"oc\"]", "dropped");
    let list = r#"{"n": [{"x": "1", "c": null, "s": null}]}"#;
    check_replace(list, list, ".n[0].x", "dropped");
    check_replace(list, list, ".n[\"0\"].x", "dropped");
    check_replace(list, list, ".n[\"z\"].x", "error");
    check_replace(list, list, ".n[1]", "error");
    check_replace(list, "{}", ".n[0].x", "kept");
    check_replace(list, list, ".n.x", "error");
    let unknown = r#"{"n": {"$unknown": true}}"#;
    check_replace(list, unknown, ".n.x", "error");
    check_replace(list, unknown, ".n[\"z\"]", "error");
    check_replace(list, unknown, ".n[7]", "kept");
}

#[test]
fn l81_paths_into_unknown_maps_and_tuples() {
    let schema = r#"{"block":{"attributes":{
        "m":{"type":["map","string"],"optional":true,"computed":true},
        "t":{"type":["tuple",["string","string"]],"optional":true,"computed":true}}}}"#;
    let fixture = Fixture::new(Schema::parse(schema).expect("a schema"), T11);
    let value = |json: &str| Value::from_json(&Json::parse(json).expect("JSON"), &fixture.ty).expect("a value");
    let (unknown, known) = (r#"{"m":{"$unknown":true},"t":{"$unknown":true}}"#, r#"{"m":{"k":"1"},"t":["a","b"]}"#);
    for (prior, planned_json, at, replaces) in [
        (known, unknown, ".m[\"no\"]", Some(true)),
        (r#"{"m":null,"t":null}"#, unknown, ".t[0]", Some(true)),
        (known, r#"{"m":{"k":"2"},"t":["a","b"]}"#, ".t[0]", Some(false)),
        (known, unknown, ".t[5]", None),
    ] {
        let mut answer = planned(value(planned_json));
        answer.requires_replace = vec![path(at)];
        let mut script = Script::default();
        script.plans.push_back(answer);
        let config = configured(value(r#"{"m":null,"t":null}"#), &PathSet::EMPTY);
        let plan = fixture.plan(&request(Some(Object::ready(value(prior))), present(config)), &mut script);
        let plan = plan.expect("no refusal");
        match replaces {
            Some(replaces) => assert_eq!(plan.changes[0].change.action.is_replace(), replaces, "{prior} {at}"),
            None => assert_eq!(summaries(&plan.diagnostics), [format!("error Provider produced invalid plan {at}")]),
        }
    }
}

#[test]
fn ld22_an_error_beside_a_write_only_value_stops_as_well() {
    let fixture = Fixture::usual(OT);
    let leak = || fixture.usual_value(r#"{"w": "x"}"#);
    for call in ["upgrade", "read", "plan"] {
        let mut script = Script::default();
        match call {
            "upgrade" => script.upgrades.push_back(UpgradeAnswer { upgraded: leak(), remarks: error("no") }),
            "read" => {
                let mut answer = read(leak());
                answer.remarks = error("no");
                script.reads.push_back(answer);
            }
            _ => {
                let mut answer = planned(leak());
                answer.remarks = error("no");
                script.plans.push_back(answer);
            }
        }
        let object = Object::ready(fixture.usual_value("{}"));
        let plan =
            fixture.plan(&request(Some(object), present(plain(&fixture, "{}"))), &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), ["error Invalid provider response .w", "error no"], "{call}");
        assert_eq!(script.calls().last(), Some(&call));
        assert!(plan.changes.is_empty(), "{call}");
    }
}

#[test]
fn l47_warnings_of_the_second_call_are_dropped() {
    let fixture = Fixture::usual(T11);
    let mut request =
        request(Some(Object::ready(fixture.usual_value("{}"))), present(plain(&fixture, r#"{"name": "a"}"#)));
    request.options.replace = true;
    let mut script = Script::default();
    for text in ["first", "second"] {
        let mut answer = planned(fixture.usual_value(r#"{"name": "a"}"#));
        answer.remarks = vec![Remark { severity: Severity::Warning, summary: text.into() }];
        script.plans.push_back(answer);
    }
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert!(plan.changes[0].change.action.is_replace());
    assert_eq!(summaries(&plan.diagnostics), ["warning first"]);
}

#[test]
fn ld04_names_lead_on_behind_maps_only() {
    let inner = r#"{"attributes":{"a":{"type":"string","optional":true}}}"#;
    let nested = |mode: &str| {
        format!(
            r#"{{"optional":true,"nested_type":{{"nesting_mode":"{mode}","attributes":{{"a":{{"type":"string","optional":true}}}}}}}}"#
        )
    };
    let schema = format!(
        r#"{{"block":{{"attributes":{{"nl":{},"nm":{},"ns":{}}},"block_types":{{"bl":{{"nesting_mode":"list","block":{inner}}},
            "bm":{{"nesting_mode":"map","block":{inner}}},"bs":{{"nesting_mode":"set","block":{inner}}}}}}}}}"#,
        nested("list"),
        nested("map"),
        nested("set")
    );
    let fixture = Fixture::new(Schema::parse(&schema).expect("a schema"), T11);
    let json = r#"{"nl":null,"nm":null,"ns":null,"bl":[],"bm":{},"bs":[]}"#;
    let config = Value::from_json(&Json::parse(json).expect("JSON"), &fixture.ty).expect("a value");
    for (entry, want) in [
        (".bm.k.a", None),
        (".nm.k.a", None),
        (".bl.a", Some("error Invalid operation".to_owned())),
        (".bs.a", Some("error Cannot index a set value".to_owned())),
        (".nl.a", Some("error Unsupported attribute .nl.a".to_owned())),
        (".ns.a", Some("error Unsupported attribute .ns.a".to_owned())),
    ] {
        let mut configured = configured(config.clone(), &PathSet::EMPTY);
        configured.lifecycle.ignore_changes = IgnoreChanges::Some(vec![path(entry)]);
        let plan = fixture.plan(&request(None, present(configured)), &mut Script::default()).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), Vec::from_iter(want), "{entry}");
    }
}
