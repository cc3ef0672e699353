//! The project's own recorded vectors: what a real Terraform did, replayed without one.

use std::collections::BTreeSet;
use std::fs;

use crate::recorded_files;
use planfuzz::case::{Call, Case, Op, Task, Vector};
use planfuzz::compare::{Expected, Miss};
use planfuzz::subject::{InProcess, Outcome, Shown, Subject, outcome_of, record_of};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Diagnostic, Severity};
use planfuzz_core::value::{Value, WrittenPath};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

/// The least number of vectors.
const VECTORS: usize = 5_000;

/// The most bytes of all files, compressed.
const BYTES: u64 = 5_000_000;

/// Vectors that are replayed at a time.
const CHUNK: usize = 64;

/// A vector whose outcome is read.
struct Read {
    vector: Vector,
    dialect: Dialect,
    call: Call,
    outcome: Outcome,
}

impl Read {
    fn of(line: &str) -> Read {
        let vector = recorded_files::vector(line);
        let dialects = vector.dialects.clone().unwrap_or_default();
        assert_eq!(dialects.len(), 1, "{} is of one engine, and names the one whose decisions it follows", vector.id);
        let dialect = dialects[0];
        let (call, want) = vector.read(dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
        let outcome = outcome_of(&call, want, dialect).unwrap_or_else(|problem| panic!("{}: {problem}", vector.id));
        // The walks of `walks.jsonl.gz` were recorded by another program, which orders members and quotes paths otherwise.
        if !vector.id.contains("/lc-") {
            let written = record_of(&call, &outcome, dialect);
            assert_eq!(written.as_ref(), Some(want), "{} has the wanted outcome that is read of it", vector.id);
        }
        Read { dialect, call, outcome, vector }
    }

    fn case(&self) -> Case {
        Case::new(self.dialect, Task::Call(self.call.clone()))
    }

    fn is_met_by(&self, outcome: &Outcome, got: &Outcome) -> Result<(), Miss> {
        let Read { vector, dialect, call, .. } = self;
        Expected { call, dialect: *dialect, outcome, shown: vector.shown() }.is_met_by(got, Shown::Whole)
    }
}

/// Replays some lines; returns those that were not met.
fn replay(lines: &[String]) -> Vec<String> {
    let vectors: Vec<Read> = lines.iter().map(|line| Read::of(line)).collect();
    let cases: Vec<Case> = vectors.iter().map(Read::case).collect();
    let mut failures = Vec::new();
    for subject in &mut [InProcess::new(Reference), InProcess::new(Optimized)] {
        for (vector, got) in vectors.iter().zip(subject.answer(&cases)) {
            if let Err(miss) = vector.is_met_by(&vector.outcome, &got[0]) {
                failures.push(format!("{} ({}): {miss:?}", vector.vector.id, subject.name()));
            }
        }
    }
    failures
}

#[test]
fn both_planners_do_what_was_recorded() {
    let files = recorded_files::files();
    let chunks: Vec<&[String]> = files.iter().flat_map(|(_, lines)| lines.chunks(CHUNK)).collect();
    let failures: Vec<String> =
        crate::cores::on_every_core(chunks.len(), |chunk| replay(chunks[chunk])).into_iter().flatten().collect();
    for (name, lines) in &files {
        println!("{name}: {} vectors", lines.len());
    }
    let count: usize = files.iter().map(|(_, lines)| lines.len()).sum();
    println!("{count} recorded vectors replayed with two planners");
    assert!(failures.is_empty(), "{} of {count} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(count >= VECTORS, "found only {count} vectors");
}

#[test]
fn recorded_vectors_have_ids_of_their_own_and_name_their_engine() {
    let mut ids = BTreeSet::new();
    for (name, lines) in recorded_files::files() {
        for line in lines {
            let vector = recorded_files::vector(&line);
            let by = vector.recorded.as_ref().map(|recorded| recorded.by.as_str());
            let engine = if name.starts_with("opentofu-") { "OpenTofu 1." } else { "Terraform 1." };
            assert!(by.is_some_and(|by| by.starts_with(engine)), "{name}: {}: {by:?}", vector.id);
            assert!(ids.insert(vector.id.clone()), "{name}: {} is there twice", vector.id);
        }
    }
}

#[test]
fn recorded_vectors_stay_small() {
    let entries = fs::read_dir(recorded_files::folder()).expect("the folder of recorded vectors");
    let sizes = entries.map(|entry| entry.and_then(|entry| entry.metadata()).expect("a file").len());
    let bytes: u64 = sizes.sum();
    assert!(bytes < BYTES, "they take {bytes} bytes");
}

/// A vector that any answer meets would be useless.
#[test]
fn a_recorded_outcome_with_another_word_in_it_is_not_met() {
    let mut spoiled_ops = BTreeSet::new();
    for (_, lines) in recorded_files::files() {
        for line in lines.iter().step_by(50) {
            let read = Read::of(line);
            let spoiled = spoiled(&read);
            let got = InProcess::new(Reference).answer(&[read.case()]).remove(0).remove(0);
            assert!(read.is_met_by(&spoiled, &got).is_err(), "{}: {spoiled:?} is met", read.vector.id);
            spoiled_ops.insert(read.call.op());
        }
    }
    for op in [Op::Scenario, Op::ProposedNew, Op::AssertPlanValid, Op::AssertObjectCompatible] {
        assert!(spoiled_ops.contains(&op), "no vector of {op}");
    }
}

/// Another outcome than the recorded one.
fn spoiled(read: &Read) -> Outcome {
    match &read.outcome {
        Outcome::Value(value) if value.is_null() => Outcome::Value(Value::unknown(value.ty().clone())),
        Outcome::Value(value) => Outcome::Value(Value::null(value.ty().clone())),
        Outcome::Paths(paths) => Outcome::Paths(paths.iter().cloned().chain([".zzz".to_owned()]).collect()),
        Outcome::Trace(trace) => {
            let mut trace = (**trace).clone();
            let more = Diagnostic {
                severity: Severity::Warning,
                summary: "no engine reports this".into(),
                path: WrittenPath::default(),
                rule: "",
            };
            match (trace.steps.last_mut(), &mut trace.stopped) {
                (Some(step), _) => step.plan.plan.diagnostics.push(more),
                (None, stopped) => *stopped = None,
            }
            Outcome::Trace(trace.into())
        }
        Outcome::Want(_) => Outcome::Want(planfuzz_core::json::Json::Null),
        _ => Outcome::Value(Value::null(planfuzz_core::value::Type::Dynamic)),
    }
}
