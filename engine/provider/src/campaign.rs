//! Many lives, with several processes of a provider.
//!
//! Every process is asked by a thread of its own, which takes the next number: that says which resource type is next and is the seed of its
//! choices. What is learned of a type is shared. A breach that was not seen at that place is played again, made small while there is time, and
//! kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_engine::plugin::{LaunchError, Plugin};

use crate::generate::Knowledge;
use crate::outcome::{Finding, Outcome};
use crate::seeds::Seeds;
use crate::worker::Worker;

/// What is to be done.
pub struct Campaign<'a> {
    /// Makes a provider that is configured.
    pub start: &'a (dyn Fn() -> Result<Plugin, LaunchError> + Sync),
    /// The engine version that Core is.
    pub dialect: Dialect,
    /// The resource types.
    pub types: &'a BTreeMap<String, Arc<Schema>>,
    /// Whether the provider wants to be asked to plan destructions.
    pub plan_destroy: bool,
    /// The choices.
    pub seed: u64,
    /// When to end.
    pub until: Instant,
    /// After how many lives to end, if that comes first.
    pub most_lives: u64,
    /// How many processes.
    pub jobs: usize,
    /// Types that are applied, and how many objects may be created; nothing is applied otherwise.
    pub applies: Option<(&'a BTreeSet<String>, u64)>,
    /// Whether the provider was never configured: then it may die of a plan.
    pub is_unconfigured: bool,
    /// Words of the user's own.
    pub seeds: &'a Seeds,
}

/// What workers share.
pub(crate) struct Shared<'a> {
    /// What is to be done.
    pub(crate) campaign: &'a Campaign<'a>,
    names: Vec<&'a String>,
    next: AtomicU64,
    /// How many objects were created.
    pub(crate) created: AtomicU64,
    /// What is known of each type.
    pub(crate) known: BTreeMap<&'a str, Mutex<Knowledge>>,
    /// What came of it so far.
    pub(crate) outcome: Mutex<Outcome>,
    /// Where which promise of which type was broken.
    pub(crate) seen: Mutex<BTreeMap<(String, &'static str), BTreeSet<String>>>,
}

impl Campaign<'_> {
    /// Runs it to its end.
    pub fn run(&self) -> Outcome {
        let begun = Instant::now();
        let mut known = BTreeMap::new();
        for (name, schema) in self.types {
            let mut knowledge = Knowledge::of(&schema.block);
            for (key, word) in self.seeds.of(name) {
                // What the user writes is taken for good until it fails.
                knowledge.fared(key, word, 3, 0);
            }
            known.insert(name.as_str(), Mutex::new(knowledge));
        }
        let shared = Shared {
            campaign: self,
            names: self.types.keys().collect(),
            next: AtomicU64::new(0),
            created: AtomicU64::new(0),
            known,
            outcome: Mutex::new(Outcome::default()),
            seen: Mutex::new(BTreeMap::new()),
        };
        if !shared.names.is_empty() {
            std::thread::scope(|scope| {
                for _ in 0..self.jobs.max(1) {
                    scope.spawn(|| shared.work());
                }
            });
        }
        let mut outcome = shared.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.findings.sort_by(|a, b| {
            let key =
                |it: &Finding| (it.case.type_name().to_owned(), it.case.breach.promise, it.case.breach.place.clone());
            key(a).cmp(&key(b))
        });
        outcome.took = begun.elapsed();
        outcome
    }
}

impl Shared<'_> {
    fn work(&self) {
        let mut plugin = match (self.campaign.start)() {
            Ok(plugin) => plugin,
            Err(problem) => return lock(&self.outcome).lost.push(problem.to_string()),
        };
        while Instant::now() < self.campaign.until && !plugin.is_stopped() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.campaign.most_lives {
                break;
            }
            let name = self.names[usize::try_from(number).unwrap_or_default() % self.names.len()];
            let mut worker = Worker::new(self, name, number);
            let gone = worker.life(&mut plugin);
            worker.tell();
            if let Some(problem) = gone {
                lock(&self.outcome).lost.push(problem);
                break;
            }
        }
        let mut outcome = lock(&self.outcome);
        outcome.counts.calls += plugin.calls();
        outcome.counts.starts += plugin.starts();
    }
}

/// A worker that panicked leaves what it shares as it should be.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
