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

use command::{CommandOutput, Place};
use flate2::Compression;
use flate2::write::GzEncoder;
use planfuzz_core::json::Json;

const COMMANDS: [&str; 18] = [
    "run", "gen", "features", "probe", "replay", "shrink", "triage", "promote", "conform", "record", "import",
    "measure", "lint", "distil", "night", "kills", "report", "serve",
];

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
