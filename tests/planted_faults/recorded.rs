//! Planted faults against the recorded vectors: a planner with a wrong decision does not answer as the engine did.

use planfuzz::case::{Case, Op, Task};
use planfuzz::compare::Expected;
use planfuzz::subject::faults::{Fault, Faulty};
use planfuzz::subject::{Outcome, Shown, Subject, outcome_of};
use planfuzz_workspace_cases::hunt::sampled;

use super::common::on_every_core;
use super::vectors;

/// Vectors that a faulty planner is asked at a time.
const CHUNK: usize = 64;

/// The least share of the faults that is noticed, in percent. Some alter what does not show in an engine, or what an engine cannot
/// be asked.
const SEEN: usize = 85;

/// One fault in so many is planted, unless all are asked for.
const EVERY: usize = 3;

/// A recorded vector, ready to be asked.
struct Recorded {
    case: Case,
    outcome: Outcome,
    shown: Shown,
}

fn recorded() -> Vec<Recorded> {
    let lines: Vec<String> = vectors::files().into_iter().flat_map(|(_, lines)| lines).collect();
    let chunks: Vec<&[String]> = lines.chunks(CHUNK).collect();
    let read = |line: &String| {
        let vector = vectors::vector(line);
        let dialect = vector.dialects.as_ref().and_then(|dialects| dialects.first().copied()).expect("a dialect");
        let (call, want) = vector.read(dialect).expect("a vector");
        let outcome = outcome_of(&call, want, dialect).expect("an outcome");
        Recorded { case: Case::new(dialect, Task::Call(call)), outcome, shown: vector.shown() }
    };
    let read = on_every_core(chunks.len(), |chunk| chunks[chunk].iter().map(read).collect::<Vec<_>>());
    read.into_iter().flatten().collect()
}

/// How many vectors of its operation a planner with this fault was asked until the fault was noticed.
fn seen(fault: Fault, vectors: &[Recorded]) -> Option<usize> {
    let mut subject = Faulty::new(fault);
    let asked: Vec<&Recorded> = vectors.iter().filter(|recorded| is_of(&recorded.case, fault.op())).collect();
    asked.chunks(CHUNK).enumerate().find_map(|(chunk, vectors)| {
        let cases: Vec<Case> = vectors.iter().map(|recorded| recorded.case.clone()).collect();
        let answers = subject.answer(&cases);
        let missed = vectors.iter().zip(answers).position(|(recorded, got)| {
            let Task::Call(call) = &recorded.case.task else { return false };
            let Recorded { case, outcome, shown } = recorded;
            let expected = Expected { call, dialect: case.dialect, outcome, shown: *shown };
            expected.is_met_by(&got[0], Shown::Whole).is_err()
        });
        missed.map(|place| chunk * CHUNK + place + 1)
    })
}

fn is_of(case: &Case, op: Op) -> bool {
    case.ops().contains(&op)
}

#[test]
fn recorded_vectors_see_most_faults() {
    let vectors = recorded();
    let is_recorded = |fault: &&Fault| vectors.iter().any(|recorded| is_of(&recorded.case, fault.op()));
    let faults: Vec<Fault> = Fault::ALL.iter().filter(is_recorded).copied().step_by(sampled(EVERY)).collect();
    let hunted = on_every_core(faults.len(), |fault| seen(faults[fault], &vectors));
    let mut unseen = Vec::new();
    for (fault, hunted) in faults.iter().zip(hunted) {
        match hunted {
            Some(count) => println!("{:36} {count:5} vectors", fault.name()),
            None => unseen.push(fault.name()),
        }
    }
    let seen = faults.len() - unseen.len();
    println!("{seen} of {} faults seen by {} recorded vectors; not seen: {unseen:?}", faults.len(), vectors.len());
    assert!(100 * seen >= SEEN * faults.len(), "{seen} of {} faults seen", faults.len());
}
