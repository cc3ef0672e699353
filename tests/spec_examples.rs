//! The specification is executable: every example line of `docs/spec` holds, in every dialect that it names.

use std::fs;
use std::path::Path;

use planfuzz::case::{Case, Task, Vector};
use planfuzz::compare::difference;
use planfuzz::subject::{InProcess, Naive, Shared, Subject, in_one_form, outcome_of, want_of};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

/// The files whose examples are of operations that this build has, and how many there are at least.
const FILES: [(&str, usize); 4] =
    [("values.md", 30), ("schema.md", 30), ("merge-and-rules.md", 30), ("lifecycle.md", 15)];

fn examples(file: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join("spec").join(file);
    let text = fs::read_to_string(&path).expect("the specification");
    let mut examples = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match line.trim() {
            "```jsonl" => inside = true,
            "```" => inside = false,
            example if inside => {
                let vector = Json::parse(example).and_then(Vector::from_json);
                examples.push(vector.unwrap_or_else(|problem| panic!("{file}:{}: {problem}", number + 1)));
            }
            _ => {}
        }
    }
    examples
}

fn check(vector: &Vector, dialect: Dialect, subject: &mut dyn Subject) -> Result<(), String> {
    let (call, want) = vector.read(dialect).map_err(|problem| problem.to_string())?;
    let expected = outcome_of(&call, want, dialect).map_err(|problem| problem.to_string())?;
    let case = Case::new(dialect, Task::Call(call.clone()));
    let got = subject.answer(&[case]).remove(0).remove(0);
    let (one, other) = in_one_form(&call, (&expected, &got), dialect);
    if got.is_answer() && difference(&one, &other).is_none() {
        return Ok(());
    }
    let got = want_of(&call, &got, dialect).map_or_else(|| format!("{got:?}"), |json| json.to_compact());
    Err(format!("{} ({dialect}, {}): want {}, got {got}", vector.id, subject.name(), want.to_compact()))
}

#[test]
fn every_example_holds_in_every_dialect_it_names() {
    let mut subjects: [Box<dyn Subject>; 4] = [
        Box::new(InProcess::new(Reference).only_plans()),
        Box::new(InProcess::new(Optimized).only_plans()),
        Box::new(Shared::default()),
        Box::new(Naive),
    ];
    let mut failures = Vec::new();
    let mut checked = 0;
    for (file, least) in FILES {
        let examples = examples(file);
        assert!(examples.len() >= least, "{file} has {} examples: the reader has gone blind", examples.len());
        for vector in &examples {
            for dialect in Dialect::ALL.into_iter().filter(|dialect| vector.holds_in(*dialect)) {
                let op = vector.known_op().expect("an operation of this build");
                let mut asked = 0;
                for subject in subjects.iter_mut().filter(|subject| subject.can(op, dialect)) {
                    asked += 1;
                    failures.extend(check(vector, dialect, &mut **subject).err());
                }
                assert_eq!(asked, 2, "{}: everything is written twice", vector.id);
                checked += asked;
            }
        }
    }
    println!("{checked} example checks");
    assert!(failures.is_empty(), "{} of {checked} failed:\n{}", failures.len(), failures.join("\n"));
}
