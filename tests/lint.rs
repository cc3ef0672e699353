//! `planfuzz lint` as people run it, on files in folders of their own; and over real plans and states, where there are any.

use std::collections::BTreeMap;
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
fn findings_are_told_by_file_and_counted() {
    let place = place(&[("terraform.tfstate", STATE), ("schemas.json", SCHEMAS)]);
    let (code, out, err) = run(&place, &["terraform.tfstate", "--schemas", "schemas.json"]);
    let want = "\
terraform.tfstate state file of Terraform 1.11.4
  error I44-schema-sensitive t_a.a .password: not sensitive, though the schema calls it so; expected a sensitive path
  error ST03-dependencies t_a.a: the dependency t_a.b is there twice; expected it once
read 1 with the schemas of schemas.json
1 files, 1 objects, 12 checks made, 0 not made, 2 findings
";
    assert_eq!((code, out.as_str(), err.as_str()), (1, want, ""));
}

#[test]
fn what_could_not_be_checked_is_told() {
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
fn known_findings_are_counted_and_not_told() {
    let known = r#"{"signature": "ST03-dependencies t_a.a", "reason": "written by hand"}"#;
    let place = place(&[("s.tfstate", STATE), ("known.jsonl", known)]);
    let (code, out, _) = run(&place, &["s.tfstate", "--allow", "known.jsonl"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("known 1: written by hand\n") && !out.contains("ST03"), "{out}");
}

#[test]
fn json_and_sarif_say_the_same() {
    let place = place(&[("s.tfstate", STATE)]);
    let (code, out, _) = run(&place, &["s.tfstate", "--json"]);
    let lines: Vec<Json> = out.lines().map(|line| Json::parse(line).expect("JSON")).collect();
    assert_eq!((code, lines.len()), (1, 2), "{out}");
    assert_eq!(lines[0].member("signature"), Some(&Json::string("ST03-dependencies t_a.a")));
    assert_eq!(lines[1].member("findings"), Some(&Json::int(1)));
    let (code, out, err) = run(&place, &["s.tfstate", "--sarif"]);
    let sarif = Json::parse(&out).expect("JSON");
    assert_eq!((code, sarif.member("version")), (1, Some(&Json::string("2.1.0"))));
    assert!(err.ends_with("1 findings\n"), "{err}");
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

/// Files of a folder that is there in some checkouts.
fn real(folder: &[&str]) -> Option<Vec<PathBuf>> {
    let start: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "shared"].iter().collect();
    let path = folder.iter().fold(start, |path, name| path.join(name));
    let mut files: Vec<_> = fs::read_dir(path).ok()?.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.is_file() && file.extension().is_some_and(|it| it != "md"));
    files.sort();
    Some(files)
}

/// What is wrong with real files: each was looked at. Most were edited by hand to be somebody's test data, two show what old engines
/// did.
const REAL: &[(&str, &str, usize)] = &[
    // Engines.
    ("terraform-compliance-drift15-1.0", "JS23-schema-sensitive", 1), // Terraform 1.0.0: drift without what the schema calls sensitive
    ("tf-summarize-github-drift-1.1", "PL12-reason-action", 1), // Terraform 1.1.4: a reason to delete on what is gone already
    // Hands.
    ("aiven-drift-mixed-1.5", "JS41-planned-values", 2),
    ("aiven-drift-mixed-1.5", "L52-before-is-prior", 1),
    ("checkov-aws-39-types-0.12", "JS41-planned-values", 54),
    ("checkov-create-before-destroy-1.2", "I17-replace-reason", 1),
    ("checkov-create-before-destroy-1.2", "I17-replace-sides", 1),
    ("checkov-data-read-1.5", "JS41-planned-values", 1),
    ("checkov-data-read-1.5", "PF21-timestamp", 1),
    ("driftctl-aws-security-group-rule", "ST07-state-order", 1),
    ("opentofu-complex-outputs", "ST01-lineage", 1),
    ("terraform-compliance-datadog-1.0", "I14-no-op-equal", 3),
    ("terraform-compliance-datadog-1.0", "JS41-planned-values", 10),
    ("terraform-compliance-drift15-1.0", "JS20-readable", 1),
    ("terraform-compliance-drift15-1.0", "JS41-planned-changes", 1),
    ("terraform-compliance-drift15-1.0", "JS41-planned-values", 3),
    ("terraform-compliance-drift15-1.0", "L190-output-sides", 1),
    ("tf-summarize-github", "ST07-state-order", 1),
];

#[test]
fn real_plans_and_states_hold_but_for_what_is_known() {
    let folders = [real(&["plans"]), real(&["plans", "binary"]), real(&["plans", "states"])];
    let schemas = [real(&["schemas"]), real(&["schemas", "history"])];
    if folders.iter().chain(&schemas).any(Option::is_none) {
        return println!("skipped: no plans here");
    }
    let mut given = Catalogue::default();
    for path in schemas.into_iter().flatten().flatten() {
        let bytes = fs::read(&path).expect("a file");
        let mut text = Vec::new();
        let is_packed = path.extension().is_some_and(|it| it == "gz");
        match is_packed {
            true => {
                std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text).expect("a file")
            }
            false => std::io::Read::read_to_end(&mut &bytes[..], &mut text).expect("memory"),
        };
        let json = Json::parse_bytes(&text).expect("JSON");
        if json.member("provider_schemas").is_some() {
            given.add(&path.file_name().expect("a name").to_string_lossy(), &json).expect("schemas");
        }
    }
    let (mut found, mut unread, mut objects) = (BTreeMap::new(), Vec::new(), 0);
    for path in folders.into_iter().flatten().flatten() {
        let name =
            path.file_name().expect("a name").to_string_lossy().split(".json").next().unwrap_or_default().to_owned();
        if name == "own-terraform-data-configs" || name.starts_with("opentofu-equivalence") {
            continue;
        }
        match Artifact::read(&fs::read(&path).expect("a file"), None) {
            Err(problem) => unread.push(format!("{name}: {problem}")),
            Ok(artifact) => {
                let report = lint(&artifact, &given);
                objects += report.objects;
                for finding in report.findings {
                    *found.entry((name.clone(), finding.check.to_owned())).or_insert(0) += 1;
                }
            }
        }
    }
    let want: BTreeMap<_, usize> =
        REAL.iter().map(|(name, check, n)| (((*name).to_owned(), (*check).to_owned()), *n)).collect();
    assert_eq!(found, want);
    assert_eq!(unread.len(), 5, "four of before 1.0, and one with a member twice: {unread:#?}");
    assert!(objects > 780, "{objects}");
}
