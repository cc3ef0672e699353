//! What a campaign counts and finds.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::case::Case;
use crate::model::Sample;
use crate::promise;

/// A broken promise, with the smallest life that was found for it.
#[derive(Clone, Debug)]
pub struct BrokenPromise {
    /// The case.
    pub case: Case,
    /// Whether it came again when the life was played again.
    pub is_stable: bool,
    /// The file that it is in.
    pub file: String,
}

/// What was counted of one resource type.
#[derive(Clone, Debug, Default)]
pub struct TypeReport {
    /// Configurations that were put to validation, and those that it took.
    pub configs: u64,
    /// Those that it took.
    pub accepted: u64,
    /// The same of the first hundred.
    pub first: (u64, u64),
    /// What configurations were refused for, and how often: of many the first.
    pub refusals: BTreeMap<String, u64>,
    /// Objects created, also while findings were made small.
    pub created: u64,
    /// Lives played.
    pub lives: u64,
    /// Lives whose first plan the provider refused though validation had not.
    pub refused_plans: u64,
    /// What they were refused for, and how often: of many the first.
    pub plan_refusals: BTreeMap<String, u64>,
    /// Lives with a question that has no wire form, or that a provider without configuration died of.
    pub left_out: u64,
    /// Whether its objects have identities.
    pub has_identity: bool,
    /// How often each promise was tried.
    pub tried: BTreeMap<&'static str, u64>,
    /// How often each was broken.
    pub broken: BTreeMap<&'static str, u64>,
    /// How often each was broken where engines let it pass, with the first place and message.
    pub tolerated: BTreeMap<(&'static str, String), (u64, String)>,
}

/// What was counted in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of the provider.
    pub calls: u64,
    /// Processes of it that were started.
    pub starts: u64,
    /// Lives played.
    pub lives: u64,
}

/// What came of a campaign.
#[derive(Debug, Default)]
pub struct CampaignReport {
    /// By resource type.
    pub types: BTreeMap<String, TypeReport>,
    /// Broken promises.
    pub findings: Vec<BrokenPromise>,
    /// In all.
    pub counts: Counts,
    /// Objects that could not be destroyed: the type, and what it is.
    pub left: Vec<(String, String)>,
    /// How many objects of earlier runs were destroyed.
    pub cleaned: u64,
    /// What the provider has beside types that are asked about, and how many.
    pub uncovered: BTreeMap<&'static str, usize>,
    /// Why processes were given up.
    pub lost: Vec<String>,
    /// What was planned of each type, where that is collected.
    pub plans: BTreeMap<String, Vec<Sample>>,
    /// The first finding that could not be written.
    pub unwritten: Option<(PathBuf, io::Error)>,
    /// How long it took.
    pub took: Duration,
}

impl CampaignReport {
    /// How many objects were created.
    pub fn created(&self) -> u64 {
        self.types.values().map(|of| of.created).sum()
    }
}

/// The promises that are told, in order: those held here, then the invariants.
pub fn order(tried: &BTreeMap<&'static str, u64>) -> Vec<&'static str> {
    let own = promise::PROMISES.iter().map(|it| it.id).filter(|id| tried.contains_key(id));
    let is_own = |id: &&str| promise::PROMISES.iter().any(|it| it.id == *id);
    let invariants = tried.keys().copied().filter(|id| !is_own(id));
    own.chain(invariants).collect()
}
