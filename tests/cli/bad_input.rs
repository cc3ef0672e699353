//! Bad input gets one clear error: what, where, what was expected.

use std::fs;
use std::time::{Duration, Instant};

use crate::{CASE, Place, VECTOR, count, gz, with};

/// Documents that are no cases, each with words of the error that say what is wrong and where.
fn bad_cases() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>)> {
    let text = |text: String| text.into_bytes();
    let mut invalid_utf8 = text(with("proposed_new", "X"));
    let place = invalid_utf8.iter().position(|byte| *byte == b'X').expect("there");
    invalid_utf8[place] = 0xff;
    vec![
        ("empty", Vec::new(), vec!["line 1", "expected one JSON document"]),
        ("truncated", text(CASE[..CASE.len() - 20].to_owned()), vec!["line 2, column", "expected one JSON document"]),
        ("array", text("[]".to_owned()), vec!["expected an object (a case)", "an array of 0 items"]),
        ("wrong type", text(with("\"a\": 1", "\"a\": true")), vec![".config.a", "number", "true"]),
        ("wrong shape", text(with("\"prior\": null", "\"prior\": []")), vec![".prior", "an object"]),
        ("unknown key", text(with("\"prior\"", "\"sooner\": 1, \"prior\"")), vec!["unknown member", "sooner"]),
        ("unknown attribute", text(with("\"a\": 1}", "\"a\": 1, \"b\": 2}")), vec![".config", "\"b\""]),
        ("missing", text(with("\"prior\": null,", "")), vec!["\"prior\"", "found none"]),
        ("twice", text(with("\"prior\": null,", "\"prior\": null, \"prior\": null,")), vec!["prior", "again"]),
        ("format", text(with("\"format\": 1", "\"format\": 2")), vec![".format", "format number up to 1"]),
        ("dialect", text(with("terraform-1.11", "terraform-9")), vec![".dialect", "a dialect such as", "terraform-9"]),
        ("op", text(with("proposed_new", "propose")), vec![".op", "an operation such as", "propose"]),
        ("deep", text("[".repeat(100_000)), vec!["levels of arrays and objects"]),
        ("deep value", text(with("\"a\": 1", &format!("\"a\": {}", "[".repeat(100_000)))), vec!["levels"]),
        ("number", text(with("\"a\": 1", &format!("\"a\": {}", "1".repeat(200_000)))), vec![".config.a", "20000"]),
        ("exponent", text(with("\"a\": 1", "\"a\": 1e999999999999")), vec![".config.a"]),
        ("UTF-8", invalid_utf8, vec!["line 1, column", "unicode"]),
        ("NUL", vec![0; 100], vec!["line 1"]),
        (
            "nesting mode",
            text(with("\"type\": \"number\"", "\"nested_type\": {\"attributes\": {}, \"nesting_mode\": \"heap\"}")),
            vec![".schema.block.attributes.a", "heap"],
        ),
        (
            "both shapes",
            text(with(
                "\"type\": \"number\"",
                "\"type\": \"number\", \"nested_type\": {\"attributes\": {}, \"nesting_mode\": \"list\"}",
            )),
            vec![".schema.block.attributes.a"],
        ),
        (
            "contradiction",
            text(with("\"optional\": true", "\"optional\": true, \"required\": true")),
            vec![".schema: .a: expected", "(S"],
        ),
    ]
}

#[test]
fn a_bad_case_is_one_error_with_its_place() {
    for (name, bytes, words) in bad_cases() {
        let place = Place::new();
        place.write("bad.json", &bytes).write("bad.json.gz", gz(&bytes));
        for arguments in
            [&["replay", "bad.json"][..], &["replay", "bad.json.gz"], &["shrink", "bad.json"], &["measure", "bad.json"]]
        {
            let ended = place.run(arguments);
            println!("{name}: {}", ended.err.trim_end());
            ended.ends(2, &words).ends(2, &["bad.json"]);
            assert!(ended.err.len() < 800, "{name}: {}", ended.err);
        }
        place.run(&["promote", "bad.json", "--purpose", "p"]).ends(2, &words);
        assert!(!place.path("corpus").exists());
    }
}

#[test]
fn files_that_are_too_large_are_refused_by_their_size() {
    let place = Place::new();
    let mut bytes = with("\"a\": 1", "\"a\": 9").into_bytes();
    let digit = bytes.iter().position(|byte| *byte == b'9').expect("there");
    bytes.splice(digit..digit, std::iter::repeat_n(b'1', 200_000_000));
    place.write("huge.json", &bytes).write("huge.jsonl", &bytes[..]).write("huge.json.gz", gz(&bytes));
    drop(bytes);
    let begin = Instant::now();
    place.run(&["replay", "huge.json"]).ends(2, &["huge.json", "expected at most 64 MiB"]);
    place.run(&["replay", "huge.json.gz"]).ends(2, &["huge.json.gz", "expected at most 64 MiB"]);
    place.run(&["run", "--schemas", "huge.json", "--cases", "1"]).ends(2, &["huge.json", "at most 20000 characters"]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn one_bad_file_hides_none_of_the_others() {
    let place = Place::new();
    place.write("cases/1.json", "{").write("cases/2.json", CASE).write("cases/sub/3.json.gz", gz(CASE.as_bytes()));
    let ended = place.run(&["replay", "cases"]);
    ended.ends(2, &["1.json", "1 of 3 documents are no cases"]);
    assert!(ended.out.ends_with("2 held, 0 did not\n"), "{}", ended.out);
    place.write("v.jsonl", format!("{VECTOR}\n{{\"id\": 1}}\n\n{}\n", VECTOR.replace("1}", "2}")));
    let ended = place.run(&["conform", "v.jsonl", "--json"]);
    ended.ends(2, &["v.jsonl:2: ", "id", "expected a string", "1 lines are no vectors"]);
    assert_eq!((count(&ended.json(), &["passed"]), count(&ended.json(), &["failed"])), (2, 2), "{}", ended.out);
}

#[test]
fn bad_vectors_have_their_line() {
    let place = Place::new();
    let line = |line: &str, words: &[&str]| {
        place.write("v.jsonl", format!("{VECTOR}\n{line}\n"));
        let ended = place.run(&["conform", "v.jsonl"]);
        ended.ends(2, &["v.jsonl:2: "]).ends(2, words);
        assert!(ended.out.ends_with("2 passed, 0 failed, 0 skipped\n"), "{}", ended.out);
    };
    line("nonsense", &["expected one JSON document"]);
    line(&VECTOR.replace("\"number\"", "\"numbre\""), &[".type", "numbre"]);
    line(&VECTOR.replace("\"want\"", "\"wont\""), &["want"]);
    line(&VECTOR.replace("{\"value\": 1}", "{\"value\": []}"), &[".want.value"]);
    line(&VECTOR.replace("\"op\"", "\"dialect\": \"tofu\", \"op\""), &[".dialect", "tofu"]);
    line(&VECTOR.replace("\"type\"", "\"more\": 1, \"type\""), &["unknown member", "more"]);
    line(&format!("{}1", "[".repeat(100_000)), &["levels of arrays and objects"]);
}

#[test]
fn msgpack_bombs_are_refused_as_engines_do() {
    // An array with a length of 2^32 - 1 elements, a string of 2^32 - 1 bytes, and arrays in arrays.
    let place = Place::new();
    let vectors = [("3f////8=", "[\"list\", \"string\"]"), ("2/////8=", "\"string\""), ("3f////8=", "\"dynamic\"")];
    let mut text = String::new();
    for (index, (bytes, ty)) in vectors.iter().enumerate() {
        text += &format!(
            "{{\"id\": \"b{index}\", \"op\": \"msgpack_decode\", \"type\": {ty}, \"base64\": \"{bytes}\", \
             \"want\": {{\"error\": true}}}}\n"
        );
    }
    let deep = "kZGR".repeat(100_000);
    text += &format!(
        "{{\"id\": \"deep\", \"op\": \"implied_type\", \"base64\": \"{deep}\", \"want\": {{\"error\": true}}}}\n"
    );
    place.write("v.jsonl", text);
    let begin = Instant::now();
    let ended = place.run(&["conform", "v.jsonl", "--json"]);
    ended.ends(0, &[]);
    assert_eq!(count(&ended.json(), &["passed"]), 8);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn bad_options_are_refused_with_what_was_expected() {
    let place = Place::new();
    place.write("case.json", CASE).write("v.jsonl", VECTOR);
    let bad = |arguments: &[&str], words: &[&str]| {
        place.run(arguments).ends(2, words);
    };
    bad(&["replay", "case.json", "--subject", "referense"], &["expected a subject such as reference", "referense"]);
    bad(&["run", "--subject", "exec:", "--cases", "1"], &["expected a command after exec:"]);
    bad(&["run", "--dialect", "terraform-0", "--cases", "1"], &["--dialect", "terraform-0", "terraform-1.11"]);
    bad(&["replay", "case.json", "--op", "propose"], &["--op", "expected an operation such as proposed_new"]);
    bad(&["run", "--seed", "seed", "--cases", "1"], &["expected a seed: a number or a commit id"]);
    bad(&["run", "--time", "soon"], &["--time"]);
    bad(&["run", "--jobs", "0", "--cases", "1"], &["--jobs"]);
    bad(&["run", "--preset", "big"], &["--preset", "small"]);
    bad(&["replay", "nowhere.json"], &["cannot read nowhere.json"]);
    bad(&["replay"], &["PATH"]);
    bad(&["unknown"], &["unknown"]);
    bad(&["promote", "case.json", "--purpose", " "], &["expected a purpose of one line"]);
    fs::create_dir(place.path("empty")).expect("a folder");
    bad(&["replay", "empty"], &["expected cases, found none"]);
    bad(&["serve", "--subject", "unknown"], &["expected a subject", "unknown"]);
    place
        .run(&["run", "--subject", "reference", "--subject", "exec:/no/such", "--cases", "1"])
        .ends(2, &["cannot start /no/such"]);
    place
        .run(&["run", "--subject", "reference", "--subject", "exec:echo hello", "--cases", "1"])
        .ends(2, &["echo is no planner that speaks the line protocol: its first line is \"hello\""]);
}

#[test]
fn bad_files_of_options_have_their_place() {
    let place = Place::new();
    let bad = |name: &str, text: &str, option: &str, words: &[&str]| {
        place.write(name, text);
        let ended = place.run(&["run", "--cases", "1", option, name]);
        ended.ends(2, words).ends(2, &[name]);
    };
    bad("s.json", "{\"format_version\": ", "--schemas", &["expected one JSON document"]);
    bad("s.json", "[]", "--schemas", &["expected an object"]);
    let contradiction = r#"{"format_version": "1.0", "provider_schemas": {"p": {"resource_schemas": {"r": {"version": 0,
        "block": {"attributes": {"a": {"type": "nomber"}}}}}}}}"#;
    bad("s.json", contradiction, "--schemas", &[".a.type", "nomber"]);
    bad("a.jsonl", "\n{\"signature\": \"s\"}", "--allow", &["line 2", "reason"]);
    bad("a.jsonl", "{\"signature\": \"s\", \"reason\": \"\"}", "--allow", &["line 1", "expected a reason"]);
    bad("state.json", "{\"cases\": 1}", "--resume", &["comparisons"]);
    bad("state.json", "{\"cases\": -1}", "--resume", &[".cases"]);
    bad("state.json", "", "--resume", &["expected one JSON document"]);
    place.run(&["run", "--cases", "1", "--allow", "nowhere"]).ends(2, &["cannot read nowhere"]);
    let only_invalid = contradiction.replace("nomber\"", "number\", \"optional\": true, \"required\": true");
    place.write("s.json", only_invalid);
    let run = ["run", "--cases", "1", "--schemas", "s.json", "--dialect", "terraform-1.11"];
    place.run(&run).ends(2, &["not valid in terraform-1.11", "p", "r"]);
}

/// Of a file without vectors not every line is reported.
#[test]
fn a_file_that_is_no_vectors_is_reported_in_a_few_lines() {
    let place = Place::new();
    place.write(
        "binary.jsonl",
        (0..50_000_u32).flat_map(|number| [b'\n', (number % 251) as u8, b'x']).collect::<Vec<_>>(),
    );
    let ended = place.run(&["conform", "binary.jsonl"]);
    ended.ends(2, &["more lines that are no vectors"]);
    assert!(ended.err.lines().count() < 12, "{}", ended.err);
}

#[test]
fn another_encoding_is_reported_by_its_name() {
    let place = Place::new();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    place.write("bom.json", [b"\xEF\xBB\xBF", CASE.as_bytes()].concat()).write("utf16.json", utf16(CASE));
    place.write("v.jsonl", [&[0xFF, 0xFE][..], &utf16(VECTOR)].concat());
    place.run(&["replay", "bom.json"]).ends(2, &["bom.json: expected UTF-8", "with a byte order mark"]);
    place.run(&["probe", "utf16.json"]).ends(2, &["utf16.json: expected UTF-8", "UTF-16 (little-endian)"]);
    place.run(&["conform", "v.jsonl"]).ends(2, &["v.jsonl: expected UTF-8", "UTF-16"]);
}

#[cfg(unix)]
#[test]
fn links_in_folders_lead_nowhere() {
    let place = Place::new();
    place.write("cases/1.json", CASE);
    for name in ["a", "b"] {
        std::os::unix::fs::symlink(".", place.path("cases").join(name)).expect("a link");
    }
    let ended = place.run(&["replay", "cases"]);
    ended.ends(0, &[]);
    assert!(ended.out.ends_with("1 held, 0 did not\n"), "{}", ended.out);
}

#[test]
fn what_holds_no_case_is_no_success() {
    let place = Place::new();
    place.write("empty.jsonl", "").write("case.json", CASE);
    for command in ["replay", "probe"] {
        place.run(&[command, "empty.jsonl"]).ends(2, &["expected a case, found none"]);
    }
    place.run(&["measure", "empty.jsonl"]).ends(2, &["expected operations of the merge to time, found none"]);
    // A case that was asked nothing has not gone.
    place.run(&["triage", "case.json", "--op", "roundtrip"]).ends(2, &["1 files could not be asked"]);
}

#[test]
fn a_finding_of_a_provider_is_none_of_planners() {
    let place = Place::new();
    place.write("found/b.json", r#"{"provider_case": 1, "purpose": "I10"}"#);
    place.write("found/a.json", CASE);
    let says = ["found a finding of a provider", "replay, probe and triage take such files"];
    place.run(&["shrink", "found/b.json"]).ends(2, &says);
    place.run(&["promote", "found/b.json", "--purpose", "I10"]).ends(2, &says);
    // Those of planners beside it are replayed nevertheless.
    let ended = place.run(&["replay", "found"]);
    ended.ends(2, &says);
    assert!(ended.out.contains("1 held"), "{}", ended.out);
}

#[test]
fn a_corpus_is_not_pruned_for_want_of_inputs() {
    let place = Place::new();
    fs::create_dir(place.path("none")).expect("a folder");
    fs::create_dir(place.path("kept")).expect("a folder");
    fs::create_dir(place.path("some")).expect("a folder");
    let kept = "kept/proposed-new-0123456789abcdef.json";
    place.write(kept, CASE).write("some/case.json", CASE);
    let distil = ["distil", "--target", "planner", "--output", "kept", "--prune"];
    let with = |more: &[&'static str]| place.run(&[&distil[..], more].concat());
    with(&["none"]).ends(2, &["expected inputs of planner to distil, found none"]);
    // A program that merges nothing, as one that is no fuzzer.
    #[cfg(unix)]
    with(&["--binary", "true", "some"])
        .ends(2, &["true merged 1 inputs and kept none", "planner, built with a fuzzer"]);
    // Cases of planners are no inputs of this target.
    let others = ["distil", "--target", "workspace", "--output", "kept", "--prune", "some"];
    place.run(&others).ends(2, &["found none: --prune would empty the corpus"]);
    with(&["--kib", "0", "some"]).ends(2, &["that hold and have room, found none"]);
    assert!(place.path(kept).exists());
    let ended = with(&["some"]);
    ended.ends(0, &["1 files, 0 of them no inputs of planner, 0 longer than 64 KiB"]);
    assert!(ended.out.contains("1 of 1 inputs kept"), "{}", ended.out);
    assert!(!place.path(kept).exists());
}
