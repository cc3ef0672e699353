//! A campaign: many runs, with several processes of a provider.
//!
//! Each process has a thread of its own, which plays the runs that the schedule hands out. Their results are committed a generation at a
//! time, in order (`commit.rs`), so that the same seed gives the same runs and the same findings, however many processes there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_engine::plugin::Plugin;

use crate::commit::WrittenFindings;
use crate::ending::ProviderError;
use crate::generate::{Knowledge, Lesson};
use crate::journal::Journal;
use crate::lock::lock;
use crate::outcome::{BrokenPromise, CampaignReport};
use crate::play::{Played, play};
use crate::responder::{Live, Objects};
use crate::schedule::Schedule;
use crate::script::Script;
use crate::seeds::Seeds;
use crate::subject::Subject;
use crate::worker::Worker;

/// The types for which calls are made that need a remote system, and their limits.
#[derive(Clone, Copy, Debug)]
pub struct Applies<'a> {
    /// The types, by address.
    pub types: &'a BTreeSet<String>,
    /// How many objects may be created.
    pub most_objects: u64,
    /// The journal of these objects.
    pub journal: &'a Journal,
}

/// The input of a campaign.
pub struct Campaign<'a> {
    /// Starts a configured provider.
    pub start: &'a (dyn Fn() -> Result<Plugin, ProviderError> + Sync),
    /// The engine version that Core is.
    pub dialect: Dialect,
    /// The types, by address.
    pub types: &'a BTreeMap<String, Subject>,
    /// Whether the provider wants to be asked to plan destructions.
    pub plan_destroy: bool,
    /// The choices.
    pub seed: u64,
    /// When to end.
    pub until: Instant,
    /// After how many runs to end, if that comes first.
    pub most_runs: u64,
    /// How many processes.
    pub jobs: usize,
    /// What may be applied; without it, no call is made that needs a remote system.
    pub applies: Option<Applies<'a>>,
    /// Whether the provider was never configured: then it may crash on a plan.
    pub is_unconfigured: bool,
    /// The user's own words.
    pub seeds: &'a Seeds,
    /// The directory in which findings are written as soon as they are found.
    pub findings: &'a Path,
    /// Whether plans are collected.
    pub collects: bool,
}

/// The data that workers share.
pub(crate) struct Shared<'a> {
    /// The campaign.
    pub(crate) campaign: &'a Campaign<'a>,
    subjects: Vec<(&'a str, &'a Subject)>,
    pub(crate) schedule: Schedule,
    /// The results so far.
    pub(crate) outcome: Mutex<CampaignReport>,
    /// The places of broken promises, by type and promise.
    pub(crate) seen: Mutex<BTreeMap<(String, &'static str), BTreeSet<String>>>,
    /// The findings that are on disk.
    pub(crate) saved: Mutex<WrittenFindings>,
}

impl Campaign<'_> {
    /// Runs the campaign to its end.
    pub fn run(&self) -> CampaignReport {
        let begun = Instant::now();
        let subjects: Vec<(&str, &Subject)> = self.types.iter().map(|(name, it)| (name.as_str(), it)).collect();
        let known = subjects.iter().map(|(name, subject)| self.known(name, subject)).collect();
        let room: Vec<u64> = subjects.iter().map(|(name, _)| self.room(name, 0)).collect();
        let shared = Shared {
            campaign: self,
            subjects,
            schedule: Schedule::new(known, self.most_runs, &room),
            outcome: Mutex::new(CampaignReport::default()),
            seen: Mutex::new(BTreeMap::new()),
            saved: Mutex::new(WrittenFindings::default()),
        };
        if !shared.subjects.is_empty() {
            std::thread::scope(|scope| {
                for _ in 0..self.jobs.max(1) {
                    scope.spawn(|| shared.work());
                }
            });
        }
        let mut outcome = shared.end();
        outcome.findings.sort_by(|a, b| {
            let key = |it: &BrokenPromise| {
                (it.case.type_name().to_owned(), it.case.breach.promise, it.case.breach.place.clone())
            };
            key(a).cmp(&key(b))
        });
        outcome.took = begun.elapsed();
        outcome
    }

    fn known(&self, name: &str, subject: &Subject) -> Knowledge {
        let mut knowledge = Knowledge::of(&subject.schema.block);
        for (key, text) in self.seeds.of(name).iter().cloned() {
            // Words of the user's own count as accepted until they fail.
            knowledge.learn(Lesson::Word { key, text, good: 3, bad: 0 });
        }
        knowledge
    }

    /// How many runs of a type may create objects, after so many were created: the objects are divided among the types.
    pub(crate) fn room(&self, name: &str, created: u64) -> u64 {
        /// What a run creates at most: an object, and two that replace it.
        const OBJECTS_OF_A_RUN: u64 = 3;
        let Some(applies) = self.applies.filter(|applies| applies.types.contains(name)) else { return 0 };
        (applies.most_objects / applies.types.len().max(1) as u64).saturating_sub(created) / OBJECTS_OF_A_RUN
    }
}

impl Shared<'_> {
    /// A type by its number.
    pub(crate) fn subject(&self, line: usize) -> (&str, &Subject) {
        self.subjects[line]
    }

    fn work(&self) {
        let mut plugin = match (self.campaign.start)() {
            Ok(plugin) => plugin,
            Err(problem) => return lock(&self.outcome).lost.push(problem.to_string()),
        };
        let until = self.campaign.until;
        while let Some((turn, knowledge)) = self.schedule.take(|| Instant::now() >= until || plugin.is_stopped()) {
            let result = Worker::new(self, &turn, knowledge).into_result(&mut plugin);
            let gone = result.gone.clone();
            self.save_early(turn.line, &result);
            if let Some(runs) = self.schedule.over(&turn, result) {
                let (lessons, created) = self.commit(turn.line, runs, Some(&mut plugin));
                let room = self.campaign.room(self.subject(turn.line).0, created);
                let learn = |known: &mut Knowledge| lessons.into_iter().for_each(|lesson| known.learn(lesson));
                self.schedule.go_on(turn.line, learn, room);
            }
            if let Some(problem) = gone {
                lock(&self.outcome).lost.push(problem);
                break;
            }
        }
        self.count(&plugin);
    }

    /// Adds the calls and starts of a process.
    pub(crate) fn count(&self, plugin: &Plugin) {
        let mut outcome = lock(&self.outcome);
        outcome.counts.calls += plugin.calls();
        outcome.counts.starts += plugin.starts();
    }

    /// Plays a run.
    pub(crate) fn play(&self, plugin: &mut Plugin, name: &str, script: &Script) -> Played {
        let Campaign { dialect, plan_destroy, .. } = *self.campaign;
        let subject = &self.campaign.types[name];
        let objects = self.objects(name, subject);
        play(script, &mut Live { plugin, kind: &subject.kind, objects }, dialect, plan_destroy)
    }

    fn objects<'s>(&'s self, name: &'s str, subject: &'s Subject) -> Option<Objects<'s>> {
        let applies = self.campaign.applies.filter(|applies| applies.types.contains(name))?;
        Some(Objects::new(applies.journal, name, subject))
    }
}
