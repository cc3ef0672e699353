//! The command from end to end: what it prints, how it ends, what it leaves on the disk.

mod bad_input;
#[cfg(unix)]
mod ended;
mod help;
mod record;
mod replay;
mod run;
mod serve;
#[cfg(unix)]
#[path = "../common/signals.rs"]
mod signals;
#[cfg(unix)]
mod wrong_planners;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use planfuzz_core::json::Json;
use tempfile::TempDir;

const COMMANDS: [&str; 18] = [
    "run", "gen", "features", "probe", "replay", "shrink", "triage", "promote", "conform", "record", "import",
    "measure", "lint", "distil", "night", "kills", "report", "serve",
];

/// A folder that the command runs in.
struct Place(TempDir);

/// What a command came to.
struct CommandOutput {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Place {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a text file")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(&self.command(arguments).output().expect("it starts"))
    }

    /// Every file below a folder, sorted.
    fn files(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names = Vec::new();
        for entry in entries.map(|entry| entry.expect("an entry")) {
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() { names.extend(self.files(&name)) } else { names.push(name) }
        }
        names.sort();
        names
    }
}

impl CommandOutput {
    fn of(output: &Output) -> CommandOutput {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it prints UTF-8");
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {}", output.status, text(&output.stderr)));
        CommandOutput { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Asserts the exit code, and that people are told these words.
    fn ends(&self, code: i32, words: &[&str]) -> &CommandOutput {
        assert!(!self.err.contains("panicked"), "{}", self.err);
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "expected {word:?} in {}", self.err);
        }
        self
    }

    fn json(&self) -> Json {
        Json::parse(self.out.lines().last().expect("a line")).expect("a line of JSON")
    }
}

fn count(json: &Json, path: &[&str]) -> u64 {
    let found = path.iter().try_fold(json, |json, name| json.member(name));
    found.and_then(|json| json.expect_u64().ok()).unwrap_or_else(|| panic!("no number {path:?} in {json:?}"))
}

const CASE: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new",
"schema": {"block": {"attributes": {"a": {"type": "number", "optional": true}}}}, "prior": null, "config": {"a": 1}}"#;

const VECTOR: &str = r#"{"id": "v1", "op": "roundtrip", "type": "number", "value": 1, "want": {"value": 1}}"#;

fn with(from: &str, to: &str) -> String {
    assert!(CASE.contains(from), "{from}");
    CASE.replacen(from, to, 1)
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("it fits");
    encoder.finish().expect("it fits")
}
