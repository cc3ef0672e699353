//! What `run` generates, counts and prints.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use planfuzz::case::CaseFile;
use planfuzz_core::json::Json;

use crate::{CASE, CommandOutput, Place, VECTOR, count};

#[test]
fn the_same_seed_gives_the_same_cases() {
    let place = Place::new();
    let cases = |seed: &str| {
        let ended = place.run(&["gen", "--cases", "70", "--preset", "small", "--seed", seed]);
        ended.ends(0, &[&format!("seed {seed}")]);
        ended.out
    };
    let first = cases("7");
    assert_eq!(first, cases("7"));
    assert_ne!(first, cases("8"));
    assert_eq!(first.lines().count(), 70);
    for line in first.lines() {
        let json = Json::parse(line).expect("a line of JSON");
        CaseFile::from_json(&json).unwrap_or_else(|problem| panic!("{problem}: {line}"));
    }
}

/// The counts of a campaign, without those that depend on the clock.
fn counted(ended: &CommandOutput) -> String {
    let json = ended.json();
    let of = |name| json.member(name).unwrap_or_else(|| panic!("no {name} in {}", ended.out)).to_compact();
    ["cases", "comparisons", "checks", "seed", "subjects", "verdicts", "left_out", "next"].map(of).join(" ")
}

#[test]
fn the_same_seed_counts_the_same_whatever_the_jobs_and_pieces() {
    let place = Place::new();
    let run = |more: &[&str]| {
        let common = ["run", "--preset", "small", "--seed", "11", "--json", "--findings", "f"];
        let ended = place.run(&[&common[..], more].concat());
        assert!(ended.code < 2, "{}", ended.err);
        counted(&ended)
    };
    let whole = run(&["--cases", "500", "--jobs", "1"]);
    assert!(whole.starts_with("500 "), "{whole}");
    assert_eq!(whole, run(&["--cases", "500", "--jobs", "3"]));
    run(&["--cases", "130", "--resume", "state.json"]);
    assert_eq!(whole, run(&["--cases", "370", "--resume", "state.json", "--jobs", "2"]));
    let bad = |more: &[&str], words: &[&str]| {
        let ended = place.run(&[&["run", "--cases", "1", "--resume", "state.json"], more].concat());
        ended.ends(2, &["expected the campaign that is being resumed"]).ends(2, words);
    };
    bad(&["--preset", "tiny"], &["tiny", "small"]);
    bad(&["--preset", "small", "--seed", "12"], &["seed 11", "seed 12"]);
    bad(&["--preset", "small", "--subject", "reference"], &["over reference, optimized"]);
}

#[test]
fn the_result_of_a_run_has_every_member() {
    let place = Place::new();
    let ended = place.run(&["run", "--cases", "100", "--preset", "tiny", "--seed", "deadbeef", "--json"]);
    let json = ended.json();
    for member in ["cases", "comparisons", "checks"] {
        count(&json, &[member]);
    }
    for verdict in ["agree", "both_refuse", "tolerated", "diverge", "rule_broken", "crash", "over_budget"] {
        count(&json, &["verdicts", verdict]);
    }
    assert_eq!(count(&json, &["cases"]), 100);
    assert!(matches!(json.member("seconds"), Some(Json::Number(_))));
    assert!(matches!(json.member("cpu_seconds"), Some(Json::Number(_))));
    assert_eq!(json.member("seed"), Some(&Json::string("deadbeef")));
    let names = ["reference", "optimized", "shared", "naive"].map(Json::string).to_vec();
    assert_eq!(json.member("subjects"), Some(&Json::Array(names)));
    assert!(matches!(json.member("buckets"), Some(Json::Array(_))));
    assert!(matches!(json.member("left_out"), Some(Json::Object(_))));
}

#[test]
fn only_the_operations_that_were_asked_for() {
    let place = Place::new();
    let ended =
        place.run(&["run", "--cases", "64", "--seed", "1", "--preset", "tiny", "--op", "normalize_legacy", "--json"]);
    ended.ends(0, &[]);
    assert_eq!(count(&ended.json(), &["comparisons"]), 64);
    assert_eq!(count(&ended.json(), &["cases"]), 64);
    assert_eq!(ended.json().member("left_out"), Some(&Json::Object(Vec::new())));
}

#[test]
fn scenarios_alone_where_they_are_asked_for() {
    let place = Place::new();
    let scenarios = |arguments: &[&str]| {
        let ended = place.run(arguments);
        ended.out.lines().filter(|line| line.contains(r#""op":"scenario""#)).count()
    };
    assert_eq!(scenarios(&["gen", "--cases", "64", "--preset", "tiny", "--seed", "1", "--op", "scenario"]), 64);
    assert_eq!(scenarios(&["gen", "--cases", "64", "--preset", "tiny", "--seed", "1", "--op", "proposed_new"]), 0);
    assert_eq!(scenarios(&["gen", "--cases", "64", "--preset", "tiny", "--seed", "1"]), 4);
    let features = place.run(&["features", "--cases", "64", "--preset", "tiny", "--seed", "1", "--op", "scenario"]);
    features.ends(0, &[]);
    assert!(features.out.contains("trace.action.create") && !features.out.contains("outcome.proposed_new"));
}

#[test]
fn workspaces_are_among_what_is_asked_for_with_others() {
    let place = Place::new();
    let asked = ["gen", "--cases", "100", "--preset", "tiny", "--seed", "1", "--op", "workspace", "--op", "scenario"];
    let ended = place.run(&asked);
    let of = |op: &str| ended.out.lines().filter(|line| line.contains(&format!(r#""op":"{op}""#))).count();
    assert!(of("workspace") > 0 && of("scenario") > 0, "{} and {}", of("workspace"), of("scenario"));
}

#[test]
fn one_subject_is_not_asked_what_no_rule_is_about() {
    let place = Place::new();
    let ended = place.run(&["run", "--op", "expression", "--op", "convert", "--subject", "reference"]);
    ended.ends(2, &["expected two subjects to compare, found one", "expression, convert", "--subject"]);
}

#[test]
fn a_shape_has_a_largest_size() {
    let place = Place::new();
    let ended = place.run(&["measure", "--workspace", "chain", "--instances", "10001"]);
    ended.ends(2, &["expected at most 10000 instances of chain, found 10001"]);
}

/// Where nothing was compared, nothing holds.
#[test]
fn nothing_compared_is_not_held() {
    let place = Place::new();
    let word = &["nothing was compared"];
    place.run(&["run", "--cases", "0"]).ends(2, word);
    place.run(&["run", "--time", "0s"]).ends(2, word);
    place.write("empty.jsonl", "").write("v.jsonl", VECTOR);
    place.run(&["conform", "empty.jsonl"]).ends(2, word);
    place.write("case.json", CASE);
    place.run(&["replay", "case.json", "--op", "scenario"]).ends(2, word);
    place.run(&["run", "--cases", "5", "--subject", "reference", "--preset", "tiny"]).ends(0, &[]);
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_command_quietly() {
    let place = Place::new();
    let mut gen_cases = place
        .command(&["gen", "--cases", "100000", "--preset", "tiny", "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = String::new();
    BufReader::with_capacity(16, gen_cases.stdout.take().expect("piped")).read_line(&mut first).expect("a line");
    assert!(first.starts_with('{'));
    let ended = CommandOutput::of(&gen_cases.wait_with_output().expect("it ends"));
    ended.ends(0, &[]);
    assert_eq!(ended.err.lines().count(), 1, "only the seed: {}", ended.err);
}
