//! What `record` writes.

use planfuzz_core::json::Json;

use crate::{CASE, Place, VECTOR, count};

#[test]
fn recorded_vectors_have_the_answers_of_the_subject() {
    let place = Place::new();
    place.write("v.jsonl", format!("{}\n", VECTOR.replace("{\"value\": 1}", "{\"value\": 2}"))).write("c.json", CASE);
    place.run(&["conform", "v.jsonl"]).ends(1, &[]);
    let ended = place.run(&["record", "v.jsonl", "c.json", "--subject", "reference", "--output", "out/r.jsonl.gz"]);
    ended.ends(0, &[]);
    assert!(ended.out.ends_with("2 cases, 2 vectors, 2 kept\n"), "{}", ended.out);
    assert_eq!(place.files("out"), ["out/r.jsonl.gz"]);
    let ended = place.run(&["conform", "out/r.jsonl.gz"]);
    ended.ends(0, &[]);
    assert!(ended.out.ends_with("4 passed, 0 failed, 0 skipped\n"), "{}", ended.out);
    // To standard output, if no file is named; recorded vectors can be recorded again.
    let ended = place.run(&["record", "out", "--subject", "optimized"]);
    ended.ends(0, &[]);
    assert_eq!(ended.out.lines().count(), 2);
    let by = ended.json().member("recorded").and_then(|recorded| recorded.member("by")).map(Json::to_compact);
    assert!(by.is_some_and(|by| by.starts_with("\"optimized of planfuzz ")), "{}", ended.out);
}

#[test]
fn generated_cases_are_recorded_and_the_most_different_ones_kept() {
    let place = Place::new();
    let record = |name: &str, keep: &str| {
        let ops = ["--op", "scenario", "--op", "plan_instance", "--op", "apply_instance", "--op", "proposed_new"];
        let of = ["record", "--subject", "reference", "--cases", "96", "--seed", "7", "--preset", "tiny"];
        let to = ["--jobs", "1", "--keep", keep, "--against", "optimized", "--json", "--output", name];
        let ended = place.run(&[&of[..], &ops[..], &to[..]].concat());
        ended.ends(0, &["seed 7"]);
        ended.json()
    };
    let all = record("all.jsonl", "100000");
    assert_eq!(count(&all, &["cases"]), count(&record("few.jsonl", "30"), &["cases"]));
    record("again.jsonl", "30");
    assert_eq!(place.read("few.jsonl"), place.read("again.jsonl"));
    let (all, few) = (place.read("all.jsonl"), place.read("few.jsonl"));
    assert_eq!(few.lines().count(), 30);
    assert!(few.lines().all(|line| all.lines().any(|other| other == line)));
    for op in ["scenario", "plan_instance", "apply_instance", "proposed_new"] {
        let member = format!("\"op\":\"{op}\"");
        assert!(all.contains(&member), "no {op}");
    }
    let ended = place.run(&["conform", "all.jsonl", "--json"]);
    ended.ends(0, &[]);
    assert_eq!(count(&ended.json(), &["passed"]), 2 * all.lines().count() as u64);
}

#[test]
fn a_recording_is_whole_or_not_there() {
    let place = Place::new();
    place.write("bad.jsonl", format!("{VECTOR}\n{{\"id\": 1}}\n"));
    let ended = place.run(&["record", "bad.jsonl", "--subject", "reference", "--output", "r.jsonl"]);
    ended.ends(2, &["bad.jsonl:2: ", "expected a string"]);
    assert!(!place.path("r.jsonl").exists());
    place.write("v.jsonl", VECTOR);
    let ended = place.run(&["record", "v.jsonl", "--subject", "provider", "--output", "r.jsonl"]);
    ended.ends(2, &["left out 1: ", "found none of 1"]);
    place.run(&["record", "--subject", "referense", "--cases", "1"]).ends(2, &["referense"]);
    place.run(&["record", "v.jsonl", "--cases", "1"]).ends(2, &["--cases"]);
    assert!(!place.path("r.jsonl").exists());
}

#[cfg(unix)]
#[test]
fn vectors_that_others_answer_differently_are_put_apart() {
    let place = Place::new();
    let script = r#"read hello; echo '{"hello":1,"name":"two","ops":["roundtrip"]}'
        sed -u 's/.*"id":"\([^"]*\)".*/{"id":"\1","ok":{"value":2}}/'"#;
    place
        .write("two.sh", script)
        .write("v.jsonl", format!("{VECTOR}\n{}\n", VECTOR.replace("1}", "2}").replace(" 1,", " 2,")));
    let against = ["--against", "exec:sh two.sh", "--apart", "a.jsonl", "--output", "r.jsonl"];
    let ended = place.run(&[&["record", "v.jsonl", "--subject", "reference"], &against[..]].concat());
    ended.ends(0, &["put apart 1: two answers otherwise"]);
    assert!(place.read("r.jsonl").contains("\"want\":{\"value\":2}"), "{}", place.read("r.jsonl"));
    assert!(place.read("a.jsonl").contains("\"want\":{\"value\":1}"), "{}", place.read("a.jsonl"));
}
