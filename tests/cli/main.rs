//! The command from end to end: its output, its exit codes, the files that it leaves.

mod bad_input;
#[path = "../common/command.rs"]
mod command;
#[cfg(unix)]
mod documented;
#[cfg(unix)]
mod ended;
#[cfg(unix)]
mod examples;
#[cfg(unix)]
mod exec;
mod given;
mod help;
mod help_and_completions;
mod import;
#[cfg(unix)]
mod left_behind;
mod lint;
mod record;
mod replay;
#[cfg(unix)]
mod review;
mod run;
#[cfg(unix)]
#[path = "../common/running.rs"]
mod running;
mod serve;
#[cfg(unix)]
#[path = "../common/signals.rs"]
mod signals;
#[cfg(unix)]
mod time;
mod triage;
#[cfg(unix)]
mod wrong_planners;

use std::fs;
use std::io::Write;
#[cfg(unix)]
use std::path::PathBuf;

use command::{CommandOutput, Place};
use flate2::Compression;
use flate2::write::GzEncoder;
use planfuzz_core::json::Json;

impl Place {
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a text file")
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
    /// The last line that it prints.
    fn json(&self) -> Json {
        Json::parse(self.out.lines().last().expect("a line")).expect("a line of JSON")
    }
}

/// The variable that is set where no test may be skipped for want of Python.
#[cfg(unix)]
const REQUIRE_PYTHON: &str = "PLANFUZZ_REQUIRE_PYTHON";

/// The Python on the path; `None`, with a message, if there is none.
///
/// # Panics
/// If there is none where it is required.
#[cfg(unix)]
fn python() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os(REQUIRE_PYTHON).is_none(), "expected python3 on the path: {REQUIRE_PYTHON} is set");
        println!("skipped: no python3 on the path");
    }
    found
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
