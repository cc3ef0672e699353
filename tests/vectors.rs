//! Recorded vectors that lie beside a checkout, where they do: what engines really answered.
//!
//! They are not part of the project; without them these tests say that they were skipped.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use planfuzz::case::{Call, Case, MergeCall, Task, Vector};
use planfuzz::compare::difference;
use planfuzz::subject::{InProcess, Naive, Outcome, Shared, Subject, in_one_form, outcome_of};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

/// The text of a file of vectors, or nothing where there is none.
fn lines(name: &str) -> Option<String> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "shared", "vectors", name].iter().collect();
    let Ok(mut file) = File::open(&path) else {
        println!("skipped: no {name} beside this checkout");
        return None;
    };
    let mut text = String::new();
    let read = if name.ends_with(".gz") {
        GzDecoder::new(file).read_to_string(&mut text)
    } else {
        file.read_to_string(&mut text)
    };
    read.expect("a text file");
    Some(text)
}

fn subjects() -> [InProcess; 2] {
    [InProcess::new(Reference), InProcess::new(Optimized)]
}

fn ask(subject: &mut dyn Subject, call: Call, dialect: Dialect) -> Outcome {
    subject.answer(&[Case::new(dialect, Task::Call(call))]).remove(0).remove(0)
}

/// Puts a file of vectors to subjects, in every dialect in which the outcomes hold.
fn conform(name: &str, subjects: &mut [&mut dyn Subject]) {
    let Some(text) = lines(name) else { return };
    let mut failures = Vec::new();
    let mut checked = 0;
    for line in text.lines() {
        let vector = Json::parse(line).and_then(Vector::from_json).expect("a vector");
        for dialect in Dialect::ALL.into_iter().filter(|dialect| vector.holds_in(*dialect)) {
            let (call, want) = vector.read(dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
            let want = outcome_of(&call, want, dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
            reads_back(&vector.id, &call, dialect);
            for subject in subjects.iter_mut() {
                checked += 1;
                let got = ask(*subject, call.clone(), dialect);
                let (want, got) = in_one_form(&call, (&want, &got), dialect);
                if !got.is_answer() || difference(&want, &got).is_some() {
                    failures.push(format!("{} ({dialect}, {}): want {want:?}, got {got:?}", vector.id, subject.name()));
                }
            }
        }
    }
    println!("{checked} checks");
    assert!(checked > 0 && failures.is_empty(), "{} of {checked} failed:\n{}", failures.len(), failures.join("\n"));
}

/// What is written of a call is read as the same call.
#[track_caller]
fn reads_back(id: &str, call: &Call, dialect: Dialect) {
    let written = Json::object(call.members(dialect));
    let read = Call::from_request(&written, dialect).unwrap_or_else(|problem| panic!("{id}: {problem}"));
    assert_eq!(Json::object(read.members(dialect)), written, "{id}");
}

fn conform_planners(name: &str) {
    let [reference, optimized] = &mut subjects();
    conform(name, &mut [reference, optimized]);
}

#[test]
fn the_merge_packages_own_tables_hold() {
    conform_planners("objchange.jsonl");
}

#[test]
fn the_wire_format_vectors_hold() {
    conform("msgpack.jsonl", &mut [&mut Shared::default(), &mut Naive]);
}

/// Providers written with the plugin framework planned, applied and read these.
#[test]
fn the_framework_pipeline_does_what_providers_did() {
    conform("framework.jsonl", &mut [&mut Shared::of_providers()]);
}

/// A real Terraform 1.11 walked these.
#[test]
fn both_planners_walk_as_terraform_did() {
    conform_planners("lifecycle.jsonl.gz");
}

/// Providers written with the classic SDK planned, applied and read these.
#[test]
fn the_sdk_pipeline_does_what_providers_did() {
    conform("sdk.jsonl", &mut [&mut Shared::of_providers()]);
}

/// A real Terraform 1.11 proposed these.
#[test]
fn both_planners_propose_what_terraform_proposed() {
    let Some(text) = lines("lifecycle.jsonl.gz") else { return };
    let dialect = Dialect::TERRAFORM_1_11;
    let mut checked = 0;
    for line in text.lines() {
        let vector = Json::parse(line).expect("a document");
        let schema = std::sync::Arc::new(Schema::from_json(member(&vector, "schema")).expect("a schema"));
        let ty = schema.implied_type(dialect);
        let read = |json: &Json, name| Value::from_json(member(json, name), &ty).expect("a value");
        let requests = member(member(&vector, "want"), "requests").expect_array().expect("requests");
        for request in requests.iter().filter(|request| *member(request, "call") == Json::string("plan")) {
            let config = read(request, "config");
            if config.is_null() {
                // A deletion: nothing is merged, null is proposed (K03).
                assert!(read(request, "proposed").is_null());
                continue;
            }
            let call = MergeCall::ProposedNew { schema: schema.clone(), prior: read(request, "prior"), config };
            for subject in &mut subjects() {
                let got = ask(subject, Call::Merge(call.clone()), dialect);
                let want = Outcome::Value(read(request, "proposed"));
                assert!(
                    difference(&want, &got).is_none(),
                    "{} ({}): got {got:?}",
                    vector.member("id").map_or_else(String::new, Json::to_compact),
                    subject.name()
                );
                checked += 1;
            }
        }
    }
    println!("{checked} proposals");
    assert!(checked > 1_000, "found only {checked} proposals");
}

fn member<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.member(name).unwrap_or_else(|| panic!("the member {name}"))
}
