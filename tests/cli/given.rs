//! Every command that takes cases accepts files, folders, JSON Lines, compressed or not, lines of these, and standard input; and reports in
//! one way that something is no case.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::command::{CommandOutput, Place};
use flate2::Compression;
use flate2::write::GzEncoder;

const CASE: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new", "schema": {"block": {"attributes": {"a": {"type": "number", "optional": true}}}}, "prior": null, "config": {"a": 1}}"#;

const VECTOR: &str = r#"{"id": "v1", "op": "roundtrip", "type": "number", "value": 1, "want": {"value": 1}}"#;

/// A folder that has the same case in every form.
fn place() -> Place {
    let place = Place::new();
    let lines = format!("{CASE}\n\n{CASE}\r\n");
    place.write("one.json", CASE).write("pretty.json", CASE.replace(", ", ",\n")).write("one.json.gz", packed(CASE));
    place.write("lines.jsonl", &lines).write("lines.jsonl.gz", packed(&lines));
    place.write("lines-of-another-name.json", &lines);
    place.write("folder/a/one.json", CASE).write("folder/two.json", CASE);
    place.write("only-lines/lines.jsonl.gz", packed(&lines));
    place
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).expect("in memory");
    packed.finish().expect("in memory")
}

impl Place {
    /// Runs the command with standard input.
    fn run_with(&self, arguments: &[&str], input: &[u8]) -> CommandOutput {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut started = command.spawn().expect("it starts");
        let mut pipe = started.stdin.take().expect("piped");
        // A command that refuses its arguments reads nothing.
        pipe.write_all(input).ok();
        drop(pipe);
        let ended = CommandOutput::of(&started.wait_with_output().expect("it ends"));
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        ended
    }
}

/// The arguments and the input, and how many cases that is.
const FORMS: [(&str, usize); 11] = [
    ("one.json", 1),
    ("pretty.json", 1),
    ("one.json.gz", 1),
    ("lines.jsonl", 2),
    ("lines.jsonl.gz", 2),
    ("lines-of-another-name.json", 2),
    ("lines.jsonl:3", 1),
    ("lines.jsonl.gz:1", 1),
    ("folder", 2),
    ("only-lines", 2),
    ("-", 2),
];

fn input_of(form: &str) -> Vec<u8> {
    if form == "-" { packed(&format!("{CASE}\n{CASE}\n")) } else { Vec::new() }
}

#[test]
fn replay_takes_cases_in_every_form() {
    let place = place();
    for (form, count) in FORMS {
        let ended = place.run_with(&["replay", form], &input_of(form));
        let last = ended.out.lines().last().unwrap_or_default();
        assert_eq!((ended.code, last), (0, format!("{count} held, 0 did not").as_str()), "{form}: {}", ended.err);
    }
}

#[test]
fn other_commands_take_them_too() {
    let place = place();
    for (form, count) in FORMS {
        let input = input_of(form);
        let probe = place.run_with(&["probe", form, "--json", "--op", "proposed_new"], &input);
        assert_eq!((probe.code, probe.out.lines().count()), (0, count), "probe {form}: {}", probe.err);
        let shrink = place.run_with(&["shrink", form], &input);
        assert_eq!(shrink.code, 0, "shrink {form}: {}", shrink.err);
        assert_eq!(shrink.err.matches("nothing is found in this case").count(), count, "shrink {form}: {}", shrink.err);
        let triage = place.run_with(&["triage", form, "--jobs", "1"], &input);
        let last = triage.out.lines().last().unwrap_or_default().to_owned();
        assert!(last.contains(&format!("{count} gone")), "triage {form}: {last} {}", triage.err);
        let record = place.run_with(&["record", form, "--subject", "reference", "--jobs", "1"], &input);
        assert_eq!((record.code, record.out.lines().count()), (0, 1), "record {form}: {}", record.err);
    }
}

#[test]
fn promote_takes_one_case() {
    let place = place();
    let promote = |form: &str, into: &str| {
        place.run_with(&["promote", form, "--purpose", "what holds", "--into", into], &input_of(form))
    };
    for (number, form) in ["one.json", "pretty.json", "one.json.gz", "lines.jsonl:3"].into_iter().enumerate() {
        let ended = promote(form, &format!("kept-{number}"));
        assert_eq!(ended.code, 0, "{form}: {}", ended.err);
    }
    for form in ["lines.jsonl", "folder", "-"] {
        let ended = promote(form, "kept");
        assert_eq!(ended.code, 2, "{form}: {}", ended.err);
        assert!(ended.err.contains("expected one case, found several"), "{form}: {}", ended.err);
    }
    assert!(!place.path("kept").exists());
}

#[test]
fn shrink_writes_several_as_lines_or_files() {
    let place = place();
    place.write("wrong.sh", WRONG);
    let subjects = ["--subject", "reference", "--subject", "exec:sh wrong.sh"];
    let shrink = |output: &[&str]| {
        let ended = place.run(&[&["shrink", "lines.jsonl", "folder/two.json"], &subjects[..], output].concat());
        if cfg!(unix) {
            ended.ends(1, &[]);
        }
        ended.out
    };
    if cfg!(not(unix)) {
        println!("skipped: the program is of shell");
        return;
    }
    assert_eq!(shrink(&[]).lines().count(), 3);
    shrink(&["--output", "small.jsonl.gz"]);
    let again = place.run(&["replay", "small.jsonl.gz"]);
    again.ends(1, &[]);
    assert_eq!(again.out.lines().last(), Some("0 held, 3 did not"), "{}", again.err);
    shrink(&["--output", "small"]);
    assert_eq!(fs::read_dir(place.path("small")).expect("a folder").count(), 1, "the same case is one file");
}

/// A planner that answers null to everything.
const WRONG: &str = r#"IFS= read -r hello
echo '{"hello":1,"name":"wrong","ops":["proposed_new"]}'
while IFS= read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  printf '{"id":"%s","ok":{"value":null}}\n' "$id"
done
"#;

#[test]
fn conform_takes_vectors_in_every_form() {
    let place = Place::new();
    place.write("v.jsonl", VECTOR).write("v.jsonl.gz", packed(VECTOR)).write("folder/v.jsonl", VECTOR);
    place.write("folder/v.md", format!("text\n```jsonl\n{VECTOR}\n```\n{{}}\n"));
    for (form, count) in [("v.jsonl", 1), ("v.jsonl.gz", 1), ("v.jsonl:1", 1), ("folder", 2), ("-", 1)] {
        let ended = place.run_with(&["conform", form, "--subject", "shared"], VECTOR.as_bytes());
        let last = ended.out.lines().last().unwrap_or_default();
        let want = format!("{count} passed, 0 failed, 0 skipped");
        assert_eq!((ended.code, last), (0, want.as_str()), "{form}: {}", ended.err);
    }
}

#[test]
fn a_line_that_is_no_case_is_reported_by_its_place_and_hides_no_other() {
    let place = place();
    let text = format!("{CASE}\n{{\"format\": 1}}\n{}\n{CASE}\n", CASE.replace("\"config\"", "\"konfig\""));
    let ended = place.run_with(&["replay", "-"], text.as_bytes());
    ended.ends(2, &["standard input:2: expected the member", "standard input:3: expected the member \"config\""]);
    ended.ends(2, &["2 of 4 documents are no cases"]);
    assert!(ended.out.contains("2 held, 0 did not"), "{}", ended.out);
    for (input, words) in [(&b""[..], "standard input: "), (b"{", "standard input: "), (b"\xFF\xFE{\0", "found UTF-16")]
    {
        let ended = place.run_with(&["replay", "-"], input);
        assert_eq!(ended.code, 2, "{input:?}: {}", ended.err);
        assert!(ended.err.contains(words), "{input:?}: {}", ended.err);
    }
    place.run(&["replay", "lines.jsonl:9"]).ends(2, &[]);
    fs::create_dir(place.path("empty")).expect("a folder");
    place.run(&["replay", "empty"]).ends(2, &["expected cases, found none"]);
}

/// JSON Lines beside files of one case each may be a corpus of something else: they are not read, and a message says so.
#[test]
fn lines_in_a_folder_of_cases_are_reported_as_not_read() {
    let place = place();
    fs::copy(place.path("lines.jsonl"), place.path("folder/lines.jsonl")).expect("a copy");
    let ended = place.run(&["replay", "folder"]);
    ended.ends(0, &["folder: 1 file of JSON Lines not read"]);
    assert!(ended.out.contains("2 held, 0 did not"), "{}", ended.out);
}

/// A line of any length is refused within its bound, and the next one is read.
#[test]
fn memory_is_bounded_by_one_document() {
    let place = place();
    let mut packed =
        GzEncoder::new(fs::File::create(place.path("long.jsonl.gz")).expect("a file"), Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    packed.write_all(b"{").expect("written");
    for _ in 0..65 {
        packed.write_all(&blanks).expect("written");
    }
    packed.write_all(format!("\n{CASE}\n").as_bytes()).expect("written");
    packed.finish().expect("written");
    let ended = place.run(&["replay", "long.jsonl.gz"]);
    ended.ends(2, &["long.jsonl.gz:1: expected at most 64 MiB, found more"]);
    assert!(ended.out.contains("1 held, 0 did not"), "{}", ended.out);
}

#[test]
fn nothing_asked_for_is_no_result() {
    let place = place();
    for arguments in [&["record", "--subject", "reference", "--cases", "0"][..], &["features", "--cases", "0"]] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains("no case was asked for"), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn operations_that_are_only_recorded_are_not_generated() {
    let place = place();
    for (op, from) in [("plan_instance", "scenario"), ("workspace_run", "workspace")] {
        for command in ["gen", "features", "run"] {
            let expected = format!("cases of {op} are not generated but recorded from those of --op {from}");
            place.run(&[command, "--op", op]).ends(2, &[&expected]);
        }
    }
}

#[test]
fn subjects_that_are_not_compared_are_no_result() {
    let place = place();
    let run = |op: &str, other: &str| {
        place.run(&["run", "--op", op, "--cases", "20", "--seed", "1", "--subject", "reference", "--subject", other])
    };
    run("workspace", "naive").ends(2, &["expected an operation that naive offers, found workspace", "it offers"]);
    // What both answer comes from one and the same code.
    run("convert", "optimized").ends(2, &["nothing was compared", "the code that all planners share"]);
    assert!(run("convert", "naive").ends(0, &[]).out.contains("no findings"));
    place.write("convert.json", &place.run(&["gen", "--op", "convert", "--cases", "1", "--seed", "1"]).out);
    let replay = |other: &str| place.run(&["replay", "convert.json", "--subject", "reference", "--subject", other]);
    let same = replay("optimized");
    same.ends(2, &["nothing was compared"]);
    let why = "not compared: optimized: its answers come from the code that all planners share";
    assert!(same.out.contains(why), "{}", same.out);
    replay("incremental").ends(2, &["nothing was compared"]);
    assert!(replay("naive").ends(0, &[]).out.contains("1 held"));
}

#[test]
fn gen_makes_only_cases_of_the_operations() {
    let ended = place().run(&["gen", "--op", "convert", "--op", "proposed_new", "--cases", "30", "--seed", "1"]);
    let lines: Vec<&str> = ended.ends(0, &[]).out.lines().collect();
    let is_wanted = |line: &&&str| line.contains(r#""op":"convert""#) || line.contains(r#""op":"merge""#);
    assert_eq!((lines.len(), lines.iter().filter(is_wanted).count()), (30, 30), "{}", ended.out);
}
