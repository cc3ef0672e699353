//! A campaign against every fault of the catalogue: generated providers that are well-behaved but for the one fault, run and judged as
//! usual, until an invariant that the catalogue names is broken because of it; the case is then shrunk. Faults that should break
//! nothing, controls among them, are watched.
//!
//! The snapshot has the results for a reader. `INSTA_UPDATE=always cargo test --test provider_fault_campaign` writes it anew.

#[path = "common/cores.rs"]
mod cores;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use planfuzz::case::Case;
use planfuzz::compare::Signature;
use planfuzz::generate::Pipeline;
use planfuzz::kills::provider::{
    Broken, FaultyProvider, NOT_OF_THE_SDK, PIPELINES, Pursuit, Trial, invariant, scenario,
};
use planfuzz::kills::{Bounds, FoundFault};
use planfuzz::scenario::{Command, Scenario, Step};
use planfuzz::subject::Outcome;
use planfuzz_core::planner::{Exchange, Planner as _};
use planfuzz_pipelines::faults::FaultInfo;
use planfuzz_pipelines::model::FaultName;
use planfuzz_reference::Reference;

use cores::on_every_core;

/// The seeds: each one finds every fault.
const SEEDS: [u64; 3] = [1, 2, 3];

static NEVER: AtomicBool = AtomicBool::new(false);

/// The bound of the campaign against one fault, in scenarios, and of the questions of the shrinker. Most are found in the first fifty.
const BOUNDS: Bounds<'_> =
    Bounds { cases: Some(20_000), time: None, until: None, calls: 3_000, properties: false, interrupted: &NEVER };

/// The number of scenarios in which a provider that should break nothing is watched; those without evidence are left out and counted.
const WATCHED: u64 = 400;

/// Attributes and blocks of a shrunk scenario, at most, and steps.
const MOST: (usize, usize) = (3, 2);

/// Invariants that a fault may break besides those of the catalogue, and why.
const CONSEQUENCES: [(FaultName, Pipeline, &str); 6] = [
    // Core tolerates the guess of the first plan, and then compares the second with it.
    (FaultName::PlanGuessUnknown, Pipeline::Sdk, "I20"),
    // Likewise the plan has null, but the result is not null.
    (FaultName::PlanNull, Pipeline::Sdk, "I28"),
    // In a replacement that only the second plan requires, a known value becomes unknown.
    (FaultName::SecondReplaces, Pipeline::Sdk, "I20"),
    (FaultName::SecondReplaces, Pipeline::Framework, "I20"),
    // A value that was not upgraded is stored as it was, and another time it is upgraded.
    (FaultName::UpgradeUnknown, Pipeline::Sdk, "I47"),
    (FaultName::UpgradeUnknown, Pipeline::Framework, "I47"),
];

/// A fault to hunt or to watch, in providers of a kind, with a seed.
#[derive(Clone, Copy)]
struct Target {
    faulty: FaultyProvider,
    seed: u64,
}

/// The result of a successful hunt.
struct Caught {
    /// Scenarios until it was found.
    scenarios: u64,
    /// What was broken because of the fault until then.
    seen: Broken,
    catch: FoundFault,
    /// What is broken in the shrunk scenario.
    left: Broken,
}

/// Whether the provider answers otherwise than without the fault.
fn acts(trial: &mut Trial, case: &Case) -> bool {
    let text = |exchange: &Exchange| format!("{exchange:?}");
    let [with, without] = trial.outcomes(case).map(|outcomes| match outcomes.as_slice() {
        [Outcome::Trace(trace)] => {
            let planned = trace.steps.iter().flat_map(|step| &step.plan.exchanges);
            let applied = trace.steps.iter().filter_map(|step| step.apply.as_ref()).flat_map(|apply| &apply.exchanges);
            planned.chain(applied).map(text).collect::<Vec<String>>()
        }
        other => panic!("{:?} cannot be played: {other:?}", case.to_json().to_compact()),
    });
    with != without
}

/// The result of watching.
#[derive(Default)]
struct Watched {
    /// Scenarios that give evidence.
    evident: usize,
    /// In how many of them the provider answered otherwise than without the fault.
    acted: usize,
    /// What was broken because of the fault, and where.
    broken: Vec<String>,
}

impl Target {
    fn info(self) -> &'static FaultInfo {
        self.faulty.info
    }

    fn hunt(self) -> Option<Caught> {
        let Pursuit { hunted, seen } = self.faulty.pursue(self.seed, &BOUNDS);
        let catch = hunted.found()?.clone();
        let left = Trial::default().broken(&catch.shrunk.case);
        Some(Caught { scenarios: hunted.cases, seen, catch, left })
    }

    /// Watches a provider that should break nothing. What Core tolerates of the SDK is ignored: it depends on the course of a run.
    fn watch(self) -> Watched {
        let (mut trial, mut watched) = (Trial::default(), Watched::default());
        let first = self.faulty.cases(self.seed).take_while(|(number, _)| *number < WATCHED);
        for (_, case) in first.filter(|(_, case)| scenario(case).is_some_and(is_evidence)) {
            watched.evident += 1;
            watched.acted += usize::from(acts(&mut trial, &case));
            let broken = trial.broken_by_fault(&case).into_iter().filter(|(_, tolerated)| !tolerated);
            let broken = broken.filter(|(signature, _)| !self.is_a_guess(signature));
            watched
                .broken
                .extend(broken.map(|(signature, _)| format!("{signature} in {}", case.to_json().to_compact())));
        }
        watched
    }

    /// Whether a broken invariant may come from a wrong guess: of two discarded plans, the later one is taken for the second of an
    /// apply.
    fn is_a_guess(self, signature: &Signature) -> bool {
        self.info().name == FaultName::SecondPrior && matches!(invariant(signature), "I20" | "I47")
    }

    /// Whether an invariant may be broken in the shrunk scenario, tolerated or not.
    fn may_be_left(self, signature: &Signature, tolerated: bool) -> bool {
        let one = invariant(signature);
        let follows = |(name, pipeline, follows): &(FaultName, Pipeline, &str)| {
            (*name, *pipeline, *follows) == (self.info().name, self.faulty.pipeline, one)
        };
        let is_excused = tolerated && self.faulty.pipeline == Pipeline::Sdk;
        self.info().breaks.contains(&one) || is_excused || CONSEQUENCES.iter().any(follows)
    }

    fn title(self) -> String {
        format!("{:5}{:25}{:10}", self.info().id, self.info().name.name(), self.faulty.style())
    }
}

/// Whether a broken invariant in a scenario is evidence against a fault that should break nothing. It is none if the fault depends on
/// the number of a call, so that the same question gets another answer (I46, I47); nor if something changes outside or there are
/// several objects: then the object of a call is a guess (section 3.5), and the fault may change the guess.
fn is_evidence(scenario: &Scenario) -> bool {
    let is_plain = |step: &Step| step.outside.is_empty() && !matches!(step.command, Command::Import { .. });
    scenario.model.faults.iter().all(|fault| fault.when.nth.is_none())
        && scenario.steps.iter().all(is_plain)
        && scenario.state.deposed.is_empty()
        && scenario.remote.len() <= 1
}

/// The number rounded up to a power of ten: the exact scenario depends on the generator.
fn rounded(number: u64) -> u64 {
    (0..).map(|power| 10_u64.pow(power)).find(|power| *power >= number).unwrap_or(u64::MAX)
}

fn in_words(broken: &BTreeSet<(String, bool)>) -> String {
    let words = broken.iter().map(|(one, tolerated)| format!("{one}{}", if *tolerated { " T" } else { "" }));
    if broken.is_empty() { "nothing".to_owned() } else { Vec::from_iter(words).join(", ") }
}

fn marked(broken: &Broken) -> impl Iterator<Item = (String, bool)> + '_ {
    broken.iter().map(|(signature, tolerated)| (invariant(signature).to_owned(), *tolerated))
}

/// The problems of a result.
fn complaints(target: Target, caught: Option<&Caught>) -> Vec<String> {
    let title = format!("{}, seed {}", target.title(), target.seed);
    let Some(Caught { seen, catch: FoundFault { shrunk, size, .. }, left, .. }) = caught else {
        return vec![format!("{title}: not found within {BOUNDS:?}")];
    };
    let (size, text) = ((size.members, size.steps), shrunk.case.to_json().to_compact());
    let is_big = size.0 > MOST.0 || size.1 > MOST.1 || shrunk.calls >= BOUNDS.calls;
    let big = is_big.then(|| format!("{title}: {size:?} after {} questions: {text}", shrunk.calls));
    let strange = left.iter().filter(|(one, tolerated)| !target.may_be_left(one, **tolerated));
    let strange = strange.map(|(signature, _)| format!("{title}: {signature} is broken too: {text}"));
    let planner = seen.keys().chain(left.keys()).filter(|one| one.subjects.is_one(Reference.name()));
    big.into_iter().chain(strange).chain(planner.map(|signature| format!("{title}: {signature}"))).collect()
}

/// The row of a fault that was hunted with every seed: the worst result.
fn row(target: Target, caught: &[Caught]) -> String {
    let most = |of: &dyn Fn(&Caught) -> usize| caught.iter().map(of).max().unwrap_or_default();
    let scenarios = caught.iter().map(|caught| caught.scenarios).max().unwrap_or_default();
    let seen: BTreeSet<_> = caught.iter().flat_map(|caught| marked(&caught.seen)).collect();
    let left: BTreeSet<_> = caught.iter().flat_map(|caught| marked(&caught.left)).collect();
    let (members, steps) = (most(&|caught| caught.catch.size.members), most(&|caught| caught.catch.size.steps));
    let (named, seen) = match target.info().breaks {
        [] => ("nothing".to_owned(), "a difference".to_owned()),
        named => (named.join(", "), in_words(&seen)),
    };
    let (title, scenarios, left) = (target.title(), rounded(scenarios), in_words(&left));
    format!("{title}{named:8}{seen:22}{scenarios:5} {members:7} {steps:5}  {left}\n")
}

/// Calls `work` for each fault, each kind of provider and each seed.
fn with_each<T: Send>(chosen: impl Fn(Target) -> bool, work: impl Fn(Target) -> T + Sync) -> Vec<(Target, Vec<T>)> {
    let pairs = FaultInfo::ALL.iter().flat_map(|info| PIPELINES.map(|pipeline| FaultyProvider { info, pipeline }));
    let all: Vec<Target> =
        pairs.flat_map(|faulty| SEEDS.map(|seed| Target { faulty, seed })).filter(|target| chosen(*target)).collect();
    let mut done = on_every_core(all.len(), |index| work(all[index])).into_iter();
    all.chunks(SEEDS.len()).map(|targets| (targets[0], done.by_ref().take(targets.len()).collect())).collect()
}

fn hold(table: &str, name: &str, description: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/provider");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(description);
    settings.bind(|| insta::assert_snapshot!(name, table));
}

#[test]
fn every_fault_is_found_and_shrunk() {
    let mut table = format!(
        "{:40}{:8}{:22}{:5} {:7} {:5}  {}\n",
        "fault", "breaks", "broken until found", "found", "members", "steps", "broken when shrunk"
    );
    let mut wrong = Vec::new();
    let is_hunted = |target: Target| !target.info().is_control() && !target.faulty.is_impossible();
    for (target, caught) in with_each(is_hunted, Target::hunt) {
        for (seed, caught) in SEEDS.into_iter().zip(&caught) {
            wrong.extend(complaints(Target { seed, ..target }, caught.as_ref()));
        }
        table += &row(target, &Vec::from_iter(caught.into_iter().flatten()));
    }
    for (name, reason) in NOT_OF_THE_SDK {
        let _ = writeln!(table, "{:5}{:25}sdk       {reason}", FaultInfo::of(name).id, name.name());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let description = "The campaign against each fault of a provider, the worst of three seeds: the invariants that the catalogue \
        names, those that the fault broke until it was found (T: tolerated), within how many scenarios, and the scenario it shrank to";
    hold(&table, "campaign", description);
}

#[test]
fn faults_that_are_to_break_nothing_break_nothing() {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (target, watched) in with_each(|target| target.info().breaks.is_empty(), Target::watch) {
        let sum = |of: fn(&Watched) -> usize| watched.iter().map(of).sum::<usize>();
        let (evident, acted) = (sum(|watched| watched.evident), sum(|watched| watched.acted));
        let all = WATCHED * SEEDS.len() as u64;
        let _ =
            writeln!(table, "{}acts in {acted:3} of {evident:3} scenarios that can show it, of {all}", target.title());
        if acted < 10 {
            wrong.push(format!("{}: acts in {acted} scenarios only", target.title()));
        }
        wrong.extend(watched.into_iter().flat_map(|watched| watched.broken).map(|broken| target.title() + &broken));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    hold(
        &table,
        "watched",
        "Faults of providers that break nothing, and controls: in how many scenarios they were watched",
    );
}

#[test]
fn faults_that_the_sdk_cannot_have_break_nothing() {
    for (target, watched) in with_each(|target| target.faulty.is_impossible(), Target::watch) {
        for Watched { evident, acted: _, broken } in watched {
            assert!(evident > 0 && broken.is_empty(), "{}: {broken:?}", target.title());
        }
    }
}
