//! What holding the invariants against a life gave: counts for each, and those that are broken.

use super::super::verdict::MOST_BROKEN;
use super::id::{INVARIANT_COUNT, INVARIANTS, Id};
use planfuzz_core::value::WrittenPath;

/// What holding the invariants against a life gave.
#[derive(Clone, Debug)]
pub struct HeldLife {
    /// How often each invariant was held against something, in the order of the table.
    pub checks: [u64; INVARIANT_COUNT],
    /// Those that are broken; of very many the first.
    pub broken: Vec<BrokenInvariant>,
    /// What the dialect's engines are known to break, and what a planner that follows them therefore breaks rightly; of very many the
    /// first.
    pub foretold: Vec<BrokenInvariant>,
    /// How many second calls of replacements contradict their configuration (I52).
    pub observed: u64,
}

impl HeldLife {
    /// Takes back what was held of one invariant, by its id: where what it is about does not show.
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
    /// The step of the life, from 0.
    pub step: usize,
    /// The walk of the step.
    pub walk: Walk,
    /// Where in the object.
    pub path: WrittenPath,
    /// What was expected and what was found.
    pub message: String,
    /// Who broke it.
    pub fault: Party,
    /// Whether it is excused, as some are for legacy providers.
    pub tolerated: bool,
    /// The summary that Core is to report it by, if it is to report it at all.
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

/// Who breaks an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The planner.
    Core,
    /// The provider.
    Provider,
    /// It cannot be told from a trace.
    Either,
}

impl BrokenInvariant {
    /// Whether this speaks against the planner: it broke the invariant itself, kept quiet about a provider's breach, or
    /// reported one that is excused.
    pub fn is_of_planner(&self) -> bool {
        let is_misreported = self.is_reported == self.tolerated;
        self.fault == Party::Core || (self.fault == Party::Provider && self.reported_as.is_some() && is_misreported)
    }
}

/// The findings on one life, while it is looked at.
#[derive(Debug)]
pub(super) struct Findings {
    held: HeldLife,
    step: usize,
    walk: Walk,
}

impl Default for Findings {
    fn default() -> Findings {
        let held = HeldLife { checks: [0; INVARIANT_COUNT], broken: Vec::new(), foretold: Vec::new(), observed: 0 };
        Findings { held, step: 0, walk: Walk::Plan }
    }
}

impl Findings {
    /// Goes on with a walk.
    pub(super) fn enter(&mut self, step: usize, walk: Walk) {
        (self.step, self.walk) = (step, walk);
    }

    /// Counts a check.
    pub(super) fn count(&mut self, id: Id) {
        self.held.checks[id as usize] += 1;
    }

    /// Holds an invariant of Core's. Says whether it holds.
    pub(super) fn hold(&mut self, id: Id, holds: bool, message: impl FnOnce() -> String) -> bool {
        self.hold_at(id, holds, || (WrittenPath::default(), message()))
    }

    /// Holds an invariant of Core's at a place.
    pub(super) fn hold_at(&mut self, id: Id, holds: bool, problem: impl FnOnce() -> (WrittenPath, String)) -> bool {
        self.hold_of(Party::Core, id, holds, problem)
    }

    /// Holds an invariant that nobody reports, broken by this party if it is.
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

    /// Holds an invariant of Core's that the engines of the dialect are known to break.
    pub(super) fn hold_though_foretold(&mut self, id: Id, holds: bool, message: impl FnOnce() -> String) {
        self.count(id);
        if !holds && self.held.foretold.len() < MOST_BROKEN {
            self.held.foretold.push(self.broken(id, WrittenPath::default(), message(), Party::Core));
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

    /// Notes a provider's breach, with what became of it.
    pub(super) fn breach(&mut self, mut broken: BrokenInvariant) {
        (broken.step, broken.walk) = (self.step, self.walk);
        self.push(broken);
    }

    /// The limit is for each party, so that a provider's many breaches do not hide what Core did.
    fn push(&mut self, broken: BrokenInvariant) {
        let is_of_planner = broken.is_of_planner();
        let before = self.held.broken.iter().filter(|other| other.is_of_planner() == is_of_planner).count();
        if before < MOST_BROKEN {
            self.held.broken.push(broken);
        }
    }

    /// Counts a call that nobody holds against its configuration.
    pub(super) fn observe(&mut self, is_seen: bool) {
        self.count(Id::I52);
        self.held.observed += u64::from(is_seen);
    }

    pub(super) fn finish(self) -> HeldLife {
        self.held
    }
}
