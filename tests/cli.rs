//! The command from end to end: what it prints, how it ends, what it leaves on the disk.

#[cfg(unix)]
#[path = "common/signals.rs"]
mod signals;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use planfuzz::case::CaseFile;
use planfuzz_core::json::Json;
use tempfile::TempDir;

const COMMANDS: [&str; 18] = [
    "run", "gen", "features", "probe", "replay", "shrink", "triage", "promote", "conform", "record", "import",
    "measure", "lint", "distil", "night", "kills", "report", "serve",
];

/// A folder that the command runs in.
struct Place(TempDir);

/// What a command came to.
struct Ended {
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

    fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&self.command(arguments).output().expect("it starts"))
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

impl Ended {
    fn of(output: &Output) -> Ended {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it prints UTF-8");
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {}", output.status, text(&output.stderr)));
        Ended { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Asserts the exit code, and that people are told these words.
    fn ends(&self, code: i32, words: &[&str]) -> &Ended {
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

/// Documents that are no cases, each with words that say what is wrong and where.
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
fn what_is_too_large_is_refused_by_its_size() {
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
fn msgpack_bombs_are_refused_as_engines_do() {
    // An array that says it has 2^32 - 1 elements, a string of 2^32 - 1 bytes, and arrays in arrays.
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
fn bad_options_say_what_was_expected() {
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
    bad(&["serve", "--subject", "nobody"], &["expected a subject", "nobody"]);
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

#[test]
fn help_has_an_example() {
    let place = Place::new();
    for command in COMMANDS {
        let ended = place.run(&[command, "--help"]);
        ended.ends(0, &[]);
        assert!(ended.out.contains("Example: "), "{}", ended.out);
        assert!(ended.out.contains(&format!("planfuzz {command}")), "{}", ended.out);
    }
    let ended = place.run(&["--help"]);
    for command in COMMANDS {
        assert!(ended.out.contains(&format!("\n  {command} ")), "{command} in {}", ended.out);
    }
    assert!(ended.out.contains("Example: planfuzz"));
}

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

/// What a campaign counted, without what depends on the clock.
fn counted(ended: &Ended) -> String {
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
    assert!(features.out.contains("life.action.create") && !features.out.contains("outcome.proposed_new"));
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
fn what_is_built_in_is_measured_as_it_is() {
    let place = Place::new();
    for choice in [["--subject", "reference"], ["--op", "proposed_new"], ["--dialect", "opentofu-1.12"]] {
        place.run(&["measure", choice[0], choice[1]]).ends(2, &["expected files for --subject"]);
    }
}

#[test]
fn a_dialect_replaces_that_of_the_case_and_says_so() {
    let place = Place::new();
    place.write("c.json", CASE);
    place.run(&["replay", "c.json", "--dialect", "opentofu-1.12"]).ends(0, &["opentofu-1.12 in place of"]);
}

#[cfg(unix)]
mod wrong_planners {
    use super::*;

    /// A planner that refuses every proposal and knows nothing else.
    const REFUSES: &str = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; printf '{"id":"%s","error":"no"}\n' "${id%%\"*}"; done
"#;

    fn subjects(place: &Place, program: &str) -> [String; 4] {
        place.write("program.sh", program);
        ["--subject", "reference", "--subject", "exec:sh program.sh"].map(str::to_owned)
    }

    fn join<'a>(arguments: &[&'a str], subjects: &'a [String; 4]) -> Vec<&'a str> {
        arguments.iter().copied().chain(subjects.iter().map(String::as_str)).collect()
    }

    #[test]
    fn a_finding_goes_all_the_way() {
        let place = Place::new();
        let subjects = subjects(&place, REFUSES);
        let run = ["run", "--cases", "64", "--seed", "5", "--preset", "tiny", "--jobs", "1", "--json"];
        let run = join(&[&run[..], &["--dialect", "terraform-1.11"]].concat(), &subjects);
        let ended = place.run(&run);
        ended.ends(1, &["found proposed_new diverge:refused_by_one root reference/refuser"]);
        let json = ended.json();
        let left_out = count(&json, &["left_out", "refuser: operation not offered"]);
        // Of 64 cases 8 are scenarios, of which it offers nothing; of the others it offers one operation in five.
        assert_eq!((count(&json, &["comparisons"]), left_out), (56, 4 * 56 + 8), "{}", ended.out);
        let refused = count(&json, &["verdicts", "diverge"]);
        assert_eq!(refused + count(&json, &["verdicts", "both_refuse"]), 56, "{}", ended.out);
        // The bucket of the wrong planner; what else may be found in these cases is the business of other tests.
        let Some(Json::Array(buckets)) = json.member("buckets") else { panic!("{}", ended.out) };
        let bucket = buckets.iter().find(|bucket| bucket.to_compact().contains("refused_by_one")).expect("a bucket");
        let file = bucket.member("case").and_then(|file| file.expect_string().ok()).expect("a file").to_owned();
        let files = place.files("findings");
        assert_eq!(files.len(), buckets.len(), "one for each bucket, and nothing temporary: {files:?}");
        let text = place.read(&file);
        let found =
            CaseFile::from_json(&Json::parse(&text).expect("JSON")).expect("a case").finding.expect("a finding");
        for member in ["signature", "what", "answers", "origin", "command"] {
            assert!(found.member(member).is_some(), "{member} in {text}");
        }
        assert!(text.lines().count() < 30, "it is shrunk: {text}");
        // The findings are in folders by likely cause, and so are they in the result; what to type next says their names.
        let Some(Json::Array(groups)) = json.member("groups") else { panic!("{}", ended.out) };
        assert!((1..=buckets.len()).contains(&groups.len()), "{}", ended.out);
        assert_eq!(file.split('/').count(), 3, "findings, the group, the file: {file}");
        assert!(found.member("command").expect("there").to_compact().contains(&file), "{text}");
        let text_run: Vec<&str> = run.iter().copied().filter(|argument| *argument != "--json").collect();
        let printed = place.run(&text_run);
        printed.ends(1, &[]);
        for word in ["likely cause", "1. ", "planfuzz probe findings/", "planfuzz replay findings", "left out"] {
            assert!(printed.out.contains(word), "{word} in {}", printed.out);
        }
        assert_eq!(place.files("findings"), files, "a second run finds the same and keeps its folders");

        assert!(found.member("origin").expect("there").to_compact().contains("seed 5, case "));
        assert!(place.read(&file).contains("planfuzz probe findings/"));

        let ended = place.run(&join(&["replay", &file], &subjects));
        ended.ends(1, &[]);
        assert!(ended.out.contains(&format!("failed {file}: reference/refuser differ")), "{}", ended.out);
        // The file names its subjects: nobody has to say them again, and nothing holds because they were forgotten.
        place.run(&["replay", &file]).ends(1, &["asked as the findings say: reference, exec:sh program.sh"]);
        place.run(&["probe", &file]).ends(1, &[]);
        place.run(&["triage", "findings"]).ends(1, &[]);
        place.run(&["replay", &file, "--subject", "reference", "--subject", "optimized"]).ends(0, &[]);
        place.write("old.json", text.replace("\"subjects\"", "\"others\""));
        for command in ["replay", "probe", "triage", "shrink"] {
            place.run(&[command, "old.json"]).ends(2, &["expected --subject", "about reference/refuser"]);
        }
        let forgotten = ["replay", &file, "--subject", "reference", "--subject", "provider"];
        place.run(&forgotten).ends(2, &["nothing was compared"]);

        let kept = found.member("signature").and_then(|one| one.expect_string().ok()).expect("a bucket").to_owned();
        let asked = format!("{kept}: asked");
        place.run(&join(&["shrink", &file, "--output", "small.json"], &subjects)).ends(1, &[&asked]);
        let size = |text: &str| {
            let file = CaseFile::from_json(&Json::parse(text).expect("JSON")).expect("a case");
            file.case.to_json().to_compact().len()
        };
        assert!(size(&place.read("small.json")) <= size(&text), "{}", place.read("small.json"));
        place.run(&join(&["replay", "small.json"], &subjects)).ends(1, &[]);
        place
            .run(&["shrink", &file, "--subject", "reference", "--subject", "optimized"])
            .ends(0, &["nothing is found"]);

        let promote = ["promote", "small.json", "--purpose", "Every proposal is refused"];
        let ended = place.run(&promote);
        ended.ends(0, &[]);
        let kept = "corpus/regressions/every-proposal-is-refused.json";
        assert_eq!(ended.out.trim(), kept);
        assert!(!place.read(kept).contains("finding"));
        place.run(&["replay", "corpus"]).ends(0, &[]);
        place.run(&promote).ends(2, &["expected no regression of that purpose", kept]);

        let allowance = |bucket: &Json| {
            let signature = bucket.member("signature").expect("there").to_compact();
            format!("{{\"signature\": {signature}, \"reason\": \"it is a test\"}}\n")
        };
        place.write("allow.jsonl", buckets.iter().map(allowance).collect::<String>());
        let ended = place.run(&[&run[..], &["--allow", "allow.jsonl"]].concat());
        ended.ends(0, &[]);
        let broken = count(&json, &["verdicts", "rule_broken"]);
        assert_eq!(count(&ended.json(), &["verdicts", "tolerated"]), refused + broken, "{}", ended.out);
        assert_eq!(count(&ended.json(), &["verdicts", "diverge"]), 0);
        place.run(&[&["replay", &file, "--allow", "allow.jsonl"][..], &join(&[], &subjects)[..]].concat()).ends(0, &[]);
    }

    #[test]
    fn a_planner_that_dies_and_hangs_is_found_out() {
        let place = Place::new();
        let subjects = subjects(
            &place,
            r#"IFS= read -r hello; echo '{"hello":1,"name":"bad","ops":["proposed_new","normalize_legacy"]}'
while IFS= read -r line; do case "$line" in *proposed_new*) exit 3;; *) sleep 60;; esac; done
"#,
        );
        let run = ["run", "--cases", "8", "--seed", "5", "--preset", "tiny", "--jobs", "1", "--json"];
        let begin = Instant::now();
        let more = ["--answer-time", "300ms", "--dialect", "terraform-1.11"];
        let ended = place.run(&join(&[&run[..], &more].concat(), &subjects));
        ended.ends(1, &["proposed_new crash:exit status: 3 root bad", "normalize_legacy over_budget root bad"]);
        assert_eq!(count(&ended.json(), &["verdicts", "crash"]), 8, "{}", ended.out);
        assert_eq!(count(&ended.json(), &["verdicts", "over_budget"]), 8, "{}", ended.out);
        assert_eq!(place.files("findings").len(), 2);
        assert!(begin.elapsed() < Duration::from_secs(45), "{:?}", begin.elapsed());
    }

    /// Two builds of one planner greet with the same name.
    #[test]
    fn two_programs_of_one_name_are_told_apart() {
        let place = Place::new();
        let wrong = REFUSES.replace("refuser", "planfuzz optimized");
        place.write("wrong.sh", wrong);
        let right = format!("exec:{} serve", shlex::try_quote(env!("CARGO_BIN_EXE_planfuzz")).expect("a path"));
        let run = ["run", "--cases", "8", "--seed", "5", "--preset", "tiny", "--jobs", "1", "--op", "proposed_new"];
        let subjects = ["--subject", &right, "--subject", "exec:sh wrong.sh", "--subject", &right];
        let ended = place.run(&[&run[..], &subjects, &["--json"]].concat());
        ended.ends(1, &["diverge:refused_by_one root planfuzz optimized/planfuzz optimized #2\n"]);
        ended.ends(1, &["planfuzz optimized #2 is exec:sh wrong.sh"]);
        assert!(!ended.err.contains("root planfuzz optimized/planfuzz optimized #3"), "{}", ended.err);
    }

    #[test]
    fn a_program_that_is_asked_nothing_takes_no_part() {
        let place = Place::new();
        place.write("program.sh", REFUSES);
        let run = ["run", "--cases", "8", "--subject", "reference", "--subject", "exec:sh program.sh"];
        place
            .run(&[&run[..], &["--op", "scenario"]].concat())
            .ends(2, &["expected an operation that refuser offers, found scenario", "it offers proposed_new"]);
        place.write("program.sh", REFUSES.replace("[\"proposed_new\"]", "[\"foretell\"]"));
        place.run(&run).ends(2, &["expected an operation that refuser offers, found none that this build knows"]);
        place.write("program.sh", r#"read hello; echo '{"hello":1,"error":"expected an older dialect"}'"#);
        place.run(&run).ends(2, &["sh does not take part: expected an older dialect"]);
    }

    #[test]
    fn findings_that_cannot_be_written_end_the_run() {
        let place = Place::new();
        let subjects = subjects(&place, REFUSES);
        place.write("findings", "a file where a folder should be");
        let run = ["run", "--time", "60s", "--seed", "5", "--preset", "tiny", "--resume", "state.json", "--json"];
        let begin = Instant::now();
        let ended = place.run(&join(&run, &subjects));
        ended.ends(3, &["cannot write findings/"]);
        assert!(count(&ended.json(), &["verdicts", "diverge"]) > 0, "what was counted is told");
        assert!(!place.path("state.json").exists(), "a piece whose findings are lost is run again");
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn max_findings_ends_a_run() {
        let place = Place::new();
        let subjects = subjects(&place, REFUSES);
        let run = ["run", "--time", "60s", "--seed", "5", "--preset", "tiny", "--max-findings", "1", "--json"];
        let begin = Instant::now();
        place.run(&join(&run, &subjects)).ends(1, &[]);
        assert!(begin.elapsed() < Duration::from_secs(40));
    }

    #[test]
    fn a_killed_run_has_its_findings_whole() {
        let place = Place::new();
        let subjects = subjects(&place, REFUSES);
        let mut run = place
            .command(&join(&["run", "--time", "60s", "--seed", "5", "--preset", "medium"], &subjects))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        let begin = Instant::now();
        while place.files("findings").iter().all(|name| !name.ends_with(".json")) {
            assert!(begin.elapsed() < Duration::from_secs(20), "no finding");
            std::thread::sleep(Duration::from_millis(1));
        }
        run.kill().expect("it runs");
        run.wait().expect("it ends");
        for name in place.files("findings").iter().filter(|name| name.ends_with(".json")) {
            let json = Json::parse(&place.read(name)).expect("a whole document");
            assert!(CaseFile::from_json(&json).expect("a case").finding.is_some());
        }
    }
}

#[test]
fn a_build_without_planted_faults_says_how_to_make_one_with_them() {
    if cfg!(feature = "faults") {
        return;
    }
    let Ended { code, out, err } = Place::new().run(&["kills", "--time", "1s"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("error:") && err.contains("--features faults -- kills"), "{err}");
}

#[cfg(unix)]
const INTERRUPT: signals::Signal = signals::Signal { name: "INT", number: 2 };

#[cfg(unix)]
const TERMINATE: signals::Signal = signals::Signal { name: "TERM", number: 15 };

/// Starts a run in a process group of its own, signals to the whole group as a terminal does, and gives the summary; nothing
/// where the signal is ignored.
#[cfg(unix)]
fn ended_by(signal: signals::Signal, place: &Place, arguments: &[&str], expected: i32) -> Option<String> {
    if signal.is_ignored() {
        return None;
    }
    let mut command = place.command(arguments);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut errors = BufReader::new(run.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("it says what it does");
    assert!(line.contains("seed 1: tiny cases"), "{line}");
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    signal.send(-i64::from(run.id()));
    let mut out = String::new();
    run.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    let code = run.wait().expect("it ends").code();
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(code, Some(expected), "{out}");
    Some(out)
}

#[cfg(unix)]
fn summary(out: &str) -> Json {
    Json::parse(out.trim_end()).expect("the summary")
}

#[cfg(unix)]
#[test]
fn who_ends_a_run_gets_its_summary() {
    for signal in [INTERRUPT, TERMINATE] {
        let place = Place::new();
        let arguments = ["run", "--time", "60s", "--preset", "tiny", "--seed", "1", "--json", "--resume", "state.json"];
        let Some(out) = ended_by(signal, &place, &arguments, 0) else { continue };
        let cases = count(&summary(&out), &["cases"]);
        assert!(cases > 0);
        assert_eq!(count(&summary(&out), &["next"]), cases, "a run goes on where it ended");
        assert!(place.path("state.json").exists());
        let Some(out) = ended_by(signal, &place, &["run", "--preset", "tiny", "--seed", "1"], 0) else { continue };
        assert!(out.contains("cases") && out.contains("no findings"), "{out}");
    }
}

/// Who started it has it ignore the end of the terminal: it ends with a summary where it is told to end all the same.
#[cfg(unix)]
#[test]
fn a_run_under_nohup_gives_its_summary_when_it_is_terminated() {
    if INTERRUPT.is_ignored() || TERMINATE.is_ignored() {
        return;
    }
    let place = Place::new();
    let mut command = std::process::Command::new("nohup");
    let words = ["run", "--time", "60s", "--preset", "tiny", "--seed", "1", "--json"];
    command.arg(env!("CARGO_BIN_EXE_planfuzz")).args(words).current_dir(place.path("."));
    let mut run =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().expect("it starts");
    let mut errors = BufReader::new(run.stderr.take().expect("piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("it says what it does");
    std::thread::sleep(Duration::from_millis(300));
    signals::Signal { name: "HUP", number: 1 }.send(run.id().into());
    std::thread::sleep(Duration::from_millis(300));
    assert!(run.try_wait().expect("it runs").is_none(), "the end of the terminal is ignored");
    TERMINATE.send(run.id().into());
    let mut out = String::new();
    run.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    assert_eq!(run.wait().expect("it ends").code(), Some(0), "{out}");
    assert!(count(&summary(&out), &["cases"]) > 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_not_taken_for_the_end_of_a_program() {
    let place = Place::new();
    place.write("hangs.sh", "echo '{\"hello\":1}'; sleep 60");
    let arguments = ["run", "--preset", "tiny", "--seed", "1", "--json", "--subject", "reference"];
    let arguments = [&arguments[..], &["--subject", "exec:sh hangs.sh"]].concat();
    let Some(json) = ended_by(INTERRUPT, &place, &arguments, 2).map(|out| summary(&out)) else { return };
    assert_eq!(count(&json, &["verdicts", "crash"]), 0);
    assert!(count(&json, &["left_out", "exec:sh hangs.sh: interrupted"]) > 0);
    assert_eq!(count(&json, &["cases"]), 0);
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
    let ended = Ended::of(&gen_cases.wait_with_output().expect("it ends"));
    ended.ends(0, &[]);
    assert_eq!(ended.err.lines().count(), 1, "only the seed: {}", ended.err);
}

/// What was not put to the test does not hold.
#[test]
fn nothing_compared_is_not_held() {
    let place = Place::new();
    let word = &["nothing was compared"];
    place.run(&["run", "--cases", "0"]).ends(2, word);
    place.run(&["run", "--time", "0s"]).ends(2, word);
    place.run(&["run", "--cases", "5", "--op", "plan_instance"]).ends(2, word);
    place.write("empty.jsonl", "").write("v.jsonl", VECTOR);
    place.run(&["conform", "empty.jsonl"]).ends(2, word);
    place.write("case.json", CASE);
    place.run(&["replay", "case.json", "--op", "scenario"]).ends(2, word);
    place.run(&["run", "--cases", "5", "--subject", "reference", "--preset", "tiny"]).ends(0, &[]);
}

/// The lines of a file that is something else altogether are not all told.
#[test]
fn a_file_that_is_no_vectors_is_told_in_a_few_lines() {
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
fn another_encoding_is_told_by_its_name() {
    let place = Place::new();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    place.write("bom.json", [b"\xEF\xBB\xBF", CASE.as_bytes()].concat()).write("utf16.json", utf16(CASE));
    place.write("v.jsonl", [&[0xFF, 0xFE][..], &utf16(VECTOR)].concat());
    place.run(&["replay", "bom.json"]).ends(2, &["bom.json: expected UTF-8", "with a byte order mark"]);
    place.run(&["probe", "utf16.json"]).ends(2, &["utf16.json: expected UTF-8", "UTF-16 (little-endian)"]);
    place.run(&["conform", "v.jsonl"]).ends(2, &["v.jsonl: expected UTF-8", "UTF-16"]);
}

/// A program that minds neither the end of its input nor who asks it to go, and has started another one.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_suite_leaves_no_program_behind() {
    let place = Place::new();
    place.write(
        "stays.sh",
        "trap '' TERM HUP; echo $$ >> pids; sleep 300 & echo $! >> pids; echo '{\"hello\":1}'; sleep 300; sleep 300",
    );
    let arguments = ["run", "--jobs", "1", "--subject", "reference", "--subject", "exec:sh stays.sh"];
    let mut run = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let pids = || fs::read_to_string(place.path("pids")).unwrap_or_default();
    let begin = Instant::now();
    while pids().lines().count() < 4 && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().expect("killed");
    run.wait().expect("it ends");
    assert!(pids().lines().count() >= 4, "a program for the worker and one for the shrinker: {}", pids());
    let is_alive = |pid: &str| fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    let begin = Instant::now();
    while pids().lines().any(is_alive) {
        assert!(begin.elapsed() < Duration::from_secs(10), "some of {} are left", pids());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn serve(place: &Place, requests: &[u8]) -> Vec<Json> {
    let mut serve = place
        .command(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = serve.stdin.take().expect("piped");
    let requests = requests.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&requests));
    let ended = Ended::of(&serve.wait_with_output().expect("it ends"));
    writer.join().expect("no panic").expect("it reads all");
    ended.ends(0, &[]);
    ended.out.lines().map(|line| Json::parse(line).expect("a line of JSON")).collect()
}

#[test]
fn serve_answers_each_line_whatever_is_in_it() {
    let place = Place::new();
    let good = |id: &str| format!(r#"{{"id": {id}, "op": "number_text", "text": "01"}}"#);
    let lines = [
        r#"{"hello": 1, "dialect": "opentofu-1.12"}"#.to_owned(),
        good("\"a\""),
        "nonsense".to_owned(),
        good("7"),
        "[".repeat(100_000),
        good("[null, {\"deep\": 1e5}]"),
        r#"{"id": 1, "op": "guess"}"#.to_owned(),
        r#"{"op": "number_text", "text": "5"}"#.to_owned(),
        r#"{"id": "w", "op": "number_text", "text": "5", "want": {}}"#.to_owned(),
        r#"{"hello": 1, "dialect": "pulumi"}"#.to_owned(),
        String::new(),
        r#"{"id": "end", "op": "number_text", "text": "5"}"#.to_owned(),
    ];
    let answers = serve(&place, lines.join("\n").as_bytes());
    let text = |index: usize| answers[index].to_compact();
    assert_eq!(answers.len(), 11, "one for each line that is not blank");
    assert!(text(0).starts_with(r#"{"hello":1,"name":"planfuzz optimized","ops":["#), "{}", text(0));
    assert!(text(1).starts_with(r#"{"id":"a","ok":"#), "{}", text(1));
    assert!(text(2).contains(r#""error":"line 1, column"#), "{}", text(2));
    assert!(text(3).starts_with(r#"{"id":7,"ok":"#), "{}", text(3));
    assert!(text(4).contains("levels of arrays and objects"), "{}", text(4));
    assert!(text(5).starts_with(r#"{"id":[null,{"deep":1e+5}],"ok":"#), "{}", text(5));
    assert!(text(6).contains(r#"{"id":1,"error":".op: expected an operation"#), "{}", text(6));
    assert!(text(7).starts_with(r#"{"id":null,"ok":"#), "{}", text(7));
    assert!(text(8).contains("want"), "{}", text(8));
    assert!(text(9).starts_with(r#"{"hello":1,"error":""#) && text(9).contains("a dialect such as"), "{}", text(9));
    assert!(text(10).starts_with(r#"{"id":"end","ok":"#), "{}", text(10));
}

#[test]
fn serve_keeps_no_more_of_a_line_than_it_may_have() {
    let place = Place::new();
    let mut requests = vec![b'1'; 70 << 20];
    requests.extend_from_slice(b"\n{\"id\": 2, \"op\": \"number_text\", \"text\": \"5\"}\n");
    let answers = serve(&place, &requests);
    assert_eq!(answers.len(), 2);
    assert!(answers[0].to_compact().contains("expected a line of at most 67108864 bytes"));
    assert!(answers[1].to_compact().starts_with(r#"{"id":2,"ok":"#));
}

/// A client that reads nothing before it has sent everything.
#[test]
fn serve_takes_many_requests_before_an_answer_is_read() {
    let place = Place::new();
    let text = "x".repeat(2_000);
    let request = format!("{{\"id\": 1, \"op\": \"roundtrip\", \"type\": \"string\", \"value\": \"{text}\"}}\n");
    let mut serve = place.command(&["serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = serve.stdin.take().expect("piped");
    let (done, is_done) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        stdin.write_all(request.repeat(1_000).as_bytes()).expect("it reads all");
        done.send(()).expect("somebody waits");
    });
    let sent = is_done.recv_timeout(Duration::from_secs(20));
    if sent.is_err() {
        serve.kill().expect("it hangs");
    }
    assert!(sent.is_ok(), "it does not read while nobody reads its answers");
    writer.join().expect("no panic");
    let ended = Ended::of(&serve.wait_with_output().expect("it ends"));
    assert_eq!(ended.out.lines().count(), 1_000);
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
fn what_is_recorded_is_what_the_subject_does() {
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
    // On standard output, where no file is named; what was recorded is recorded again.
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
fn what_others_answer_otherwise_is_put_apart() {
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
