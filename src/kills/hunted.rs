//! The result of a hunt, and its bounds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::size::Size;
use super::target::Target;
use crate::compare::Signature;
use crate::triage::Shrunk;

/// How far a hunt goes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// Cases that are tried; unbounded if `None`.
    pub cases: Option<u64>,
    /// Time until the fault is found; making its case small has a budget of its own.
    pub time: Option<Duration>,
    /// When all hunts have to end: one that is under way then is broken off, which says nothing about its fault.
    pub until: Option<Instant>,
    /// The questions that making one case small may take.
    pub calls: u64,
    /// Whether planners are also checked for the metamorphic properties, as in any campaign.
    pub properties: bool,
    /// Set when the user interrupts.
    pub interrupted: &'a AtomicBool,
}

/// The result of the hunt for one fault.
#[derive(Clone, Debug)]
pub struct Hunted {
    /// The fault.
    pub target: Target,
    /// Cases until it was found, or all that were tried if it was not.
    pub cases: u64,
    /// Time until it was found, or all that was spent if it was not.
    pub seconds: f64,
    /// How the hunt ended.
    pub end: End,
}

/// How a hunt ended.
#[derive(Clone, Debug)]
pub enum End {
    /// The fault was found.
    Caught(Box<FoundFault>),
    /// It was not.
    Missed(Why),
}

/// A fault that was found.
#[derive(Clone, Debug)]
pub struct FoundFault {
    /// What reported it in its first case: `comparison`, the ids of rules.
    pub by: Vec<String>,
    /// Its bucket.
    pub signature: Signature,
    /// Its case, made small.
    pub shrunk: Shrunk,
    /// The size of that case.
    pub size: Size,
}

/// Why a fault was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The bound was reached.
    #[error("not within its bound")]
    Bound,
    /// The user interrupted, or the time for all hunts was over.
    #[error("interrupted")]
    Interrupted,
    /// The finding is not found again in the case after it was written and read.
    #[error("found, and lost in writing it down")]
    Lost,
    /// The hunt could not be carried out.
    #[error("{0}")]
    Failed(String),
}

impl Hunted {
    /// The found fault; `None` where it was missed.
    pub fn found(&self) -> Option<&FoundFault> {
        match &self.end {
            End::Caught(catch) => Some(catch),
            End::Missed(_) => None,
        }
    }

    /// True if the hunt was interrupted, so that it does not show that the fault cannot be found.
    pub fn is_broken_off(&self) -> bool {
        matches!(&self.end, End::Missed(Why::Interrupted))
    }
}

impl Bounds<'_> {
    /// What is left of the bounds after so many cases, in a hunt that began at `begun`.
    pub(super) fn after(self, cases: u64, begun: Instant) -> Self {
        let time = self.time.map(|time| time.saturating_sub(begun.elapsed()));
        Bounds { cases: self.cases.map(|all| all.saturating_sub(cases)), time, ..self }
    }

    /// How long a hunt that begins now may take.
    pub(super) fn time(&self) -> Option<Duration> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        self.time.into_iter().chain(left).min()
    }

    /// Whether the user interrupted, or the time for all hunts is over.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether a hunt that began at `begun` has to end.
    pub(super) fn is_over(&self, begun: Instant) -> bool {
        self.is_interrupted() || self.time.is_some_and(|time| begun.elapsed() >= time)
    }

    /// Why a hunt ends without a finding.
    pub(super) fn why(&self) -> Why {
        if self.is_interrupted() { Why::Interrupted } else { Why::Bound }
    }
}
