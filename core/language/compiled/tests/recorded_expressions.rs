//! Replays recorded expressions: each is compiled and evaluated, with its constants folded and without, and has to give the engine's
//! outcome (docs/formats.md, Expressions).
//!
//! `PLANFUZZ_EXPRESSIONS` names another file of the same form.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_language::expression::notation::{self, Locals, ROOT};
use planfuzz_language::expression::{Evaluated, Expression};
use planfuzz_language_compiled::{Names, Program, Slots};

fn evaluated(expression: &Expression, locals: &Locals, dialect: Dialect) -> Evaluated {
    let mut names = Names::default();
    for (name, _) in locals.iter() {
        names.slot(ROOT, Some(name));
    }
    let mut slots = Slots::new(&names);
    for (name, value) in locals.iter() {
        slots.set(names.slot(ROOT, Some(name)), value.clone());
    }
    let folded = Program::compile(expression, &names, dialect).evaluate(&slots);
    let unfolded = Program::compile_unfolded(expression, &names, dialect).evaluate(&slots);
    assert_eq!(format!("{folded:?}"), format!("{unfolded:?}"), "folding changes nothing");
    folded
}

/// What differs from a record; `None` if the outcome is that of the engine.
fn difference(line: &str) -> Option<String> {
    let record = Json::parse(line).expect("a record");
    let member = |name: &str| record.member(name).unwrap_or_else(|| panic!("{name} in {line}"));
    let text = |name: &str| member(name).expect_string().expect("a string").to_owned();
    let dialect: Dialect = text("dialect").parse().expect("a dialect");
    let locals = Locals::from_json(member("scope")).expect("a scope");
    let wanted = notation::read_outcome(member("want")).expect("an outcome");
    let found = notation::outcome_of(&text("expression"), &locals, dialect, &evaluated);
    let (wanted, found) = (notation::write_outcome(&wanted), notation::write_outcome(&found));
    (wanted != found).then(|| {
        format!(
            "{} {}\n  wanted {}\n  found  {}",
            text("id"),
            text("expression"),
            wanted.to_compact(),
            found.to_compact()
        )
    })
}

#[test]
fn recorded_expressions_have_the_outcomes_of_the_engines() {
    let path = std::env::var("PLANFUZZ_EXPRESSIONS").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../corpus/recorded/expressions.jsonl").to_owned()
    });
    let text = std::fs::read_to_string(&path).expect("the records are there");
    let count = text.lines().count();
    assert!(count > 0, "no record in {path}");
    let differences: Vec<String> = text.lines().filter_map(difference).collect();
    assert!(differences.is_empty(), "{} of {count} differ\n{}", differences.len(), differences.join("\n"));
}
