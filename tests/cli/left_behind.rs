//! Programs leave nothing behind: not after they ended by themselves, and not after the suite was killed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::Place;

/// How often each command is killed; `PLANFUZZ_KILLS` sets it for a longer look.
const KILLS: u32 = 1;

/// A planner that answers nothing, ignores the end of its input and signals to end, and starts a process of its own.
const STUBBORN: &str = r#"trap '' TERM INT HUP
sleep 600 & echo $! >> pids
echo $$ >> pids
IFS= read -r hello
echo '{"hello":1,"name":"stubborn"}'
while :; do sleep 600; done
"#;

/// A planner that ends by itself after the greeting, and leaves a process.
const LEAVING: &str = r#"sleep 600 >/dev/null 2>&1 </dev/null & echo $! >> pids
IFS= read -r hello
echo '{"hello":1,"name":"leaving","ops":["proposed_new"]}'
IFS= read -r request
exit 3
"#;

/// A folder with a program, a case and a vector.
fn place(program: &str) -> Place {
    let place = Place::new();
    place.write("program", program);
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/planner/flags-decide-who-wins.json");
    place.write("cases/case.json", fs::read(case).expect("a case"));
    let vector = r#"{"id":"a","op":"proposed_new","schema":{"block":{"attributes":{"a":{"type":"string","optional":true}}}},"prior":null,"config":{"a":"x"},"want":{"value":{"a":"x"}}}"#;
    place.write("vectors.jsonl", format!("{vector}\n"));
    place
}

impl Place {
    /// The command with the program as a subject, its output discarded.
    fn quiet(&self, words: &[&str]) -> Command {
        let mut command = self.command(words);
        command.args(["--subject", "exec:sh program"]);
        // `record` takes one subject alone; all other commands compare.
        if words[0] != "record" {
            command.args(["--subject", "reference"]);
        }
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The process ids that the program wrote: its own, and that of the process it started.
    fn pids(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }
}

fn traces(pid: i32) -> bool {
    // A zombie counts as gone, too.
    let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().expect("ps");
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn wait(what: &str, until: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !until() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_suite_leaves_no_program() {
    let commands: [&[&str]; 8] = [
        &["run", "--time", "60s", "--jobs", "1"],
        &["replay", "cases"],
        &["probe", "cases/case.json"],
        &["conform", "vectors.jsonl"],
        &["triage", "cases"],
        &["shrink", "cases/case.json"],
        &["record", "--cases", "5", "--output", "out.jsonl"],
        &["night", "--minutes", "5", "--jobs", "1"],
    ];
    let kills = std::env::var("PLANFUZZ_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    for words in commands {
        for _ in 0..kills {
            let place = place(STUBBORN);
            let mut suite = place.quiet(words).spawn().expect("it starts");
            let started = || place.pids().len() >= 2;
            wait(&format!("{words:?} starts the program"), || started() || !traces(suite.id() as i32));
            assert!(started(), "{words:?} ended without starting the program");
            suite.kill().expect("killed");
            suite.wait().expect("reaped");
            let pids = place.pids();
            wait(&format!("{words:?} leaves {pids:?}"), || !pids.iter().any(|pid| traces(*pid)));
        }
    }
}

#[test]
fn processes_of_a_program_that_ended_by_itself_end_with_it() {
    let place = place(LEAVING);
    let status =
        place.quiet(&["run", "--cases", "8", "--jobs", "1", "--op", "proposed_new"]).status().expect("it starts");
    assert_eq!(status.code(), Some(1));
    let pids = place.pids();
    assert!(!pids.is_empty());
    wait(&format!("{pids:?} are left"), || !pids.iter().any(|pid| traces(*pid)));
}
