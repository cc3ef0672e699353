//! The result of checking the invariants on a trace: the number of checks of each, and the broken ones.

use super::super::verdict::MOST_BROKEN;
use super::id::{INVARIANT_COUNT, INVARIANTS, Id};
use planfuzz_core::value::WrittenPath;

/// The result of checking the invariants on a trace.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// The number of checks of each invariant, in the order of the table.
    pub checks: [u64; INVARIANT_COUNT],
    /// The broken invariants; if there are very many, the first.
    pub broken: Vec<BrokenInvariant>,
    /// Breaks that the dialect's engines are known for, so that a planner that follows them is right; if there are very many, the first.
    pub predicted: Vec<BrokenInvariant>,
    /// How many second calls of replacements contradict their configuration (I52).
    pub observed: u64,
}

impl TraceReport {
    /// Removes the checks and breaks of one invariant, by its id, if the trace does not show its subject.
    pub fn leave_out(&mut self, invariant: &str) {
        if let Some(index) = INVARIANTS.iter().position(|info| info.id == invariant) {
            self.checks[index] = 0;
        }
        self.broken.retain(|broken| broken.invariant != invariant);
    }
}

/// A place where an invariant is broken.
#[derive(Clone, Debug)]
pub struct BrokenInvariant {
    /// The invariant, one of [`super::INVARIANTS`].
    pub invariant: &'static str,
    /// The index of the step in the trace.
    pub step: usize,
    /// The walk of the step.
    pub walk: Walk,
    /// The path in the object.
    pub path: WrittenPath,
    /// What was expected and what was found.
    pub message: String,
    /// The party that broke it.
    pub fault: Party,
    /// Whether it is excused, as some are for legacy providers.
    pub tolerated: bool,
    /// The summary that Core has to report, if any.
    pub reported_as: Option<&'static str>,
    /// Whether the walk's diagnostics report it.
    pub is_reported: bool,
}

/// A walk of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// The plan walk.
    Plan,
    /// The apply walk.
    Apply,
}

/// The party that breaks an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The planner.
    Core,
    /// The provider.
    Provider,
    /// A trace does not show which.
    Either,
}

impl BrokenInvariant {
    /// Whether this speaks against the planner: it broke the invariant itself, did not report a provider's breach, or reported one that is
    /// excused.
    pub fn is_of_planner(&self) -> bool {
        let is_misreported = self.is_reported == self.tolerated;
        self.fault == Party::Core || (self.fault == Party::Provider && self.reported_as.is_some() && is_misreported)
    }
}

/// The findings on one trace so far.
#[derive(Debug)]
pub(super) struct Findings {
    held: TraceReport,
    step: usize,
    walk: Walk,
}

impl Default for Findings {
    fn default() -> Findings {
        let held = TraceReport { checks: [0; INVARIANT_COUNT], broken: Vec::new(), predicted: Vec::new(), observed: 0 };
        Findings { held, step: 0, walk: Walk::Plan }
    }
}

impl Findings {
    /// Begins a walk.
    pub(super) fn enter(&mut self, step: usize, walk: Walk) {
        (self.step, self.walk) = (step, walk);
    }

    /// Counts a check.
    pub(super) fn count(&mut self, id: Id) {
        self.held.checks[id as usize] += 1;
    }

    /// Checks an invariant of Core's. Returns whether it holds.
    pub(super) fn hold(&mut self, id: Id, holds: bool, message: impl FnOnce() -> String) -> bool {
        self.hold_at(id, holds, || (WrittenPath::default(), message()))
    }

    /// Checks an invariant of Core's at a place.
    pub(super) fn hold_at(&mut self, id: Id, holds: bool, problem: impl FnOnce() -> (WrittenPath, String)) -> bool {
        self.hold_of(Party::Core, id, holds, problem)
    }

    /// Checks an invariant without a diagnostic; `fault` is the party to blame if it is broken.
    pub(super) fn hold_of(
        &mut self,
        fault: Party,
        id: Id,
        holds: bool,
        problem: impl FnOnce() -> (WrittenPath, String),
    ) -> bool {
        self.count(id);
        if !holds {
            let (path, message) = problem();
            self.found(id, path, message, fault);
        }
        holds
    }

    /// Checks an invariant of Core's that the engines of the dialect are known to break.
    pub(super) fn hold_though_predicted(&mut self, id: Id, holds: bool, message: impl FnOnce() -> String) {
        self.count(id);
        if !holds && self.held.predicted.len() < MOST_BROKEN {
            self.held.predicted.push(self.broken(id, WrittenPath::default(), message(), Party::Core));
        }
    }

    fn found(&mut self, id: Id, path: WrittenPath, message: String, fault: Party) {
        self.push(self.broken(id, path, message, fault));
    }

    fn broken(&self, id: Id, path: WrittenPath, message: String, fault: Party) -> BrokenInvariant {
        BrokenInvariant {
            invariant: id.info().id,
            step: self.step,
            walk: self.walk,
            path,
            message,
            fault,
            tolerated: false,
            reported_as: None,
            is_reported: false,
        }
    }

    /// Adds a provider's breach, with whether it was reported.
    pub(super) fn breach(&mut self, mut broken: BrokenInvariant) {
        (broken.step, broken.walk) = (self.step, self.walk);
        self.push(broken);
    }

    /// Adds a finding. The limit is per party, so that a provider's many breaches do not hide those of Core.
    fn push(&mut self, broken: BrokenInvariant) {
        let is_of_planner = broken.is_of_planner();
        let before = self.held.broken.iter().filter(|other| other.is_of_planner() == is_of_planner).count();
        if before < MOST_BROKEN {
            self.held.broken.push(broken);
        }
    }

    /// Counts a call of I52, and whether it contradicts its configuration; that is no breach.
    pub(super) fn observe(&mut self, is_seen: bool) {
        self.count(Id::I52);
        self.held.observed += u64::from(is_seen);
    }

    pub(super) fn finish(self) -> TraceReport {
        self.held
    }
}
