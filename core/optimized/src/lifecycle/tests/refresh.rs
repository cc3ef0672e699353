//! Sections 4 to 6 and 16.

use super::fixture::{Asked, Fixture, Script, configured, error, present, read, request, summaries, value_of};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Dependency, ImportAnswer, Link, Presence, RawState, UpgradeAnswer};
use planfuzz_core::plans::{Action, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{PathSet, Value};

const T11: Dialect = Dialect::TERRAFORM_1_11;
const TH: Dialect = Dialect::TERRAFORM_1_17;
const OT: Dialect = Dialect::OPENTOFU_1_12;

fn same(fixture: &Fixture, members: &str) -> (Object, Presence) {
    let value = fixture.usual_value(members);
    (Object::ready(value.clone()), present(configured(value, &PathSet::EMPTY)))
}

#[test]
fn l05_members_that_the_schema_lost_are_not_sent() {
    let fixture = Fixture::usual(T11);
    let attributes = r#"{"old": 1, "id": "1", "name": null, "oc": null, "tags": {"old": "x"}, "secret": null, "w": null,
        "n": [{"x": "1", "old": 2, "c": null, "s": null}], "blk": []}"#;
    for (version, kept) in [(3, false), (2, true)] {
        let mut object = Object::ready(fixture.null());
        object.stored = Stored::Raw { version, attributes: Json::parse(attributes).expect("JSON").into() };
        let upgraded = fixture.usual_value(r#"{"id": "1"}"#);
        let mut script = Script::default();
        script.upgrades.push_back(UpgradeAnswer { upgraded, remarks: Vec::new() });
        let config = fixture.usual_value("{}");
        let plan = fixture.plan(&request(Some(object), present(configured(config, &PathSet::EMPTY))), &mut script);
        assert!(summaries(&plan.expect("no refusal").diagnostics).is_empty());
        let Some(Asked::Upgrade(asked)) = script.asked.iter().find(|asked| asked.name() == "upgrade") else {
            panic!("an upgrade")
        };
        let RawState::Json(json) = &asked.state else { panic!("raw state") };
        assert_eq!((asked.version, json.member("old").is_some()), (version, kept));
        let nested = json.member("n").and_then(|n| n.expect_array().expect("an array").first()).expect("an element");
        assert_eq!(nested.member("old").is_some(), kept);
        assert!(json.member("tags").is_some_and(|tags| tags.member("old").is_some()), "keys of maps stay");
    }
}

#[test]
fn l05_a_version_above_the_schemas_is_an_error_without_a_call() {
    let fixture = Fixture::usual(T11);
    let (mut object, presence) = same(&fixture, "{}");
    object.stored = Stored::Raw { version: 4, attributes: Json::Null.into() };
    let mut script = Script::default();
    let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Resource instance managed by newer provider version"]);
    assert_eq!(script.calls(), ["validate"]);
    let is_kept =
        |state: &InstanceState| matches!(&state.current, Some(Object { stored: Stored::Raw { version: 4, .. }, .. }));
    assert!(is_kept(&plan.previous_run) && is_kept(&plan.refreshed) && plan.changes.is_empty(), "LD06");
}

#[test]
fn l05_upgraded_objects_are_known_and_without_write_only_values() {
    for (dialect, upgraded, want) in [
        (T11, r#"{"id": {"$unknown": true}}"#, vec!["error Invalid resource state upgrade"]),
        (OT, r#"{"id": {"$unknown": true}}"#, vec![]),
        (T11, r#"{"w": "x"}"#, vec!["error Invalid resource state upgrade .w"]),
        (OT, r#"{"w": "x"}"#, vec!["error Invalid provider response .w"]),
    ] {
        let fixture = Fixture::usual(dialect);
        let (object, presence) = same(&fixture, "{}");
        let mut script = Script::default();
        let upgraded = fixture.usual_value(upgraded);
        script.upgrades.push_back(UpgradeAnswer { upgraded, remarks: Vec::new() });
        let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), want, "{dialect}");
        assert!(plan.refreshed.current.is_some(), "LD06");
        let unknown = plan.previous_run.current.as_ref().is_some_and(|object| !value_of(object).is_wholly_known());
        assert!(!unknown, "the state has nulls for unknowns");
    }
}

#[test]
fn l10_an_error_keeps_the_old_object_and_stops() {
    let fixture = Fixture::usual(T11);
    let (object, presence) = same(&fixture, r#"{"id": "1"}"#);
    let mut script = Script::default();
    let mut answer = read(fixture.usual_value(r#"{"id": "2"}"#));
    answer.remarks = error("no");
    script.reads.push_back(answer);
    let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error no"]);
    assert_eq!(script.calls(), ["validate", "upgrade", "read"]);
    let current = plan.refreshed.current.as_ref().expect("the old object");
    assert_eq!(*value_of(current), fixture.usual_value(r#"{"id": "1"}"#));
    assert!(plan.changes.is_empty() && plan.working.is_none() && plan.drift.is_none() && !plan.applyable);
}

#[test]
fn l11_l13_a_read_object_is_known_and_has_no_write_only_values() {
    for (dialect, found, want) in [
        (T11, r#"{"id": {"$unknown": true}}"#, vec!["error Provider produced invalid object"]),
        (OT, r#"{"id": {"$unknown": true}}"#, vec![]),
        (T11, r#"{"w": "x"}"#, vec!["error Provider produced invalid object .w"]),
        (OT, r#"{"w": "x"}"#, vec!["error Invalid provider response .w"]),
    ] {
        let fixture = Fixture::usual(dialect);
        let (object, presence) = same(&fixture, "{}");
        let mut script = Script::default();
        script.reads.push_back(read(fixture.usual_value(found)));
        let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), want, "{dialect}");
    }
}

#[test]
fn l12_a_nonconforming_value_is_reported_beside_unknowns() {
    let fixture = Fixture::usual(T11);
    let (object, presence) = same(&fixture, "{}");
    let mut script = Script::default();
    script.reads.push_back(read(planfuzz_core::value::Value::unknown(planfuzz_core::value::Type::String)));
    let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Provider produced invalid object"; 2]);
}

#[test]
fn a_deferred_read_is_an_error_of_terraform_alone() {
    for (dialect, errors) in [(T11, 1), (OT, 0)] {
        let fixture = Fixture::usual(dialect);
        let (object, presence) = same(&fixture, "{}");
        let mut script = Script::default();
        let mut answer = read(fixture.usual_value("{}"));
        answer.deferred = true;
        script.reads.push_back(answer);
        let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
        assert_eq!(plan.diagnostics.len(), errors, "{dialect}");
    }
}

#[test]
fn l14_null_blocks_are_normalised_but_by_the_head_only_in_legacy_schemas() {
    for (dialect, drifts) in [(T11, false), (OT, false), (TH, true)] {
        let fixture = Fixture::usual(dialect);
        let (object, presence) = same(&fixture, "{}");
        let mut script = Script::default();
        script.reads.push_back(read(fixture.usual_value(r#"{"blk": null}"#)));
        let mut request = request(Some(object), presence);
        request.mode = Mode::RefreshOnly;
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        let found = plan.refreshed.current.as_ref().expect("an object");
        let blocks = value_of(found).view().member("blk").expect("the block");
        assert_eq!(blocks.is_null(), drifts, "{dialect}: the usual schema has a nested type");
    }
}

#[test]
fn l16_l18_the_refreshed_object_has_new_private_data_marks_and_dependencies() {
    let fixture = Fixture::usual(T11);
    let mut object = Object::ready(fixture.usual_value(r#"{"name": "a"}"#));
    object.sensitive = PathSet::parse([".name"]).expect("paths");
    object.dependencies = vec!["b.b".into()];
    let mut configured = configured(fixture.usual_value(r#"{"name": "a"}"#), &PathSet::EMPTY);
    configured.lifecycle.create_before_destroy = true;
    configured.dependencies = ["c.c", "a.a", "c.c"]
        .map(|address| Dependency {
            address: address.into(),
            kind: ResourceKind::Managed,
            link: Link::Transitive,
            actions: Vec::new(),
        })
        .to_vec();
    let mut script = Script::default();
    script.reads.push_back(read(fixture.usual_value(r#"{"name": "b", "n": [{"x": "1", "c": null, "s": null}]}"#)));
    let plan = fixture.plan(&request(Some(object), present(configured)), &mut script).expect("no refusal");
    let found = plan.refreshed.current.as_ref().expect("an object");
    assert_eq!(found.sensitive.texts(), [".n[0].s", ".name", ".secret"]);
    assert_eq!(found.private, Private::from(b"read".as_slice()));
    assert_eq!(found.dependencies, ["a.a", "b.b", "c.c"].map(planfuzz_core::value::Text::from));
    assert!(found.create_before_destroy, "L06");
    let old = plan.previous_run.current.as_ref().expect("an object");
    assert!(!old.create_before_destroy && old.private.is_none() && old.dependencies.len() == 1, "L07");
    let drift = plan.drift.expect("drift");
    assert_eq!(drift.action, Action::Update);
    assert!(drift.before.raw_equals(&planfuzz_core::plans::Marked::new(value_of(old).clone(), &old.sensitive)));
}

#[test]
fn l06_l153_a_skipped_refresh_still_upgrades_and_sets_the_flag() {
    let fixture = Fixture::usual(T11);
    let object = Object::ready(fixture.usual_value("{}"));
    let mut configured = configured(fixture.usual_value("{}"), &PathSet::EMPTY);
    configured.lifecycle.forced_create_before_destroy = true;
    let mut request = request(Some(object), present(configured));
    request.options.skip_refresh = true;
    let mut script = Script::default();
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "upgrade", "validate", "plan"]);
    assert!(plan.refreshed.current.is_some_and(|object| object.create_before_destroy));
    assert!(plan.previous_run.current.is_some_and(|object| !object.create_before_destroy));
}

#[test]
fn l17_a_missing_object_is_created_again_and_has_drifted_away() {
    let fixture = Fixture::usual(T11);
    let (object, presence) = same(&fixture, "{}");
    let mut script = Script::default();
    script.reads.push_back(read(fixture.null()));
    let plan = fixture.plan(&request(Some(object), presence), &mut script).expect("no refusal");
    assert_eq!(plan.changes[0].change.action, Action::Create);
    assert!(plan.refreshed.is_absent());
    let drift = plan.drift.expect("drift");
    assert!(drift.action == Action::Delete && drift.after.is_null());
}

fn imported(fixture: &Fixture, found: &[&str]) -> ImportAnswer {
    let value = |text: &&str| if *text == "null" { fixture.null() } else { fixture.usual_value(text) };
    ImportAnswer { imported: found.iter().map(|text| (value(text), Private::NONE)).collect(), remarks: Vec::new() }
}

#[test]
fn l21_imports_that_fail() {
    for (dialect, found, want, is_read) in [
        (T11, vec![], "error Import returned no resources", false),
        (T11, vec!["{}", "{}"], "error Multiple import states not supported", true),
        (T11, vec!["null"], "error Import returned null resource", true),
        (T11, vec![r#"{"w": "x"}"#], "error Import returned a non-null value for a write-only attribute .w", false),
        (OT, vec![r#"{"w": "x"}"#], "error Invalid provider response .w", false),
    ] {
        let fixture = Fixture::usual(dialect);
        let (_, presence) = same(&fixture, "{}");
        let mut script = Script::default();
        script.imports.push_back(imported(&fixture, &found));
        let mut request = request(None, presence);
        request.options.import = Some("i".into());
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert_eq!(summaries(&plan.diagnostics), [want]);
        assert_eq!(script.calls(), if is_read { &["validate", "import", "read"][..] } else { &["validate", "import"] });
        assert!(plan.changes.is_empty() && plan.refreshed.is_absent());
        assert_eq!(plan.drift.map(|drift| drift.action), (found.len() > 1).then_some(Action::Delete), "L22");
    }
}

#[test]
fn l22_ld26_an_imported_object_stays_behind_where_the_read_fails() {
    let fixture = Fixture::usual(T11);
    let (_, presence) = same(&fixture, "{}");
    let mut script = Script::default();
    script.imports.push_back(imported(&fixture, &[r#"{"name": {"$unknown": true}}"#, r#"{"name": "b"}"#]));
    let mut answer = read(fixture.null());
    answer.remarks = error("no");
    script.reads.push_back(answer);
    let mut request = request(None, presence);
    request.options.import = Some("i".into());
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Multiple import states not supported", "error no"]);
    assert_eq!(*value_of(&plan.previous_run.current.expect("an object")), fixture.usual_value("{}"));
    let before = plan.drift.expect("drift").before;
    assert_eq!(*before.value(), fixture.usual_value(r#"{"name": {"$unknown": true}}"#));
}

#[test]
fn l20_nothing_is_imported_beside_a_deposed_object() {
    let fixture = Fixture::usual(T11);
    let (object, presence) = same(&fixture, "{}");
    let mut request = request(None, presence);
    request.options.import = Some("i".into());
    request.state.deposed.insert(DeposedKey::new("00000009").expect("a key"), object);
    let mut script = Script::default();
    fixture.plan(&request, &mut script).expect("no refusal");
    assert!(!script.calls().contains(&"import"));
}

#[test]
fn l21_an_imported_object_must_be_found_by_the_read() {
    let fixture = Fixture::usual(T11);
    let (_, presence) = same(&fixture, "{}");
    let mut script = Script::default();
    script.imports.push_back(imported(&fixture, &["{}"]));
    script.reads.push_back(read(fixture.null()));
    let mut request = request(None, presence);
    request.options.import = Some("i".into());
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert_eq!(summaries(&plan.diagnostics), ["error Cannot import non-existent remote object"]);
}

#[test]
fn l20_l22_an_import_is_planned_like_any_prior_object_without_drift() {
    let fixture = Fixture::usual(T11);
    let (object, presence) = same(&fixture, r#"{"name": "a"}"#);
    let mut script = Script::default();
    script.imports.push_back(imported(&fixture, &["{}"]));
    let mut answer = read(fixture.usual_value(r#"{"name": "a"}"#));
    answer.private = Private::NONE;
    script.reads.push_back(answer);
    let mut asked = request(None, presence.clone());
    asked.options.import = Some("i".into());
    let plan = fixture.plan(&asked, &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "import", "read", "validate", "plan"]);
    let change = &plan.changes[0].change;
    assert_eq!(
        (change.action, &change.importing),
        (Action::NoOp, &Some(planfuzz_core::plans::Importing::Id("i".into())))
    );
    assert!(plan.applyable && plan.drift.is_none() && plan.previous_run.current.is_some());

    let mut asked = request(Some(object), presence);
    asked.options.import = Some("i".into());
    let mut script = Script::default();
    let plan = fixture.plan(&asked, &mut script).expect("no refusal");
    assert!(plan.changes[0].change.importing.is_none() && !script.calls().contains(&"import"));
}

#[test]
fn l06_l22_an_imported_object_is_flagged_when_it_is_written_again() {
    let fixture = Fixture::usual(T11);
    for dependencies in [
        Vec::new(),
        vec![Dependency {
            address: "a.a".into(),
            kind: ResourceKind::Managed,
            link: Link::Reference,
            actions: Vec::new(),
        }],
    ] {
        let mut configured = configured(fixture.usual_value("{}"), &PathSet::EMPTY);
        configured.lifecycle.create_before_destroy = true;
        configured.dependencies = dependencies;
        let depends = !configured.dependencies.is_empty();
        let mut script = Script::default();
        script.imports.push_back(imported(&fixture, &["{}"]));
        let mut request = request(None, present(configured));
        request.options.import = Some("i".into());
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        let flag = |state: InstanceState| state.current.expect("an object").create_before_destroy;
        assert!(!flag(plan.previous_run));
        assert_eq!(flag(plan.refreshed), depends, "L112");
    }
}

#[test]
fn ld25_a_stored_null_is_not_refreshed() {
    let fixture = Fixture::usual(T11);
    let (_, presence) = same(&fixture, "{}");
    let mut script = Script::default();
    let plan = fixture.plan(&request(Some(Object::ready(fixture.null())), presence), &mut script).expect("no refusal");
    assert_eq!(script.calls(), ["validate", "upgrade", "validate", "plan"]);
    assert!(plan.changes[0].change.action == Action::Create && plan.drift.is_none());

    let (_, presence) = same(&fixture, "{}");
    let tainted = Object { status: Status::Tainted, ..Object::ready(fixture.null()) };
    let plan = fixture.plan(&request(Some(tainted), presence), &mut Script::default()).expect("no refusal");
    assert_eq!(plan.changes[0].change.action, Action::Create, "L90: nothing is put aside");
}

#[test]
fn ld26_an_import_of_another_type_is_read() {
    let fixture = Fixture::usual(T11);
    let (_, presence) = same(&fixture, "{}");
    let mut script = Script::default();
    script.imports.push_back(ImportAnswer { imported: vec![(Value::string("x"), Private::NONE)], remarks: Vec::new() });
    script.reads.push_back(read(fixture.usual_value("{}")));
    let mut request = request(None, presence);
    request.options.import = Some("i".into());
    let plan = fixture.plan(&request, &mut script).expect("no refusal");
    assert!(plan.diagnostics.is_empty() && plan.changes.len() == 1);
}

#[test]
fn l170_moves_alone_are_drift_but_where_a_destroy_plan_refreshes() {
    for (mode, listed) in [(Mode::Normal, true), (Mode::RefreshOnly, true), (Mode::Destroy, false)] {
        let fixture = Fixture::usual(T11);
        let (object, presence) = same(&fixture, r#"{"name": "a"}"#);
        // Marks of the schema alone would be drift.
        let object = Object { sensitive: PathSet::parse([".secret"]).expect("paths"), ..object };
        let mut request = request(Some(object), presence);
        request.mode = mode;
        request.options.moved_from = Some("a.b".into());
        let plan = fixture.plan(&request, &mut Script::default()).expect("no refusal");
        assert_eq!(plan.drift.map(|drift| drift.action), listed.then_some(Action::NoOp));
        assert_eq!(plan.applyable, mode != Mode::RefreshOnly, "L157, L163");
    }
}

#[test]
fn k03_which_schemas_the_head_takes_for_legacy_ones() {
    let leaf = |ty: &str| format!(r#","x":{{"type":{ty},"optional":true}}"#);
    let nested = r#","x":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{}}}"#.to_owned();
    for (extra, is_legacy) in [
        (leaf(r#""string""#), true),
        (leaf(r#""dynamic""#), true),
        (leaf(r#"["list","string"]"#), true),
        (leaf(r#"["map","number"]"#), true),
        (leaf(r#"["list",["object",{"a":"string"}]]"#), true),
        (leaf(r#"["set",["object",{"a":"string"}]]"#), true),
        (leaf(r#"["list",["tuple",["string"]]]"#), true),
        (leaf(r#"["list",["list","string"]]"#), true),
        (leaf(r#"["map",["set","bool"]]"#), true),
        (leaf(r#"["map",["object",{"a":"string"}]]"#), false),
        (leaf(r#"["set",["map",["list","string"]]]"#), false),
        (leaf(r#"["list",["list",["object",{}]]]"#), false),
        (leaf(r#"["tuple",["string"]]"#), false),
        (leaf(r#"["object",{"a":"string"}]"#), false),
        (nested, false),
    ] {
        let schema = format!(
            r#"{{"block":{{"attributes":{{"id":{{"type":"string","computed":true}}{extra}}},
                "block_types":{{"blk":{{"nesting_mode":"list","block":{{"attributes":{{"a":{{"type":"string","optional":true}}}}}}}}}}}}}}"#
        );
        let fixture = Fixture::new(Schema::parse(&schema).expect("a schema"), TH);
        let value = |blocks: &str| {
            let json = format!(r#"{{"id":null,"x":null,"blk":{blocks}}}"#);
            Value::from_json(&Json::parse(&json).expect("JSON"), &fixture.ty).expect("a value")
        };
        let mut script = Script::default();
        script.reads.push_back(read(value("null")));
        let presence = present(configured(value("[]"), &PathSet::EMPTY));
        let mut request = request(Some(Object::ready(value("[]"))), presence);
        request.mode = Mode::RefreshOnly;
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        let found = plan.refreshed.current.as_ref().expect("an object");
        let blocks = value_of(found).view().member("blk").expect("the block");
        assert_eq!(blocks.is_null(), !is_legacy, "{extra}");
    }
}

#[test]
fn l22_an_imported_null_leaves_nothing_behind() {
    let fixture = Fixture::usual(T11);
    let (_, presence) = same(&fixture, "{}");
    for value in [fixture.null(), Value::string("x")] {
        let mut script = Script::default();
        script.imports.push_back(ImportAnswer { imported: vec![(value, Private::NONE)], remarks: Vec::new() });
        let mut answer = read(fixture.null());
        answer.remarks = error("no");
        script.reads.push_back(answer);
        let mut request = request(None, presence.clone());
        request.options.import = Some("i".into());
        let plan = fixture.plan(&request, &mut script).expect("no refusal");
        assert!(plan.previous_run.is_absent() && plan.drift.is_none());
    }
}
