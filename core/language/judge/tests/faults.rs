//! The hunt for planted mistakes: each is found within a bounded number of expressions, and the expression that found it is minimized.
//!
//! Mistakes of the compiled implementation are found by comparing it with the naive one on generated expressions; those of the parser,
//! which both share, by comparing recorded expressions with the engines' outcomes. `cargo test -p planfuzz-language-judge --features faults
//! --test faults -- --nocapture` prints the table.

use std::panic::{AssertUnwindSafe, catch_unwind};

use planfuzz_core::dialect::Dialect;
use planfuzz_language::expression::notation::{Locals, outcome_of};
use planfuzz_language::expression::smaller;
use planfuzz_language::faults::{self, Fault};
use planfuzz_language_compiled::planted;
use planfuzz_language_judge::records::{Record, shown};
use planfuzz_language_judge::{Evaluate, WRITINGS, generate, scope};
use planfuzz_planting::Planted;

/// The most generated expressions.
const MOST_EXPRESSIONS: u64 = 400_000;
/// The greatest length of a minimized expression.
const MOST_LETTERS: usize = 80;
/// The most expressions on which the implementations may disagree.
const MOST_LEFT_OUT: u64 = 200;
const SEED: u64 = 1;

struct EvaluationContext {
    scope: Locals,
    dialect: Dialect,
}

impl EvaluationContext {
    fn new() -> EvaluationContext {
        EvaluationContext {
            scope: scope().expect("the named values"),
            dialect: "terraform-1.11".parse().expect("a dialect"),
        }
    }

    fn outcome(&self, text: &str, evaluate: Evaluate) -> String {
        let outcome = || shown(&outcome_of(text, &self.scope, self.dialect, &evaluate));
        // A panic counts as an outcome of its own.
        catch_unwind(AssertUnwindSafe(outcome)).unwrap_or_else(|_| "a panic".to_owned())
    }

    /// Whether a mistake changes the outcome of an expression; false if the implementations differ without it.
    fn shows(&self, text: &str, planted: &Planted) -> bool {
        let naive = self.outcome(text, WRITINGS[0].1);
        naive == self.outcome(text, WRITINGS[1].1) && naive != self.with(text, planted)
    }

    /// The outcome of the compiled implementation with a mistake.
    fn with(&self, text: &str, planted: &Planted) -> String {
        let _here = planted.here();
        self.outcome(text, WRITINGS[1].1)
    }

    /// Minimizes an expression as long as it shows the mistake.
    fn small(&self, mut text: String, planted: &Planted) -> String {
        let is_smaller = |less: &String, than: &str| less.len() < than.len() && self.shows(less, planted);
        while let Some(less) = smaller(&text).into_iter().find(|less| is_smaller(less, &text)) {
            text = less;
        }
        text
    }
}

/// Generated expressions, made on demand.
#[derive(Default)]
struct Expressions {
    /// Outcome and text of the expressions on which the implementations agree.
    agreed: Vec<(String, String)>,
    generated: u64,
}

impl Expressions {
    /// The index of the first expression that shows a mistake.
    fn showing(&mut self, planted: &Planted, context: &EvaluationContext) -> Option<usize> {
        let mut place = 0;
        while let Some((agreed, text)) = self.at(place, context) {
            if *agreed != context.with(text, planted) {
                return Some(place);
            }
            place += 1;
        }
        None
    }

    fn at(&mut self, place: usize, context: &EvaluationContext) -> Option<&(String, String)> {
        while self.agreed.len() <= place && self.generated < MOST_EXPRESSIONS {
            let text = generate::expression(&context.scope, SEED, self.generated);
            let outcome = context.outcome(&text, WRITINGS[0].1);
            if outcome == context.outcome(&text, WRITINGS[1].1) {
                self.agreed.push((outcome, text));
            }
            self.generated += 1;
        }
        self.agreed.get(place)
    }
}

#[test]
fn every_mistake_of_the_compiled_writing_is_found_and_made_small() {
    let (context, mut expressions) = (EvaluationContext::new(), Expressions::default());
    let mut missed = Vec::new();
    println!("{:<42} {:>6} {:>7}  smallest expression", "mistake", "rule", "found");
    for planted in planted::ALL {
        let Some(number) = expressions.showing(planted, &context) else {
            println!("{:<42} {:>6}       -", planted.name, planted.rule);
            missed.push(format!("{}: not within {MOST_EXPRESSIONS} expressions", planted.name));
            continue;
        };
        let small = context.small(expressions.agreed[number].1.clone(), planted);
        println!("{:<42} {:>6} {:>7}  {small}", planted.name, planted.rule, number + 1);
        if small.len() > MOST_LETTERS {
            missed.push(format!("{}: not made small: {small}", planted.name));
        }
    }
    let (generated, agreed) = (expressions.generated, expressions.agreed.len() as u64);
    println!("left out, as the writings differ without a mistake: {} of {generated}", generated - agreed);
    assert!(generated - agreed <= MOST_LEFT_OUT, "they agree on {agreed} of {generated} without a mistake");
    assert!(planted::ALL.len() >= 40, "only {} mistakes", planted::ALL.len());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The recorded expressions and the examples of the specification.
fn records() -> Vec<Record> {
    let read = |path: &str| std::fs::read_to_string(format!("{}/../../../{path}", env!("CARGO_MANIFEST_DIR")));
    let recorded = read("corpus/recorded/expressions.jsonl").expect("the records");
    let examples = read("docs/spec/workspace-language.md").expect("the specification");
    let lines = recorded.lines().chain(examples.lines().filter(|line| line.starts_with("{\"id\":\"")));
    lines.map(|line| Record::read(line).expect("a record")).collect()
}

#[test]
fn every_mistake_of_the_parser_is_found() {
    let records = records();
    let mut missed = Vec::new();
    for fault in Fault::EXPRESSIONS {
        let found = faults::with(fault, || {
            records
                .iter()
                .position(|record| WRITINGS.iter().any(|(_, evaluate)| record.difference(*evaluate).is_some()))
        });
        match found {
            Some(number) => println!("{fault:?}: {}", records[number].id),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
