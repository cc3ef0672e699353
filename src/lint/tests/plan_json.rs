//! Plans in JSON.

use super::*;

/// A plan with a change of every kind, without faults.
pub(super) const CLEAN: &str = include_str!("clean_plan.json");

const OBJECT: &str =
    r#"{"blk": [{"v": "b"}], "id": "9", "n": {"x": null}, "name": "s", "req": "r", "secret": null, "wo": null}"#;

/// Faults: the check, and the values to plant.
const PLANTED: &[Planted] = &[
    ("JS20-readable", &[("resource_changes.1.change.actions", Some(r#"["destroy"]"#))]),
    ("JS20-readable", &[("planned_values", Some("[]"))]),
    ("PL71-change-address", &[("resource_changes.2.address", Some("\"t_a.del[01]\""))]),
    ("PL71-object-address", &[("prior_state.values.root_module.resources.0.address", Some("\"t_a.del[ 1 ]\""))]),
    ("PL73-change-provider", &[("resource_changes.1.provider_name", Some("\"t\""))]),
    ("PL73-object-provider", &[("prior_state.values.root_module.resources.0.provider_name", Some("\"t\""))]),
    ("PL80-deposed-key", &[("resource_changes.4.deposed", Some("\"0000000A\""))]),
    ("I51-one-change", &[("resource_changes.4.deposed", None)]),
    ("ST09-one-object", &[("prior_state.values.root_module.resources.2.deposed_key", None)]),
    (
        "L183-instance-keys",
        &[
            ("resource_changes.1.address", Some("\"t_a.create[0]\"")),
            ("resource_changes.1.index", Some("0")),
            ("resource_changes.3.address", Some("\"t_a.create[\\\"k\\\"]\"")),
            ("resource_changes.3.index", Some("\"k\"")),
            ("resource_changes.3.name", Some("\"create\"")),
        ],
    ),
    (
        "JS11-change-order",
        &[("resource_changes.1.address", Some("\"t_a.z\"")), ("resource_changes.1.name", Some("\"z\""))],
    ),
    (
        "JS51-state-order",
        &[
            ("prior_state.values.root_module.resources.0.address", Some("\"t_a.z[1]\"")),
            ("prior_state.values.root_module.resources.0.name", Some("\"z\"")),
        ],
    ),
    ("I16-create-sides", &[("resource_changes.1.change.before", Some(OBJECT))]),
    (
        "I15-update-sides",
        &[
            ("resource_changes.9.change.before", Some("null")),
            ("resource_changes.9.change.before_sensitive", Some("false")),
        ],
    ),
    (
        "I17-replace-sides",
        &[
            ("resource_changes.6.change.before", Some("null")),
            ("resource_changes.6.change.before_sensitive", Some("false")),
        ],
    ),
    ("I19-delete-sides", &[("resource_changes.2.change.after", Some(OBJECT))]),
    ("L141-read-sides", &[("resource_changes.0.change.before", Some(r#"{"id": "1", "q": "2"}"#))]),
    ("L97-read-mode", &[("resource_changes.0.change.actions", Some(r#"["create"]"#))]),
    ("L97-read-mode", &[("resource_changes.1.change.actions", Some(r#"["read"]"#))]),
    ("PL10-deposed-action", &[("resource_changes.4.change.actions", Some(r#"["update"]"#))]),
    ("I14-no-op-equal", &[("resource_changes.3.change.after.name", Some("\"other\""))]),
    ("I14-no-op-equal", &[("resource_changes.3.change.after_sensitive", Some(r#"{"name": true, "secret": true}"#))]),
    ("I15-update-differs", &[("resource_changes.9.change.after.name", Some("\"n1\""))]),
    ("I15-update-differs", &[("resource_drift.0.change.before.name", Some("\"n1\""))]),
    ("PL10-replace-paths", &[("resource_changes.9.change.replace_paths", Some(r#"[["name"]]"#))]),
    ("I18-cannot-update", &[("resource_changes.6.change.replace_paths", None)]),
    ("L82-replace-path-exists", &[("resource_changes.6.change.replace_paths", Some(r#"[["none"]]"#))]),
    ("L84-replace-path-changes", &[("resource_changes.6.change.replace_paths", Some(r#"[["name"]]"#))]),
    ("PL12-reason-action", &[("resource_changes.9.action_reason", Some("\"replace_by_request\""))]),
    ("PL12-reason-known", &[("resource_changes.2.action_reason", Some("\"delete_because_enabled_false\""))]),
    ("PL12-reason-known", &[("resource_changes.2.action_reason", Some("\"delete_because_of_me\""))]),
    ("I17-replace-reason", &[("resource_changes.6.action_reason", None)]),
    ("L128-no-reason", &[("resource_changes.4.action_reason", Some("\"delete_because_no_resource_config\""))]),
    ("L127-reason-key", &[("resource_changes.2.action_reason", Some("\"delete_because_each_key\""))]),
    ("L127-reason-key", &[("resource_changes.2.action_reason", Some("\"delete_because_no_module\""))]),
    ("L141-read-reason", &[("resource_changes.0.action_reason", None)]),
    ("PL11-moved-from", &[("resource_changes.5.previous_address", Some("\"t_a.moved\""))]),
    ("PL11-moved-from", &[("resource_changes.5.previous_address", Some("\"data.t_a.old\""))]),
    ("L160-moved-once", &[("resource_changes.7.previous_address", Some("\"t_a.old\""))]),
    ("L22-import", &[("resource_changes.9.change.importing", Some(r#"{"id": ""}"#))]),
    ("L22-import", &[("resource_changes.1.change.importing", Some(r#"{"id": "x"}"#))]),
    (
        "S52-block-count",
        &[
            ("resource_changes.9.change.after.blk", Some("[]")),
            ("resource_changes.9.change.after_sensitive.blk", Some("[]")),
        ],
    ),
    ("S02-required", &[("resource_changes.9.change.after.req", Some("null"))]),
    ("I11-write-only-planned", &[("resource_changes.9.change.after.wo", Some("\"w\""))]),
    ("I49-write-only-stored", &[("prior_state.values.root_module.resources.0.values.wo", Some("\"w\""))]),
    ("L05-schema-version", &[("prior_state.values.root_module.resources.0.schema_version", Some("2"))]),
    (
        "I06-known",
        &[
            ("resource_changes.1.change.after.name", None),
            ("resource_changes.1.change.after_unknown.name", Some("true")),
        ],
    ),
    ("I06-as-configured", &[("resource_changes.9.change.after.name", Some("\"n3\""))]),
    ("I07-not-set", &[("configuration.root_module.resources.6.expressions.name", None)]),
    ("JS23-schema-sensitive", &[("resource_changes.9.change.after_sensitive.secret", None)]),
    ("I44-schema-sensitive", &[("prior_state.values.root_module.resources.0.sensitive_values.secret", Some("false"))]),
    ("PF30-absent-marks", &[("resource_changes.1.change.before_sensitive", Some("true"))]),
    ("L52-before-is-prior", &[("resource_changes.9.change.before.name", Some("\"other\""))]),
    ("L52-before-is-prior", &[("prior_state.values.root_module.resources.7", None)]),
    (
        "I16-create-is-new",
        &[
            ("prior_state.values.root_module.resources.0.address", Some("\"t_a.create\"")),
            ("prior_state.values.root_module.resources.0.name", Some("\"create\"")),
            ("prior_state.values.root_module.resources.0.index", None),
        ],
    ),
    ("I39-tainted", &[("prior_state.values.root_module.resources.7.tainted", Some("true"))]),
    ("I17-tainted-reason", &[("prior_state.values.root_module.resources.6.tainted", None)]),
    ("L122-nothing-forgotten", &[("resource_changes.7", None)]),
    ("L170-drift-action", &[("resource_drift.0.change.actions", Some(r#"["create"]"#))]),
    ("L170-drift-action", &[("resource_drift.0.change.actions", Some(r#"["no-op"]"#))]),
    ("L171-drift-bare", &[("resource_drift.0.action_reason", Some("\"replace_by_request\""))]),
    ("L170-drift-after", &[("resource_drift.0.change.after.name", Some("\"n9\""))]),
    ("PL60-output-action", &[("output_changes.a.actions", Some(r#"["read"]"#))]),
    ("L190-output-sides", &[("output_changes.a.before", Some("\"0\""))]),
    ("L190-output-sides", &[("output_changes.b.after", Some("\"0\""))]),
    ("L190-output-sides", &[("output_changes.d.after", Some("\"0\""))]),
    ("L195-output-sensitive", &[("output_changes.a.after_sensitive", Some("true"))]),
    ("JS40-planned-output", &[("planned_values.outputs.a", None)]),
    ("JS40-planned-output", &[("planned_values.outputs.a.value", Some("\"7\""))]),
    ("JS41-planned-values", &[("planned_values.root_module.resources.1.values.name", Some("\"other\""))]),
    ("JS41-planned-values", &[("planned_values.root_module.resources.1", None)]),
    ("JS41-planned-changes", &[("resource_changes.7", None)]),
    ("L157-applyable", &[("applyable", Some("false"))]),
    ("L157-applyable", &[("errored", Some("true"))]),
    ("L157-complete", &[("errored", Some("true"))]),
    ("PF21-timestamp", &[("timestamp", Some("\"yesterday\""))]),
    ("ST03-dependencies", &[("prior_state.values.root_module.resources.0.depends_on", Some(r#"["t_a.same[0]"]"#))]),
    ("ST03-dependencies", &[("prior_state.values.root_module.resources.0.depends_on", Some(r#"["t_a.del"]"#))]),
    (
        "ST03-value",
        &[
            ("prior_state.values.root_module.resources.0.values", None),
            ("prior_state.values.root_module.resources.0.sensitive_values", Some("false")),
        ],
    ),
    ("ST11-outputs", &[("prior_state.values.outputs.b.value", Some("null"))]),
    ("ST11-outputs", &[("prior_state.values.outputs.b.type", Some(r#"["list","string"]"#))]),
    (
        "ST06-check-status",
        &[(
            "prior_state.checks",
            Some(
                r#"[{"address": {"to_display": "t_a.upd"}, "status": "pass", "instances": [{"address": {"to_display": "t_a.upd"}, "status": "fail"}]}]"#,
            ),
        )],
    ),
];

pub(super) fn planted() -> impl Iterator<Item = &'static str> {
    PLANTED.iter().map(|(id, _)| *id).chain(["I05-conforms", "ST05-attributes"])
}

#[test]
fn a_clean_plan_has_no_findings() {
    let report = lint_bytes(CLEAN.as_bytes());
    assert_eq!(texts(&report), Vec::<String>::new());
    assert_eq!(report.unchecked, [].into_iter().collect(), "everything can be checked on it");
    assert!(report.checks > 200, "{}", report.checks);
}

#[test]
fn planted_faults_are_found() {
    check_planted(CLEAN, PLANTED);
}

#[test]
fn checks_that_need_missing_schemas_are_counted() {
    let artifact = Artifact::read(CLEAN.as_bytes(), None).expect("a plan");
    let report = lint(&artifact, &Catalogue::default());
    assert_eq!(texts(&report), Vec::<String>::new());
    assert!(report.unchecked[&Why::NoSchemas] > 50, "{:?}", report.unchecked);
}

#[test]
fn schemas_of_the_plan_itself_are_held() {
    let schemas = Json::parse(SCHEMAS).expect("JSON").member("provider_schemas").expect("schemas").to_compact();
    let own = ("provider_schemas", Some(schemas.as_str()));
    let lint_with = |plants: &[(&str, Option<&str>)]| {
        let mut json = Json::parse(CLEAN).expect("JSON");
        plants.iter().for_each(|(path, value)| plant(&mut json, path, *value));
        lint(&Artifact::read(json.to_compact().as_bytes(), None).expect("a plan"), &Catalogue::default())
    };
    assert_eq!(texts(&lint_with(&[own])), Vec::<String>::new());
    let report = lint_with(&[own, ("resource_changes.1.change.after.name", Some("[\"hunter2\"]"))]);
    let messages = texts(&report);
    assert!(
        messages.contains(
            &"I05-conforms t_a.create .name: a value that does not fit the schema; expected a string".to_owned()
        ),
        "{messages:#?}"
    );
    let report = lint_with(&[own, ("prior_state.values.root_module.resources.0.values.name", Some("[]"))]);
    assert!(found(&report).contains("ST05-attributes"), "{:#?}", texts(&report));
}

#[test]
fn of_several_schemas_that_fit_each_has_to_find_the_fault() {
    let loose = SCHEMAS.replace("\"min_items\": 1, ", "");
    let mut given = given();
    given.add("loose.json", &Json::parse(&loose).expect("JSON")).expect("schemas");
    let mut json = Json::parse(CLEAN).expect("JSON");
    plant(&mut json, "resource_changes.9.change.after.blk", Some("[]"));
    plant(&mut json, "resource_changes.9.change.after_sensitive.blk", Some("[]"));
    let report = lint(&Artifact::read(json.to_compact().as_bytes(), None).expect("a plan"), &given);
    assert!(!found(&report).contains("S52-block-count"), "{:#?}", texts(&report));
}
