//! The specification is executable: every example line of `docs/spec` holds, in every dialect that it names.

use std::fs;
use std::path::Path;

use planfuzz::case::{Case, Task, Vector};
use planfuzz::compare::{Expected, difference};
use planfuzz::subject::{InProcess, Naive, Shared, Shown, Subject, in_one_form, outcome_of, want_of};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

/// The files whose examples are of operations that this build has, and the least number of examples.
const FILES: [(&str, usize); 7] = [
    ("values.md", 30),
    ("schema.md", 30),
    ("merge-and-rules.md", 30),
    ("lifecycle.md", 55),
    ("provider-framework.md", 25),
    ("provider-sdk.md", 30),
    ("provider-model.md", 12),
];

/// The files in which every section has an example, and the sections that can have none, each with the reason.
const SECTIONS: [(&str, &[(&str, &str)]); 4] = [
    (
        "lifecycle.md",
        &[
            ("17. What other instances see", "of several instances; runs of workspaces show it"),
            ("18. Root outputs", "of no instance; runs of workspaces show it"),
        ],
    ),
    (
        "provider-framework.md",
        &[
            ("2. Plan", "its parts have them"),
            ("6. Validate", "no operation asks for it alone"),
            ("7. Left out, and why", "no rule is about it"),
            ("8. Vectors (`framework.jsonl`)", "about the vectors"),
        ],
    ),
    (
        "provider-sdk.md",
        &[
            ("3. Values inside the SDK", "its parts have them"),
            ("6. After the diff", "its parts have them"),
            ("10. Validation", "no operation asks for it alone"),
            ("11. Simplifications", "no rule is about it"),
            ("12. Vectors (`sdk.jsonl`)", "about the vectors"),
        ],
    ),
    (
        "provider-model.md",
        &[
            ("3. Behaviours by phase", "its parts have them"),
            ("3.1 Validate", "no operation asks for it alone"),
            ("6. Generation hints", "about the generator"),
        ],
    ),
];

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join("spec").join(file);
    fs::read_to_string(&path).expect("the specification")
}

fn examples(file: &str) -> Vec<Vector> {
    let mut examples = Vec::new();
    let mut inside = false;
    for (number, line) in text(file).lines().enumerate() {
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
    // The recorded behaviour of an engine is compared as far as it was observed; what the specification says, as a
    // whole.
    let is_met = match &vector.recorded {
        Some(_) => Expected { call: &call, dialect, outcome: &expected, shown: vector.shown() }
            .is_met_by(&got, Shown::Whole)
            .is_ok(),
        None => {
            let (one, other) = in_one_form(&call, (&expected, &got), dialect);
            got.is_answer() && difference(&one, &other).is_none()
        }
    };
    if is_met {
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

/// The sections of a file by their titles, and how many examples each has itself.
fn sections(file: &str) -> Vec<(String, usize)> {
    let mut sections: Vec<(String, usize)> = Vec::new();
    let (mut is_example, mut is_fenced) = (false, false);
    for line in text(file).lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            is_example = line == "```jsonl";
        } else if is_fenced {
            sections.last_mut().into_iter().for_each(|(_, count)| *count += usize::from(is_example));
        } else if let Some(title) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
            sections.push((title.to_owned(), 0));
        }
    }
    sections
}

#[test]
fn every_section_has_an_example_or_a_reason() {
    for (file, without) in SECTIONS {
        let sections = sections(file);
        assert!(sections.len() > 8, "{file} has {} sections: the reader has gone blind", sections.len());
        let bare: Vec<&str> =
            sections.iter().filter(|(_, count)| *count == 0).map(|(title, _)| title.as_str()).collect();
        let known: Vec<&str> = without.iter().map(|(title, _)| *title).collect();
        assert_eq!(bare, known, "{file}: the sections without an example");
    }
}
