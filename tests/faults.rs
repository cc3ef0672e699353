//! Planted faults: what the suite is measured by.
//!
//! Each fault is found by comparison alone, within a bounded number of generated cases, and shrunk to a case that a person
//! sees through at once. The canary is found in the first case.

use planfuzz::campaign::Reader;
use planfuzz::case::{Case, CaseFile};
use planfuzz::compare::{Answers, Found, Judge, Summary};
use planfuzz::generate::{Cases, Generator, Settings, ValueCalls};
use planfuzz::subject::faults::{Fault, Faulty};
use planfuzz::subject::{InProcess, Subject};
use planfuzz::triage::{Shrunk, shrink};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::reference::Reference;

fn seed() -> u64 {
    std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(7)
}
const CASES: u64 = 20_000;
const CHUNK: u64 = 64;
const CALLS: u64 = 3_000;

fn merge_cases(settings: Settings) -> Cases {
    Cases::new(Generator::new(settings), seed())
}

/// What comparison finds in cases, by the two subjects.
fn compare(cases: &[Case], first: &mut dyn Subject, second: &mut dyn Subject) -> Vec<(usize, Found)> {
    let judge = Judge { without_rules: true, ..Judge::default() };
    let (one, other) = (first.answer(cases), second.answer(cases));
    let mut found = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let answers = [
            Answers { subject: first.name(), outcomes: &one[index] },
            Answers { subject: second.name(), outcomes: &other[index] },
        ];
        found.extend(judge.judge(case, &answers, &mut Summary::default()).into_iter().map(|found| (index, found)));
    }
    found
}

/// How the hunt for one fault went.
struct Hunted {
    fault: Fault,
    /// Cases until it was found.
    cases: u64,
    /// The shrunk case.
    shrunk: Case,
    /// Questions that shrinking took.
    calls: u64,
}

fn hunt(fault: Fault) -> Option<Hunted> {
    let mut subject = Faulty::new(fault);
    let mut reference = InProcess::new(Reference);
    let mut merge;
    let mut values;
    let source: &mut dyn Reader = if fault.op().is_merge() {
        merge = merge_cases(Settings::SMALL);
        &mut merge
    } else {
        values = ValueCalls::new(Dialect::default(), seed());
        &mut values
    };
    for from in (0..CASES).step_by(CHUNK as usize) {
        let cases = source.cases(from, CHUNK);
        let narrowed =
            cases.iter().enumerate().filter_map(|(at, case)| Some((at as u64, case.narrowed_to(fault.op())?)));
        let (numbers, cases): (Vec<u64>, Vec<Case>) = narrowed.unzip();
        for (index, found) in compare(&cases, &mut reference, &mut subject) {
            let signature = found.verdict.signature().cloned();
            let mut holds = |case: &Case| {
                let found = compare(std::slice::from_ref(case), &mut reference, &mut subject);
                found.iter().any(|(_, found)| found.verdict.signature().cloned() == signature)
            };
            // What a file does not hold is no finding.
            let kept = CaseFile::from_json(&cases[index].to_json()).expect("a case reads back").case;
            if !holds(&kept) {
                eprintln!("{}: lost in writing: {}", fault.name(), kept.to_json().to_compact());
                continue;
            }
            let Shrunk { case, calls } = shrink(&kept, CALLS, &mut holds);
            return Some(Hunted { fault, cases: from + numbers[index] + 1, shrunk: case, calls });
        }
    }
    None
}

/// Nodes of a document.
fn nodes(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| nodes(value)).sum::<usize>(),
        _ => 1,
    }
}

#[test]
fn every_fault_is_found_and_shrunk() {
    for fault in Fault::ALL {
        match hunt(*fault) {
            Some(Hunted { fault, cases, shrunk, calls }) => {
                let document = shrunk.to_json();
                println!(
                    "{:40} {cases:6} cases {:3} nodes {calls:4} calls {}",
                    fault.name(),
                    nodes(&document),
                    document.to_compact()
                );
            }
            None => println!("{:40} MISSED", fault.name()),
        }
    }
}

#[test]
fn the_planner_in_which_faults_are_planted_is_right_without_one() {
    let mut cases = merge_cases(Settings::SMALL);
    let (mut reference, mut sound) = (InProcess::new(Reference), Faulty::sound());
    let mut shown = 0;
    for chunk in 0..100 {
        let cases = cases.cases(chunk * 200, 200);
        for (index, found) in compare(&cases, &mut reference, &mut sound) {
            if shown < 12 {
                eprintln!("{:?}\n{}\n", found, cases[index].narrowed_to(found.op).unwrap().to_json().to_compact());
            }
            shown += 1;
        }
    }
    assert_eq!(shown, 0);
}
