//! The answers of real provider pipelines, replayed with both implementations of them.

#[path = "common/recorded.rs"]
mod recorded;

use std::collections::BTreeMap;

use planfuzz::case::{Case, Op, Task};
use planfuzz::compare::Expected;
use planfuzz::subject::{Naive, Shared, Shown, Subject, outcome_of};
use planfuzz_core::dialect::Dialect;

/// How many vectors of each operation a subject answers as the real pipeline did; it must miss none that it can answer.
fn met_by(subject: &mut dyn Subject, file: &str) -> BTreeMap<Op, usize> {
    let (_, lines) = recorded::providers().into_iter().find(|(name, _)| name == file).expect("a file of vectors");
    let dialect = Dialect::default();
    let mut met = BTreeMap::new();
    let mut failed = Vec::new();
    for line in &lines {
        let vector = recorded::vector(line);
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
    let shared = met_by(&mut Shared::default(), "framework.jsonl.gz");
    let naive = met_by(&mut Naive, "framework.jsonl.gz");
    assert_eq!(naive, shared);
    assert!(naive.values().sum::<usize>() > 1_500 && naive.len() >= 4, "{naive:?}");
}

#[test]
fn both_writings_answer_as_the_sdk_did() {
    let shared = met_by(&mut Shared::default(), "sdk.jsonl.gz");
    let naive = met_by(&mut Naive, "sdk.jsonl.gz");
    assert_eq!(naive, shared);
    assert!(naive.values().sum::<usize>() > 900 && naive.len() >= 7, "{naive:?}");
}
