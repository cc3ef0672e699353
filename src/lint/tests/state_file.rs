//! State files.

use super::*;

const CLEAN: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "l",
    "outputs": {"o": {"value": "1", "type": "string"}},
    "resources": [
        {"mode": "data", "type": "d_a", "name": "d", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]",
         "instances": [{"schema_version": 0, "attributes": {"id": "1", "q": null}, "sensitive_attributes": []}]},
        {"mode": "managed", "type": "t_a", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]",
         "instances": [{"index_key": 0, "schema_version": 1, "attributes": {"blk": [{"v": "b"}], "id": "9", "n": {"x": null},
             "name": "s", "req": "r", "secret": {"k": "S"}, "wo": null},
             "sensitive_attributes": [[{"type": "get_attr", "value": "secret"}]],
             "private": "cHA=", "dependencies": ["data.d_a.d", "t_a.b"]},
            {"index_key": 0, "deposed": "0000000a", "schema_version": 0, "attributes": {"old": 1},
             "sensitive_attributes": []}]}],
    "check_results": [{"object_kind": "resource", "config_addr": "t_a.a", "status": "pass",
        "objects": [{"object_addr": "t_a.a[0]", "status": "pass"}]}]}"#;

const PLANTED: &[Planted] = &[
    ("JS20-readable", &[("resources.1.instances.0.status", Some("\"planned\""))]),
    ("JS20-readable", &[("resources.1.instances.0.private", Some("\"?\""))]),
    ("JS20-readable", &[("resources.1.instances.1.deposed", Some("\"x\""))]),
    ("JS20-readable", &[("resources.1.mode", Some("\"list\""))]),
    ("PL71-object-address", &[("resources.1.module", Some("\"module\""))]),
    ("PL73-object-provider", &[("resources.1.provider", Some("\"t\""))]),
    ("ST09-one-object", &[("resources.1.instances.1.deposed", None)]),
    ("ST07-state-order", &[("resources.0.mode", Some("\"managed\"")), ("resources.0.type", Some("\"z_a\""))]),
    ("I49-write-only-stored", &[("resources.1.instances.0.attributes.wo", Some("\"w\""))]),
    ("L05-schema-version", &[("resources.1.instances.0.schema_version", Some("2"))]),
    ("I44-schema-sensitive", &[("resources.1.instances.0.sensitive_attributes", Some("[]"))]),
    (
        "PL08-stored-places",
        &[("resources.1.instances.0.sensitive_attributes.1", Some(r#"[{"type": "get_attr", "value": "none"}]"#))],
    ),
    (
        "ST04-paths-once",
        &[("resources.1.instances.0.sensitive_attributes.1", Some(r#"[{"type": "get_attr", "value": "secret"}]"#))],
    ),
    ("ST01-lineage", &[("lineage", Some("\"\""))]),
    ("ST03-dependencies", &[("resources.1.instances.0.dependencies", Some(r#"["t_a.b", "t_a.b"]"#))]),
    ("ST03-tainted", &[("resources.0.instances.0.status", Some("\"tainted\""))]),
    ("ST10-data-private", &[("resources.0.instances.0.private", Some("\"cHA=\""))]),
    ("ST11-outputs", &[("outputs.o.type", Some(r#"["list","string"]"#))]),
    ("ST11-outputs", &[("outputs.o.value", Some("null"))]),
    ("ST06-check-status", &[("check_results.0.status", Some("\"fail\""))]),
];

pub(super) fn planted() -> impl Iterator<Item = &'static str> {
    PLANTED.iter().map(|(id, _)| *id)
}

#[test]
fn a_clean_state_has_no_findings() {
    let report = lint_bytes(CLEAN.as_bytes());
    assert_eq!(texts(&report), Vec::<String>::new());
    assert_eq!(report.unchecked.keys().copied().collect::<Vec<_>>(), [Why::NoFit], "the old object only");
}

#[test]
fn a_value_without_sensitive_paths_is_counted_as_not_checked() {
    let schemas = SCHEMAS.replace(r#""nesting_mode": "single""#, r#""nesting_mode": "list""#);
    let schemas = schemas.replace(r#""x": {"#, r#""x": {"sensitive": true, "#);
    let mut given = Catalogue::default();
    given.add("schemas.json", &Json::parse(&schemas).expect("JSON")).expect("schemas");
    let mut json = Json::parse(CLEAN).expect("JSON");
    // S71: engines crash on a null element beside sensitive attributes.
    plant(&mut json, "resources.1.instances.0.attributes.n", Some("[null]"));
    let artifact = Artifact::read(json.to_compact().as_bytes(), None).expect("an artifact");
    assert_eq!(lint(&artifact, &given).unchecked.get(&Why::NoSensitivePaths), Some(&1));
}

#[test]
fn planted_faults_are_found() {
    check_planted(CLEAN, PLANTED);
}
