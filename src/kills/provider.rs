//! Faults of providers: generated providers that are well-behaved but for the one fault. Scenarios are run and judged
//! as usual, until an invariant that the catalogue names is broken because of the fault.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use planfuzz_pipelines::faults::FaultInfo;
use planfuzz_pipelines::model::{FaultName, Style};
use planfuzz_reference::Reference;

use super::hunted::{Bounds, End, FoundFault, Hunted, Why};
use super::size::Size;
use super::target::Target;
use crate::case::{Call, Case, CaseFile, Task};
use crate::compare::{Answers, Judge, Kind, Signature, Summary};
use crate::generate::{Generator, Pipeline, Providers, Scenarios, Settings};
use crate::panel::{Asked, Extent, Panel};
use crate::scenario::Scenario;
use crate::subject::{InProcess, Outcome, Shown};
use crate::triage::{SHRINK_TIME, shrink};

/// The libraries that providers are written with.
pub const PIPELINES: [Pipeline; 2] = [Pipeline::Framework, Pipeline::Sdk];

/// The faults that providers of the SDK cannot have, and why.
pub const NOT_OF_THE_SDK: [(FaultName, &str); 2] = [
    (FaultName::PlanKeepOnDestroy, "is not asked to plan a destruction"),
    (FaultName::ApplyDynamicType, "has no dynamic attributes"),
];

/// A provider of a kind with a fault.
#[derive(Clone, Copy, Debug)]
pub struct FaultyProvider {
    /// The fault.
    pub info: &'static FaultInfo,
    /// The library that the provider is written with.
    pub pipeline: Pipeline,
}

/// The broken invariants of a run, each with whether it is tolerated.
pub type Broken = BTreeMap<Signature, bool>;

/// The invariant of a signature.
pub fn invariant(signature: &Signature) -> &str {
    // A finding of another kind breaks no invariant: use its name.
    signature.kind.rule().unwrap_or(signature.kind.name())
}

/// The same case under a provider without the fault.
fn without_fault(case: &Case) -> Case {
    match scenario(case) {
        Some(scenario) => Case { task: Task::Call(Call::Scenario(scenario.without_faults().into())), ..case.clone() },
        None => case.clone(),
    }
}

/// The scenario of a case that is one.
pub fn scenario(case: &Case) -> Option<&Scenario> {
    match &case.task {
        Task::Call(Call::Scenario(scenario)) => Some(scenario),
        Task::Merge(_) | Task::Call(_) => None,
    }
}

/// Runs scenarios with one planner, with the provider's fault and without, and judges the provider.
pub struct Trial {
    panel: Panel,
}

impl Default for Trial {
    fn default() -> Trial {
        let judge = Judge { providers: true, ..Judge::default() };
        Trial { panel: Panel::new(vec![Box::new(InProcess::new(Reference))], Arc::new(judge)) }
    }
}

impl Trial {
    /// The outcomes of a case, with the fault and without.
    pub fn outcomes(&mut self, case: &Case) -> [Vec<Outcome>; 2] {
        [self.answer(case), self.answer(&without_fault(case))]
    }

    fn ask(&mut self, case: &Case) -> Asked {
        self.panel.ask(case, Extent::Answers, &mut Summary::default())
    }

    fn answer(&mut self, case: &Case) -> Vec<Outcome> {
        self.ask(case).outcomes.into_iter().next().map(|(_, outcomes)| outcomes).unwrap_or_default()
    }

    /// What is broken in the run of a case.
    pub fn broken(&mut self, case: &Case) -> Broken {
        let Asked { findings, excused, .. } = self.ask(case);
        let excused = excused.into_iter().map(|finding| (finding.signature, true));
        excused.chain(findings.into_iter().map(|finding| (finding.signature, false))).collect()
    }

    /// What is broken because of the fault: invariants that hold everywhere without it.
    pub fn broken_by_fault(&mut self, case: &Case) -> Broken {
        let mut broken = self.broken(case);
        if !broken.is_empty() {
            let anyway: HashSet<Kind> = self.broken(&without_fault(case)).into_keys().map(|one| one.kind).collect();
            broken.retain(|signature, _| !anyway.contains(&signature.kind));
        }
        broken
    }

    /// How Core behaves or reports otherwise than without the fault.
    fn difference(&mut self, case: &Case) -> Option<Signature> {
        let [with, without] = self.outcomes(case);
        let answers = [("with", &with), ("without", &without)];
        let answers = answers.map(|(subject, outcomes)| Answers {
            subject,
            outcomes,
            shown: Shown::Whole,
            is_of_shared_code: false,
        });
        let judge = Judge { without_rules: true, ..Judge::default() };
        let found = judge.judge(case, &answers, &mut Summary::default());
        found.into_iter().next().map(|finding| finding.signature)
    }
}

/// The result of the hunt for a fault, with what was broken on the way.
pub struct Pursuit {
    /// The result that every kind of hunt has.
    pub hunted: Hunted,
    /// What was broken because of the fault until it was found.
    pub seen: Broken,
}

impl FaultyProvider {
    /// Every fault of the catalogue that a provider of a kind can have, in its order. Controls are none.
    pub fn all() -> Vec<FaultyProvider> {
        let pairs = FaultInfo::ALL.iter().flat_map(|info| PIPELINES.map(|pipeline| FaultyProvider { info, pipeline }));
        pairs.filter(|faulty| !faulty.info.is_control() && !faulty.is_impossible()).collect()
    }

    /// Its id and its name.
    pub fn name(self) -> String {
        format!("{}-{}", self.info.id.to_ascii_lowercase(), self.info.name.name().replace('_', "-"))
    }

    /// A word for the library that the provider is written with.
    pub fn style(self) -> &'static str {
        match self.pipeline {
            Pipeline::Framework => "framework",
            Pipeline::Sdk => "sdk",
        }
    }

    /// Whether a provider of this kind cannot have the fault.
    pub fn is_impossible(self) -> bool {
        self.pipeline == Pipeline::Sdk && NOT_OF_THE_SDK.iter().any(|(name, _)| *name == self.info.name)
    }

    /// Whether Core tolerates what the fault breaks.
    fn is_tolerated(self) -> bool {
        self.info.tolerated && self.pipeline == Pipeline::Sdk
    }

    /// The scenarios of a seed, each with its number; those whose schema the kind cannot have are left out.
    pub fn cases(self, seed: u64) -> impl Iterator<Item = (u64, Case)> {
        let providers = Providers { fault: Some(self.info.name), pipeline: Some(self.pipeline) };
        let mut scenarios = Scenarios::new(Generator::new(Settings { providers, ..Settings::SMALL }), seed);
        (0..).map(move |number| (number, scenarios.case(number))).filter(move |(_, case)| self.is_of_kind(case))
    }

    fn is_of_kind(self, case: &Case) -> bool {
        let is_sdk = scenario(case).is_some_and(|scenario| matches!(scenario.model.style, Style::Sdk { .. }));
        is_sdk == (self.pipeline == Pipeline::Sdk)
    }

    /// The bucket of a case that shows the fault: an invariant that the catalogue names is broken as it says; for a
    /// fault that breaks none, Core behaves otherwise.
    fn bucket(self, trial: &mut Trial, case: &Case, seen: &mut Broken) -> Option<Signature> {
        if self.info.breaks.is_empty() {
            return trial.difference(case);
        }
        let broken = trial.broken_by_fault(case);
        seen.extend(broken.iter().map(|(signature, tolerated)| (signature.clone(), *tolerated)));
        let shows = |(signature, tolerated): &(Signature, bool)| {
            self.info.breaks.contains(&invariant(signature)) && *tolerated == self.is_tolerated()
        };
        broken.into_iter().find(shows).map(|(signature, _)| signature)
    }

    fn shows(self, trial: &mut Trial, case: &Case, bucket: &Signature) -> bool {
        match self.info.breaks {
            [] => trial.difference(case).as_ref() == Some(bucket),
            _ => trial.broken_by_fault(case).get(bucket) == Some(&self.is_tolerated()),
        }
    }

    /// What reported the fault.
    fn finder(self, bucket: &Signature) -> String {
        match (self.info.breaks, self.is_tolerated()) {
            ([], _) => "comparison".to_owned(),
            (_, false) => invariant(bucket).to_owned(),
            (_, true) => format!("{} (tolerated)", invariant(bucket)),
        }
    }

    /// Hunts the fault in the scenarios of a seed.
    pub fn pursue(self, seed: u64, bounds: &Bounds<'_>) -> Pursuit {
        let (mut trial, mut seen, begun) = (Trial::default(), Broken::new(), Instant::now());
        let (mut tried, mut found) = (0, None);
        for (number, case) in self.cases(seed) {
            if bounds.cases.is_some_and(|bound| number >= bound) || bounds.is_over(begun) {
                break;
            }
            tried = number + 1;
            if let Some(bucket) = self.bucket(&mut trial, &case, &mut seen) {
                found = Some((case, bucket));
                break;
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        let end = match found.map(|(case, bucket)| self.caught(&mut trial, &case, bucket, bounds)) {
            Some(Some(catch)) => End::Caught(Box::new(catch)),
            Some(None) => End::Missed(Why::Lost),
            None => End::Missed(bounds.why()),
        };
        Pursuit { hunted: Hunted { target: Target::Provider(self), cases: tried, seconds, end }, seen }
    }

    fn caught(self, trial: &mut Trial, case: &Case, bucket: Signature, bounds: &Bounds<'_>) -> Option<FoundFault> {
        let kept = CaseFile::from_json(&case.to_json()).ok()?.case;
        if !self.shows(trial, &kept, &bucket) {
            return None;
        }
        let begun = Instant::now();
        let goes_on = || !bounds.is_interrupted() && begun.elapsed() < SHRINK_TIME;
        let shrunk = shrink(&kept, bounds.calls, &mut |case| goes_on() && self.shows(trial, case, &bucket));
        let is_shown = self.shows(trial, &shrunk.case, &bucket);
        let (by, size) = (vec![self.finder(&bucket)], Size::of(&shrunk.case));
        is_shown.then_some(FoundFault { by, signature: bucket, shrunk, size })
    }
}

/// Hunts a fault of a provider.
pub fn hunt(faulty: FaultyProvider, seed: u64, bounds: &Bounds<'_>) -> Hunted {
    faulty.pursue(seed, bounds).hunted
}
