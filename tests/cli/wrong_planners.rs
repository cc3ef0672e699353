//! Findings in planners that are wrong, from the run to the file.

use std::process::Stdio;
use std::time::{Duration, Instant};

use planfuzz::case::CaseFile;
use planfuzz_core::json::Json;

use crate::{Place, count};

/// A planner that refuses every proposal and offers nothing else.
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
    // Of 64 cases 8 are scenarios, for which it offers nothing; of the others it offers one operation in five.
    assert_eq!((count(&json, &["comparisons"]), left_out), (56, 4 * 56 + 8), "{}", ended.out);
    let refused = count(&json, &["verdicts", "diverge"]);
    assert_eq!(refused + count(&json, &["verdicts", "both_refuse"]), 56, "{}", ended.out);
    // The bucket of the wrong planner; other findings in these cases are the subject of other tests.
    let Some(Json::Array(buckets)) = json.member("buckets") else { panic!("{}", ended.out) };
    let bucket = buckets.iter().find(|bucket| bucket.to_compact().contains("refused_by_one")).expect("a bucket");
    let file = bucket.member("case").and_then(|file| file.expect_string().ok()).expect("a file").to_owned();
    let files = place.files("findings");
    assert_eq!(files.len(), buckets.len(), "one for each bucket, and nothing temporary: {files:?}");
    let text = place.read(&file);
    let found = CaseFile::from_json(&Json::parse(&text).expect("JSON")).expect("a case").finding.expect("a finding");
    for member in [&found.signature, &found.what, &found.origin, &found.command] {
        assert!(!member.is_empty(), "{text}");
    }
    assert_eq!(found.answers.len(), 2, "{text}");
    assert!(text.lines().count() < 30, "it is shrunk: {text}");
    // The findings are in folders by likely cause, and also in the result; the hint for the next command contains their
    // names.
    let Some(Json::Array(groups)) = json.member("groups") else { panic!("{}", ended.out) };
    assert!((1..=buckets.len()).contains(&groups.len()), "{}", ended.out);
    assert_eq!(file.split('/').count(), 3, "findings, the group, the file: {file}");
    assert!(found.command.contains(&file), "{text}");
    let text_run: Vec<&str> = run.iter().copied().filter(|argument| *argument != "--json").collect();
    let printed = place.run(&text_run);
    printed.ends(1, &[]);
    for word in ["likely cause", "1. ", "planfuzz probe findings/", "planfuzz replay findings", "left out"] {
        assert!(printed.out.contains(word), "{word} in {}", printed.out);
    }
    assert_eq!(place.files("findings"), files, "a second run finds the same and keeps its folders");

    assert!(found.origin.contains("seed 5, case "), "{text}");
    assert!(place.read(&file).contains("planfuzz probe findings/"));

    let ended = place.run(&join(&["replay", &file], &subjects));
    ended.ends(1, &[]);
    assert!(ended.out.contains(&format!("failed {file}: reference/refuser differ")), "{}", ended.out);
    // The file names its subjects: they need not be named again, and no case holds because they were forgotten.
    place.run(&["replay", &file]).ends(1, &["asked as the findings record: reference, exec:sh program.sh"]);
    place.run(&["probe", &file]).ends(1, &[]);
    place.run(&["triage", "findings"]).ends(1, &[]);
    place.run(&["replay", &file, "--subject", "reference", "--subject", "optimized"]).ends(0, &[]);
    place.write("old.json", text.replace("\"subjects\"", "\"others\""));
    for command in ["replay", "probe", "triage", "shrink"] {
        place.run(&[command, "old.json"]).ends(2, &["expected --subject", "about reference/refuser"]);
    }
    let forgotten = ["replay", &file, "--subject", "reference", "--subject", "provider"];
    place.run(&forgotten).ends(2, &["nothing was compared"]);

    let kept = found.signature;
    let asked = format!("{kept}: asked");
    place.run(&join(&["shrink", &file, "--output", "small.json"], &subjects)).ends(1, &[&asked]);
    let size = |text: &str| {
        let file = CaseFile::from_json(&Json::parse(text).expect("JSON")).expect("a case");
        file.case.to_json().to_compact().len()
    };
    assert!(size(&place.read("small.json")) <= size(&text), "{}", place.read("small.json"));
    place.run(&join(&["replay", "small.json"], &subjects)).ends(1, &[]);
    place.run(&["shrink", &file, "--subject", "reference", "--subject", "optimized"]).ends(0, &["nothing is found"]);

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
fn two_programs_of_one_name_get_different_names() {
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
fn a_file_in_the_place_of_the_findings_is_refused_before_the_work() {
    let place = Place::new();
    place.write("findings", "a file where a folder should be");
    place.run(&["run", "--time", "60s"]).ends(2, &["--findings: expected a folder, found the file findings"]);
}

#[cfg(unix)]
#[test]
fn findings_that_cannot_be_written_end_the_run() {
    let place = Place::new();
    let subjects = subjects(&place, REFUSES);
    // Nothing is there, and no folder can be made.
    std::os::unix::fs::symlink(place.path("nowhere").join("nothing"), place.path("findings")).expect("a link");
    let run = ["run", "--time", "60s", "--seed", "5", "--preset", "tiny", "--resume", "state.json", "--json"];
    let begin = Instant::now();
    let ended = place.run(&join(&run, &subjects));
    ended.ends(3, &["cannot write findings/"]);
    assert!(count(&ended.json(), &["verdicts", "diverge"]) > 0, "the counts are printed");
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
