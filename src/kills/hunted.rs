//! How a hunt went.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::size::Size;
use super::target::Target;
use crate::compare::Signature;
use crate::triage::Shrunk;

/// How far a hunt goes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// Cases that are tried; no bound without a number.
    pub cases: Option<u64>,
    /// Time until the fault is found; making its case small has a time of its own.
    pub time: Option<Duration>,
    /// The questions that making one case small may take.
    pub calls: u64,
    /// Whether planners are put to the metamorphic properties too, as in any campaign.
    pub properties: bool,
    /// Set when the user wants an end.
    pub interrupted: &'a AtomicBool,
}

/// How the hunt for one fault went.
#[derive(Clone, Debug)]
pub struct Hunted {
    /// The fault.
    pub target: Target,
    /// Cases until it was found, or that did not do.
    pub cases: u64,
    /// Time until it was found, or that did not do.
    pub seconds: f64,
    /// What came of it.
    pub end: End,
}

/// What came of a hunt.
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
    /// What found it in its first case: `comparison`, the ids of rules.
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
    /// The user wanted an end.
    #[error("told to end")]
    Interrupted,
    /// What was found is not found any more in what was written of it.
    #[error("found, and lost in writing it down")]
    Lost,
    /// Nobody could hunt.
    #[error("{0}")]
    Failed(String),
}

impl Hunted {
    /// What was caught; nothing where it was missed.
    pub fn catch(&self) -> Option<&FoundFault> {
        match &self.end {
            End::Caught(catch) => Some(catch),
            End::Missed(_) => None,
        }
    }

    /// Whether nobody looked far enough to say that it is not found.
    pub fn is_broken_off(&self) -> bool {
        matches!(&self.end, End::Missed(Why::Interrupted))
    }
}

impl Bounds<'_> {
    /// What is left of them after so many cases, in a hunt that began then.
    pub(super) fn after(self, cases: u64, begun: Instant) -> Self {
        let time = self.time.map(|time| time.saturating_sub(begun.elapsed()));
        Bounds { cases: self.cases.map(|all| all.saturating_sub(cases)), time, ..self }
    }

    /// Whether the user wants an end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether a hunt that began then has to end.
    pub(super) fn is_over(&self, begun: Instant) -> bool {
        self.is_interrupted() || self.time.is_some_and(|time| begun.elapsed() >= time)
    }

    /// Why a hunt that ends without a finding does.
    pub(super) fn why(&self) -> Why {
        if self.is_interrupted() { Why::Interrupted } else { Why::Bound }
    }
}
