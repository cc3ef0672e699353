//! `--time` bounds a campaign whatever the program under test does: its results are printed all the same.
//!
//! Each of these programs would keep an unbounded campaign busy for hours, so that the bounds here can be wide.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use planfuzz_core::json::Json;
use tempfile::TempDir;

/// Far beyond the requested time, and far below what the programs would take.
const WIDE: Duration = Duration::from_secs(60);

/// Runs a campaign of two seconds against the reference and a shell script.
fn campaign(program: &str) -> (TempDir, Json) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("program"), program).expect("a file");
    let words = ["run", "--time", "2s", "--jobs", "1", "--seed", "1", "--preset", "tiny", "--json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    command.current_dir(&folder).args(words).args(["--subject", "reference", "--subject", "exec:sh program"]);
    let begin = Instant::now();
    let Output { stdout, stderr, .. } = command.stdin(Stdio::null()).output().expect("it starts");
    assert!(begin.elapsed() < WIDE, "{:?}", begin.elapsed());
    let out = String::from_utf8(stdout).expect("text");
    let last = out.lines().last().unwrap_or_default();
    let summary = Json::parse(last).unwrap_or_else(|_| panic!("{out}{}", String::from_utf8_lossy(&stderr)));
    (folder, summary)
}

fn left_out(summary: &Json) -> String {
    summary.member("left_out").expect("what was left out").to_compact()
}

#[test]
fn a_program_that_hangs_does_not_keep_a_campaign() {
    let (_folder, summary) =
        campaign("IFS= read -r hello; echo '{\"hello\":1,\"ops\":[\"proposed_new\"]}'; exec sleep 600");
    assert!(left_out(&summary).contains("interrupted"), "{}", summary.to_compact());
}

#[test]
fn a_program_that_floods_does_not_keep_a_campaign() {
    let (_folder, summary) = campaign("IFS= read -r hello; echo '{\"hello\":1}'; exec yes 'no answer to anything'");
    assert!(summary.member("verdicts").is_some(), "{}", summary.to_compact());
}

#[test]
fn a_program_that_floods_its_log_does_not_keep_a_campaign() {
    let (_folder, summary) =
        campaign("IFS= read -r hello; echo '{\"hello\":1}'; while :; do echo a line of the log >&2; done");
    assert!(left_out(&summary).contains("interrupted"), "{}", summary.to_compact());
}

/// Each answer is wrong in its own way, so that there is much to make smaller, and each takes its time.
#[test]
fn findings_that_are_slow_to_shrink_do_not_keep_a_campaign() {
    let body = r#"IFS= read -r hello
echo '{"hello":1,"ops":["proposed_new"]}'
while IFS= read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  sleep 0.2
  printf '{"id":"%s","error":"no"}\n' "$id"
done
"#;
    let (_folder, summary) = campaign(body);
    assert!(summary.member("groups").is_some(), "{}", summary.to_compact());
}
