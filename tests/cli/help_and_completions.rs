//! Help, completions and man pages contain every command and every name that options take, from one place.

use std::fs;
use std::process::{Command, Stdio};

use planfuzz::case::Op;
use planfuzz_core::dialect::Dialect;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_planfuzz")).args(arguments).stdin(Stdio::null()).output();
    let output = output.expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The commands as the help of all of them lists them.
pub fn commands() -> Vec<String> {
    let (_, help, _) = run(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let name = |line: &str| {
        line.strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
            .map(|line| line.split(' ').next().unwrap_or("").to_owned())
    };
    let names: Vec<String> = listed.filter_map(name).filter(|name| name != "help").collect();
    assert!(names.len() > 20, "{help}");
    names
}

#[test]
fn operations_and_dialects_are_listed_where_they_are_taken() {
    let words = |text: &str| {
        text.split(|char: char| !(char.is_alphanumeric() || "_-.".contains(char)))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (mut with_op, mut with_dialect) = (0, 0);
    for command in commands() {
        let (_, help, _) = run(&[&command, "--help"]);
        let listed = words(&help);
        let lists = |name: &str| listed.iter().any(|word| word == name);
        if help.contains("--op <NAME>") && command != "import" {
            with_op += 1;
            let missing: Vec<_> = Op::ALL.iter().filter(|op| !lists(op.name())).collect();
            assert!(missing.is_empty(), "{command}: {missing:?} are not in {help}");
        }
        if help.contains("--dialect <NAME>") {
            with_dialect += 1;
            assert!(Dialect::ALL.iter().all(|dialect| lists(&dialect.to_string())), "{command}: {help}");
        }
    }
    assert!(with_op >= 10 && with_dialect >= 10, "{with_op} {with_dialect}");
    let (code, _, err) = run(&["run", "--op", "proposed"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("proposed_new") && err.contains("sdk_plan"), "{err}");
    assert_eq!(run(&["gen", "--cases", "1", "--dialect", "terraform-1.13"]).0, Some(0), "versions between are taken");
}

#[test]
fn completions_are_for_every_shell_and_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, out, err) = run(&["completions", shell]);
        assert_eq!(code, Some(0), "{shell}: {err}");
        for word in commands().iter().map(String::as_str).chain(["proposed_new", "opentofu-1.12"]) {
            assert!(out.contains(word), "{shell}: {word} is not completed");
        }
    }
    assert_eq!(run(&["completions", "ksh"]).0, Some(2));
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let man = folder.path().join("man");
    let (code, out, err) = run(&["man", "--output", man.to_str().expect("UTF-8")]);
    assert_eq!(code, Some(0), "{out}{err}");
    let mut wanted: Vec<String> = commands().iter().map(|command| format!("planfuzz-{command}.1")).collect();
    wanted.push("planfuzz.1".to_owned());
    wanted.sort();
    let mut made: Vec<String> = fs::read_dir(&man)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    made.sort();
    assert_eq!(made, wanted);
    let page = fs::read_to_string(man.join("planfuzz-run.1")).expect("a page");
    assert!(
        page.contains(".TH planfuzz\\-run 1") || page.contains(".TH planfuzz-run 1"),
        "{}",
        page.lines().take(5).collect::<String>()
    );
    assert!(
        page.contains("planfuzz run --time 60s") || page.contains("planfuzz run \\-\\-time 60s"),
        "the example is there"
    );
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").expect("a file");
    assert_eq!(run(&["man", "--output", blocked.to_str().expect("UTF-8")]).0, Some(2), "a file is no folder");
}
