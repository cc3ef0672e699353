//! Planted faults: what the suite is measured by.
//!
//! Each fault is found by comparison alone, within a bounded number of generated cases, and shrunk to a case that a person
//! sees through at once. The canary is found in the first case. Run with `--nocapture` for the table.

#[path = "../common/mod.rs"]
mod common;
mod life_sizes;
mod lives;
mod recorded;
mod sizes;
mod triage;
#[path = "../common/recorded.rs"]
mod vectors;

use planfuzz::campaign::Reader;
use planfuzz::case::{Case, CaseFile, Op};
use planfuzz::compare::{Answers, Found, Judge, Signature, Summary, Verdict};
use planfuzz::generate::{Cases, Generator, Settings, ValueCalls};
use planfuzz::subject::faults::{Canary, Fault, Faulty};
use planfuzz::subject::{InProcess, Subject};
use planfuzz::triage::{Shrunk, shrink};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::reference::Reference;

use common::members;

/// The seeds of which every one finds every fault.
const SEEDS: [u64; 3] = [1, 2, 3];

/// The bound of a campaign. Most faults are found in the first thousand cases.
const CASES: u64 = 30_000;

/// The bound within which rules alone are tried on a fault, for the table. There are none for operations of values.
const CASES_FOR_RULES: u64 = 1_000;

/// The questions that the shrinker may ask.
const CALLS: u64 = 3_000;

/// Members of the schema of a shrunk case, at most.
const MEMBERS: usize = 3;

/// Cases that are answered at a time.
const CHUNK: u64 = 64;

/// How the hunt for one fault went.
struct Hunted {
    /// Cases until it was found.
    cases: u64,
    /// The shrunk case.
    shrunk: Case,
    /// Questions that shrinking took.
    calls: u64,
}

fn merge_cases(seed: u64) -> Cases {
    Cases::new(Generator::new(Settings::SMALL), seed)
}

fn source(fault: Fault, seed: u64) -> Box<dyn Reader> {
    match fault.op().is_merge() {
        true => Box::new(merge_cases(seed)),
        false => Box::new(ValueCalls::new(Dialect::default(), seed)),
    }
}

/// What a judge finds in cases that these subjects answered.
fn judge(judge: &Judge, cases: &[Case], subjects: &mut [&mut dyn Subject]) -> Vec<(usize, Found)> {
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

/// What comparison alone finds, without rules.
fn compare(cases: &[Case], subject: &mut dyn Subject) -> Vec<(usize, Found)> {
    let without_rules = Judge { without_rules: true, ..Judge::default() };
    judge(&without_rules, cases, &mut [&mut InProcess::new(Reference), subject])
}

fn has_signature(found: &[(usize, Found)], signature: Option<&Signature>) -> bool {
    found.iter().any(|(_, found)| found.verdict.signature() == signature)
}

/// The cases of a source in chunks, narrowed to an operation, each with its number.
fn chunks(fault: Fault, seed: u64, bound: u64) -> impl Iterator<Item = (Vec<u64>, Vec<Case>)> {
    let mut source = source(fault, seed);
    (0..bound).step_by(CHUNK as usize).map(move |from| {
        let cases = (from..).zip(source.cases(from, CHUNK));
        cases.filter_map(|(number, case)| Some((number, case.narrowed_to(fault.op())?))).unzip()
    })
}

fn hunt(fault: Fault, seed: u64) -> Option<Hunted> {
    let mut subject = Faulty::new(fault);
    for (numbers, cases) in chunks(fault, seed, CASES) {
        let Some((index, found)) = compare(&cases, &mut subject).into_iter().next() else { continue };
        let signature = found.verdict.signature().cloned();
        let mut holds =
            |case: &Case| has_signature(&compare(std::slice::from_ref(case), &mut subject), signature.as_ref());
        let kept = CaseFile::from_json(&cases[index].to_json()).expect("a case reads back").case;
        assert!(holds(&kept), "{}: the finding is lost in writing: {}", fault.name(), kept.to_json().to_compact());
        let Shrunk { case: shrunk, calls } = shrink(&kept, CALLS, &mut holds);
        assert!(holds(&shrunk), "{}: the shrunk case shows something else", fault.name());
        return Some(Hunted { cases: numbers[index] + 1, shrunk, calls });
    }
    None
}

/// The number of cases after which a rule alone is broken by the fault.
fn broken_rule(fault: Fault, seed: u64) -> Option<u64> {
    if !fault.op().is_merge() {
        return None;
    }
    let mut subject = Faulty::new(fault);
    chunks(fault, seed, CASES_FOR_RULES).find_map(|(numbers, cases)| {
        let found = judge(&Judge::default(), &cases, &mut [&mut subject]);
        let broken = found.iter().find(|(_, found)| matches!(found.verdict, Verdict::RuleBroken { .. }));
        broken.map(|(index, _)| numbers[*index] + 1)
    })
}

/// Nodes of a document.
fn nodes(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| nodes(value)).sum::<usize>(),
        _ => 1,
    }
}

fn hunt_all(seed: u64) {
    println!(
        "seed {seed}: fault, cases until found, nodes of the shrunk case, questions, cases until a rule alone is broken"
    );
    let mut missed = Vec::new();
    for fault in Fault::ALL.iter().filter(|fault| fault.op() != Op::Scenario) {
        let Some(Hunted { cases, shrunk, calls }) = hunt(*fault, seed) else {
            missed.push(fault.name());
            continue;
        };
        let document = shrunk.to_json();
        let by_rules = broken_rule(*fault, seed).map_or("-".to_owned(), |cases| cases.to_string());
        let size = nodes(&document);
        println!("{:36} {cases:6} {size:3} {calls:4} {by_rules:>5} {}", fault.name(), document.to_compact());
        assert!(size <= sizes::nodes(*fault), "{}: {size} nodes: {}", fault.name(), document.to_pretty());
        assert!(members(&shrunk) <= MEMBERS, "{}: {}", fault.name(), document.to_pretty());
        assert!(calls < CALLS, "{} took {calls} questions", fault.name());
    }
    assert!(missed.is_empty(), "not found within {CASES} cases: {missed:?}");
}

#[test]
fn every_fault_is_found_and_shrunk_to_its_minimum() {
    SEEDS.into_iter().for_each(hunt_all);
}

#[test]
fn the_planner_in_which_faults_are_planted_is_right_without_one() {
    let mut source = merge_cases(7);
    let mut sound = Faulty::sound();
    for from in (0..20_000).step_by(CHUNK as usize) {
        let cases = source.cases(from, CHUNK);
        if let Some((index, found)) = compare(&cases, &mut sound).into_iter().next() {
            panic!("{found:?} in {}", cases[index].to_json().to_pretty());
        }
    }
}

#[test]
fn a_fault_is_in_its_operation_only() {
    let cases = merge_cases(5).cases(0, 512);
    for fault in Fault::ALL {
        for (_, found) in compare(&cases, &mut Faulty::new(*fault)) {
            assert_eq!(found.op, fault.op(), "{}", fault.name());
        }
    }
}

#[test]
fn the_canary_is_found_in_every_operation_of_the_first_case() {
    let cases = merge_cases(7).cases(0, 1);
    let found = compare(&cases, &mut Canary::new());
    assert_eq!(found.iter().map(|(_, found)| found.op).collect::<Vec<_>>(), cases[0].ops());
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
