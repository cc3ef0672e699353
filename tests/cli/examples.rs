//! The planner of `examples/python-planner` is a subject like any other: it agrees with the reference and with the
//! specification, and the bug that it can have on purpose is found.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{CommandOutput, Place};
use crate::{count, python};
use planfuzz::case::{CaseFile, Op};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

/// The operations that the planner offers.
const OPS: [Op; 3] = [Op::ProposedNew, Op::PlannedDataResource, Op::NormalizeLegacy];

/// The planner as a subject, in a folder of its own.
struct Planner {
    place: Place,
    subject: String,
}

impl Planner {
    /// The planner; `None`, with a message, if there is no Python.
    ///
    /// # Panics
    /// If there is no Python where it is required.
    fn new(options: &str) -> Option<Planner> {
        python()?;
        let planner = in_repository("examples/python-planner/planner.py");
        let planner = shlex::try_quote(planner.to_str().expect("UTF-8")).expect("no NUL").into_owned();
        let subject = format!("exec:python3 -B {planner} {options}");
        Some(Planner { place: Place::new(), subject })
    }

    /// A campaign of the operations that the planner offers, with the reference first.
    fn campaign(&self, options: &[&str]) -> CommandOutput {
        let ops = OPS.iter().flat_map(|op| ["--op", op.name()]);
        let subjects = ["--subject", "reference", "--subject", &self.subject];
        let head = ["run", "--json", "--jobs", "1", "--seed", "1", "--answer-time", "60s"];
        let arguments: Vec<&str> = head.into_iter().chain(ops).chain(subjects).chain(options.iter().copied()).collect();
        self.place.run(&arguments)
    }
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn it_agrees_with_the_reference_in_every_dialect() {
    let Some(planner) = Planner::new("") else { return };
    for dialect in Dialect::ALL {
        for (preset, cases) in [("tiny", 400), ("small", 400), ("mixed", 200)] {
            let name = dialect.to_string();
            let ended = planner.campaign(&["--dialect", &name, "--preset", preset, "--cases", &cases.to_string()]);
            ended.ends(0, &[]);
            let json = ended.json();
            assert_eq!(count(&json, &["comparisons"]), cases * OPS.len() as u64, "{}", ended.out);
            assert!(count(&json, &["verdicts", "agree"]) > cases * 2, "{}", ended.out);
        }
    }
}

#[test]
fn it_holds_to_the_examples_of_the_specification() {
    let Some(planner) = Planner::new("") else { return };
    let specification = in_repository("docs/spec/merge-and-rules.md");
    for dialect in Dialect::ALL {
        let name = dialect.to_string();
        let file = specification.to_str().expect("UTF-8");
        let ended = planner.place.run(&["conform", file, "--json", "--dialect", &name, "--subject", &planner.subject]);
        ended.ends(0, &[]);
        assert!(count(&ended.json(), &["passed"]) >= 38, "{}", ended.out);
        for op in OPS {
            assert!(!ended.err.contains(&format!("operation {op} is not offered")), "{}", ended.err);
        }
    }
}

#[test]
fn it_gives_what_terraform_gave() {
    let Some(planner) = Planner::new("") else { return };
    for (name, least) in [("merges-tiny", 500), ("merges-small", 500)] {
        let file = in_repository(&format!("corpus/recorded/{name}.jsonl.gz"));
        let file = file.to_str().expect("UTF-8");
        let ended = planner.place.run(&["conform", file, "--json", "--subject", &planner.subject]);
        ended.ends(0, &[]);
        assert!(count(&ended.json(), &["passed"]) >= least, "{}", ended.out);
    }
}

#[test]
fn its_bug_is_found_and_made_small() {
    let Some(planner) = Planner::new("--bug reused-prior") else { return };
    let ended = planner.campaign(&["--preset", "tiny", "--cases", "5000", "--max-findings", "1"]);
    ended.ends(1, &[]);
    let json = ended.json();
    let buckets = json.member("buckets").and_then(|buckets| buckets.expect_array().ok()).expect("buckets");
    let text = |name: &str| buckets[0].member(name).and_then(|text| text.expect_string().ok()).expect("a string");
    assert!(text("signature").contains("python planner with reused-prior"), "{}", text("signature"));
    let finding = std::fs::read_to_string(planner.place.path(text("case"))).expect("a finding");
    let finding = Json::parse(&finding).expect("JSON");
    let case = CaseFile::from_json(&finding).expect("a case").case;
    let block = &case.schema().expect("a schema").block;
    let members = block.attributes.len() + block.block_types.len();
    assert_eq!((case.ops(), members), (vec![Op::ProposedNew], 1), "{}", finding.to_pretty());
}

#[test]
fn it_refuses_a_dialect_that_it_does_not_know() {
    let Some(planner) = Planner::new("") else { return };
    // The suite does not know this dialect either, so the greeting is sent by hand.
    planner.place.write("hello", "{\"hello\":1,\"dialect\":\"pulumi-3\"}\n");
    let command = format!("{} < hello", planner.subject.trim_start_matches("exec:"));
    let output = Command::new("sh").args(["-c", &command]).current_dir(&planner.place.0).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.starts_with(r#"{"hello":1,"error":"expected a dialect"#), "{text}");
}
