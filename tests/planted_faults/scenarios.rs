//! Planted faults of the lifecycle: each is found in generated scenarios, by comparison alone, and shrunk to a scenario that
//! a person understands at once.

use planfuzz::case::{Case, Op};
use planfuzz::compare::{Answers, Finding, Judge, Summary};
use planfuzz::generate::{Generator, Scenarios, Settings};
use planfuzz::kills::planner;
use planfuzz::subject::faults::{Fault, Faulty};
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz_reference::Reference;
use planfuzz_workspace_cases::hunt::sampled;

use super::common::on_every_core;
use super::trace_sizes::MOST;
use super::{EVERY, SEEDS, bounds, by_comparison};

/// The bound of a campaign, in scenarios.
const SCENARIOS: u64 = 120_000;

/// Scenarios that are run at a time.
const CHUNK: u64 = 32;

fn faults() -> Vec<Fault> {
    Fault::ALL.iter().copied().filter(|fault| fault.op() == Op::Scenario).collect()
}

fn source(seed: u64) -> Scenarios {
    Scenarios::new(Generator::new(Settings::SMALL), seed)
}

/// The first difference to the reference in one scenario.
fn difference(case: &Case, right: &[Outcome], wrong: &[Outcome], subject: &dyn Subject) -> Option<Finding> {
    let judge = Judge { without_rules: true, ..Judge::default() };
    let reference = InProcess::new(Reference);
    let answers = [Answers::of(&reference, right), Answers::of(subject, wrong)];
    judge.judge(case, &answers, &mut Summary::default()).into_iter().next()
}

#[test]
fn faults_of_the_lifecycle_are_found_and_shrunk() {
    let bounds = bounds(SCENARIOS);
    let pairs = faults().into_iter().zip(SEEDS.into_iter().cycle());
    let pairs: Vec<(Fault, u64)> = pairs.step_by(sampled(EVERY)).collect();
    let hunted = on_every_core(pairs.len(), |index| planner::hunt(pairs[index].0, pairs[index].1, &bounds));
    println!("fault, seed, scenarios until found, who found it, the size when shrunk");
    let (mut missed, mut too_big) = (Vec::new(), Vec::new());
    for ((fault, seed), hunted) in pairs.iter().zip(&hunted) {
        let name = fault.name();
        let Some(catch) = by_comparison(hunted) else {
            missed.push((*seed, name, &hunted.end));
            continue;
        };
        let (size, by, text) = (catch.size, catch.by.join(", "), catch.shrunk.case.to_json().to_compact());
        println!("{name:36} {seed} {:6} {by:20} {size:?} {text}", hunted.cases);
        if size.nodes > MOST.nodes || size.members > MOST.members || size.steps > MOST.steps {
            too_big.push((name, *seed, size));
        }
        assert!(catch.shrunk.calls < bounds.calls, "{name} took {} questions", catch.shrunk.calls);
    }
    assert!(missed.is_empty(), "not found within {SCENARIOS} scenarios: {missed:?}");
    assert!(too_big.is_empty(), "not small: {too_big:?}");
}

#[test]
fn the_walks_in_which_faults_are_planted_are_right_without_one() {
    let mut scenarios = source(7);
    let (mut reference, mut sound) = (InProcess::new(Reference), Faulty::sound());
    for from in (0..640).step_by(CHUNK as usize) {
        let cases: Vec<Case> = (from..from + CHUNK).map(|number| scenarios.case(number)).collect();
        let (right, same) = (reference.answer(&cases), sound.answer(&cases));
        for ((case, right), same) in cases.iter().zip(&right).zip(&same) {
            if let Some(found) = difference(case, right, same, &sound) {
                panic!("{found:?} in {}", case.to_json().to_pretty());
            }
        }
    }
}
