//! `triage` and `promote` from end to end: what a person sees of a night's findings.

use std::fs;
use std::time::{Duration, Instant};

use crate::command::{CommandOutput, Place};
use planfuzz::case::CaseFile;
use planfuzz::fuzz::wire;
use planfuzz_core::json::Json;

/// The reference, and a shell script as a planner.
const SUBJECTS: [&str; 4] = ["--subject", "reference", "--subject", "exec:sh program.sh"];

impl Place {
    fn json(&self, name: &str) -> Json {
        Json::parse(&fs::read_to_string(self.path(name)).expect("a text file")).expect("JSON")
    }

    /// Triages with a shell script beside the reference.
    fn triage(&self, program: &str, arguments: &[&str]) -> CommandOutput {
        self.write("program.sh", program);
        self.run(&[&["triage"], &SUBJECTS[..], arguments].concat())
    }
}

impl CommandOutput {
    /// Asserts the exit code, and these words on standard output.
    #[track_caller]
    fn prints(&self, code: i32, words: &[&str]) -> &CommandOutput {
        self.ends(code, &[]);
        for word in words {
            assert!(self.out.contains(word), "expected {word:?} in {}{}", self.out, self.err);
        }
        self
    }
}

fn member<'a>(json: &'a Json, path: &[&str]) -> &'a Json {
    let found = path.iter().try_fold(json, |json, name| match json {
        Json::Array(items) => items.get(name.parse::<usize>().ok()?),
        json => json.member(name),
    });
    found.unwrap_or_else(|| panic!("no {path:?} in {}", json.to_compact()))
}

fn text<'a>(json: &'a Json, path: &[&str]) -> &'a str {
    member(json, path).expect_string().expect("a string")
}

fn count(json: &Json, path: &[&str]) -> u64 {
    member(json, path).expect_u64().expect("a number")
}

/// A case with an attribute of a type and a value for it.
fn case(ty: &str, value: &str) -> String {
    format!(
        r#"{{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new", "schema": {{"block": {{"attributes":
        {{"a": {{"type": "{ty}", "optional": true}}, "b": {{"type": "string", "optional": true}}}}}}}},
        "prior": null, "config": {{"a": {value}, "b": null}}}}"#
    )
}

/// A planner that refuses every proposal.
const REFUSES: &str = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; printf '{"id":"%s","error":"no"}\n' "${id%%\"*}"; done
"#;

/// A planner that refuses every other proposal that it gets.
const SOMETIMES: &str = r#"IFS= read -r hello; echo '{"hello":1,"name":"moody","ops":["proposed_new"]}'
n=$(cat n 2>/dev/null || echo 0)
while IFS= read -r line; do id=${line#*\"id\":\"}; n=$((n+1)); echo $n > n
if [ $((n % 2)) = 0 ]; then printf '{"id":"%s","error":"no"}\n' "${id%%\"*}"
else printf '{"id":"%s","ok":{"value":{"a":1,"b":null}}}\n' "${id%%\"*}"; fi; done
"#;

const BUCKET: &str = "proposed_new diverge:refused_by_one root reference/refuser";

#[test]
fn findings_of_a_night_are_summed_up_in_a_table() {
    let place = Place::new();
    place.write("night/crash-1", case("number", "1")).write("night/deep/timeout-2", case("string", "\"text\""));
    place.write("night/3.json", case("bool", "true")).write("night/notes.txt", "no case");
    let ended = place.triage(REFUSES, &["night", "--output", "triage.json"]);
    ended.prints(1, &[BUCKET, "new", "planfuzz probe triaged/proposed_new-", "3 files: 3 reproduce; 1 bucket, 1 new"]);
    let table = place.json("triage.json");
    let bucket = member(&table, &["buckets", "0"]);
    assert_eq!((count(bucket, &["number"]), count(bucket, &["count"])), (1, 3));
    assert_eq!(text(bucket, &["signature"]), BUCKET);
    assert_eq!(*member(bucket, &["known"]), Json::Null);
    let small = place.json(text(bucket, &["case"]));
    assert_eq!(text(&small, &["finding", "signature"]), BUCKET);
    assert!(small.to_compact().len() < case("number", "1").len() + 400, "{}", small.to_pretty());
    let shown = text(bucket, &["command"]).replace("planfuzz ", "").replace('\'', "");
    assert!(shown.starts_with("probe triaged/") && shown.ends_with("--subject exec:sh program.sh"), "{shown}");
    // The document on standard output is the one in the file.
    let again = place.triage(REFUSES, &["night", "--json"]);
    again.ends(1, &[]);
    assert_eq!(Json::parse(&again.out).expect("one document"), table);
}

#[test]
fn known_findings_are_counted_with_their_reasons() {
    let place = Place::new();
    place.write("crash-1", case("number", "1"));
    place.write("allow.jsonl", format!("{{\"signature\": \"{BUCKET}\", \"reason\": \"mended in 2.0\"}}\n"));
    place.triage(REFUSES, &["crash-1", "--allow", "allow.jsonl"]).prints(0, &["known", "mended in 2.0", "0 new"]);
    assert!(!place.path("triaged").exists(), "what is known is not made small");
    // A regression case that fails in the same way makes the finding known; one that holds does not.
    place.write("corpus/regressions/kept.json", case("string", "null"));
    place.triage(REFUSES, &["crash-1"]).prints(0, &["known", "corpus/regressions/kept.json shows it too"]);
    let none = ["crash-1", "--regressions", "elsewhere"];
    place.triage(REFUSES, &none).prints(1, &["1 new"]);
}

#[test]
fn findings_that_do_not_reproduce_are_set_apart() {
    let place = Place::new();
    place.write("gone.json", case("number", "1"));
    place
        .run(&["triage", "gone.json"])
        .prints(0, &["gone gone.json: nothing is found in 3 replays", "1 gone; 0 buckets"]);
    let bucket = BUCKET.replace("refuser", "optimized");
    let with_finding =
        case("number", "1").replacen("\"op\"", &format!("\"finding\": {{\"signature\": \"{bucket}\"}}, \"op\""), 1);
    place.write("recorded.json", &with_finding);
    place.run(&["triage", "recorded.json"]).prints(0, &[&format!("gone recorded.json: recorded {bucket}")]);
    let ended = place.triage(SOMETIMES, &["gone.json", "--jobs", "1", "--output", "t.json"]);
    // It may be a race: no reason to land.
    ended.prints(
        1,
        &["flaky gone.json: ", "proposed_new diverge:refused_by_one root reference/moody (", "of 3)", "1 flaky"],
    );
    let flaky = place.json("t.json");
    assert_eq!(count(&flaky, &["flaky", "0", "replays"]), 3);
    assert!(!place.path("triaged").exists());
}

#[test]
fn a_file_with_another_finding_than_its_recorded_one_is_reported_and_counted() {
    let place = Place::new();
    let with_finding = case("number", "1").replacen("\"op\"", "\"finding\": {\"signature\": \"old\"}, \"op\"", 1);
    place.write("old.json", &with_finding);
    place.triage(REFUSES, &["old.json"]).prints(1, &["otherwise old.json: recorded old", BUCKET, "1 reproduce"]);
}

#[test]
fn a_file_that_is_no_case_hides_no_other() {
    let place = Place::new();
    place.write("night/crash-1", "{").write("night/crash-2", case("number", "1"));
    let ended = place.triage(REFUSES, &["night"]);
    ended.prints(2, &["unreadable night/crash-1", BUCKET, "2 files: 1 reproduce, 1 unreadable"]);
    ended.ends(2, &["1 of 2 files are no cases"]);
    place.run(&["triage", "triaged/none"]).ends(2, &[]);
    fs::create_dir(place.path("empty")).expect("a folder");
    place.run(&["triage", "empty"]).ends(2, &["expected cases, found none"]);
}

#[test]
fn a_case_that_runs_away_does_not_hold_up_the_others() {
    let place = Place::new();
    place.write("night/crash-1", case("number", "1")).write("night/crash-2", case("string", "\"x\""));
    let hangs_on_numbers = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; case "$line" in *number*) sleep 30;; esac
printf '{"id":"%s","error":"no"}\n' "${id%%\"*}"; done
"#;
    let begin = Instant::now();
    let arguments = ["night", "--file-time", "3s", "--answer-time", "60s", "--jobs", "1"];
    let ended = place.triage(hangs_on_numbers, &arguments);
    ended.prints(1, &["ran over night/crash-1", BUCKET, "2 files: 1 reproduce, 1 ran over"]);
    assert!(begin.elapsed() < Duration::from_secs(28), "{:?}", begin.elapsed());
}

#[test]
fn a_bucket_becomes_a_regression_case() {
    let place = Place::new();
    place.write("crash-1", case("number", "1"));
    place.triage(REFUSES, &["crash-1", "--output", "triage.json"]).ends(1, &[]);
    let kept = "corpus/regressions/proposed-new-diverge-refused-by-one-root.json";
    let promote = ["promote", "triage.json", "--bucket", "1", "--purpose", "M01: every proposal is refused"];
    let ended = place.run(&promote);
    ended.prints(0, &[kept]).ends(0, &["it holds with reference and optimized"]);
    assert_eq!(text(&place.json(kept), &["purpose"]), "M01: every proposal is refused");
    assert!(place.json(kept).member("finding").is_none());
    let again = ["promote", "triage.json", "--bucket", BUCKET, "--purpose", "again"];
    place.run(&again).ends(2, &["not kept yet", kept]);
    let missing = ["promote", "triage.json", "--bucket", "7", "--purpose", "p"];
    place.run(&missing).ends(2, &["expected bucket \"7\""]);
    let none = ["promote", "crash-1", "--bucket", "1", "--purpose", "p"];
    place.run(&none).ends(2, &["the document of a triage"]);
    // From now on it is known.
    place.triage(REFUSES, &["crash-1"]).prints(0, &[kept, "0 new"]);
}

/// A case from a user's own files: an attribute is sensitive.
fn secret() -> String {
    case("string", "\"hunter2hunter2\"").replacen("\"optional\": true", "\"optional\": true, \"sensitive\": true", 1)
}

#[test]
fn sensitive_values_have_stand_ins_in_everything_that_is_written_and_shown() {
    let place = Place::new();
    place.write("secret.json", secret());
    // It refuses every value in the sensitive attribute, so that the value is part of what is kept.
    let refuses_strings = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; case "$line" in *'"config":{"a":"'*) printf '{"id":"%s","error":"no"}\n' "${id%%\"*}";;
*) printf '{"id":"%s","ok":{"value":null}}\n' "${id%%\"*}";; esac; done
"#;
    let ended = place.triage(refuses_strings, &["secret.json", "--output", "triage.json", "--json"]);
    ended.prints(1, &[BUCKET]);
    let run = |arguments: &[&str]| place.run(&[arguments, &SUBJECTS[..]].concat());
    let shrunk = run(&["shrink", "secret.json", "--output", "small.json"]);
    shrunk.ends(1, &["sensitive values have placeholders"]);
    let probed = run(&["probe", "secret.json"]);
    assert!(probed.err.contains("sensitive values have placeholders"), "{}", probed.err);
    let replayed = run(&["replay", "secret.json"]);
    replayed.prints(1, &["failed secret.json: reference/refuser"]);
    let recorded = place.run(&["record", "secret.json", "--subject", "reference"]);
    recorded.prints(0, &["\"want\""]);
    let promoted = place.run(&["promote", "secret.json", "--purpose", "M01: a secret is kept"]);
    promoted.prints(0, &["corpus/regressions/m01-a-secret-is-kept.json"]);
    let table = place.json("triage.json");
    let small = text(&table, &["buckets", "0", "case"]);
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("a text file");
    let written = [small, "triage.json", "small.json", "corpus/regressions/m01-a-secret-is-kept.json"].map(read);
    for CommandOutput { out, err, .. } in [&ended, &shrunk, &probed, &promoted, &replayed, &recorded] {
        assert!(!out.contains("hunter") && !err.contains("hunter"), "{out}{err}");
    }
    written.iter().for_each(|file| assert!(!file.contains("hunter"), "{file}"));
    let shown = run(&["probe", "secret.json", "--show-sensitive"]);
    assert!(shown.out.contains("hunter2hunter2"), "{}", shown.out);
    // A written case is read as it is: its placeholders stay.
    assert!(!run(&["probe", "corpus/regressions/m01-a-secret-is-kept.json"]).err.contains("placeholders"));
}

#[test]
fn findings_that_need_their_secrets_are_reported_and_not_written() {
    let place = Place::new();
    place.write("secret.json", secret());
    let refuses_one = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; v=${line#*\"config\":}; case "$line" in *hunter2*) printf '{"id":"%s","error":"no"}\n' "${id%%\"*}";;
*) printf '{"id":"%s","ok":{"value":%s}\n' "${id%%\"*}" "$v";; esac; done
"#;
    let ended = place.triage(refuses_one, &["secret.json"]);
    ended.prints(1, &["redacted secret.json: ", BUCKET, "only with its sensitive values", "1 redacted"]);
    assert!(!place.path("triaged").exists());
    let shrunk = place.run(&[&["shrink", "secret.json", "--output", "small.json"], &SUBJECTS[..]].concat());
    shrunk.ends(1, &["shows only with the sensitive values"]);
    assert!(!place.path("small.json").exists());
    let replayed = place.run(&[&["replay", "secret.json"], &SUBJECTS[..]].concat());
    replayed.prints(1, &["only with the sensitive values"]);
    let arguments = ["secret.json", "--show-sensitive"];
    place.triage(refuses_one, &arguments).prints(1, &[BUCKET, "1 reproduce"]);
    // A generated case has no secrets.
    let finding = format!("\"finding\": {{\"signature\": \"{BUCKET}\", \"origin\": \"seed 7, case 3\"}}, \"op\"");
    let made_up = secret().replacen("\"op\"", &finding, 1);
    place.write("secret.json", &made_up);
    place.triage(refuses_one, &["secret.json"]).prints(1, &[BUCKET, "1 reproduce"]);
}

#[test]
fn an_artifact_in_the_compact_form_is_a_case() {
    let place = Place::new();
    let document = Json::parse(&case("number", "1")).expect("JSON");
    let compact = wire::write(&CaseFile::from_json(&document).expect("a case").case);
    assert!(wire::is_compact(&compact));
    place.write("night/crash-1", &compact);
    // A compact input of another build is no input.
    let mut other = compact;
    other[1] ^= 0xff;
    place.write("night/crash-2", other);
    let ended = place.triage(REFUSES, &["night", "--output", "triage.json"]);
    ended.prints(2, &[BUCKET, "unreadable night/crash-2", "2 files: 1 reproduce, 1 unreadable; 1 bucket, 1 new"]);
    let small = text(&place.json("triage.json"), &["buckets", "0", "case"]).to_owned();
    assert_eq!(text(&place.json(&small), &["op"]), "proposed_new");
}

#[test]
fn documents_for_readers_are_replayed_and_are_no_cases() {
    let place = Place::new();
    let finding = r#""finding": {"signature": "codecs law:once json", "what": "in words"}"#;
    place.write("night/crash-1", "\u{10}[1]").write("night/2.json", r#"{"format": 1, "codec": "json", "text": "[1]"}"#);
    place.write("night/3.json", format!(r#"{{"format": 1, "codec": "state_file", "text": "{{", {finding}}}"#));
    place.write("night/4.json", case("number", "null"));
    let ended = place.run(&["triage", "night", "--output", "triage.json"]);
    ended.prints(
        0,
        &["gone night/3.json: recorded codecs law:once json", "4 files: 0 reproduce, 4 gone; 0 buckets, 0 new"],
    );
    assert_eq!(count(&place.json("triage.json"), &["counts", "gone"]), 4);
}

#[cfg(unix)]
#[test]
fn cases_that_ran_out_of_memory_are_replayed_within_bounds() {
    let place = Place::new();
    place.write("night/oom-1", case("number", "1")).write("night/crash-2", case("string", "\"x\""));
    // It takes far more memory than its size: a number is many times its two bytes.
    let large = case("number", "1").replacen("\"number\"", "[\"list\", \"number\"]", 1);
    place.write("night/oom-3", large.replacen("\"a\": 1,", &format!("\"a\": [1{}],", ",1".repeat(8 << 20)), 1));
    let ended = place.triage(REFUSES, &["night", "--file-memory", "600", "--output", "triage.json"]);
    ended.prints(1, &["over memory night/oom-3", BUCKET, "3 files: 2 reproduce, 1 over memory; 1 bucket, 1 new"]);
    assert_eq!(text(&place.json("triage.json"), &["over_memory", "0", "file"]), "night/oom-3");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_triage_with_what_was_done() {
    use std::process::Stdio;

    let signal = crate::signals::Signal { name: "INT", number: 2 };
    if signal.is_ignored() {
        return;
    }
    let place = Place::new();
    (0..200).for_each(|number| {
        place.write(&format!("night/crash-{number}"), case("number", &number.to_string()));
    });
    let slow = REFUSES.replace("id=${line", "sleep 0.05; echo x >> asked; id=${line");
    place.write("program.sh", &slow);
    let mut command = place.command(&["triage", "night", "--jobs", "1", "--output", "triage.json"]);
    std::os::unix::process::CommandExt::process_group(command.args(SUBJECTS), 0);
    let triage = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begin = Instant::now();
    while fs::read(place.path("asked")).map_or(0, |asked| asked.len()) < 20 {
        assert!(begin.elapsed() < Duration::from_secs(30), "nothing is asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let begin = Instant::now();
    signal.send(-i64::from(triage.id()));
    let ended = CommandOutput::of(&triage.wait_with_output().expect("it ends"));
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    ended.prints(2, &["not begun night/crash-", "200 files: ", " not begun; "]).ends(2, &["nothing was compared"]);
    let table = place.json("triage.json");
    assert_eq!(count(&table, &["counts", "not_begun"]), 200, "none was replayed so often");
    assert_eq!(member(&table, &["flaky"]), &Json::Array(Vec::new()));
}
