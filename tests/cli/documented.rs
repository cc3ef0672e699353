//! Types every command that README and the docs show, in a fresh copy of the tree. Commands that take long get small numbers; commands that
//! need something that a test cannot have are listed with the reason. A command that is in no list fails the test, and so does a listed one
//! that no page shows any more: nothing is left out silently.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::python;
use tempfile::TempDir;

/// The pages, in the order in which a reader meets them: one page may use the files that an earlier one makes.
const PAGES: [&str; 13] = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/cli.md",
    "docs/engines.md",
    "docs/fuzzing.md",
    "docs/kills.md",
    "docs/lint.md",
    "docs/mutants.md",
    "docs/night.md",
    "docs/provider.md",
    "docs/triage.md",
    "docs/validate-a-refactor.md",
    "docs/writing-a-subject.md",
];

/// How a command is tested.
enum How {
    /// It is run as it stands, and ends with this code.
    Ends(i32),
    /// It is run with small numbers, or without what only a developer's machine has, and ends with this code.
    Less(&'static str, i32),
    /// It is not run, for this reason.
    Not(&'static str),
}

use How::{Ends, Less, Not};

const ENGINE: &str = "asks a real engine: tests/engine_subject.rs does";
const PROVIDER: &str = "asks a provider: engine/provider/tests has one of its own";
const CARGO: &str = "builds with cargo, or needs one of its tools: the gate does what it does";
const FAULTS: &str = "needs a build with the feature faults: tests/planted_faults and the gate have it";
const NIGHT: &str = "spends a night: tests/night.rs has short ones";

/// Every command of the pages, without comments after it.
fn table() -> Vec<(&'static str, How)> {
    vec![
        // README.md
        ("cargo run --release", Less("planfuzz --cases 200 --seed 7 --findings clean", 0)),
        ("cargo test --workspace", Not(CARGO)),
        (
            "planfuzz lint tfplan terraform.tfstate --schemas schemas.json",
            Less("planfuzz lint terraform.tfstate --schemas schemas.json", 0),
        ),
        ("cargo install --path .", Not(CARGO)),
        ("planfuzz probe corpus/lifecycle/drift.json", Ends(0)),
        (
            "planfuzz run --schemas schemas.json --only-schemas",
            Less("planfuzz run --schemas schemas.json --only-schemas --cases 100 --seed 7 --findings clean", 0),
        ),
        (
            "planfuzz run --state terraform.tfstate --config .",
            Less(
                "planfuzz run --state terraform.tfstate --config . --schemas schemas.json --cases 60 --seed 7 --findings clean",
                0,
            ),
        ),
        (
            "planfuzz run --subject reference --subject exec:./my-planner",
            Less(
                "planfuzz run --subject reference --subject exec:./my-planner --cases 100 --seed 7 --findings clean",
                0,
            ),
        ),
        (
            "planfuzz run --subject 'exec:old serve' --subject 'exec:new serve'",
            Less(
                "planfuzz run --subject 'exec:old serve' --subject 'exec:new serve' --cases 100 --seed 7 --findings clean",
                0,
            ),
        ),
        (
            "planfuzz run --dialect opentofu-1.12",
            Less("planfuzz run --dialect opentofu-1.12 --cases 100 --seed 7 --findings clean", 0),
        ),
        ("planfuzz run --op scenario --subject reference --subject terraform", Not(ENGINE)),
        (
            "planfuzz run --exhaustive",
            // To the first difference: the whole scope takes a minute in a build for tests.
            Less(
                "planfuzz run --exhaustive --op proposed_new --max-findings 1 --findings first --subject reference --subject 'exec:sh wrong.sh'",
                1,
            ),
        ),
        ("planfuzz run --op scenario", Less("planfuzz run --op scenario --cases 100 --seed 7 --findings clean", 0)),
        ("planfuzz features", Less("planfuzz features --cases 500 --seed 7", 0)),
        ("planfuzz conform docs/spec/merge-and-rules.md", Ends(0)),
        (
            "planfuzz conform corpus/recorded/scenarios-tiny.jsonl.gz",
            Less("gzip -dc corpus/recorded/scenarios-tiny.jsonl.gz | head -n 200 | planfuzz conform -", 0),
        ),
        (
            "planfuzz record --op scenario --cases 1000 --output v.jsonl.gz",
            Less("planfuzz record --subject reference --op scenario --cases 50 --seed 7 --output v.jsonl.gz", 0),
        ),
        ("planfuzz import plan.json --schemas schemas.json --output cases", Ends(0)),
        (
            "planfuzz run --op workspace --subject reference",
            Less("planfuzz run --op workspace --subject reference --cases 60 --seed 7 --findings clean", 0),
        ),
        ("planfuzz run --op workspace --subject reference --subject terraform", Not(ENGINE)),
        (
            "planfuzz run --op workspace --subject reference --exhaustive",
            Not("takes the longest of all: tests/workspaces.rs runs it"),
        ),
        ("planfuzz import . --schemas schemas.json --output cases", Ends(0)),
        (
            "planfuzz run --state terraform.tfstate --config . --subject reference --subject optimized",
            Less(
                "planfuzz run --state terraform.tfstate --config . --schemas schemas.json --subject reference --subject optimized --cases 60 --seed 7 --findings clean",
                0,
            ),
        ),
        ("planfuzz probe corpus/workspace-cases/count-shrinks.json --graph graph.svg", Ends(0)),
        (
            "planfuzz conform corpus/recorded/workspaces/terraform.jsonl.gz",
            Less("gzip -dc corpus/recorded/workspaces/terraform.jsonl.gz | head -n 20 | planfuzz conform -", 0),
        ),
        ("planfuzz replay corpus/regressions findings", Less("planfuzz replay corpus/lifecycle cases", 0)),
        (
            "mkdir -p work/planner && cargo fuzz run -s none --no-trace-compares planner work/planner corpus/planner",
            Not(CARGO),
        ),
        ("planfuzz review findings", Less("planfuzz review found", 1)),
        ("planfuzz triage findings", Less("planfuzz triage found --regressions none --budget 50 --shrink-time 1s", 1)),
        ("fuzz/nightly.sh --minutes 30", Not(NIGHT)),
        // CONTRIBUTING.md
        (".ci/run", Not("runs this test")),
        (".ci/beyond", Not("lints and documentation, which tests do not cover")),
        // docs/cli.md
        (
            "cargo run --release --features faults -- run --subject reference --subject fault:b161-unknown-config-gives-prior",
            Not(FAULTS),
        ),
        (
            "planfuzz gen --cases 1000 --seed 7 | planfuzz replay -",
            Less("planfuzz gen --cases 50 --seed 7 | planfuzz replay -", 0),
        ),
        ("planfuzz replay corpus/recorded/merges-tiny.jsonl.gz:12", Ends(0)),
        ("planfuzz probe corpus/planner/plan-of-set-blocks.json", Ends(0)),
        ("planfuzz completions bash > planfuzz.bash", Ends(0)),
        ("planfuzz man --output man", Ends(0)),
        ("planfuzz review findings --json", Less("planfuzz review found --json", 1)),
        (
            "planfuzz review findings --keep 1 --purpose \"M19: a prior element becomes one configured element only\" --into regressions",
            Less(
                "cp -r found kept && planfuzz review kept --keep 1 --purpose \"M19: a prior element becomes one configured element only\" --into regressions",
                0,
            ),
        ),
        (
            "planfuzz review findings --accept 1 --reason \"mended in 2.0\" --allow known.jsonl",
            Less("planfuzz review found --accept 1 --reason \"mended in 2.0\" --allow known.jsonl", 0),
        ),
        // docs/engines.md
        (
            "planfuzz run --op scenario --subject reference --subject terraform:/opt/terraform-1.11.4/terraform",
            Not(ENGINE),
        ),
        ("planfuzz run --op scenario --plans --subject reference --subject terraform", Not(ENGINE)),
        ("planfuzz run --op scenario --subject terraform:OLD --subject terraform:NEW", Not(ENGINE)),
        ("planfuzz run --op scenario --no-refresh --subject reference --subject terraform", Not(ENGINE)),
        ("planfuzz probe CASE --subject reference --subject terraform", Not(ENGINE)),
        ("planfuzz conform vectors.jsonl --subject terraform", Not(ENGINE)),
        ("planfuzz record --op scenario --cases 5000 --output scenarios.jsonl.gz", Not(ENGINE)),
        // docs/fuzzing.md
        ("cargo install cargo-fuzz --version 0.13.2 --locked", Not(CARGO)),
        (
            "cargo fuzz run -s none --no-trace-compares planner work/planner corpus/planner -- -max_len=65536",
            Not(CARGO),
        ),
        (
            "planfuzz distil --target planner --binary target/x86_64-unknown-linux-gnu/release/planner --output corpus/planner corpus/planner work/planner",
            Less("planfuzz distil --target planner --output distilled corpus/planner", 0),
        ),
        // docs/kills.md
        ("cargo run --release --features faults -- kills", Not(FAULTS)),
        ("cargo run --release --features faults -- kills B161 X01", Not(FAULTS)),
        ("cargo run --release --features faults -- kills --json", Not(FAULTS)),
        ("cargo test -p planfuzz-language-judge --features faults --test faults -- --nocapture", Not(FAULTS)),
        (
            "PLANFUZZ_ALL_FAULTS=1 cargo test -p planfuzz-workspace-reference --features faults --test faults --test laws -- --nocapture",
            Not(FAULTS),
        ),
        (
            "PLANFUZZ_ALL_FAULTS=1 cargo test -p planfuzz-workspace-optimized --features faults --test faults -- --nocapture",
            Not(FAULTS),
        ),
        ("cargo test -p planfuzz-language --features faults --test faults -- --nocapture", Not(FAULTS)),
        // docs/lint.md
        ("terraform providers schema -json > schemas.json", Not("asks a real engine of a real configuration")),
        // docs/mutants.md
        ("cargo install cargo-mutants", Not(CARGO)),
        ("fuzz/mutants/run.sh", Not(CARGO)),
        ("fuzz/mutants/run.sh tonight", Not(CARGO)),
        ("fuzz/mutants/run.sh --shard 3/20", Not(CARGO)),
        // docs/night.md
        ("planfuzz night --minutes 10", Not(NIGHT)),
        ("planfuzz report night/history.jsonl --output night/page.html", Not(NIGHT)),
        ("planfuzz night --minutes 60 --subject exec:./my-planner", Not(NIGHT)),
        (
            "planfuzz night --minutes 60 --subject 'exec:./old' --subject 'exec:./new' --schemas schemas.json --dialect opentofu-1.12",
            Not(NIGHT),
        ),
        // docs/provider.md
        ("planfuzz provider ./terraform-provider-x", Not(PROVIDER)),
        ("planfuzz provider ./terraform-provider-x --type x_disk --time 10m --jobs 2", Not(PROVIDER)),
        (
            "planfuzz provider ./terraform-provider-x --config provider.json --env X_TOKEN --seeds terraform.tfstate",
            Not(PROVIDER),
        ),
        ("planfuzz provider ./terraform-provider-x --apply x_file", Not(PROVIDER)),
        ("planfuzz provider ./terraform-provider-x --apply data.x_file", Not(PROVIDER)),
        ("planfuzz provider ./terraform-provider-x --model", Not(PROVIDER)),
        ("planfuzz provider --reattach \"$TF_REATTACH_PROVIDERS\"", Not(PROVIDER)),
        ("planfuzz replay provider-findings", Not(PROVIDER)),
        ("planfuzz probe provider-findings/x_disk-I06.size.json", Not(PROVIDER)),
        ("planfuzz triage provider-findings", Not(PROVIDER)),
        // docs/triage.md
        ("alias planfuzz=\"cargo run --release --features faults --\"", Not(FAULTS)),
        (
            "planfuzz run --subject reference --subject fault:b161-unknown-config-gives-prior --preset small --cases 3000 --seed 7",
            Not(FAULTS),
        ),
        (
            "planfuzz triage findings --subject reference --subject fault:b161-unknown-config-gives-prior --output triage.json",
            Not(FAULTS),
        ),
        (
            "planfuzz probe triaged/proposed_new-3afeb97e.json --subject reference --subject fault:b161-unknown-config-gives-prior",
            Not(FAULTS),
        ),
        (
            "planfuzz promote triage.json --bucket 1 --purpose \"M10: an unknown configuration of a computed attribute stays unknown\"",
            Not(FAULTS),
        ),
        ("cargo test --test corpus", Not(CARGO)),
        (
            "planfuzz triage findings --subject reference --subject exec:./my-planner",
            Less("planfuzz triage found --subject reference --subject exec:./my-planner", 0),
        ),
        // docs/validate-a-refactor.md
        ("git worktree add --detach ../old OLD_COMMIT", Not("an old commit is not in the copy")),
        ("(cd ../old && cargo build --no-default-features --features command)", Not(CARGO)),
        ("cargo build", Not(CARGO)),
        (
            "planfuzz conform docs/spec/merge-and-rules.md corpus/recorded/*.jsonl.gz --subject 'exec:target/debug/planfuzz serve'",
            Less("planfuzz conform docs/spec/merge-and-rules.md --subject 'exec:new serve'", 0),
        ),
        (
            "planfuzz record --subject 'exec:../old/target/debug/planfuzz serve' --op proposed_new --cases 20000 --keep 1000 --output before.jsonl.gz",
            Less(
                "planfuzz record --subject 'exec:old serve' --op proposed_new --cases 100 --keep 50 --output before.jsonl.gz",
                0,
            ),
        ),
        (
            "planfuzz conform before.jsonl.gz --subject 'exec:target/debug/planfuzz serve'",
            Less("planfuzz conform before.jsonl.gz --subject 'exec:new serve'", 0),
        ),
        (
            "planfuzz run --seed $(git rev-parse HEAD) --time 60s --subject 'exec:../old/target/debug/planfuzz serve' --subject 'exec:target/debug/planfuzz serve'",
            Less(
                "planfuzz run --seed 7 --cases 100 --subject 'exec:old serve' --subject 'exec:new serve' --findings clean",
                0,
            ),
        ),
        ("planfuzz probe findings/GROUP/NAME.json", Less("planfuzz probe found/*/*.json", 1)),
        ("planfuzz review findings --allow known.jsonl", Less("planfuzz review found --allow known.jsonl", 0)),
        ("planfuzz replay findings --allow known.jsonl", Less("planfuzz replay found --allow known.jsonl", 0)),
        ("planfuzz replay regressions --subject reference --subject 'exec:./my-planner'", Ends(0)),
        (
            "planfuzz conform docs/spec/merge-and-rules.md corpus/recorded/merges-*.jsonl.gz --subject 'exec:python3 examples/python-planner/planner.py'",
            Less(
                "planfuzz conform docs/spec/merge-and-rules.md --subject 'exec:python3 examples/python-planner/planner.py'",
                0,
            ),
        ),
        (
            "planfuzz run --op proposed_new --seed $(git rev-parse HEAD) --time 60s --subject reference --subject 'exec:python3 examples/python-planner/planner.py'",
            Less(
                "planfuzz run --op proposed_new --dialect terraform-1.11 --seed 7 --cases 100 --subject reference --subject 'exec:python3 examples/python-planner/planner.py' --findings clean",
                0,
            ),
        ),
        (
            "planfuzz run --op proposed_new --seed 7 --dialect terraform-1.11 --cases 20000 --subject reference --subject 'exec:python3 examples/python-planner/planner.py --bug reused-prior'",
            Less(
                "planfuzz run --op proposed_new --seed 7 --dialect terraform-1.11 --cases 1500 --subject reference --subject 'exec:python3 examples/python-planner/planner.py --bug reused-prior' --findings more",
                1,
            ),
        ),
        (
            "planfuzz run --op scenario --preset tiny --seed $(git rev-parse HEAD) --time 10m --subject terraform:./terraform-old --subject terraform:./terraform-new --subject reference",
            Not(ENGINE),
        ),
        // docs/writing-a-subject.md
        ("planfuzz conform docs/spec/merge-and-rules.md --subject exec:./planner-under-test", Ends(0)),
        (
            "planfuzz run --subject reference --subject exec:./planner-under-test --time 60s",
            Less(
                "planfuzz run --subject reference --subject exec:./planner-under-test --cases 100 --seed 7 --findings clean",
                0,
            ),
        ),
        (
            "planfuzz probe findings/proposed_new-1b2c3d4e.json --subject reference --subject exec:./planner-under-test",
            Less(
                "planfuzz probe corpus/planner/plan-of-set-blocks.json --subject reference --subject exec:./planner-under-test",
                0,
            ),
        ),
        (
            "planfuzz run --subject 'exec:./planner-old' --subject 'exec:./planner-new' --preset small --time 10m",
            Less(
                "planfuzz run --subject 'exec:./planner-old' --subject 'exec:./planner-new' --preset small --cases 100 --seed 7 --findings clean",
                0,
            ),
        ),
    ]
}

/// Where the repository is.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The commands of a page: the lines of its shell fences, and the text after a prompt in others; with continued lines joined, and without
/// comments.
fn commands(text: &str) -> Vec<String> {
    let (mut fence, mut begun, mut found) = (None::<String>, String::new(), Vec::new());
    for line in text.lines() {
        if let Some(name) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(name.to_owned()) };
            continue;
        }
        let command = match fence.as_deref() {
            Some("sh") => line.trim(),
            Some(_) => match line.strip_prefix("$ ") {
                Some(command) => command.trim(),
                None => continue,
            },
            None => continue,
        };
        let command = command.split_once("  #").map_or(command, |(command, _)| command);
        let command = command.split_once(" # ").map_or(command, |(command, _)| command).trim();
        begun.push_str(command.trim_end_matches('\\').trim());
        if command.ends_with('\\') {
            begun.push(' ');
        } else if !begun.is_empty() {
            found.push(std::mem::take(&mut begun));
        }
    }
    found
}

#[test]
fn every_command_of_the_pages_is_in_the_table_and_nothing_else_is() {
    let table = table();
    let listed: BTreeSet<&str> = table.iter().map(|(command, _)| *command).collect();
    assert_eq!(listed.len(), table.len(), "a command is listed twice");
    let mut documented = BTreeSet::new();
    let mut missing = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap_or_else(|problem| panic!("{page}: {problem}"));
        for command in commands(&text) {
            if !listed.contains(command.as_str()) {
                missing.push(format!("{page}: {command}"));
            }
            documented.insert(command);
        }
    }
    assert!(missing.is_empty(), "not in the table:\n{}", missing.join("\n"));
    let gone: Vec<_> = listed.iter().filter(|command| !documented.contains(**command)).collect();
    assert!(gone.is_empty(), "on no page any more: {gone:#?}");
    for page in fs::read_dir(root().join("docs")).expect("the docs") {
        let name = page.expect("a page").file_name().to_string_lossy().into_owned();
        let path = format!("docs/{name}");
        if name.ends_with(".md") && !PAGES.contains(&path.as_str()) {
            let text = fs::read_to_string(root().join(&path)).expect("a page");
            assert_eq!(commands(&text), Vec::<String>::new(), "{path} has commands and is not among the pages");
        }
    }
}

const MAIN: &str = "resource \"t_a\" \"a\" {\n  name = \"x\"\n}\n";

const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": [
    {"mode": "managed", "type": "t_a", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]", "instances": [
        {"schema_version": 0, "attributes": {"id": "1", "name": "x"}, "sensitive_attributes": []}]}], "check_results": null}"#;

const SCHEMAS: &str = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/hashicorp/t": {
    "resource_schemas": {"t_a": {"version": 0, "block": {"attributes": {"id": {"type": "string", "computed": true},
        "name": {"type": "string", "optional": true}}}}}}}}"#;

const PLAN: &str = r#"{"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": {"root_module": {}},
    "resource_changes": [{"address": "t_a.a", "mode": "managed", "type": "t_a", "name": "a",
        "provider_name": "registry.terraform.io/hashicorp/t",
        "change": {"actions": ["create"], "before": null, "after": {"name": "x"}, "after_unknown": {"id": true},
            "before_sensitive": false, "after_sensitive": {}}}],
    "configuration": {"root_module": {"resources": [{"address": "t_a.a", "mode": "managed", "type": "t_a", "name": "a",
        "provider_config_key": "t", "expressions": {"name": {"constant_value": "x"}}, "schema_version": 0}]}},
    "timestamp": "2025-01-02T03:04:05Z", "applyable": true, "complete": true, "errored": false}"#;

/// A copy of all committed files, with files that a user would have beside it.
struct Copy {
    folder: TempDir,
    path: std::ffi::OsString,
}

impl Copy {
    fn new() -> Copy {
        let folder = tempfile::tempdir().expect("a folder");
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().expect("there is a git");
        assert!(listed.status.success(), "expected a checkout");
        for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let name = Path::new(std::str::from_utf8(name).expect("UTF-8"));
            let to = folder.path().join(name);
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            // A deleted file whose deletion is not committed yet is not there.
            if root().join(name).is_file() {
                fs::copy(root().join(name), to).expect("a copy");
            }
        }
        let bin = folder.path().join("bin-of-the-test");
        fs::create_dir(&bin).expect("a folder");
        let planfuzz = env!("CARGO_BIN_EXE_planfuzz");
        let planner = format!("#!/bin/sh\nexec '{planfuzz}' serve --subject reference\n");
        for name in ["old", "new"] {
            program(&bin.join(name), &planner);
        }
        program(&bin.join("planfuzz"), &format!("#!/bin/sh\nexec '{planfuzz}' \"$@\"\n"));
        for name in ["my-planner", "planner-under-test", "planner-old", "planner-new"] {
            program(&folder.path().join(name), &planner);
        }
        for (name, text) in
            [("main.tf", MAIN), ("terraform.tfstate", STATE), ("schemas.json", SCHEMAS), ("plan.json", PLAN)]
        {
            fs::write(folder.path().join(name), text).expect("a file");
        }
        let before = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&before))).expect("a path");
        let copy = Copy { folder, path };
        // Findings of a planner with a mistake, as the pages have them.
        let wrong = "planfuzz run --op proposed_new --dialect terraform-1.11 --seed 7 --cases 400 --preset tiny --max-findings 1 --findings found --subject reference --subject 'exec:sh wrong.sh'";
        fs::write(copy.folder.path().join("wrong.sh"), WRONG).expect("a file");
        assert_eq!(copy.trouble(wrong, 1), None);
        copy
    }

    /// What a command does wrong; `None` if it ends with the code.
    fn trouble(&self, command: &str, code: i32) -> Option<String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.folder).env("PATH", &self.path).stdin(Stdio::null());
        let ended = shell.output().expect("there is a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(2_000).collect::<String>();
        let report = || {
            format!("{command}\nended with {:?}\n{}{}", ended.status.code(), text(&ended.stdout), text(&ended.stderr))
        };
        (ended.status.code() != Some(code)).then(report)
    }
}

/// A planner that answers null to everything.
const WRONG: &str = r#"IFS= read -r hello
echo '{"hello":1,"name":"wrong","ops":["proposed_new"]}'
while IFS= read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  printf '{"id":"%s","ok":{"value":null}}\n' "$id"
done
"#;

fn program(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a run bit");
}

#[test]
fn the_commands_of_the_pages_run() {
    let copy = Copy::new();
    let (mut run, mut left_out, mut wrong) = (0, Vec::new(), Vec::new());
    for (listed, how) in table() {
        match how {
            Ends(_) | Less(..) if listed.contains("python3") && python().is_none() => {
                left_out.push(format!("{listed}: there is no python3 on the path"));
                continue;
            }
            Ends(code) => wrong.extend(copy.trouble(listed, code)),
            Less(command, code) => wrong.extend(copy.trouble(command, code)),
            Not(reason) => {
                left_out.push(format!("{listed}: {reason}"));
                continue;
            }
        }
        run += 1;
    }
    assert!(wrong.is_empty(), "{} of {run}:\n\n{}", wrong.len(), wrong.join("\n\n"));
    println!("{run} commands run, {} not:\n{}", left_out.len(), left_out.join("\n"));
}

#[test]
fn scripts_that_the_pages_name_have_a_run_bit() {
    for script in [
        "fuzz/nightly.sh",
        "fuzz/mutants/run.sh",
        ".ci/run",
        ".ci/beyond",
        ".ci/archive",
        ".ci/changes",
        ".ci/file-issues",
    ] {
        let mode = fs::metadata(root().join(script))
            .unwrap_or_else(|problem| panic!("{script}: {problem}"))
            .permissions()
            .mode();
        assert!(mode & 0o111 != 0, "{script} has no run bit");
    }
}
