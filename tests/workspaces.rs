//! Whole workspaces as a user sees them: recorded runs, campaigns, pictures.

#[cfg(unix)]
#[path = "common/engine.rs"]
mod engine;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use planfuzz_core::json::Json;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first recorded runs of a file.
fn recorded(name: &str, count: usize) -> Vec<String> {
    let bytes = fs::read(repository("corpus/recorded/workspaces").join(name)).expect("the recorded runs");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut lines).expect("gzip");
    lines.lines().take(count).map(str::to_owned).collect()
}

#[test]
fn recorded_runs_conform_and_an_altered_one_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    for (engine, dialect) in [("opentofu", "opentofu-1.12"), ("terraform", "terraform-1.11")] {
        let lines = recorded(&format!("{engine}.jsonl.gz"), 12);
        fs::write(folder.path().join("runs.jsonl"), lines.join("\n")).expect("a file");
        let held = run(folder.path(), &["conform", "--dialect", dialect, "runs.jsonl"]);
        let out = text(&held.stdout);
        let notes = text(&held.stderr);
        assert!(held.status.success() && out.contains("24 passed, 0 failed"), "{out}{notes}");
        // What is not compared is counted: the runs of OpenTofu were recorded without relevant attributes.
        let has_gaps = notes.contains("relevant attributes, which the recording does not have");
        assert_eq!(has_gaps, engine == "opentofu", "{notes}");
    }
    // U69: what an engine's schedule decided is tolerated by name.
    let chance = recorded("mended.jsonl.gz", 18).remove(17);
    fs::write(folder.path().join("chance.jsonl"), chance).expect("a file");
    let held = run(folder.path(), &["conform", "chance.jsonl"]);
    let (out, notes) = (text(&held.stdout), text(&held.stderr));
    assert!(held.status.success() && out.contains("0 passed, 0 failed, 0 skipped, 2 tolerated"), "{out}{notes}");
    assert!(notes.contains("tolerated 1: a resource without instances"), "{notes}");

    let lines = recorded("terraform.jsonl.gz", 1);
    let altered = lines[0].replacen(r#""exit":{"plan":"#, r#""exit":{"plan":7"#, 1);
    assert_ne!(altered, lines[0], "the line has an exit status");
    fs::write(folder.path().join("altered.jsonl"), altered).expect("a file");
    let found = run(folder.path(), &["conform", "altered.jsonl"]);
    let out = text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{out}");
    assert!(out.contains("workspace_run") && out.contains("exit"), "{out}");
}

/// What an engine does with workspaces becomes recorded runs, with which both planners are compared.
#[cfg(unix)]
#[test]
fn runs_of_workspaces_by_an_engine_are_recorded() {
    if engine::terraform().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let of = ["record", "--op", "workspace", "--preset", "tiny", "--cases", "6", "--seed", "11"];
    let to =
        ["--dialect", "terraform-1.11", "--against", "reference", "--apart", "apart.jsonl", "--output", "runs.jsonl"];
    let ended = run(folder.path(), &[&of[..], &to[..]].concat());
    assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
    assert_eq!(
        fs::read_to_string(folder.path().join("apart.jsonl")).expect("a file"),
        "",
        "the reference does otherwise"
    );
    let runs = fs::read_to_string(folder.path().join("runs.jsonl")).expect("the runs");
    let count = runs.lines().count();
    assert!(count >= 6 && runs.lines().all(|line| line.contains(r#""op":"workspace_run""#)), "{runs}");
    let held = run(folder.path(), &["conform", "--dialect", "terraform-1.11", "runs.jsonl"]);
    let out = text(&held.stdout);
    assert!(held.status.success() && out.contains(&format!("{} passed, 0 failed", 2 * count)), "{out}");
    // A planner has no clock to record.
    let refused = run(folder.path(), &["record", "--op", "workspace", "--cases", "2", "--subject", "reference"]);
    assert!(text(&refused.stderr).contains("engines are recorded"), "{}", text(&refused.stderr));
}

#[test]
fn a_campaign_of_the_reference_alone_is_held_to_rules_and_laws() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = run(
        folder.path(),
        &["run", "--op", "workspace", "--subject", "reference", "--cases", "60", "--seed", "3", "--json"],
    );
    let out = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(0), "{out}{}", text(&ended.stderr));
    let totals = Json::parse(out.lines().last().unwrap_or_default()).expect("the totals");
    let workspaces = totals.member("workspaces").expect("what workspaces are counted by");
    let held = |of: &str| {
        let counts = workspaces.member(of).and_then(|of| of.expect_object().ok()).unwrap_or_default();
        counts.iter().filter(|(_, count)| *count != Json::int(0u8)).count()
    };
    assert!(held("rules") > 25 && held("laws") >= 20, "{out}");
}

#[test]
fn the_summary_names_only_subjects_that_answer_the_operation() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = |op: &str| text(&run(folder.path(), &["run", "--op", op, "--cases", "20", "--seed", "3"]).stdout);
    assert!(out("workspace").contains(" answers of reference beside those of optimized\n"), "{}", out("workspace"));
    assert!(out("convert").contains(" answers of shared beside those of naive\n"), "{}", out("convert"));
}

#[test]
fn why_plans_are_made_again_as_a_whole_is_in_the_summary() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = ["run", "--op", "workspace", "--subject", "reference", "--subject", "incremental", "--seed", "3"];
    let of = |more: &[&str]| {
        let ended = run(folder.path(), &[&asked, more].concat());
        let out = text(&ended.stdout);
        assert_eq!(ended.status.code(), Some(0), "{out}{}", text(&ended.stderr));
        out
    };
    let out = of(&["--cases", "60", "--json"]);
    let totals = Json::parse(out.lines().last().unwrap_or_default()).expect("the totals");
    let counts = totals.member("workspaces").and_then(|of| of.member("planned_again")).expect("what is planned again");
    let counts = counts.expect_object().expect("counts by reason");
    assert!(counts.iter().any(|(reason, _)| &**reason == "in part") && counts.len() > 4, "{out}");
    let out = of(&["--cases", "20", "--verbose"]);
    assert!(out.contains("planned again: ") && out.contains(": nothing was planned before"), "{out}");
}

#[test]
fn blocks_that_workers_share_out_are_in_the_summary() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = ["run", "--op", "workspace", "--subject", "reference", "--subject", "concurrent", "--seed", "4"];
    let ended = run(folder.path(), &[&asked[..], &["--cases", "60", "--json"]].concat());
    let out = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(0), "{out}{}", text(&ended.stderr));
    let totals = Json::parse(out.lines().last().unwrap_or_default()).expect("the totals");
    let workers = totals.member("workspaces").and_then(|of| of.member("workers")).expect("what workers count");
    let count = workers.member("blocks shared out").map(Json::to_compact).expect("a count");
    assert!(count.parse::<u64>().is_ok_and(|count| count > 20), "{out}");
}

#[test]
fn a_workspace_is_shown_as_files_plans_calls_and_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = repository("corpus/workspace-cases/create-before-destroy-is-handed-on.json");
    let case = case.to_str().expect("UTF-8");
    let shown = run(folder.path(), &["probe", case, "--graph", "graph.svg"]);
    let out = text(&shown.stdout);
    assert!(shown.status.success(), "{out}{}", text(&shown.stderr));
    for part in ["resource \"w_thing\" \"ant\" {", "must be replaced", "Plan: 2 to add, 0 to change, 2 to destroy"] {
        assert!(out.contains(part), "{part} is not in {out}");
    }
    let picture = fs::read_to_string(folder.path().join("graph.svg")).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.contains("step 2, apply"), "{picture}");
    let dot = run(folder.path(), &["probe", case, "--graph", "graph.dot"]);
    assert!(dot.status.success());
    assert!(fs::read_to_string(folder.path().join("graph.dot")).expect("a graph").starts_with("digraph workspace"));
    let other = run(folder.path(), &["probe", case, "--graph", "graph.png"]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other.stderr));
}

#[test]
fn every_small_workspace_is_a_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["run", "--op", "workspace", "--subject", "reference", "--exhaustive", "--json"];
    let ended = run(folder.path(), &arguments);
    assert_eq!(ended.status.code(), Some(0), "{}{}", text(&ended.stdout), text(&ended.stderr));
    let totals = Json::parse(text(&ended.stdout).lines().last().unwrap_or_default()).expect("the totals");
    assert_eq!(totals.member("cases"), Some(&Json::int(1_344_u16 + 3_888 + 7_488)));
}

const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "l", "outputs": {}, "resources": [
  {"mode": "managed", "type": "w_thing", "name": "ant", "provider": "provider[\"registry.terraform.io/hashicorp/w\"]",
   "instances": [{"schema_version": 0, "attributes": {"id": "id-ant", "name": "ant", "size": 1}, "sensitive_attributes": []}]},
  {"mode": "managed", "type": "w_thing", "name": "bee", "provider": "provider[\"registry.terraform.io/hashicorp/w\"]",
   "instances": [{"index_key": 0, "schema_version": 0, "attributes": {"id": "id-bee", "name": "bee", "size": null},
                  "sensitive_attributes": [], "dependencies": ["w_thing.ant"]}]}], "check_results": null}"#;

#[test]
fn a_campaign_begins_with_the_state_of_a_user() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("terraform.tfstate"), STATE).expect("a file");
    let config = folder.path().join("config");
    fs::create_dir(&config).expect("a folder");
    let native = "resource \"w_thing\" \"ant\" {\n  name = \"ant\"\n  size = 1\n}\n\
                  resource \"w_thing\" \"bee\" {\n  count = 1\n  name  = \"bee\"\n  size  = w_thing.ant.size\n}\n";
    fs::write(config.join("main.tf"), native).expect("a file");
    let arguments = ["run", "--state", "terraform.tfstate", "--subject", "reference", "--cases", "40", "--seed", "3"];
    for more in [&["--json"][..], &["--json", "--config", "config"]] {
        let ended = run(folder.path(), &[&arguments, more].concat());
        let out = text(&ended.stdout);
        assert_eq!(ended.status.code(), Some(0), "{out}{}", text(&ended.stderr));
        let totals = Json::parse(out.lines().last().unwrap_or_default()).expect("the totals");
        assert_eq!(totals.member("cases"), Some(&Json::int(40u8)), "{out}");
    }
}

#[test]
fn a_state_that_no_campaign_can_begin_with_is_one_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("terraform.tfstate", STATE);
    write("empty.tfstate", r#"{"version": 4, "serial": 1, "lineage": "l", "outputs": {}, "resources": []}"#);
    write("old.tfstate", r#"{"version": 3, "serial": 1, "lineage": "l", "modules": []}"#);
    write("none.json", "{}");
    fs::create_dir(folder.path().join("bare")).expect("a folder");
    for (arguments, words) in [
        (&["--state", "missing.tfstate"][..], "cannot read missing.tfstate"),
        (&["--state", "empty.tfstate"], "expected a managed object in the state, found none"),
        (&["--state", "old.tfstate"], "old.tfstate: expected a state"),
        (&["--state", "terraform.tfstate", "--config", "bare"], "bare: expected files of a configuration, found none"),
        (&["--state", "terraform.tfstate", "--schemas", "none.json"], "expected a schema of w_thing"),
        (&["--state", "terraform.tfstate", "--op", "scenario"], "expected no --op but workspace beside --state"),
    ] {
        let ended = run(folder.path(), &[&["run", "--subject", "reference", "--cases", "1"], arguments].concat());
        let errors = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}
