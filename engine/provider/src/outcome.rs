//! What a campaign counts and finds.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::case::Case;
use crate::leftovers::Cleaned;
use crate::model::Sample;
use crate::promise;

/// A broken promise, with the smallest run that was found for it.
#[derive(Clone, Debug)]
pub struct BrokenPromise {
    /// The case.
    pub case: Case,
    /// Whether playing the run again broke it again.
    pub is_stable: bool,
    /// The file of the finding.
    pub file: String,
}

/// The counts of one resource type.
#[derive(Clone, Debug, Default)]
pub struct TypeReport {
    /// Configurations that were validated.
    pub configs: u64,
    /// Those that it took.
    pub accepted: u64,
    /// The same two counts for the first hundred.
    pub first: (u64, u64),
    /// Why configurations were refused, and how often: only the first different reasons.
    pub refusals: BTreeMap<String, u64>,
    /// Objects created, including those of minimizing findings.
    pub created: u64,
    /// Runs played.
    pub runs: u64,
    /// Runs whose first plan the provider refused although the configuration was valid.
    pub refused_plans: u64,
    /// Why they were refused, and how often: only the first different reasons.
    pub plan_refusals: BTreeMap<String, u64>,
    /// Runs with a question that has no wire form, or that crashed a provider without configuration.
    pub left_out: u64,
    /// Whether its objects have identities.
    pub has_identity: bool,
    /// How often each promise was tried.
    pub tried: BTreeMap<&'static str, u64>,
    /// How often each was broken.
    pub broken: BTreeMap<&'static str, u64>,
    /// How often each was broken in a way that engines tolerate, with the first place and message.
    pub tolerated: BTreeMap<(&'static str, String), (u64, String)>,
}

/// The total counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of the provider.
    pub calls: u64,
    /// Processes of it that were started.
    pub starts: u64,
    /// Runs played.
    pub runs: u64,
}

/// The result of a campaign.
#[derive(Debug, Default)]
pub struct CampaignReport {
    /// By resource type.
    pub types: BTreeMap<String, TypeReport>,
    /// Broken promises.
    pub findings: Vec<BrokenPromise>,
    /// The total.
    pub counts: Counts,
    /// Objects that could not be destroyed: the type, and a description.
    pub left: Vec<(String, String)>,
    /// How many objects of earlier runs were destroyed.
    pub cleaned: u64,
    /// What else the provider offers that is not tested, and how many.
    pub uncovered: BTreeMap<&'static str, usize>,
    /// Why processes were given up.
    pub lost: Vec<String>,
    /// The plans of each type, if they are collected.
    pub plans: BTreeMap<String, Vec<Sample>>,
    /// The first finding that could not be written.
    pub unwritten: Option<(PathBuf, io::Error)>,
    /// How long it took.
    pub took: Duration,
}

impl CampaignReport {
    /// Adds what became of the objects of earlier runs.
    pub fn take(&mut self, cleaned: Cleaned) {
        self.left.extend(cleaned.left);
        self.cleaned = cleaned.destroyed;
    }

    /// How many objects were created.
    pub fn created(&self) -> u64 {
        self.types.values().map(|of| of.created).sum()
    }
}

/// The tried promises in order: those of this crate, then the invariants.
pub fn order(tried: &BTreeMap<&'static str, u64>) -> Vec<&'static str> {
    let own = promise::PROMISES.iter().map(|it| it.id).filter(|id| tried.contains_key(id));
    let is_own = |id: &&str| promise::PROMISES.iter().any(|it| it.id == *id);
    let invariants = tried.keys().copied().filter(|id| !is_own(id));
    own.chain(invariants).collect()
}
