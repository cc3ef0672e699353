//! The specification is executable: every example of an expression in docs/spec holds for every implementation of the evaluator.

use planfuzz_language_judge::WRITINGS;
use planfuzz_language_judge::records::Record;

#[test]
fn every_example_of_the_specification_holds() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/spec/workspace-language.md");
    let text = std::fs::read_to_string(path).expect("the specification");
    let (mut is_inside, mut records) = (false, Vec::new());
    for (number, line) in text.lines().enumerate() {
        match line {
            "```jsonl" => is_inside = true,
            "```" => is_inside = false,
            example if is_inside => {
                records.push(Record::read(example).unwrap_or_else(|problem| panic!("line {}: {problem}", number + 1)));
            }
            _ => {}
        }
    }
    assert!(records.len() >= LEAST, "only {} examples: the test has gone blind", records.len());
    for (name, evaluate) in WRITINGS {
        let differences: Vec<String> = records.iter().filter_map(|record| record.difference(*evaluate)).collect();
        assert!(differences.is_empty(), "{name}\n{}", differences.join("\n"));
    }
}

/// There were more when this was written.
const LEAST: usize = 175;
