//! `triage` and `promote` from end to end: what a person sees of a night's findings.

#[cfg(unix)]
#[path = "common/signals.rs"]
mod signals;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use planfuzz::case::CaseFile;
use planfuzz::fuzz::wire;
use planfuzz_core::json::Json;
use tempfile::TempDir;

/// A folder that the command runs in.
struct Place(TempDir);

/// What a command came to.
struct CommandOutput {
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

    fn write(&self, name: &str, text: &str) -> &Place {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    fn json(&self, name: &str) -> Json {
        Json::parse(&fs::read_to_string(self.path(name)).expect("a text file")).expect("JSON")
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null());
        CommandOutput::of(&command.output().expect("it starts"))
    }

    /// Triages with a planner of a shell script beside the reference.
    fn triage(&self, program: &str, arguments: &[&str]) -> CommandOutput {
        self.write("program.sh", program);
        let subjects = ["--subject", "reference", "--subject", "exec:sh program.sh"];
        self.run(&[&["triage"], &subjects[..], arguments].concat())
    }
}

impl CommandOutput {
    fn of(output: &Output) -> CommandOutput {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it prints UTF-8");
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {}", output.status, text(&output.stderr)));
        CommandOutput { code, out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Asserts the exit code, and what is printed on standard output.
    fn ends(&self, code: i32, words: &[&str]) -> &CommandOutput {
        assert!(!self.err.contains("panicked"), "{}", self.err);
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for word in words {
            assert!(self.out.contains(word), "expected {word:?} in {}", self.out);
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
fn what_a_night_left_comes_down_to_a_table() {
    let place = Place::new();
    place.write("night/crash-1", &case("number", "1")).write("night/deep/timeout-2", &case("string", "\"text\""));
    place.write("night/3.json", &case("bool", "true")).write("night/notes.txt", "no case");
    let ended = place.triage(REFUSES, &["night", "--output", "triage.json"]);
    ended.ends(1, &[BUCKET, "new", "planfuzz probe triaged/proposed_new-", "3 files: 3 reproduce; 1 bucket, 1 new"]);
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
fn what_is_known_is_counted_with_its_reason() {
    let place = Place::new();
    place.write("crash-1", &case("number", "1"));
    place.write("allow.jsonl", &format!("{{\"signature\": \"{BUCKET}\", \"reason\": \"mended in 2.0\"}}\n"));
    place.triage(REFUSES, &["crash-1", "--allow", "allow.jsonl"]).ends(0, &["known", "mended in 2.0", "0 new"]);
    assert!(!place.path("triaged").exists(), "what is known is not made small");
    // A regression case that fails in the same way is known; one that holds says nothing.
    place.write("corpus/regressions/kept.json", &case("string", "null"));
    place.triage(REFUSES, &["crash-1"]).ends(0, &["known", "corpus/regressions/kept.json shows it too"]);
    let none = ["crash-1", "--regressions", "elsewhere"];
    place.triage(REFUSES, &none).ends(1, &["1 new"]);
}

#[test]
fn what_does_not_reproduce_is_set_apart() {
    let place = Place::new();
    place.write("gone.json", &case("number", "1"));
    place
        .run(&["triage", "gone.json"])
        .ends(0, &["gone gone.json: nothing is found in 3 replays", "1 gone; 0 buckets"]);
    let bucket = BUCKET.replace("refuser", "optimized");
    let said =
        case("number", "1").replacen("\"op\"", &format!("\"finding\": {{\"signature\": \"{bucket}\"}}, \"op\""), 1);
    place.write("said.json", &said);
    place.run(&["triage", "said.json"]).ends(0, &[&format!("gone said.json: said {bucket}")]);
    let ended = place.triage(SOMETIMES, &["gone.json", "--jobs", "1", "--output", "t.json"]);
    ended.ends(
        0,
        &["flaky gone.json: ", "proposed_new diverge:refused_by_one root reference/moody (", "of 3)", "1 flaky"],
    );
    let flaky = place.json("t.json");
    assert_eq!(count(&flaky, &["flaky", "0", "replays"]), 3);
    assert!(!place.path("triaged").exists());
}

#[test]
fn a_file_that_shows_something_else_than_it_says_is_told_and_counted() {
    let place = Place::new();
    let said = case("number", "1").replacen("\"op\"", "\"finding\": {\"signature\": \"old\"}, \"op\"", 1);
    place.write("old.json", &said);
    place.triage(REFUSES, &["old.json"]).ends(1, &["otherwise old.json: said old", BUCKET, "1 reproduce"]);
}

#[test]
fn what_is_no_case_hides_nothing() {
    let place = Place::new();
    place.write("night/crash-1", "{").write("night/crash-2", &case("number", "1"));
    let ended = place.triage(REFUSES, &["night"]);
    ended.ends(2, &["unreadable night/crash-1", BUCKET, "2 files: 1 reproduce, 1 unreadable"]);
    assert!(ended.err.contains("1 of 2 files are no cases"), "{}", ended.err);
    let nothing = place.run(&["triage", "triaged/none"]);
    assert_eq!(nothing.code, 2);
    fs::create_dir(place.path("empty")).expect("a folder");
    let nothing = place.run(&["triage", "empty"]);
    assert!(nothing.code == 2 && nothing.err.contains("expected cases, found none"), "{}", nothing.err);
}

#[test]
fn a_case_that_runs_away_does_not_hold_up_the_others() {
    let place = Place::new();
    place.write("night/crash-1", &case("number", "1")).write("night/crash-2", &case("string", "\"x\""));
    let hangs_on_numbers = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; case "$line" in *number*) sleep 30;; esac
printf '{"id":"%s","error":"no"}\n' "${id%%\"*}"; done
"#;
    let begin = Instant::now();
    let arguments = ["night", "--file-time", "3s", "--answer-time", "60s", "--jobs", "1"];
    let ended = place.triage(hangs_on_numbers, &arguments);
    ended.ends(1, &["ran over night/crash-1", BUCKET, "2 files: 1 reproduce, 1 ran over"]);
    assert!(begin.elapsed() < Duration::from_secs(28), "{:?}", begin.elapsed());
}

#[test]
fn a_bucket_becomes_a_regression_case() {
    let place = Place::new();
    place.write("crash-1", &case("number", "1"));
    place.triage(REFUSES, &["crash-1", "--output", "triage.json"]).ends(1, &[]);
    let kept = "corpus/regressions/proposed-new-diverge-refused-by-one-root.json";
    let promote = ["promote", "triage.json", "--bucket", "1", "--purpose", "M01: every proposal is refused"];
    let ended = place.run(&promote);
    ended.ends(0, &[kept]);
    assert!(ended.err.contains("it holds with reference and optimized"), "{}", ended.err);
    assert_eq!(text(&place.json(kept), &["purpose"]), "M01: every proposal is refused");
    assert!(place.json(kept).member("finding").is_none());
    let again = place.run(&["promote", "triage.json", "--bucket", BUCKET, "--purpose", "again"]);
    assert!(again.code == 2 && again.err.contains("not kept yet") && again.err.contains(kept), "{}", again.err);
    let missing = place.run(&["promote", "triage.json", "--bucket", "7", "--purpose", "p"]);
    assert!(missing.code == 2 && missing.err.contains("expected bucket \"7\""), "{}", missing.err);
    let none = place.run(&["promote", "crash-1", "--bucket", "1", "--purpose", "p"]);
    assert!(none.code == 2 && none.err.contains("the document of a triage"), "{}", none.err);
    // From now on it is known.
    place.triage(REFUSES, &["crash-1"]).ends(0, &[kept, "0 new"]);
}

/// A case of somebody's own files: an attribute is sensitive.
fn secret() -> String {
    case("string", "\"hunter2hunter2\"").replacen("\"optional\": true", "\"optional\": true, \"sensitive\": true", 1)
}

#[test]
fn what_is_sensitive_has_stand_ins_in_everything_that_is_written_and_shown() {
    let place = Place::new();
    place.write("secret.json", &secret());
    // It refuses whatever has a value in the sensitive attribute, so that the value is part of what is kept.
    let refuses_strings = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; case "$line" in *'"config":{"a":"'*) printf '{"id":"%s","error":"no"}\n' "${id%%\"*}";;
*) printf '{"id":"%s","ok":{"value":null}}\n' "${id%%\"*}";; esac; done
"#;
    let ended = place.triage(refuses_strings, &["secret.json", "--output", "triage.json", "--json"]);
    ended.ends(1, &[BUCKET]);
    let subjects = ["--subject", "reference", "--subject", "exec:sh program.sh"];
    let run = |arguments: &[&str]| place.run(&[arguments, &subjects[..]].concat());
    let shrunk = run(&["shrink", "secret.json", "--output", "small.json"]);
    assert!(shrunk.code == 1 && shrunk.err.contains("sensitive values have placeholders"), "{}", shrunk.err);
    let probed = run(&["probe", "secret.json"]);
    assert!(probed.err.contains("sensitive values have placeholders"), "{}", probed.err);
    let replayed = run(&["replay", "secret.json"]);
    assert!(replayed.code == 1 && replayed.out.contains("failed secret.json: reference/refuser"), "{}", replayed.out);
    let recorded = place.run(&["record", "secret.json", "--subject", "reference"]);
    assert!(recorded.code == 0 && recorded.out.contains("\"want\""), "{}{}", recorded.out, recorded.err);
    let promoted = place.run(&["promote", "secret.json", "--purpose", "M01: a secret is kept"]);
    promoted.ends(0, &["corpus/regressions/m01-a-secret-is-kept.json"]);
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
    // What is written once is read as it is: its placeholders stay.
    assert!(!run(&["probe", "corpus/regressions/m01-a-secret-is-kept.json"]).err.contains("placeholders"));
}

#[test]
fn what_shows_with_its_secrets_only_is_told_and_not_written() {
    let place = Place::new();
    place.write("secret.json", &secret());
    let refuses_one = r#"IFS= read -r hello; echo '{"hello":1,"name":"refuser","ops":["proposed_new"]}'
while IFS= read -r line; do id=${line#*\"id\":\"}; v=${line#*\"config\":}; case "$line" in *hunter2*) printf '{"id":"%s","error":"no"}\n' "${id%%\"*}";;
*) printf '{"id":"%s","ok":{"value":%s}\n' "${id%%\"*}" "$v";; esac; done
"#;
    let ended = place.triage(refuses_one, &["secret.json"]);
    ended.ends(1, &["redacted secret.json: ", BUCKET, "only with its sensitive values", "1 redacted"]);
    assert!(!place.path("triaged").exists());
    let subjects = ["--subject", "reference", "--subject", "exec:sh program.sh"];
    let shrunk = place.run(&[&["shrink", "secret.json", "--output", "small.json"], &subjects[..]].concat());
    assert!(shrunk.code == 1 && shrunk.err.contains("shows only with the sensitive values"), "{}", shrunk.err);
    assert!(!place.path("small.json").exists());
    let replayed = place.run(&[&["replay", "secret.json"], &subjects[..]].concat());
    assert!(replayed.code == 1 && replayed.out.contains("only with the sensitive values"), "{}", replayed.out);
    let arguments = ["secret.json", "--show-sensitive"];
    place.triage(refuses_one, &arguments).ends(1, &[BUCKET, "1 reproduce"]);
    // What was made up is not secret.
    let made_up = secret().replacen("\"op\"", "\"finding\": {\"origin\": \"seed 7, case 3\"}, \"op\"", 1);
    place.write("secret.json", &made_up);
    place.triage(refuses_one, &["secret.json"]).ends(1, &[BUCKET, "1 reproduce"]);
}

#[test]
fn an_artifact_in_the_compact_form_is_a_case() {
    let place = Place::new();
    let document = Json::parse(&case("number", "1")).expect("JSON");
    let compact = wire::write(&CaseFile::from_json(&document).expect("a case").case);
    assert!(wire::is_compact(&compact));
    fs::create_dir(place.path("night")).expect("a folder");
    fs::write(place.path("night/crash-1"), &compact).expect("a file");
    // One of another build is none any more.
    let mut other = compact;
    other[1] ^= 0xff;
    fs::write(place.path("night/crash-2"), other).expect("a file");
    let ended = place.triage(REFUSES, &["night", "--output", "triage.json"]);
    ended.ends(2, &[BUCKET, "unreadable night/crash-2", "2 files: 1 reproduce, 1 unreadable; 1 bucket, 1 new"]);
    let small = text(&place.json("triage.json"), &["buckets", "0", "case"]).to_owned();
    assert_eq!(text(&place.json(&small), &["op"]), "proposed_new");
}

#[test]
fn documents_for_readers_are_replayed_and_are_no_cases() {
    let place = Place::new();
    let said = r#""finding": {"signature": "codecs law:once json", "what": "in words"}"#;
    place.write("night/crash-1", "\u{10}[1]").write("night/2.json", r#"{"format": 1, "codec": "json", "text": "[1]"}"#);
    place.write("night/3.json", &format!(r#"{{"format": 1, "codec": "state_file", "text": "{{", {said}}}"#));
    place.write("night/4.json", &case("number", "null"));
    let ended = place.run(&["triage", "night", "--output", "triage.json"]);
    ended.ends(0, &["gone night/3.json: said codecs law:once json", "4 files: 0 reproduce, 4 gone; 0 buckets, 0 new"]);
    assert_eq!(count(&place.json("triage.json"), &["counts", "gone"]), 4);
}

#[cfg(unix)]
#[test]
fn what_ran_out_of_memory_is_replayed_within_bounds() {
    let place = Place::new();
    place.write("night/oom-1", &case("number", "1")).write("night/crash-2", &case("string", "\"x\""));
    // Far more than it says: a number is many times its two bytes.
    let large = case("number", "1").replacen("\"number\"", "[\"list\", \"number\"]", 1);
    place.write("night/oom-3", &large.replacen("\"a\": 1,", &format!("\"a\": [1{}],", ",1".repeat(8 << 20)), 1));
    let ended = place.triage(REFUSES, &["night", "--file-memory", "600", "--output", "triage.json"]);
    ended.ends(1, &["over memory night/oom-3", BUCKET, "3 files: 2 reproduce, 1 over memory; 1 bucket, 1 new"]);
    assert_eq!(text(&place.json("triage.json"), &["over_memory", "0", "file"]), "night/oom-3");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_triage_with_what_was_done() {
    let signal = signals::Signal { name: "INT", number: 2 };
    if signal.is_ignored() {
        return;
    }
    let place = Place::new();
    (0..200).for_each(|number| {
        place.write(&format!("night/crash-{number}"), &case("number", &number.to_string()));
    });
    let slow = REFUSES.replace("id=${line", "sleep 0.05; echo x >> asked; id=${line");
    place.write("program.sh", &slow);
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    let subjects = ["--subject", "reference", "--subject", "exec:sh program.sh"];
    command.current_dir(&place.0).args(["triage", "night", "--jobs", "1", "--output", "triage.json"]).args(subjects);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let triage = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begin = Instant::now();
    while fs::read(place.path("asked")).map_or(0, |asked| asked.len()) < 20 {
        assert!(begin.elapsed() < Duration::from_secs(30), "nothing is asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let begin = Instant::now();
    signal.send(-i64::from(triage.id()));
    let ended = CommandOutput::of(&triage.wait_with_output().expect("it ends"));
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    ended.ends(2, &["not begun night/crash-", "200 files: ", " not begun; "]);
    assert!(ended.err.contains("nothing was compared"), "{}", ended.err);
    let table = place.json("triage.json");
    assert_eq!(count(&table, &["counts", "not_begun"]), 200, "none was replayed so often");
    assert_eq!(member(&table, &["flaky"]), &Json::Array(Vec::new()));
}
