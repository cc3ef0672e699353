//! Triage of many artifacts that planted faults made (a thousand, if all faults are asked for): the buckets must be the faults, each at
//! most a few times.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use planfuzz::campaign::Reader;
use planfuzz::case::{Case, CaseFile, Op};
use planfuzz::compare::{Judge, difference};
use planfuzz::generate::{Generator, Scenarios, Settings};
use planfuzz::subject::faults::{Fault, Faulty};
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz::triage::{Bounds, Entry, ReplayOutcome, SHRINK_TIME, Start, Triage, Triaged, Workers};
use planfuzz_core::dialect::Dialect;
use planfuzz_reference::Reference;
use planfuzz_workspace_cases::hunt::sampled;

use super::merge_cases;

/// The artifacts, if all faults are asked for; otherwise a twelfth of them.
const ARTIFACTS: usize = 1_000;

/// One artifact in so many is made, unless all are asked for.
const ONE_OF: usize = 12;

/// One fault of the catalogue in so many takes part.
const EVERY: usize = 8;

/// The most artifacts of one fault, if all are asked for.
const OF_ONE: usize = 44;

/// The most buckets of one fault: a fault that reports a wrong place shows as too much there and as too little at the right place, in
/// attributes and in nested parts.
const BUCKETS: usize = 4;

/// The least number of faults with artifacts.
const FAULTS: usize = 20;

/// Artifacts of each fault if one planner has them all.
const OF_ONE_IN_MANY: usize = 10;

/// Rounds of triage and fixing after which a planner with all the faults has none left.
const ROUNDS_TO_MEND: usize = 10;

/// The most cases that are tried for artifacts, if all are asked for; otherwise a third of them.
const CASES: u64 = 12_000;

/// One case in so many is tried, unless all artifacts are asked for.
const ONE_CASE_OF: usize = 3;

const CHUNK: u64 = 64;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Faults of the merge and of the lifecycle: every n-th of the catalogue, so that the choice is not biased.
fn faults() -> Vec<Fault> {
    let all = Fault::ALL.iter().copied().filter(|fault| fault.op().is_merge() || fault.op() == Op::Scenario);
    all.step_by(EVERY).collect()
}

fn differs(right: &[Outcome], wrong: &[Outcome]) -> bool {
    right.iter().zip(wrong).any(|(right, wrong)| difference(right, wrong).is_some())
}

/// Cases in each of which one of the faults shows and no other.
fn made_by(faults: &[Fault], cases: &mut dyn FnMut(u64) -> Vec<Case>, made: &mut Vec<(Fault, Case)>) {
    let mut reference = InProcess::new(Reference);
    let mut faulty: Vec<(Fault, Faulty)> = faults.iter().map(|fault| (*fault, Faulty::new(*fault))).collect();
    let mut counts: BTreeMap<Fault, usize> = BTreeMap::new();
    let of_one = OF_ONE.div_ceil(sampled(ONE_OF));
    for from in (0..CASES / sampled(ONE_CASE_OF) as u64).step_by(CHUNK as usize) {
        if faults.iter().all(|fault| counts.get(fault) == Some(&of_one)) {
            break;
        }
        let cases = cases(from);
        let right = reference.answer(&cases);
        let wrong: Vec<(Fault, Vec<Vec<Outcome>>)> =
            faulty.iter_mut().map(|(fault, subject)| (*fault, subject.answer(&cases))).collect();
        for (index, case) in cases.iter().enumerate() {
            let mut shows = wrong.iter().filter(|(_, wrong)| differs(&right[index], &wrong[index]));
            let (Some((fault, _)), None) = (shows.next(), shows.next()) else { continue };
            let count = counts.entry(*fault).or_insert(0);
            if *count < of_one {
                *count += 1;
                // The case as it would be read from a file.
                made.push((*fault, CaseFile::from_json(&case.to_json()).expect("a case reads back").case));
            }
        }
    }
}

/// The artifacts, made once for all tests.
fn artifacts() -> &'static [(Fault, Case)] {
    static MADE: OnceLock<Vec<(Fault, Case)>> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut counts: BTreeMap<Fault, usize> = BTreeMap::new();
        let mut numbered: Vec<(usize, (Fault, Case))> = Vec::new();
        for (fault, case) in make(&faults()) {
            let count = counts.entry(fault).or_insert(0);
            *count += 1;
            numbered.push((*count, (fault, case)));
        }
        // The first of every fault, then the second of every one.
        numbered.sort_by_key(|(number, _)| *number);
        numbered.into_iter().map(|(_, made)| made).collect()
    })
}

fn make(faults: &[Fault]) -> Vec<(Fault, Case)> {
    let (scenarios, merges): (Vec<Fault>, Vec<Fault>) = faults.iter().partition(|fault| fault.op() == Op::Scenario);
    let mut made = Vec::new();
    let mut source = merge_cases(11);
    made_by(&merges, &mut |from| source.cases(from, CHUNK), &mut made);
    let mut source = Scenarios::new(Generator::new(Settings::SMALL), 11);
    made_by(&scenarios, &mut |from| (from..from + CHUNK).map(|number| source.case(number)).collect(), &mut made);
    made
}

/// A planner with many faults: its answer is that of the first of them that shows.
struct Planted {
    sound: InProcess,
    faulty: Vec<Faulty>,
}

impl Subject for Planted {
    fn name(&self) -> &'static str {
        "planted"
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        self.sound.can(op, dialect)
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let mut answers = self.sound.answer(cases);
        let right = answers.clone();
        for wrong in self.faulty.iter_mut().map(|subject| subject.answer(cases)) {
            for ((answer, right), wrong) in answers.iter_mut().zip(&right).zip(wrong) {
                for ((answer, right), wrong) in answer.iter_mut().zip(right).zip(wrong) {
                    if difference(right, answer).is_none() && difference(right, &wrong).is_some() {
                        *answer = wrong;
                    }
                }
            }
        }
        answers
    }
}

fn triaged(made: &[(Fault, Case)], start: Arc<Start>) -> Triaged {
    let entry = |(number, (_, case)): (usize, &(Fault, Case))| Entry {
        path: format!("crash-{number}"),
        case: case.clone(),
        original: None,
        origin: String::new(),
        recorded: None,
    };
    let entries = Arc::new(made.iter().enumerate().map(entry).collect::<Vec<_>>());
    let triage = Triage {
        start,
        first: "reference".to_owned(),
        judge: Arc::new(Judge::default()),
        workers: Workers { jobs: cores(), limit: Duration::from_secs(120), interrupted: &NEVER },
        bounds: Bounds { calls: 3_000, time: SHRINK_TIME, interrupted: &NEVER },
    };
    let begin = Instant::now();
    let triaged = triage.run(&entries, &Arc::new(Vec::new()), &mut |_, _, _| {}).expect("subjects start");
    println!("{} artifacts in {} buckets after {:.1?}", entries.len(), triaged.buckets.len(), begin.elapsed());
    triaged
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn many_artifacts_come_down_to_the_faults_that_made_them() {
    let faults = faults();
    let made = artifacts();
    let expected = ARTIFACTS / sampled(ONE_OF);
    let made = &made[..made.len().min(expected)];
    let with: BTreeSet<Fault> = made.iter().map(|(fault, _)| *fault).collect();
    println!("{} artifacts of {} faults", made.len(), with.len());
    assert_eq!(made.len(), expected);
    assert!(with.len() >= FAULTS, "{with:?}");
    let start: Arc<Start> = Arc::new(move |_| {
        let faulty = faults.iter().map(|fault| Box::new(Faulty::new(*fault)) as Box<dyn Subject>);
        Ok([Box::new(InProcess::new(Reference)) as Box<dyn Subject>].into_iter().chain(faulty).collect())
    });
    let triaged = triaged(made, start);
    assert!(triaged.replayed.iter().all(|replayed| matches!(replayed, ReplayOutcome::Reproduces { .. })));
    let mut of_fault: BTreeMap<Fault, Vec<String>> = BTreeMap::new();
    for bucket in &triaged.buckets {
        let made_by: BTreeSet<Fault> = bucket.files.iter().map(|file| made[*file].0).collect();
        assert_eq!(made_by.len(), 1, "{} mixes {made_by:?}", bucket.signature);
        let of = format!("{} ({} files, {} signatures)", bucket.signature, bucket.files.len(), bucket.signatures.len());
        made_by.into_iter().for_each(|fault| of_fault.entry(fault).or_default().push(of.clone()));
    }
    for (fault, buckets) in &of_fault {
        println!("{:36} {}", fault.name(), buckets.join(" | "));
    }
    let scattered: Vec<_> = of_fault.iter().filter(|(_, buckets)| buckets.len() > BUCKETS).collect();
    assert!(scattered.is_empty(), "{scattered:#?}");
}

/// The faults that show in a case, each planted alone.
fn shown_in(case: &Case, faults: &BTreeSet<Fault>) -> BTreeSet<Fault> {
    let cases = std::slice::from_ref(case);
    let right = InProcess::new(Reference).answer(cases);
    let shows = |fault: &&Fault| differs(&right[0], &Faulty::new(**fault).answer(cases)[0]);
    faults.iter().filter(shows).copied().collect()
}

#[test]
fn mending_the_fault_of_each_bucket_takes_a_few_rounds() {
    let made: Vec<(Fault, Case)> = {
        let mut counts: BTreeMap<Fault, usize> = BTreeMap::new();
        let mut is_kept = |fault: Fault| {
            let count = counts.entry(fault).or_insert(0);
            *count += 1;
            *count <= OF_ONE_IN_MANY
        };
        artifacts().iter().filter(|(fault, _)| is_kept(*fault)).cloned().collect()
    };
    let mut planted: BTreeSet<Fault> = made.iter().map(|(fault, _)| *fault).collect();
    for round in 1..=ROUNDS_TO_MEND {
        let left: Vec<Fault> = planted.iter().copied().collect();
        let start: Arc<Start> = Arc::new(move |_| {
            let faulty = left.iter().map(|fault| Faulty::new(*fault)).collect();
            let planted = Planted { sound: InProcess::new(Reference), faulty };
            Ok(vec![Box::new(InProcess::new(Reference)), Box::new(planted)])
        });
        let triaged = triaged(&made, start);
        println!("round {round}: {} faults in {} buckets", planted.len(), triaged.buckets.len());
        if triaged.buckets.is_empty() {
            return;
        }
        let mut mended = BTreeSet::new();
        for bucket in &triaged.buckets {
            let small = bucket.small.as_ref().unwrap_or_else(|| panic!("{} was not made small", bucket.signature));
            let shown = shown_in(&small.case, &planted);
            assert!(!shown.is_empty(), "{}: {}", bucket.signature, small.case.to_json().to_compact());
            mended.extend(shown);
        }
        planted.retain(|fault| !mended.contains(fault));
    }
    panic!("{planted:?} are left after {ROUNDS_TO_MEND} rounds");
}
