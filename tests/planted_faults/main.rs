//! Planted faults: the measure of the suite.
//!
//! Each fault is found by comparison alone, within a bounded number of generated cases, and shrunk to a case that a person understands at
//! once. The canary is found in the first case. Run with `--nocapture` for the table, and with `PLANFUZZ_ALL_FAULTS=1` for all faults
//! instead of a sample.

mod command;
#[path = "../common/cores.rs"]
mod common;
#[path = "../common/output.rs"]
mod output;
mod recorded;
mod scenarios;
mod shared;
#[cfg(unix)]
#[path = "../common/signals.rs"]
mod signals;
mod sizes;
mod trace_properties;
mod trace_sizes;
mod triage;
#[path = "../common/recorded.rs"]
mod vectors;
mod workspaces;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use planfuzz::campaign::Reader;
use planfuzz::case::{Case, Op};
use planfuzz::compare::{Answers, Finding, Judge, Kind, Summary};
use planfuzz::generate::{Cases, Generator, Scenarios, Settings, ValueCalls};
use planfuzz::kills::{Bounds, FoundFault, Hunted, planner};
use planfuzz::subject::faults::{Canary, Fault, Faulty, WeakHash};
use planfuzz::subject::{InProcess, Subject};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Node, Value, structural_hash, with_weak_hashes};
use planfuzz_reference::Reference;
use planfuzz_workspace_cases::hunt::sampled;

use common::on_every_core;

/// The seeds: every one finds every fault, and each fault is hunted with one of them, in turns.
const SEEDS: [u64; 3] = [1, 2, 3];

/// One fault of merges and of scenarios in so many is hunted, unless all are asked for; `kills` hunts all of them. No multiple of the
/// number of seeds.
const EVERY: usize = 5;

/// The bound of a campaign. Most faults are found in the first thousand cases.
const CASES: u64 = 60_000;

static NEVER: AtomicBool = AtomicBool::new(false);

/// The bounds of a hunt: cases, and questions of the shrinker. Properties are not checked, as they are no comparison.
fn bounds(cases: u64) -> Bounds<'static> {
    Bounds { cases: Some(cases), time: None, until: None, calls: 3_000, properties: false, interrupted: &NEVER }
}

/// Members of the schema of a shrunk case, at most.
const MEMBERS: usize = 3;

/// Cases that are answered at a time.
const CHUNK: u64 = 64;

fn merge_cases(seed: u64) -> Cases {
    Cases::new(Generator::new(Settings::SMALL), seed)
}

/// A judge's findings in cases that these subjects answered.
fn judge(judge: &Judge, cases: &[Case], subjects: &mut [&mut dyn Subject]) -> Vec<(usize, Finding)> {
    let outcomes: Vec<_> = subjects.iter_mut().map(|subject| subject.answer(cases)).collect();
    let mut found = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let of_case = subjects.iter().zip(&outcomes);
        let answers: Vec<Answers<'_>> =
            of_case.map(|(subject, outcomes)| Answers::of(&**subject, &outcomes[index])).collect();
        found.extend(judge.judge(case, &answers, &mut Summary::default()).into_iter().map(|found| (index, found)));
    }
    found
}

/// The findings of comparison alone, without rules.
fn compare(cases: &[Case], subject: &mut dyn Subject) -> Vec<(usize, Finding)> {
    let without_rules = Judge { without_rules: true, ..Judge::default() };
    judge(&without_rules, cases, &mut [&mut InProcess::new(Reference), subject])
}

/// The found fault, if comparison alone found it.
fn by_comparison(hunted: &Hunted) -> Option<&FoundFault> {
    hunted.found().filter(|catch| {
        catch.by.iter().any(|by| by == "comparison") && matches!(catch.signature.kind, Kind::Diverge(_))
    })
}

/// Hunts the faults; returns those whose small case is too large.
fn hunt_all() -> Vec<String> {
    println!("fault, cases until found, nodes of the shrunk case, questions, who found it");
    let faults = Fault::ALL.iter().copied().filter(|fault| fault.op() != Op::Scenario);
    let faults: Vec<(Fault, u64)> = faults.zip(SEEDS.into_iter().cycle()).step_by(sampled(EVERY)).collect();
    let bounds = bounds(CASES);
    let hunted = on_every_core(faults.len(), |index| planner::hunt(faults[index].0, faults[index].1, &bounds));
    let (mut missed, mut large) = (Vec::new(), Vec::new());
    for ((fault, _), hunted) in faults.iter().zip(&hunted) {
        let Some(FoundFault { by, shrunk, size, .. }) = by_comparison(hunted) else {
            missed.push((fault.name(), &hunted.end));
            continue;
        };
        let (document, calls, by) = (shrunk.case.to_json(), shrunk.calls, by.join(", "));
        println!("{:36} {:6} {:3} {calls:4} {by:20} {}", fault.name(), hunted.cases, size.nodes, document.to_compact());
        if size.nodes > sizes::nodes(*fault) {
            large.push(format!("{} {size:?} {}", fault.name(), document.to_compact()));
        }
        assert!(size.members <= MEMBERS, "{}: {}", fault.name(), document.to_pretty());
        assert!(calls < bounds.calls, "{} took {calls} questions", fault.name());
    }
    assert!(missed.is_empty(), "not found within {CASES} cases: {missed:?}");
    large
}

#[test]
fn faults_are_found_and_shrunk_to_their_minimum() {
    let large = hunt_all();
    assert!(large.is_empty(), "not small:\n{}", large.join("\n"));
}

#[test]
fn the_planner_in_which_faults_are_planted_is_right_without_one() {
    let mut source = merge_cases(7);
    let mut sound = Faulty::sound();
    for from in (0..2_048).step_by(CHUNK as usize) {
        let cases = source.cases(from, CHUNK);
        if let Some((index, found)) = compare(&cases, &mut sound).into_iter().next() {
            panic!("{found:?} in {}", cases[index].to_json().to_pretty());
        }
    }
}

#[test]
fn weak_hashes_collide_and_strong_ones_come_back() {
    let nodes: Vec<Node> = (0..100_i64).map(|number| Node::seq(vec![Value::number(number).into_parts().1])).collect();
    let hashes = || nodes.iter().map(structural_hash).collect::<BTreeSet<_>>();
    let strong = hashes();
    assert_eq!(strong.len(), 100);
    assert_eq!(with_weak_hashes(hashes).len(), 4);
    assert!(std::panic::catch_unwind(|| with_weak_hashes(|| panic!("on purpose"))).is_err());
    assert_eq!(hashes(), strong);
}

/// H09: the planner never relies on a hash alone. With hashes that nearly all collide the optimized planner answers the same.
#[test]
fn weak_hashes_change_no_answer() {
    let mut merges = Cases::new(Generator::new(Settings::SMALL).in_dialects(&Dialect::ALL), 8);
    let mut scenarios = Scenarios::new(Generator::new(Settings::SMALL).in_dialects(&Dialect::ALL), 8);
    let mut weak = InProcess::new(WeakHash);
    let cases = (0..1_500).map(|number| merges.case(number)).chain((0..400).map(|number| scenarios.case(number)));
    for case in cases {
        if let Some((_, found)) = compare(std::slice::from_ref(&case), &mut weak).into_iter().next() {
            panic!("{found:?} in {}", case.to_json().to_pretty());
        }
    }
}

#[test]
fn a_fault_is_in_its_operation_only() {
    let cases = merge_cases(5).cases(0, 512);
    for fault in Fault::ALL {
        for (_, found) in compare(&cases, &mut Faulty::new(*fault)) {
            assert_eq!(found.signature.op, fault.op(), "{}", fault.name());
        }
    }
}

#[test]
fn the_canary_is_found_in_every_operation_of_the_first_case() {
    let cases = merge_cases(7).cases(0, 1);
    let found = compare(&cases, &mut Canary::new());
    assert_eq!(found.iter().map(|(_, found)| found.signature.op).collect::<Vec<_>>(), cases[0].ops());
    for case in ValueCalls::new(Dialect::default(), 7).cases(0, 500) {
        assert_eq!(compare(&[case], &mut Canary::new()).len(), 1);
    }
}

#[test]
fn names_of_faults_are_different_and_lead_back() {
    for fault in Fault::ALL {
        assert_eq!(Fault::from_name(fault.name()), Some(*fault));
    }
    assert_eq!(Fault::from_name("none"), None);
}
