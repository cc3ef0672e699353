//! What real pipelines of providers answered, replayed with both writings of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use planfuzz::case::{Case, Op, Task, Vector};
use planfuzz::compare::Expected;
use planfuzz::subject::{Naive, Shared, Shown, Subject, outcome_of};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

/// How many vectors of each operation a subject answers as the real pipeline did; it has to answer all that it can.
fn met_by(subject: &mut dyn Subject, file: &str) -> BTreeMap<Op, usize> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join("providers").join(file);
    let text = fs::read_to_string(path).expect("a file of vectors");
    let dialect = Dialect::default();
    let mut met = BTreeMap::new();
    let mut failed = Vec::new();
    for line in text.lines() {
        let vector =
            Json::parse(line).and_then(Vector::from_json).unwrap_or_else(|problem| panic!("{problem} in {line}"));
        let (call, want) = vector.read(dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
        let outcome = outcome_of(&call, want, dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
        let op = call.op();
        if !subject.can(op, dialect) {
            continue;
        }
        let case = Case::new(dialect, Task::Call(call.clone()));
        let got = subject.answer(std::slice::from_ref(&case)).remove(0).remove(0);
        let expected = Expected { call: &call, dialect, outcome: &outcome, shown: vector.shown() };
        match expected.is_met_by(&got, Shown::Whole) {
            Ok(_) => *met.entry(op).or_default() += 1,
            Err(_) => failed.push(format!("{}: {got:?}", vector.id)),
        }
    }
    assert!(failed.is_empty(), "{} answers {} otherwise:\n{}", subject.name(), failed.len(), failed.join("\n"));
    met
}

#[test]
fn both_writings_answer_as_the_framework_did() {
    let shared = met_by(&mut Shared::default(), "framework.jsonl");
    let naive = met_by(&mut Naive, "framework.jsonl");
    assert_eq!(naive, shared);
    assert!(naive.values().sum::<usize>() > 100 && naive.len() >= 4, "{naive:?}");
}

#[test]
fn both_writings_answer_as_the_sdk_did() {
    let shared = met_by(&mut Shared::default(), "sdk.jsonl");
    let naive = met_by(&mut Naive, "sdk.jsonl");
    assert_eq!(naive, shared);
    assert!(naive.values().sum::<usize>() > 100 && naive.len() >= 7, "{naive:?}");
}
