//! `planfuzz review`: the findings of a run are decided group by group, and every file stays whole whatever is decided.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::Place;
use crate::python;
use planfuzz_core::json::Json;

/// A planner that answers null to everything.
const WRONG: &str = r#"IFS= read -r hello
echo '{"hello":1,"name":"wrong","ops":["proposed_new"]}'
while IFS= read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  printf '{"id":"%s","ok":{"value":null}}\n' "$id"
done
"#;

const SUBJECTS: [&str; 4] = ["--subject", "reference", "--subject", "exec:sh wrong.sh"];

/// A folder with the findings of a run.
fn place() -> Place {
    let place = Place::new();
    place.write("wrong.sh", WRONG);
    let run = ["run", "--op", "proposed_new", "--dialect", "terraform-1.11", "--preset", "small", "--seed", "7"];
    let run = [&run[..], &["--cases", "400", "--jobs", "1"], &SUBJECTS].concat();
    place.run(&run).ends(1, &[]);
    place
}

impl Place {
    /// The groups as `--json` has them.
    fn groups(&self) -> Vec<Json> {
        let ended = self.run(&["review", "--json"]);
        let json =
            Json::parse(ended.out.trim()).unwrap_or_else(|problem| panic!("{problem}: {}{}", ended.out, ended.err));
        json.member("groups").expect("groups").expect_array().expect("an array").to_vec()
    }

    fn paths(&self, folder: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        below(&self.path(folder), &mut files);
        files.sort();
        files
    }
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() { below(&path, files) } else { files.push(path) }
    }
}

fn text<'a>(json: &'a Json, member: &str) -> &'a str {
    json.member(member).and_then(|json| json.expect_string().ok()).unwrap_or_else(|| panic!("no {member} in {json:?}"))
}

fn signatures(group: &Json) -> Vec<String> {
    let all = group.member("signatures").expect("signatures").expect_array().expect("an array");
    all.iter().map(|one| one.expect_string().expect("text").to_owned()).collect()
}

#[test]
fn groups_are_listed_and_nothing_is_decided_unasked() {
    let place = place();
    let before = place.paths(".");
    let ended = place.run(&["review"]);
    ended.ends(1, &[]);
    let groups = place.groups();
    assert!(!groups.is_empty());
    assert!(ended.out.contains(&format!("0 decided, {} open", groups.len())), "{}", ended.out);
    for group in &groups {
        assert_eq!(text(group, "standing"), "open");
        assert!(place.path(text(group, "case")).is_file());
        assert!(ended.out.contains(text(group, "group")) && ended.out.contains(text(group, "what")), "{}", ended.out);
    }
    for path in place.paths("findings") {
        let json = Json::parse(&fs::read_to_string(&path).expect("a file")).expect("a document");
        let finding = json.member("finding").expect("a finding");
        let Some(Json::Object(answers)) = finding.member("answers") else { panic!("{}: no answers", path.display()) };
        assert!(!text(finding, "signature").contains(" diverge:") || answers.len() == 2, "{}", path.display());
    }
    assert_eq!(place.paths("."), before);
}

#[test]
fn accepted_findings_are_allowed_everywhere() {
    let place = place();
    place.write("known.jsonl", "{\"signature\": \"s\", \"reason\": \"an older one\"}");
    let all: Vec<String> = place.groups().iter().flat_map(signatures).collect();
    let names: Vec<String> = place.groups().iter().map(|group| text(group, "group").to_owned()).collect();
    let accept: Vec<&str> = names.iter().flat_map(|name| ["--accept", name]).collect();
    let ended = place.run(&[&["review", "findings"], &accept[..]].concat());
    assert_eq!(ended.code, 2, "a reason is expected: {}", ended.err);
    place.run(&[&["review", "findings", "--reason", "mended in 2.0"], &accept[..]].concat()).ends(0, &[]);
    let known = fs::read_to_string(place.path("known.jsonl")).expect("a file");
    assert_eq!(known.lines().count(), 1 + all.len(), "{known}");
    assert!(all.iter().all(|signature| known.contains(signature.as_str())), "{known}");
    place.run(&["replay", "findings", "--allow", "known.jsonl"]).ends(0, &[]);
    assert!(place.groups().iter().all(|group| text(group, "standing") == "allowed"));
    place.run(&[&["review", "--reason", "again"], &accept[..]].concat()).ends(0, &[]);
    assert_eq!(fs::read_to_string(place.path("known.jsonl")).expect("a file"), known, "nothing is there twice");
}

#[test]
fn kept_cases_are_moved_to_the_regressions_and_not_asked_again() {
    let place = place();
    let groups = place.groups();
    let (name, case) = (text(&groups[0], "group").to_owned(), text(&groups[0], "case").to_owned());
    let count = place.paths("findings").len();
    let keep = ["review", "--keep", "1", "--into", "regressions", "--purpose", "a value is no null"];
    place.run(&keep).ends(i32::from(groups.len() > 1), &[]);
    assert!(!place.path(&case).exists());
    let kept = place.paths("regressions");
    assert_eq!(kept.len(), 1);
    let json = Json::parse(&fs::read_to_string(&kept[0]).expect("a file")).expect("a document");
    assert_eq!(text(&json, "purpose"), "a value is no null");
    assert!(json.member("finding").is_none(), "answers of subjects are not kept");
    let left: Vec<_> = place.paths("findings").into_iter().filter(|path| !path.ends_with("KEPT")).collect();
    assert_eq!(left.len(), count - 1, "the others of the group are where they were");
    if let Some(group) = place.groups().iter().find(|group| text(group, "group") == name) {
        assert_eq!(text(group, "standing"), "kept");
    }
    let replay = place.run(&[&["replay", "regressions"], &SUBJECTS[..]].concat());
    assert_eq!(replay.code, 1, "it is still wrong: {}", replay.err);
}

#[test]
fn a_file_alone_is_a_group_as_triage_leaves_them() {
    let place = place();
    place.run(&["triage", "findings", "--budget", "100", "--jobs", "1"]).ends(1, &[]);
    let small = place.paths("triaged").len();
    let ended = place.run(&["review", "triaged", "--json"]);
    let json = Json::parse(ended.out.trim()).expect("a document");
    assert_eq!(json.member("groups").expect("groups").expect_array().expect("an array").len(), small);
    let ended = place.run(&["review", "triaged", "--keep", "1", "--purpose", "it holds", "--into", "kept"]);
    ended.ends(i32::from(small > 1), &[]);
    assert_eq!((place.paths("triaged").len(), place.paths("kept").len()), (small - 1, 1));
}

#[test]
fn impossible_decisions_are_reported_before_anything_is_done() {
    let place = place();
    let before = place.paths(".");
    let reason = ["--reason", "r", "--purpose", "p", "--into", "kept"];
    for (arguments, words) in [
        (&["--accept", "none"][..], "expected a group of findings, found \"none\""),
        (&["--accept", "0"], "expected a group of findings"),
        (&["--accept", "1", "--keep", "1"], "expected one decision"),
        (&["--keep", "1", "--accept", "99"], "expected a group of findings"),
    ] {
        let ended = place.run(&[&["review"], arguments, &reason].concat());
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
    }
    place.run(&["review", "nowhere"]).ends(2, &["expected a folder of findings, found none at nowhere"]);
    assert_eq!(place.paths("."), before);
    fs::create_dir(place.path("empty")).expect("a folder");
    place.run(&["review", "empty"]).ends(0, &[]);
    place.write("findings/broken.json", "{\"format\"");
    let ended = place.run(&["review"]);
    ended.ends(2, &["broken.json"]);
    assert!(ended.out.contains("open"), "one bad file does not hide the others: {}", ended.out);
}

/// On a terminal each group is shown and the user is asked about it; an interrupt during a question leaves every file as it
/// was.
#[test]
fn a_terminal_is_asked_and_an_interrupt_leaves_everything_whole() {
    let place = place();
    let Some(python) = python() else { return };
    place.write("terminal.py", TERMINAL);
    let drive = |keys: &str| {
        let mut command = Command::new(&python);
        command.current_dir(&place.0).args([
            "terminal.py",
            keys,
            env!("CARGO_BIN_EXE_planfuzz"),
            "review",
            "--into",
            "kept",
        ]);
        let output = command.stdin(Stdio::null()).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let before = place.paths(".");
    let first = text(&place.groups()[0], "group").to_owned();
    let out = drive("a|half a reason|\u{3}");
    assert!(out.contains("accept as allowed") && out.contains(&first), "{out}");
    assert!(out.contains("reference") && out.contains("wrong"), "both answers are shown: {out}");
    assert!(out.ends_with("ended by signal 2\n"), "{out}");
    assert_eq!(place.paths("."), before, "nothing was written");
    let out = drive("q");
    assert!(out.ends_with("ended with 1\n"), "{out}");
    assert_eq!(place.paths("."), before);
    drive("a|\r|a|mended in 2.0\r|q");
    assert_eq!(text(&place.groups()[0], "standing"), "allowed");
    assert!(fs::read_to_string(place.path("known.jsonl")).expect("a file").contains("mended in 2.0"));
}

/// Runs a command on a terminal of its own, and types when the command waits for a key or a line.
const TERMINAL: &str = r#"
import os, pty, select, signal, sys
steps = sys.argv[1].encode().split(b"|")
pid, terminal = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[2], sys.argv[2:])
out = b""
waiting = len(out)
while True:
    ready, _, _ = select.select([terminal], [], [], 60)
    if not ready:
        sys.exit("nothing more is printed: " + out.decode(errors="replace"))
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    out += part
    printed = out[waiting:]
    asks = printed.endswith(b"quit ") or printed.endswith(b"(nothing takes it back) ") or printed.endswith(b"half a reason")
    if asks and steps:
        waiting = len(out)
        os.write(terminal, steps.pop(0))
_, status = os.waitpid(pid, 0)
sys.stdout.write(out.decode(errors="replace"))
code = os.waitstatus_to_exitcode(status)
print("ended by signal %d" % -code if code < 0 else "ended with %d" % code)
"#;
