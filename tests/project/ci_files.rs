//! Checks the files of CI, as far as that is possible without a CI.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        println!("skipped: no {program} on the path");
    }
    found
}

#[test]
fn workflows_and_scripts_are_sound() {
    if !has("bash") {
        return;
    }
    let output = Command::new("bash").arg(".ci/workflows").current_dir(root()).output().expect("it starts");
    // The script prints what it skipped.
    println!("{}", text(&output));
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn steps_of_workflows_are_scripts_that_are_there() {
    let folder = root().join(".github/workflows");
    let mut scripts = 0;
    for entry in fs::read_dir(folder).expect("workflows") {
        let text = fs::read_to_string(entry.expect("one").path()).expect("text");
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{text}");
        assert!(text.contains("\nconcurrency:\n"), "{text}");
        let steps = text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("run: "));
        for script in steps.filter_map(|step| step.strip_prefix("bash ")?.split(' ').next()) {
            assert!(root().join(script).is_file(), "{script}");
            scripts += 1;
        }
    }
    assert!(scripts >= 6, "{scripts}");
}

/// Files under .github that name actions.
fn action_files() -> Vec<PathBuf> {
    let mut files = vec![root().join(".github/actions/night/action.yml")];
    for entry in fs::read_dir(root().join(".github/workflows")).expect("workflows") {
        files.push(entry.expect("one").path());
    }
    files
}

#[test]
fn actions_are_named_by_digest_with_their_version() {
    let mut actions = 0;
    for file in action_files() {
        for line in fs::read_to_string(&file).expect("text").lines() {
            let Some((_, used)) = line.split_once("uses: ") else { continue };
            if used.starts_with("./") {
                continue;
            }
            let (action, version) = used.split_once(" # v").unwrap_or_else(|| panic!("no version: {line}"));
            let digest = action.split_once('@').expect("an action at a digest").1;
            assert!(
                digest.len() == 40 && digest.chars().all(|char| char.is_ascii_hexdigit()),
                "{}: {line}",
                file.display()
            );
            assert!(version.starts_with(|char: char| char.is_ascii_digit()), "{}: {line}", file.display());
            actions += 1;
        }
    }
    assert!(actions >= 20, "{actions}");
}

#[test]
fn tools_that_workflows_install_are_named_by_version() {
    for file in action_files() {
        for line in fs::read_to_string(&file).expect("text").lines().filter(|line| line.contains("run: ")) {
            assert!(!line.contains("cargo install ") || line.contains(" --version "), "{line}");
            assert!(!line.contains("pipx install ") || line.contains("=="), "{line}");
        }
    }
}

#[test]
fn scripts_can_be_run() {
    let mut scripts = 0;
    for folder in [".ci", ".clusterfuzzlite", "fuzz", "fuzz/mutants"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("one").path();
            let is_script = path.is_file() && fs::read(&path).expect("bytes").starts_with(b"#!");
            if is_script {
                let mode = fs::metadata(&path).expect("a file").permissions().mode();
                assert!(mode & 0o111 != 0, "{} has no run bit", path.display());
                scripts += 1;
            }
        }
    }
    assert!(scripts >= 12, "{scripts}");
}

#[test]
fn archives_have_the_names_that_binstall_looks_for() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("text");
    let (manifest, archive, release) = (read("Cargo.toml"), read(".ci/archive"), read(".github/workflows/release.yml"));
    assert!(manifest.contains("/planfuzz-{ version }-{ target }{ archive-suffix }\""));
    assert!(archive.contains("name=planfuzz-$version-$target\n"));
    for target in release.split("target: ").skip(1).filter_map(|rest| rest.split([',', ' ']).next()) {
        let is_zip = manifest.contains(&format!("[package.metadata.binstall.overrides.{target}]\npkg-fmt = \"zip\""));
        assert_eq!(is_zip, target.contains("windows"), "{target}");
    }
}

#[test]
fn instructions_are_compared_in_an_image_of_the_compiler_that_the_baseline_is_of() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("text");
    let (baseline, weekly) = (read("benches/instructions/baseline.json"), read(".github/workflows/weekly.yml"));
    let after = |text: &str, before: &str| {
        let (_, rest) = text.split_once(before).expect("it is there");
        rest.split([' ', '-', '"', '\n']).next().expect("a word").to_owned()
    };
    assert_eq!(after(&weekly, "container: rust:"), after(&baseline, "\"rustc\": \"rustc "));
    // The versions of callgrind and of the C library come with the image.
    assert!(weekly.contains("-bookworm\n"));
    assert_eq!(after(&baseline, "\"libc\": \"glibc "), "2.36");
    assert!(baseline.contains("\"valgrind\": \"valgrind-3.19.0\""));
    assert_eq!(after(&baseline, "\"build\": \""), "usual");
}

/// A folder as a night leaves it, and a `gh` that logs its arguments.
struct Left(TempDir);

impl Left {
    fn new(issues: &str) -> Left {
        let left = Left(tempfile::tempdir().expect("a folder"));
        let bucket = |number: u32, signature: &str, new: bool| {
            format!(
                "{{\"number\": {number}, \"signature\": \"{signature}\", \"new\": {new}, \"shrunk\": {new}, \"what\": \"they differ\", \"count\": 2, \
                 \"case\": \"night/cache/triaged/case-{number}.json\", \
                 \"command\": \"planfuzz probe night/cache/triaged/case-{number}.json --subject reference\"}}"
            )
        };
        let buckets = [
            bucket(1, "one $(touch it)", true),
            bucket(2, "two", true),
            bucket(3, "three", false),
            bucket(4, "four", true),
        ];
        left.write("cache/triage.json", &format!("{{\"buckets\": [{}]}}", buckets.join(", ")));
        left.write("cache/triaged/case-1.json", "{\"format\": 1}\n");
        left.write("history.jsonl", "{\"seed\": \"7\", \"commit\": \"abc\"}\n");
        left.write("issues.json", issues);
        left.write(
            "bin/gh",
            "#!/bin/sh\nif [ \"$1 $2\" = 'issue list' ]; then cat \"$(dirname \"$0\")/../issues.json\"; exit; fi\necho \"gh $*\"\nfor word; do if [ -f \"$word\" ]; then cat \"$word\"; fi; done\n",
        );
        fs::set_permissions(left.path("bin/gh"), fs::Permissions::from_mode(0o755)).expect("made executable");
        left
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn file_issues(&self, cap: &str) -> String {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .arg(root().join(".ci/file-issues"))
            .arg(self.0.path())
            .current_dir(&self.0)
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("CAP", cap)
            .output()
            .expect("it starts");
        assert!(output.status.success(), "{}", text(&output));
        text(&output)
    }
}

/// The mark of an issue, as the script makes it.
fn mark(left: &Left, signature: &str) -> String {
    let output = left.file_issues("9");
    let (_, after) = output.split_once(&format!("fuzz: {signature}")).expect("it was filed");
    let (_, after) = after.split_once("<!-- planfuzz ").expect("a mark");
    after.split(' ').next().expect("a word").to_owned()
}

#[test]
fn an_issue_is_filed_for_each_signature_up_to_a_cap() {
    if !has("bash") || !has("jq") || !has("sha256sum") {
        return;
    }
    let left = Left::new("[]");
    let output = left.file_issues("2");
    assert!(output.contains("gh issue create --title fuzz: one $(touch it) --label fuzz"), "{output}");
    assert!(output.contains("- signature: `one $(touch it)`") && output.contains("{\"format\": 1}"), "{output}");
    assert!(
        output.contains("planfuzz probe case-1.json --subject reference\nplanfuzz promote case-1.json"),
        "{output}"
    );
    assert!(output.contains("seed `7`, commit `abc`"), "{output}");
    assert!(output.ends_with("2 filed, 0 found again, 1 left for another night\n"), "{output}");
    assert!(!output.contains("three"), "{output}");
    assert!(!left.path("it").exists());
}

#[test]
fn filed_issues_are_commented_on_unless_they_stay_closed() {
    if !has("bash") || !has("jq") || !has("sha256sum") {
        return;
    }
    let left = Left::new("[]");
    let issue = |number: u32, state: &str, reason: &str, signature: &str| {
        let mark = mark(&left, signature);
        format!(
            "{{\"number\": {number}, \"state\": \"{state}\", \"stateReason\": \"{reason}\", \"body\": \"<!-- planfuzz {mark} -->\"}}"
        )
    };
    let issues = [
        issue(11, "OPEN", "", "one"),
        issue(12, "CLOSED", "COMPLETED", "two"),
        issue(14, "CLOSED", "NOT_PLANNED", "four"),
    ];
    left.write("issues.json", &format!("[{}]", issues.join(", ")));
    let output = left.file_issues("5");
    assert!(output.contains("gh issue comment 11") && !output.contains("gh issue reopen 11"), "{output}");
    assert!(output.contains("gh issue reopen 12") && output.contains("gh issue comment 12"), "{output}");
    assert!(!output.contains(" 14"), "{output}");
    assert!(output.ends_with("0 filed, 3 found again, 0 left for another night\n"), "{output}");
}
