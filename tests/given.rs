//! Every command that takes cases takes them as files, folders, JSON Lines, compressed or not, lines of these, and on standard input; and says in
//! one way where something is no case.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

const CASE: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new", "schema": {"block": {"attributes": {"a": {"type": "number", "optional": true}}}}, "prior": null, "config": {"a": 1}}"#;

const VECTOR: &str = r#"{"id": "v1", "op": "roundtrip", "type": "number", "value": 1, "want": {"value": 1}}"#;

struct CommandOutput {
    code: Option<i32>,
    out: String,
    err: String,
}

/// A folder that has the same case in every form.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a folder");
    let lines = format!("{CASE}\n\n{CASE}\r\n");
    let put = |name: &str, bytes: &[u8]| {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    put("one.json", CASE.as_bytes());
    put("pretty.json", CASE.replace(", ", ",\n").as_bytes());
    put("one.json.gz", &packed(CASE));
    put("lines.jsonl", lines.as_bytes());
    put("lines.jsonl.gz", &packed(&lines));
    put("lines-of-another-name.json", lines.as_bytes());
    put("folder/a/one.json", CASE.as_bytes());
    put("folder/two.json", CASE.as_bytes());
    put("only-lines/lines.jsonl.gz", &packed(&lines));
    place
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).expect("in memory");
    packed.finish().expect("in memory")
}

fn run(place: &Path, arguments: &[&str], input: &[u8]) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_planfuzz"));
    command.current_dir(place).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut started = command.spawn().expect("it starts");
    let mut pipe = started.stdin.take().expect("piped");
    // One that refuses its arguments reads nothing.
    pipe.write_all(input).ok();
    drop(pipe);
    let output = started.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let ended = CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    ended
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
        let ended = run(place.path(), &["replay", form], &input_of(form));
        let last = ended.out.lines().last().unwrap_or_default();
        assert_eq!((ended.code, last), (Some(0), format!("{count} held, 0 did not").as_str()), "{form}: {}", ended.err);
    }
}

#[test]
fn other_commands_take_them_too() {
    let place = place();
    for (form, count) in FORMS {
        let input = input_of(form);
        let probe = run(place.path(), &["probe", form, "--json", "--op", "proposed_new"], &input);
        assert_eq!((probe.code, probe.out.lines().count()), (Some(0), count), "probe {form}: {}", probe.err);
        let shrink = run(place.path(), &["shrink", form], &input);
        assert_eq!(shrink.code, Some(0), "shrink {form}: {}", shrink.err);
        assert_eq!(shrink.err.matches("nothing is found in this case").count(), count, "shrink {form}: {}", shrink.err);
        let triage = run(place.path(), &["triage", form, "--jobs", "1"], &input);
        let last = triage.out.lines().last().unwrap_or_default().to_owned();
        assert!(last.contains(&format!("{count} gone")), "triage {form}: {last} {}", triage.err);
        let record = run(place.path(), &["record", form, "--subject", "reference", "--jobs", "1"], &input);
        assert_eq!((record.code, record.out.lines().count()), (Some(0), 1), "record {form}: {}", record.err);
    }
}

#[test]
fn promote_takes_one_case() {
    let place = place();
    let promote = |form: &str, into: &str| {
        run(place.path(), &["promote", form, "--purpose", "what holds", "--into", into], &input_of(form))
    };
    for (number, form) in ["one.json", "pretty.json", "one.json.gz", "lines.jsonl:3"].into_iter().enumerate() {
        let ended = promote(form, &format!("kept-{number}"));
        assert_eq!(ended.code, Some(0), "{form}: {}", ended.err);
    }
    for form in ["lines.jsonl", "folder", "-"] {
        let ended = promote(form, "kept");
        assert_eq!(ended.code, Some(2), "{form}: {}", ended.err);
        assert!(ended.err.contains("expected one case, found several"), "{form}: {}", ended.err);
    }
    assert!(!place.path().join("kept").exists());
}

#[test]
fn shrink_writes_several_as_lines_or_files() {
    let place = place();
    fs::write(place.path().join("wrong.sh"), WRONG).expect("a file");
    let subjects = ["--subject", "reference", "--subject", "exec:sh wrong.sh"];
    let shrink = |output: &[&str]| {
        let ended =
            run(place.path(), &[&["shrink", "lines.jsonl", "folder/two.json"], &subjects[..], output].concat(), b"");
        if cfg!(unix) {
            assert_eq!(ended.code, Some(1), "{}", ended.err);
        }
        ended.out
    };
    if cfg!(not(unix)) {
        println!("skipped: the program is of shell");
        return;
    }
    assert_eq!(shrink(&[]).lines().count(), 3);
    shrink(&["--output", "small.jsonl.gz"]);
    let again = run(place.path(), &["replay", "small.jsonl.gz"], b"");
    assert_eq!(again.out.lines().last(), Some("0 held, 3 did not"), "{}", again.err);
    shrink(&["--output", "small"]);
    assert_eq!(fs::read_dir(place.path().join("small")).expect("a folder").count(), 1, "the same case is one file");
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
    let place = tempfile::tempdir().expect("a folder");
    let put = |name: &str, bytes: &[u8]| {
        let path: PathBuf = place.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    put("v.jsonl", VECTOR.as_bytes());
    put("v.jsonl.gz", &packed(VECTOR));
    put("folder/v.jsonl", VECTOR.as_bytes());
    put("folder/v.md", format!("text\n```jsonl\n{VECTOR}\n```\n{{}}\n").as_bytes());
    for (form, count) in [("v.jsonl", 1), ("v.jsonl.gz", 1), ("v.jsonl:1", 1), ("folder", 2), ("-", 1)] {
        let ended = run(place.path(), &["conform", form, "--subject", "shared"], VECTOR.as_bytes());
        let last = ended.out.lines().last().unwrap_or_default();
        let want = format!("{count} passed, 0 failed, 0 skipped");
        assert_eq!((ended.code, last), (Some(0), want.as_str()), "{form}: {}", ended.err);
    }
}

#[test]
fn what_is_no_case_is_told_by_its_place_and_hides_no_other() {
    let place = place();
    let text = format!("{CASE}\n{{\"format\": 1}}\n{}\n{CASE}\n", CASE.replace("\"config\"", "\"konfig\""));
    let ended = run(place.path(), &["replay", "-"], text.as_bytes());
    assert_eq!(ended.code, Some(2));
    for words in [
        "standard input:2: expected the member",
        "standard input:3: expected the member \"config\"",
        "2 of 4 documents are no cases",
    ] {
        assert!(ended.err.contains(words), "expected {words:?} in {}", ended.err);
    }
    assert!(ended.out.contains("2 held, 0 did not"), "{}", ended.out);
    for (input, words) in [(&b""[..], "standard input: "), (b"{", "standard input: "), (b"\xFF\xFE{\0", "found UTF-16")]
    {
        let ended = run(place.path(), &["replay", "-"], input);
        assert_eq!(ended.code, Some(2), "{input:?}: {}", ended.err);
        assert!(ended.err.contains(words), "{input:?}: {}", ended.err);
    }
    let ended = run(place.path(), &["replay", "lines.jsonl:9"], b"");
    assert_eq!(ended.code, Some(2), "{}{}", ended.out, ended.err);
    fs::create_dir(place.path().join("empty")).expect("a folder");
    let ended = run(place.path(), &["replay", "empty"], b"");
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("expected cases, found none"), "{}", ended.err);
}

/// Lines beside files of one case each are a corpus of something else, perhaps: they are not read, and that is said.
#[test]
fn lines_in_a_folder_of_cases_are_said_not_to_be_read() {
    let place = place();
    fs::copy(place.path().join("lines.jsonl"), place.path().join("folder/lines.jsonl")).expect("a copy");
    let ended = run(place.path(), &["replay", "folder"], b"");
    assert!(ended.out.contains("2 held, 0 did not"), "{}", ended.out);
    assert!(ended.err.contains("folder: 1 file of JSON Lines not read"), "{}", ended.err);
}

/// A line of any length is refused within its bound, and the next one is read.
#[test]
fn memory_is_bounded_by_one_document() {
    let place = place();
    let mut packed =
        GzEncoder::new(fs::File::create(place.path().join("long.jsonl.gz")).expect("a file"), Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    packed.write_all(b"{").expect("written");
    for _ in 0..65 {
        packed.write_all(&blanks).expect("written");
    }
    packed.write_all(format!("\n{CASE}\n").as_bytes()).expect("written");
    packed.finish().expect("written");
    let ended = run(place.path(), &["replay", "long.jsonl.gz"], b"");
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("long.jsonl.gz:1: expected at most 64 MiB, found more"), "{}", ended.err);
    assert!(ended.out.contains("1 held, 0 did not"), "{}", ended.out);
}

#[test]
fn nothing_asked_for_is_no_result() {
    let place = place();
    for arguments in [&["record", "--subject", "reference", "--cases", "0"][..], &["features", "--cases", "0"]] {
        let ended = run(place.path(), arguments, b"");
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains("no case was asked for"), "{arguments:?}: {}", ended.err);
    }
}
