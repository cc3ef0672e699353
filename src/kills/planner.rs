//! Faults of planners: a campaign of the reference against the planner that has one.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use planfuzz_core::dialect::Dialect;
use planfuzz_reference::Reference;

use super::hunted::{Bounds, End, FoundFault, Hunted, Why};
use super::size::Size;
use super::target::Target;
use crate::campaign::{Bound, Campaign, FoundCase, Observer, PROPERTIES_EVERY, Progress, Reader, Source};
use crate::case::{CaseFile, Op};
use crate::compare::{Finding, Judge};
use crate::generate::{Cases, Generator, Scenarios, Settings, ValueCalls};
use crate::panel::{Extent, Panel};
use crate::subject::faults::{Fault, Faulty};
use crate::subject::{InProcess, Subject};
use crate::triage::SHRINK_TIME;

/// The cases used to hunt a fault of an operation: merges, calls of values, or scenarios.
#[derive(Clone, Copy, Debug)]
pub struct OperationSource {
    /// The operation.
    pub op: Op,
    /// The seed of the cases.
    pub seed: u64,
    /// The dialect of the cases; `None` for all of them.
    pub dialect: Option<Dialect>,
}

impl Source for OperationSource {
    fn open(&self) -> Box<dyn Reader + '_> {
        let generator = || {
            let generator = Generator::new(Settings::SMALL);
            if let Some(dialect) = self.dialect { generator.in_dialects(&[dialect]) } else { generator }
        };
        match self.op {
            Op::Scenario => Box::new(Scenarios::new(generator(), self.seed)),
            op if op.is_merge() => Box::new(Cases::new(generator(), self.seed)),
            _ => Box::new(ValueCalls::new(self.dialect.unwrap_or_default(), self.seed)),
        }
    }
}

/// Collects the findings of a campaign until it ends.
struct Collector {
    begun: Instant,
    found: Vec<(FoundCase, Finding)>,
    after: Duration,
}

impl Observer for Collector {
    fn found(&mut self, at: FoundCase, finding: Finding) -> ControlFlow<()> {
        if self.found.is_empty() {
            self.after = self.begun.elapsed();
        }
        self.found.push((at, finding));
        ControlFlow::Break(())
    }

    fn progress(&mut self, _: &Progress) {}
}

/// Hunts a fault.
pub fn hunt(fault: Fault, seed: u64, bounds: &Bounds<'_>) -> Hunted {
    let subjects = || Ok(vec![Box::new(InProcess::new(Reference)) as Box<dyn Subject>, Box::new(Faulty::new(fault))]);
    let source = OperationSource { op: fault.op(), seed, dialect: fault.dialect() };
    pursue(Target::Planner(fault), &source, &subjects, bounds)
}

/// Makes the subjects: once for the campaign and once more for making its case small.
pub(super) type MakeSubjects<'a> = &'a (dyn Fn() -> Result<Vec<Box<dyn Subject>>, String> + Sync);

/// How many findings are tried that are not found again in the written case: a mistake in the reading and writing of
/// cases may remove itself from a case. A campaign goes on too then.
const TRIES: usize = 64;

/// Hunts something by comparing subjects in the cases of a source.
pub(super) fn pursue(
    target: Target,
    source: &dyn Source,
    make_subjects: MakeSubjects<'_>,
    bounds: &Bounds<'_>,
) -> Hunted {
    let begun = Instant::now();
    let mut first = 0;
    for _ in 1..TRIES {
        let hunted = pursue_from(first, target, source, make_subjects, &bounds.after(first, begun));
        if !matches!(hunted.end, End::Missed(Why::Lost)) {
            return hunted;
        }
        first = hunted.cases;
    }
    pursue_from(first, target, source, make_subjects, &bounds.after(first, begun))
}

/// As [`pursue`], from the case number `first`. The cases before it count in the result.
pub(super) fn pursue_from(
    first: u64,
    target: Target,
    source: &dyn Source,
    make_subjects: MakeSubjects<'_>,
    bounds: &Bounds<'_>,
) -> Hunted {
    let judge = Judge::default();
    let campaign = Campaign {
        source,
        first,
        subjects: make_subjects,
        judge: &judge,
        bound: Bound { cases: bounds.cases, time: bounds.time(), ..Bound::default() },
        jobs: 1,
        properties_every: if bounds.properties { PROPERTIES_EVERY } else { 0 },
    };
    let mut collector = Collector { begun: Instant::now(), found: Vec::new(), after: Duration::ZERO };
    let missed = |cases, seconds, why| Hunted { target, cases, seconds, end: End::Missed(why) };
    let report = match campaign.run(bounds.interrupted, &mut collector) {
        Ok(report) => report,
        Err(problem) => return missed(first, collector.begun.elapsed().as_secs_f64(), Why::Failed(problem)),
    };
    // The campaign judges a chunk to its end, and asks the last questions of a case after all comparisons: keep the
    // findings of the earliest case.
    let earliest = collector.found.iter().map(|(at, _)| at.number).min();
    collector.found.retain(|(at, _)| Some(at.number) == earliest);
    let chosen = collector.found.iter().find(|(_, finding)| finding.is_difference()).or(collector.found.first());
    let Some(chosen) = chosen else {
        return missed(first + report.summary.cases, report.elapsed.as_secs_f64(), bounds.why());
    };
    let (cases, seconds) = (chosen.0.number + 1, collector.after.as_secs_f64());
    match make_subjects().map(|subjects| caught(Panel::new(subjects, Arc::default()), chosen, bounds)) {
        Ok(Some(mut catch)) => {
            let found = collector.found.iter().map(|(_, finding)| finding);
            let (mut by, rules): (Vec<&Finding>, Vec<&Finding>) = found.partition(|finding| finding.is_difference());
            by.extend(rules);
            catch.by = by.into_iter().map(finder).collect();
            catch.by.dedup();
            Hunted { target, cases, seconds, end: End::Caught(Box::new(catch)) }
        }
        Ok(None) => missed(cases, seconds, Why::Lost),
        Err(problem) => missed(cases, seconds, Why::Failed(problem)),
    }
}

/// What reported the finding: the comparison, or a rule.
fn finder(finding: &Finding) -> String {
    let kind = &finding.signature.kind;
    match kind.rule() {
        _ if finding.is_difference() => "comparison".to_owned(),
        Some(rule) => rule.to_owned(),
        None => kind.to_string(),
    }
}

/// The finding's case, written, read back and made small; `None` where the finding does not show in the case as read.
fn caught(mut panel: Panel, (at, finding): &(FoundCase, Finding), bounds: &Bounds<'_>) -> Option<FoundFault> {
    let signature = &finding.signature;
    let kept = CaseFile::from_json(&at.case.to_json()).ok()?.case;
    let narrowed = kept.narrowed_to(signature.op).filter(|narrowed| panel.shows(narrowed, signature, Extent::Answers));
    let (kept, extent) = match narrowed {
        Some(narrowed) => (narrowed, Extent::Answers),
        // A property asks a planner about the whole merge.
        None => (kept, Extent::Whole),
    };
    if !panel.shows(&kept, signature, extent) {
        return None;
    }
    let begun = Instant::now();
    let goes_on = || !bounds.is_interrupted() && begun.elapsed() < SHRINK_TIME;
    let shrunk = panel.shrink(&kept, (signature, extent), bounds.calls, &goes_on);
    let is_shown = panel.shows(&shrunk.case, signature, extent);
    let (signature, size) = (signature.clone(), Size::of(&shrunk.case));
    is_shown.then_some(FoundFault { by: Vec::new(), signature, shrunk, size })
}
