//! Cases and vectors that are asked again.

use crate::{CASE, Place, VECTOR, gz};

#[test]
fn results_go_to_junit_too() {
    let place = Place::new();
    place.write("cases/1<&>.json", "{").write("cases/2.json", CASE);
    place.run(&["replay", "cases", "--junit", "out/replay.xml"]).ends(2, &["1 of 2 documents are no cases"]);
    let text = place.read("out/replay.xml");
    assert!(
        text.contains("<testsuite name=\"replay\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\">"),
        "{text}"
    );
    assert!(text.contains("1&lt;&amp;&gt;.json\"><error message="), "{text}");
    let wrong = VECTOR.replace("\"want\": {\"value\": 1}", "\"want\": {\"value\": 2}").replace("v1", "v2");
    let other = VECTOR.replace("\"op\": \"roundtrip\"", "\"op\": \"of_a_later_version\"").replace("v1", "v3");
    place.write("v.jsonl", format!("{VECTOR}\n{wrong}\n{other}\n"));
    place.run(&["conform", "v.jsonl", "--subject", "reference", "--junit", "conform.xml"]).ends(1, &[]);
    let text = place.read("conform.xml");
    assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{text}");
    assert!(text.contains("<testcase classname=\"reference\" name=\"v1\"/>"), "{text}");
    assert!(text.contains("want {&quot;value&quot;:2}") && text.contains("of_a_later_version"), "{text}");
}

#[test]
fn vectors_of_providers_go_to_the_provider_pipelines() {
    let place = Place::new();
    let inputs = r#""op": "fw_modifier", "type": "string", "modifier": "use_state_for_unknown", "config": null,
        "state": "s", "plan": {"$unknown": true}, "state_null": false, "plan_null": false"#
        .replace('\n', "");
    let vector = format!(r#"{{"id": "p1", {inputs}, "want": {{"plan": "s", "requires_replace": false}}}}"#);
    place.write("v.jsonl", format!("{vector}\n{}\n", vector.replace("\"plan\": \"s\"", "\"plan\": \"t\"")));
    let both = (&["conform", "v.jsonl"][..], "2 passed, 2 failed, 0 skipped\n");
    for (arguments, sums) in
        [both, (&["conform", "v.jsonl", "--subject", "provider"], "1 passed, 1 failed, 0 skipped\n")]
    {
        let ended = place.run(arguments);
        ended.ends(1, &[]);
        assert!(ended.out.ends_with(sums), "{}", ended.out);
    }
    let ended = place.run(&["conform", "v.jsonl", "--subject", "reference"]);
    ended.ends(2, &["fw_modifier is not offered by reference", "nothing was compared"]);
    assert!(ended.out.ends_with("0 passed, 0 failed, 2 skipped\n"), "{}", ended.out);
    place.write("p.json", format!(r#"{{"format": 1, "dialect": "terraform-1.11", {inputs}}}"#));
    let ended = place.run(&["probe", "p.json", "--subject", "provider"]);
    ended.ends(0, &[]);
    assert!(ended.out.contains(r#"{"plan":"s","requires_replace":false}"#), "{}", ended.out);
}

#[test]
fn a_providers_plan_is_shown_as_plans_are() {
    let place = Place::new();
    let case = r#"{"format": 1, "dialect": "terraform-1.11", "op": "fw_plan",
        "schema": {"block": {"attributes": {"a": {"type": "string", "optional": true}}}},
        "rules": {"a": {"plan": ["requires_replace"]}},
        "prior": {"a": "x"}, "config": {"a": "y"}, "proposed": {"a": "y"}}"#;
    place.write("p.json", case);
    let ended = place.run(&["probe", "p.json", "--subject", "provider"]);
    ended.ends(0, &[]);
    for part in [r#"{"a":{"plan":["requires_replace"]}}"#, r#"~ a = "x" -> "y""#, "requires replacement: .a"] {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
}

#[test]
fn compressed_files_are_read_as_they_are() {
    let place = Place::new();
    place.write("c.json.gz", gz(CASE.as_bytes())).write("v.jsonl.gz", gz(VECTOR.as_bytes())).write("c.json", CASE);
    place.run(&["replay", "c.json.gz"]).ends(0, &[]);
    place.run(&["measure", "c.json.gz", "--time", "1ms", "--json"]).ends(0, &[]);
    let other = ["measure", "c.json.gz", "--subject", "exec:./mine"];
    place.run(&other).ends(2, &["expected a planner of this process, reference or optimized", "exec:./mine"]);
    let ended = place.run(&["conform", "v.jsonl.gz"]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "2 passed, 0 failed, 0 skipped\n"), "{}", ended.err);
    place.write("cut.json.gz", &gz(CASE.as_bytes())[..40]);
    place.run(&["replay", "cut.json.gz"]).ends(2, &["cannot read cut.json.gz"]);
}

#[test]
fn a_dialect_replaces_that_of_the_case_with_a_message() {
    let place = Place::new();
    place.write("c.json", CASE);
    place.run(&["replay", "c.json", "--dialect", "opentofu-1.12"]).ends(0, &["opentofu-1.12 in place of"]);
}
