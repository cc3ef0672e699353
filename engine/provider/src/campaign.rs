//! Many lives, with several processes of a provider.
//!
//! Every process is asked by a thread of its own, which plays the lives that the schedule hands out. What comes of them is taken in a
//! generation at a time, in order (`commit.rs`), so that the same seed gives the same lives and the same findings however many processes
//! there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_engine::plugin::{LaunchError, Plugin};

use crate::commit::Saved;
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

/// Which types are asked for what needs a remote system, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Applies<'a> {
    /// The types, by address.
    pub types: &'a BTreeSet<String>,
    /// How many objects may be created.
    pub most_objects: u64,
    /// Where they are written down.
    pub journal: &'a Journal,
}

/// What is to be done.
pub struct Campaign<'a> {
    /// Makes a provider that is configured.
    pub start: &'a (dyn Fn() -> Result<Plugin, LaunchError> + Sync),
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
    /// After how many lives to end, if that comes first.
    pub most_lives: u64,
    /// How many processes.
    pub jobs: usize,
    /// What needs a remote system; nothing that does is asked otherwise.
    pub applies: Option<Applies<'a>>,
    /// Whether the provider was never configured: then it may die of a plan.
    pub is_unconfigured: bool,
    /// Words of the user's own.
    pub seeds: &'a Seeds,
    /// Where findings are written as soon as they are there.
    pub findings: &'a Path,
    /// Whether what is planned is collected.
    pub collects: bool,
}

/// What workers share.
pub(crate) struct Shared<'a> {
    /// What is to be done.
    pub(crate) campaign: &'a Campaign<'a>,
    subjects: Vec<(&'a str, &'a Subject)>,
    pub(crate) schedule: Schedule,
    /// What came of it so far.
    pub(crate) outcome: Mutex<CampaignReport>,
    /// Where which promise of which type was broken.
    pub(crate) seen: Mutex<BTreeMap<(String, &'static str), BTreeSet<String>>>,
    /// The findings that are on disk.
    pub(crate) saved: Mutex<Saved>,
}

impl Campaign<'_> {
    /// Runs it to its end.
    pub fn run(&self) -> CampaignReport {
        let begun = Instant::now();
        let subjects: Vec<(&str, &Subject)> = self.types.iter().map(|(name, it)| (name.as_str(), it)).collect();
        let known = subjects.iter().map(|(name, subject)| self.known(name, subject)).collect();
        let room: Vec<u64> = subjects.iter().map(|(name, _)| self.room(name, 0)).collect();
        let shared = Shared {
            campaign: self,
            subjects,
            schedule: Schedule::new(known, self.most_lives, &room),
            outcome: Mutex::new(CampaignReport::default()),
            seen: Mutex::new(BTreeMap::new()),
            saved: Mutex::new(Saved::default()),
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
            // What the user writes is taken for good until it fails.
            knowledge.learn(Lesson::Word { key, text, good: 3, bad: 0 });
        }
        knowledge
    }

    /// How many lives of a type may create objects, after so many were created: the objects are divided among the types.
    pub(crate) fn room(&self, name: &str, created: u64) -> u64 {
        /// What a life creates at most: an object, and two that replace it.
        const OF_A_LIFE: u64 = 3;
        let Some(applies) = self.applies.filter(|applies| applies.types.contains(name)) else { return 0 };
        (applies.most_objects / applies.types.len().max(1) as u64).saturating_sub(created) / OF_A_LIFE
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
            let lived = Worker::new(self, &turn, knowledge).live(&mut plugin);
            let gone = lived.gone.clone();
            self.save_early(turn.line, &lived);
            if let Some(lives) = self.schedule.over(&turn, lived) {
                let (lessons, created) = self.commit(turn.line, lives, Some(&mut plugin));
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

    /// Adds what a process was asked.
    pub(crate) fn count(&self, plugin: &Plugin) {
        let mut outcome = lock(&self.outcome);
        outcome.counts.calls += plugin.calls();
        outcome.counts.starts += plugin.starts();
    }

    /// Plays a life.
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
