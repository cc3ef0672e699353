//! Minimizes one finding: first for its signature, then for its likely cause.
//!
//! One bug of a planner shows in many places and ways. So the case is first made as small as its signature allows, which leaves little
//! but that bug; from there it may get smaller still while the planner fails in the same operation and class. So the cases of one
//! bug end up alike, wherever it showed first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Extent, Panels};
use crate::case::Case;
use crate::compare::{Finding, Signature, SignatureClass, Summary};
use crate::shrink::shrink_until;

/// How much may be spent on one finding.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How often the subjects may be asked.
    pub calls: u64,
    /// How long it may take.
    pub time: Duration,
    /// When it is set, the smallest case so far is used.
    pub interrupted: &'static AtomicBool,
}

impl Bounds {
    fn is_over(&self, since: Instant) -> bool {
        since.elapsed() >= self.time || self.interrupted.load(Ordering::Relaxed)
    }
}

/// A minimized finding.
#[derive(Clone, Debug)]
pub struct Small {
    /// The case.
    pub case: Case,
    /// The finding that the case shows.
    pub finding: Finding,
}

impl Small {
    /// The length of the case's document.
    pub fn size(&self) -> usize {
        self.case.to_json().to_compact().len()
    }
}

/// The results of minimizing a finding.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The smallest case that shows the signature itself, if it was found again.
    pub exact: Option<Small>,
    /// The smallest case that shows the likely cause.
    pub small: Small,
}

impl Panels {
    /// Minimizes a case that shows a signature; `None` if it does not show it any more.
    ///
    /// `first` is the name of the first subject.
    ///
    /// # Errors
    /// Subjects that do not start, or cannot be asked any more.
    pub fn minimize(
        &mut self,
        case: &Case,
        (signature, first): (&Signature, &str),
        bounds: Bounds,
    ) -> Result<Option<Minimized>, String> {
        let (extent, since) = (Extent::Answers, Instant::now());
        let mut search = Search { panels: self, signature, extent, since, bounds, problem: None };
        let minimized = search.minimized(case, first);
        match search.problem {
            Some(problem) => Err(problem),
            None => Ok(minimized),
        }
    }
}

/// Whether one bug can show in many ways. A panic shows at one site, a timeout at none.
fn is_loose(signature: &Signature) -> bool {
    matches!(signature.class(), SignatureClass::Diverge | SignatureClass::RuleBroken)
}

/// Whether a finding has the same operation, class and subjects (and kind, unless it is loose), or is one that `signature` follows from.
fn is_alike(found: &Signature, signature: &Signature, first: &str) -> bool {
    let is_same = (found.op, found.class(), &found.subjects) == (signature.op, signature.class(), &signature.subjects);
    is_same && (is_loose(signature) || found.kind == signature.kind) || signature.follows_from(found, first)
}

/// Asks the subjects repeatedly for one signature.
struct Search<'a> {
    panels: &'a mut Panels,
    signature: &'a Signature,
    extent: Extent,
    since: Instant,
    bounds: Bounds,
    /// Why the subjects can no longer answer.
    problem: Option<String>,
}

impl Search<'_> {
    fn minimized(&mut self, case: &Case, first: &str) -> Option<Minimized> {
        let signature = self.signature;
        let is_same = |found: &Signature| found == signature;
        let is_alike = |found: &Signature| is_alike(found, signature, first);
        if self.find(case, &is_same).is_none() {
            self.extent = Extent::Whole;
        }
        let start = self.narrowed(case, &is_same).unwrap_or_else(|| case.clone());
        let mut stages = vec![start];
        stages.extend(self.smaller(&stages, &is_same));
        let exact = stages.last().cloned();
        if is_loose(signature) {
            stages.extend(self.smaller(&stages, &is_alike));
            // Properties are checked on a whole merge; a difference shows in one operation.
            let narrowed = stages.last().and_then(|case| self.narrowed(case, &is_alike));
            stages.extend(narrowed);
        }
        let causes = |found: &Signature| signature.follows_from(found, first);
        let small = stages.into_iter().rev().find_map(|case| {
            let finding = self.find(&case, &causes).or_else(|| self.find(&case, &is_alike))?;
            Some(Small { case, finding })
        });
        let exact = exact.and_then(|case| {
            let finding = self.find(&case, &is_same)?;
            Some(Small { case, finding })
        });
        small.map(|small| Minimized { exact, small })
    }

    /// The case of the one operation alone, if it shows the wanted signature.
    fn narrowed(&mut self, case: &Case, is_wanted: &dyn Fn(&Signature) -> bool) -> Option<Case> {
        case.narrowed_to(self.signature.op).filter(|narrowed| self.shows(narrowed, is_wanted))
    }

    /// The last stage, made smaller while it shows the wanted signature.
    fn smaller(&mut self, stages: &[Case], is_wanted: &dyn Fn(&Signature) -> bool) -> Option<Case> {
        let calls = self.bounds.calls;
        let (since, bounds) = (self.since, self.bounds);
        let is_over = move || bounds.is_over(since);
        stages
            .last()
            .map(|case| shrink_until(case, calls, &is_over, &mut |smaller| self.shows(smaller, is_wanted)).case)
    }

    fn shows(&mut self, case: &Case, is_wanted: &dyn Fn(&Signature) -> bool) -> bool {
        !self.is_over() && self.find(case, is_wanted).is_some()
    }

    fn find(&mut self, case: &Case, is_wanted: &dyn Fn(&Signature) -> bool) -> Option<Finding> {
        match self.panels.ask(case, Some(self.signature), self.extent, &mut Summary::default()) {
            Ok(asked) => asked.findings.into_iter().find(|finding| is_wanted(&finding.signature)),
            Err(problem) => {
                self.problem.get_or_insert(problem);
                None
            }
        }
    }

    fn is_over(&self) -> bool {
        self.problem.is_some() || self.bounds.is_over(self.since)
    }
}
