//! Recorded walks, checked otherwise than by their outcome: a call that is written reads back as the same call, and what the engine
//! proposed to the provider is what both planners propose.

use std::sync::Arc;

use crate::recorded_files;
use planfuzz::case::{Call, Case, MergeCall, Task};
use planfuzz::compare::difference;
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

fn walks() -> Vec<String> {
    recorded_files::files()
        .into_iter()
        .filter(|(name, _)| name == "walks.jsonl.gz")
        .flat_map(|(_, lines)| lines)
        .collect()
}

fn subjects() -> [InProcess; 2] {
    [InProcess::new(Reference), InProcess::new(Optimized)]
}

fn ask(subject: &mut dyn Subject, call: Call, dialect: Dialect) -> Outcome {
    subject.answer(&[Case::new(dialect, Task::Call(call))]).remove(0).remove(0)
}

#[test]
fn written_calls_are_read_back_as_the_same_calls() {
    let lines: Vec<String> =
        recorded_files::files().into_iter().chain(recorded_files::providers()).flat_map(|(_, lines)| lines).collect();
    assert!(lines.len() > 13_000, "only {} vectors", lines.len());
    for line in &lines {
        let vector = recorded_files::vector(line);
        let dialect = vector.dialects.as_ref().map_or(Dialect::default(), |dialects| dialects[0]);
        let call = vector.read_call(dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
        let written = Json::object(call.members(dialect));
        let read = Call::from_request(&written, dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
        assert_eq!(Json::object(read.members(dialect)), written, "{}", vector.id);
    }
}

/// The proposals come from a real Terraform 1.11.
#[test]
fn both_planners_propose_what_terraform_proposed() {
    let dialect = Dialect::TERRAFORM_1_11;
    let mut subjects = subjects();
    let mut checked = 0;
    for line in walks() {
        let vector = Json::parse(&line).expect("a document");
        let schema = Arc::new(Schema::from_json(member(&vector, "schema")).expect("a schema"));
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
            for subject in &mut subjects {
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
    assert!(checked > 1_000, "found only {checked} proposals");
}

fn member<'a>(json: &'a Json, name: &str) -> &'a Json {
    json.member(name).unwrap_or_else(|| panic!("the member {name}"))
}
