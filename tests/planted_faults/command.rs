//! The contract of `planfuzz kills`.

#[cfg(unix)]
use std::io::{BufRead as _, BufReader};
use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;

use planfuzz_core::json::Json;

use super::output::CommandOutput;

const FAULT: &str = "b161-unknown-config-gives-prior";

fn kills(arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    CommandOutput::of(&command.arg("kills").args(arguments).output().expect("it starts"))
}

fn rows(ended: &CommandOutput) -> Vec<Json> {
    ended.out.lines().map(|line| Json::parse(line).unwrap_or_else(|problem| panic!("{line}: {problem}"))).collect()
}

fn text<'j>(row: &'j Json, name: &str) -> &'j str {
    row.member(name).unwrap_or_else(|| panic!("{name} in {row:?}")).expect_string().expect("a string")
}

#[test]
fn each_fault_has_a_line_of_json_in_the_order_of_the_catalogues() {
    let ended = kills(&["x01", "null-never-equal", "B161", FAULT, "--seed", "7", "--jobs", "2", "--json"]);
    ended.ends(0, &["4 of 4 faults found", "1 of 1 known bugs found"]);
    let rows = rows(&ended);
    let subjects: Vec<&str> = rows.iter().map(|row| text(row, "subject")).collect();
    let fault = format!("fault:{FAULT}");
    assert_eq!(subjects, [&*fault, "fault:null-never-equal", "provider:framework", "provider:sdk"]);
    let first = &rows[0];
    assert_eq!([text(first, "fault"), text(first, "bug"), text(first, "rule")], [FAULT, "B161", "M10"]);
    assert_eq!([text(first, "op"), text(first, "by")], ["proposed_new", "comparison, M10"]);
    assert_eq!(["framework", "sdk"].len(), rows[2..].iter().filter(|row| text(row, "by").starts_with("I06")).count());
    for row in &rows {
        assert_eq!(row.member("found"), Some(&Json::Bool(true)), "{row:?}");
        let number = |name: &str| row.member(name).and_then(|number| number.expect_u64().ok());
        assert!(number("cases") > Some(0) && number("size") > Some(20) && number("nodes") > Some(4), "{row:?}");
        assert!(row.member("seconds").is_some());
    }
}

#[test]
fn the_same_seed_gives_the_same_table_but_for_the_time() {
    let table = |jobs: &str| {
        let ended = kills(&["b161", "b016", "b068", "x07", "--seed", "11", "--jobs", jobs, "--json"]);
        let mut rows = rows(&ended);
        for row in &mut rows {
            if let Json::Object(members) = row {
                members.retain(|(name, _)| **name != *"seconds");
            }
        }
        rows.iter().map(Json::to_compact).collect::<Vec<String>>()
    };
    assert_eq!(table("1"), table("3"));
}

#[test]
fn a_fault_that_is_missed_is_loud() {
    let arguments = ["b016", "null-never-equal", "--seed", "7", "--cases", "1"];
    let ended = kills(&arguments);
    ended.ends(1, &[]);
    assert!(ended.out.contains("MISSED: not within its bound"), "{}", ended.out);
    assert!(ended.out.contains("missed: b016-map-block-prior-lost"), "{}", ended.out);
    let ended = kills(&[&arguments[..], &["--json"]].concat());
    ended.ends(1, &["missed: b016-map-block-prior-lost"]);
    let row = &rows(&ended)[0];
    assert_eq!((row.member("found"), row.member("size")), (Some(&Json::Bool(false)), Some(&Json::Null)));
    assert_eq!(text(row, "reason"), "not within its bound");
}

#[test]
fn a_fault_for_which_there_is_no_time_is_counted_and_no_miss() {
    let ended = kills(&["--within", "1ms", "--seed", "7", "--json"]);
    ended.ends(3, &["faults were not hunted within 1ms"]);
    assert_eq!(ended.out, "");
    // All that are hunted are found, and printed in the order of the catalogues.
    let ended = kills(&["b161", "null-never-equal", "x01", "--within", "5m", "--seed", "8", "--jobs", "1", "--json"]);
    ended.ends(0, &["4 of 4 faults found"]);
    let subjects = rows(&ended).iter().map(|row| text(row, "subject").to_owned()).collect::<Vec<_>>();
    assert_eq!(subjects[1..], ["fault:null-never-equal", "provider:framework", "provider:sdk"]);
}

#[test]
fn a_name_of_no_fault_is_bad_usage() {
    let ended = kills(&["b161", "b999"]);
    ended.ends(2, &["expected a planted fault, found \"b999\"", "next:"]);
    assert_eq!(ended.out, "");
    kills(&["--seed", "none"]).ends(2, &[]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_hunt_prints_its_results() {
    use super::signals::Signal;

    let signal = Signal { name: "INT", number: 2 };
    if signal.is_ignored() {
        return;
    }
    // The first is found at once, the others are hunted for some seconds.
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    command.args([
        "kills",
        "null-never-equal",
        "lost-answer-keeps-private",
        "b151",
        "--seed",
        "7",
        "--jobs",
        "1",
        "--json",
    ]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("it prints what it does");
    assert!(line.contains("seed 7: 3 faults"), "{line}");
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    signal.send(i64::from(child.id()));
    let messages: Vec<String> = errors.lines().map(|line| line.expect("it prints UTF-8")).collect();
    let output = child.wait_with_output().expect("it ends");
    let messages = messages.join("\n");
    assert_eq!(output.status.code(), Some(3), "{messages}");
    assert!(messages.contains("interrupted before 2 of 3 faults were hunted"), "{messages}");
    let out = String::from_utf8(output.stdout).expect("it prints UTF-8");
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.contains("null-never-equal"), "{out}");
}
