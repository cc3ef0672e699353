//! Planted faults of the lifecycle: each is found in generated lives, by comparison alone, and shrunk to a life that a person
//! sees through at once.

use std::collections::BTreeMap;

use planfuzz::case::{Case, CaseFile, Op};
use planfuzz::compare::{Answers, Found, Judge, Signature, Summary, Verdict};
use planfuzz::generate::{Generator, Lives, Settings};
use planfuzz::subject::faults::{Fault, Faulty};
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz::triage::{Shrunk, shrink};
use planfuzz_core::reference::Reference;

use super::common::{members, on_every_core, steps};
use super::life_sizes::{self, Size};
use super::nodes;

/// The seeds of which every one finds every fault.
const SEEDS: [u64; 3] = [1, 2, 3];

/// The bound of a campaign, in scenarios.
const SCENARIOS: u64 = 20_000;

/// The questions that the shrinker may ask.
const CALLS: u64 = 3_000;

/// Scenarios that are played at a time.
const CHUNK: u64 = 32;

fn faults() -> Vec<Fault> {
    Fault::ALL.iter().copied().filter(|fault| fault.op() == Op::Scenario).collect()
}

fn source(seed: u64) -> Lives {
    Lives::new(Generator::new(Settings::SMALL), seed)
}

/// Where a fault was found: the number of the scenario, and the scenario.
struct Finding {
    number: u64,
    case: Case,
    signature: Option<Signature>,
}

/// The first difference to the reference in one scenario.
fn difference(case: &Case, right: &[Outcome], wrong: &[Outcome], subject: &dyn Subject) -> Option<Found> {
    let judge = Judge { without_rules: true, ..Judge::default() };
    let reference = InProcess::new(Reference);
    let answers = [Answers::of(&reference, right), Answers::of(subject, wrong)];
    judge.judge(case, &answers, &mut Summary::default()).into_iter().next()
}

/// The first scenario of a seed in which each fault shows.
fn hunt(seed: u64, faults: &[Fault]) -> BTreeMap<Fault, Finding> {
    let (mut lives, mut reference) = (source(seed), InProcess::new(Reference));
    let mut open: Vec<(Fault, Faulty)> = faults.iter().map(|fault| (*fault, Faulty::new(*fault))).collect();
    let mut findings = BTreeMap::new();
    for from in (0..SCENARIOS).step_by(CHUNK as usize) {
        if open.is_empty() {
            break;
        }
        let cases: Vec<Case> = (from..from + CHUNK).map(|number| lives.case(number)).collect();
        let right = reference.answer(&cases);
        open.retain_mut(|(fault, subject)| {
            let wrong = subject.answer(&cases);
            let mut answered = (from..).zip(cases.iter().zip(right.iter().zip(&wrong)));
            let found = answered.find_map(|(number, (case, (right, wrong)))| {
                let found = difference(case, right, wrong, subject)?;
                Some(Finding { number, case: case.clone(), signature: found.verdict.signature().cloned() })
            });
            let is_open = found.is_none();
            findings.extend(found.map(|found| (*fault, found)));
            is_open
        });
    }
    findings
}

/// Whether a rule is broken where a fault was found, so that it would be found without a second planner.
fn breaks_rule(fault: Fault, finding: &Finding) -> bool {
    let mut subject = Faulty::new(fault);
    let outcomes = subject.answer(std::slice::from_ref(&finding.case));
    let answers = [Answers::of(&subject, &outcomes[0])];
    let found = Judge::default().judge(&finding.case, &answers, &mut Summary::default());
    found.iter().any(|found| matches!(found.verdict, Verdict::RuleBroken { .. }))
}

fn shrunk(fault: Fault, finding: &Finding) -> Shrunk {
    let (mut reference, mut subject) = (InProcess::new(Reference), Faulty::new(fault));
    let mut holds = |case: &Case| {
        let cases = std::slice::from_ref(case);
        let (right, wrong) = (reference.answer(cases), subject.answer(cases));
        let found = difference(case, &right[0], &wrong[0], &subject);
        found.is_some_and(|found| found.verdict.signature() == finding.signature.as_ref())
    };
    let kept = CaseFile::from_json(&finding.case.to_json()).expect("a case reads back").case;
    assert!(holds(&kept), "{}: the finding is lost in writing: {}", fault.name(), kept.to_json().to_compact());
    let shrunk = shrink(&kept, CALLS, &mut holds);
    assert!(holds(&shrunk.case), "{}: the shrunk case shows something else", fault.name());
    shrunk
}

#[test]
fn every_fault_of_the_lifecycle_is_found_and_shrunk() {
    let all = faults();
    let findings = on_every_core(SEEDS.len(), |index| hunt(SEEDS[index], &all));
    let mut missed = Vec::new();
    for (seed, findings) in SEEDS.iter().zip(&findings) {
        missed.extend(all.iter().filter(|fault| !findings.contains_key(fault)).map(|fault| (*seed, fault.name())));
    }
    let found: Vec<(u64, Fault, &Finding)> = SEEDS
        .iter()
        .zip(&findings)
        .flat_map(|(seed, findings)| findings.iter().map(|(fault, finding)| (*seed, *fault, finding)))
        .collect();
    let small = on_every_core(found.len(), |index| {
        let (_, fault, finding) = found[index];
        (breaks_rule(fault, finding), shrunk(fault, finding))
    });
    println!(
        "fault, seed, scenarios until found, whether a rule alone is broken then, nodes, members and steps when shrunk"
    );
    let mut too_big = Vec::new();
    for ((seed, fault, finding), (by_rule, Shrunk { case, calls })) in found.iter().zip(small) {
        let document = case.to_json();
        let size = Size { nodes: nodes(&document), members: members(&case), steps: steps(&case) };
        let (name, by_rule) = (fault.name(), if by_rule { "rule" } else { "-" });
        println!("{name:36} {seed} {:6} {by_rule:4} {size:?} {}", finding.number + 1, document.to_compact());
        if !size.fits(life_sizes::MOST) {
            too_big.push((name, *seed, size));
        }
        assert!(calls < CALLS, "{name} took {calls} questions");
    }
    assert!(missed.is_empty(), "not found within {SCENARIOS} scenarios: {missed:?}");
    assert!(too_big.is_empty(), "not small: {too_big:?}");
}

#[test]
fn the_walks_in_which_faults_are_planted_are_right_without_one() {
    let mut lives = source(7);
    let (mut reference, mut sound) = (InProcess::new(Reference), Faulty::sound());
    for from in (0..2_000).step_by(CHUNK as usize) {
        let cases: Vec<Case> = (from..from + CHUNK).map(|number| lives.case(number)).collect();
        let (right, same) = (reference.answer(&cases), sound.answer(&cases));
        for ((case, right), same) in cases.iter().zip(&right).zip(&same) {
            if let Some(found) = difference(case, right, same, &sound) {
                panic!("{found:?} in {}", case.to_json().to_pretty());
            }
        }
    }
}
