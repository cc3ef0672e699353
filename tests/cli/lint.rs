//! `planfuzz lint` as users run it, on files in folders of their own; and on files written by a real engine.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use planfuzz::artifact::{Artifact, Catalogue};
use planfuzz::lint::lint;
use planfuzz_core::json::Json;
use tempfile::TempDir;

const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": [
    {"mode": "managed", "type": "t_a", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]", "instances": [
        {"schema_version": 0, "attributes": {"id": "1", "password": "hunter2"}, "sensitive_attributes": [],
         "dependencies": ["t_a.b", "t_a.b"]}]}], "check_results": null}"#;

const SCHEMAS: &str = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/hashicorp/t": {
    "resource_schemas": {"t_a": {"version": 0, "block": {"attributes": {"id": {"type": "string", "computed": true},
        "password": {"type": "string", "optional": true, "sensitive": true}}}}}}}}"#;

const PLAN: &str = r#"{"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": {"root_module": {}},
    "resource_changes": [{"address": "t_a.\u001b[31mred", "mode": "managed", "type": "t_a", "name": "a",
        "provider_name": "registry.terraform.io/hashicorp/t",
        "change": {"actions": ["create"], "before": null, "after": null, "after_unknown": {}}}],
    "configuration": {}, "timestamp": "2025-01-02T03:04:05Z", "applyable": true, "complete": true, "errored": false}"#;

/// A folder with files in it.
fn place(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

/// The exit code, standard output and standard error of the command.
fn run(place: &TempDir, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    let output =
        command.current_dir(place).arg("lint").args(arguments).stdin(Stdio::null()).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn findings_are_printed_by_file_and_counted() {
    let place = place(&[("terraform.tfstate", STATE), ("schemas.json", SCHEMAS)]);
    let (code, out, err) = run(&place, &["terraform.tfstate", "--schemas", "schemas.json"]);
    let want = "\
terraform.tfstate state file of Terraform 1.11.4
  error I44-schema-sensitive t_a.a .password: not sensitive, though the schema calls it so; expected a sensitive path
  error ST03-dependencies t_a.a: the dependency t_a.b is there twice; expected it once
read 1 with the schemas of schemas.json
1 file, 1 object, 12 checks made, 0 not made, 2 findings
";
    assert_eq!((code, out.as_str(), err.as_str()), (1, want, ""));
}

#[test]
fn checks_that_could_not_be_made_are_reported() {
    let place = place(&[("s.json", &STATE.replace(", \"t_a.b\"]", "]"))]);
    let (code, out, _) = run(&place, &["s.json"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("not checked 4: no schemas are known (give them with --schemas)\n"), "{out}");
    assert!(out.ends_with("4 not made, 0 findings\n"), "{out}");
}

#[test]
fn one_broken_file_does_not_hide_the_others() {
    let place = place(&[("a.json", "{"), ("b.tfstate", STATE), ("c.json", SCHEMAS), ("d.txt", "")]);
    let (code, out, err) = run(&place, &["."]);
    assert_eq!(code, 2, "{out}{err}");
    assert!(out.contains("ST03-dependencies"), "{out}");
    assert!(err.contains("a.json: expected a plan file, or JSON of a plan or state: line 1, column 1"), "{err}");
    assert!(
        err.contains("c.json: expected a plan or a state, found provider schemas: give them with --schemas"),
        "{err}"
    );
    assert!(err.ends_with("2 of 3 files are neither plans nor states\n"), "{err}");
}

#[test]
fn known_findings_are_counted_and_not_printed() {
    let known = r#"{"signature": "ST03-dependencies t_a.a", "reason": "written by hand"}"#;
    let place = place(&[("s.tfstate", STATE), ("known.jsonl", known)]);
    let (code, out, _) = run(&place, &["s.tfstate", "--allow", "known.jsonl"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("known 1: written by hand\n") && !out.contains("ST03"), "{out}");
}

#[test]
fn json_and_sarif_have_the_same_findings() {
    let place = place(&[("s.tfstate", STATE)]);
    let (code, out, _) = run(&place, &["s.tfstate", "--json"]);
    let lines: Vec<Json> = out.lines().map(|line| Json::parse(line).expect("JSON")).collect();
    assert_eq!((code, lines.len()), (1, 2), "{out}");
    assert_eq!(lines[0].member("signature"), Some(&Json::string("ST03-dependencies t_a.a")));
    assert_eq!(lines[1].member("findings"), Some(&Json::int(1)));
    let (code, out, err) = run(&place, &["s.tfstate", "--sarif"]);
    let sarif = Json::parse(&out).expect("JSON");
    assert_eq!((code, sarif.member("version")), (1, Some(&Json::string("2.1.0"))));
    assert!(err.ends_with("1 finding\n"), "{err}");
    let (code, out, _) = run(&place, &["s.tfstate", "--sarif=out/found.sarif"]);
    assert_eq!((code, out.as_str()), (1, ""));
    let written = fs::read_to_string(place.path().join("out/found.sarif")).expect("a file");
    assert_eq!(Json::parse(&written).expect("JSON"), sarif);
}

#[test]
fn no_file_can_talk_to_the_terminal() {
    let place = place(&[("p.json", PLAN)]);
    let (code, out, err) = run(&place, &["p.json"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "{out}{err}");
}

#[test]
fn usage_has_an_example() {
    let place = place(&[]);
    let (code, out, _) = run(&place, &["--help"]);
    assert_eq!(code, 0);
    assert!(out.contains("Example: planfuzz lint tfplan"), "{out}");
    assert_eq!(run(&place, &[]).0, 2);
    assert_eq!(run(&place, &["none.json"]).0, 2);
    assert_eq!(run(&place, &["."]).0, 2, "an empty folder");
}

/// The plans and states of the runs of corpus/artifacts.
fn real() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/artifacts");
    let runs = fs::read_dir(folder).expect("the artifacts").map(|entry| entry.expect("an entry").path());
    let names = ["plan.tfplan", "plan.json", "before.tfstate", "after.tfstate", "after.json"];
    let files = runs.flat_map(|run| names.map(|name| run.join(name)));
    files.filter(|file| file.exists()).collect()
}

#[test]
fn files_of_real_engines_hold() {
    let mut given = Catalogue::default();
    let schemas = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/artifacts/schemas.json")).expect("schemas");
    given.add("schemas.json", &Json::parse_bytes(&schemas).expect("JSON")).expect("schemas");
    let mut objects = 0;
    for path in real() {
        let artifact = Artifact::read(&fs::read(&path).expect("a file"), None).expect("a plan or a state");
        let report = lint(&artifact, &given);
        objects += report.objects;
        assert!(report.findings.is_empty(), "{}: {:?}", path.display(), report.findings);
    }
    assert!(objects > 400, "{objects}");
}
