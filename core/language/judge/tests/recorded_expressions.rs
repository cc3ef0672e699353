//! Replays recorded expressions: every implementation has to give the engine's outcome (docs/formats.md, Expressions).
//!
//! `PLANFUZZ_EXPRESSIONS` names another file of the same form.

use planfuzz_language_judge::WRITINGS;
use planfuzz_language_judge::records::Record;

#[test]
fn recorded_expressions_have_the_outcomes_of_the_engines() {
    let path = std::env::var("PLANFUZZ_EXPRESSIONS").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../corpus/recorded/expressions.jsonl").to_owned()
    });
    let text = std::fs::read_to_string(&path).expect("the records are there");
    let records: Vec<Record> = text.lines().map(|line| Record::read(line).expect("a record")).collect();
    assert!(!records.is_empty(), "no record in {path}");
    for (name, evaluate) in WRITINGS {
        let differences: Vec<String> = records.iter().filter_map(|record| record.difference(*evaluate)).collect();
        let (count, total) = (differences.len(), records.len());
        assert!(differences.is_empty(), "{name}: {count} of {total} differ\n{}", differences.join("\n"));
    }
}
