//! Triage: sorts the many files of a night into buckets for a person to look at.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::bucket::{Bucket, Group, buckets, groups};
use super::regressions::Regressions;
use super::replay::{ROUNDS, Replay, ReplayOutcome};
use super::workers::{MakeWorker, Piece, Work, Workers};
use crate::case::Case;
use crate::compare::Judge;
use crate::panel::{Bounds, Minimized, Panels, Start};

/// A file with a case.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path.
    pub path: String,
    /// The case, with placeholders for sensitive values.
    pub case: Case,
    /// The case as the file has it, if that differs.
    pub original: Option<Case>,
    /// The origin that cases made from it record.
    pub origin: String,
    /// The signature that the file records.
    pub recorded: Option<String>,
}

/// How triage is done.
#[derive(Clone)]
pub struct Triage {
    /// Starts the subjects.
    pub start: Arc<Start>,
    /// The name of the first subject, with which every other is compared.
    pub first: String,
    /// Judges the answers, and has the known differences.
    pub judge: Arc<Judge>,
    /// The threads that work, and how long one replay of one file may take.
    pub workers: Workers,
    /// How much may be spent on minimizing one finding.
    pub bounds: Bounds,
}

/// How far triage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A round of replays, from 1.
    Replaying(usize),
    /// One case of each group is minimized.
    Shrinking,
}

/// The result of a triage.
#[derive(Clone, Debug)]
pub struct Triaged {
    /// The outcome of each file.
    pub replayed: Vec<ReplayOutcome>,
    /// The buckets to look at.
    pub buckets: Vec<Bucket>,
}

impl Triaged {
    /// True if nothing is new. Files that could not be replayed count as possibly new.
    pub fn holds(&self) -> bool {
        self.buckets.iter().all(|bucket| bucket.known.is_some()) && !self.replayed.iter().any(ReplayOutcome::is_open)
    }
}

/// Called with the stage, and how many pieces of it are done of how many.
pub type ReportProgress<'a> = dyn FnMut(Stage, usize, usize) + 'a;

impl Triage {
    /// Sorts files. Regression cases are replayed once, to know which findings are not new.
    ///
    /// # Errors
    /// Subjects that do not start, or can no longer answer.
    pub fn run(
        &self,
        entries: &Arc<Vec<Entry>>,
        kept: &Arc<Vec<Entry>>,
        report: &mut ReportProgress<'_>,
    ) -> Result<Triaged, String> {
        let regressions = self.regressions(kept)?;
        let replayed = self.hide(entries, self.replay(entries, report)?)?;
        let size = |file: usize| entries[file].case.to_json().to_compact().len();
        let groups = groups(&replayed, &regressions, &size);
        let minimized = self.minimize_all(entries, &groups, report)?;
        let buckets = buckets(groups.into_iter().zip(minimized).collect(), &regressions);
        Ok(Triaged { replayed, buckets })
    }

    fn regressions(&self, kept: &Arc<Vec<Entry>>) -> Result<Regressions, String> {
        let all = Arc::new((0..kept.len()).collect());
        let replays = self.workers.run(&all, self.replayer(kept), &mut |_| {})?;
        let mut regressions = Regressions::default();
        for (entry, replay) in kept.iter().zip(replays) {
            let replay = if let Piece::Done(replay) = replay { replay? } else { Replay::default() };
            regressions.add(&entry.path, &entry.case, &replay);
        }
        Ok(regressions)
    }

    /// Gives every case to fresh subjects, in [`ROUNDS`] rounds.
    fn replay(&self, entries: &Arc<Vec<Entry>>, report: &mut ReportProgress<'_>) -> Result<Vec<ReplayOutcome>, String> {
        let mut rounds: Vec<Vec<Replay>> = vec![Vec::new(); entries.len()];
        let mut ended: Vec<Option<ReplayOutcome>> = vec![None; entries.len()];
        for round in 0..ROUNDS {
            let open: Vec<usize> = (0..entries.len()).filter(|file| ended[*file].is_none()).collect();
            let open = Arc::new(open);
            let stage = Stage::Replaying(round + 1);
            let done = self.workers.run(&open, self.replayer(entries), &mut |done| report(stage, done, open.len()))?;
            for (file, replay) in open.iter().zip(done) {
                let is_over = self.workers.interrupted.load(Ordering::Relaxed);
                match replay {
                    // A program that is interrupted does not answer: that is no verdict on the file.
                    Piece::Done(Ok(replay)) if is_over && replay.not_asked.is_some() => {
                        ended[*file] = Some(ReplayOutcome::NotBegun);
                    }
                    Piece::Done(replay) => rounds[*file].push(replay?),
                    Piece::RanOver => ended[*file] = Some(ReplayOutcome::RanOver),
                    Piece::NotBegun => ended[*file] = Some(ReplayOutcome::NotBegun),
                }
            }
        }
        let replayed = ended.into_iter().zip(rounds).zip(entries.iter()).map(|((ended, rounds), entry)| {
            ended.unwrap_or_else(|| ReplayOutcome::of(entry.recorded.as_deref(), &rounds, &self.first))
        });
        Ok(replayed.collect())
    }

    /// Replays cases that have placeholders once more, with the values of their files: a signature that shows with secrets only is
    /// reported, but no case is made of it.
    fn hide(&self, entries: &Arc<Vec<Entry>>, mut replayed: Vec<ReplayOutcome>) -> Result<Vec<ReplayOutcome>, String> {
        let with_secrets: Arc<Vec<usize>> =
            Arc::new((0..entries.len()).filter(|file| entries[*file].original.is_some()).collect());
        let (start, judge, all) = (self.start.clone(), self.judge.clone(), entries.clone());
        let replay = move |panels: &mut Panels, file: &usize| {
            let Entry { case, original, recorded, .. } = &all[*file];
            Replay::of(panels, original.as_ref().unwrap_or(case), recorded.as_deref())
        };
        let done = self.workers.run(&with_secrets, self.make_worker(replay, start, judge), &mut |_| {})?;
        for (file, replay) in with_secrets.iter().zip(done) {
            let before = std::mem::replace(&mut replayed[*file], ReplayOutcome::RanOver);
            replayed[*file] = match replay {
                Piece::Done(replay) => before.unless_redacted(&replay?, &self.first),
                Piece::RanOver => ReplayOutcome::RanOver,
                Piece::NotBegun => ReplayOutcome::NotBegun,
            };
        }
        Ok(replayed)
    }

    fn replayer(&self, entries: &Arc<Vec<Entry>>) -> MakeWorker<usize, Result<Replay, String>> {
        let (start, judge, entries) = (self.start.clone(), self.judge.clone(), entries.clone());
        let replay = move |panels: &mut Panels, file: &usize| {
            let Entry { case, recorded, .. } = &entries[*file];
            Replay::of(panels, case, recorded.as_deref())
        };
        self.make_worker(replay, start, judge)
    }

    /// Minimizes one case of each new group.
    fn minimize_all(
        &self,
        entries: &Arc<Vec<Entry>>,
        groups: &[Group],
        report: &mut ReportProgress<'_>,
    ) -> Result<Vec<Option<Minimized>>, String> {
        let new: Vec<usize> = (0..groups.len()).filter(|group| groups[*group].known.is_none()).collect();
        let pieces: Arc<Vec<Group>> = Arc::new(new.iter().map(|group| groups[*group].clone()).collect());
        let (start, judge, entries, bounds) = (self.start.clone(), self.judge.clone(), entries.clone(), self.bounds);
        let first = self.first.clone();
        let minimize_one = move |panels: &mut Panels, group: &Group| -> Result<Option<Minimized>, String> {
            let Some(file) = group.files.first() else { return Ok(None) };
            panels.minimize(&entries[*file].case, (&group.signature, &first), bounds)
        };
        // The bounds are checked between questions, the limit applies within one.
        let workers = Workers { limit: self.workers.limit.saturating_add(self.bounds.time), ..self.workers };
        let make_worker = self.make_worker(minimize_one, start, judge);
        let done = workers.run(&pieces, make_worker, &mut |done| report(Stage::Shrinking, done, pieces.len()))?;
        let mut minimized: Vec<Option<Minimized>> = vec![None; groups.len()];
        for (group, done) in new.into_iter().zip(done) {
            if let Piece::Done(done) = done {
                minimized[group] = done?;
            }
        }
        Ok(minimized)
    }

    fn make_worker<P: 'static, R: 'static>(
        &self,
        work: impl Fn(&mut Panels, &P) -> R + Clone + Send + Sync + 'static,
        start: Arc<Start>,
        judge: Arc<Judge>,
    ) -> MakeWorker<P, R> {
        Arc::new(move || {
            let mut panels = Panels::new(start.clone(), judge.clone());
            let work = work.clone();
            Ok(Box::new(move |piece: &P| work(&mut panels, piece)) as Work<P, R>)
        })
    }
}

/// How long minimizing one finding may take by default.
pub const SHRINK_TIME: Duration = Duration::from_secs(20);
