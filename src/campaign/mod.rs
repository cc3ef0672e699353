//! Campaigns: bounded runs of many cases over chosen subjects.
//!
//! A source gives cases by their number, so that the same seed gives the same cases in the same order for any number
//! of workers. Workers take numbers in chunks and share nothing else in the loop: each has its own subjects and its own
//! summary. Findings go through a channel to the thread that called [`Campaign::run`], which knows which of them are new.

mod source;
mod worker;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

pub use source::{Reader, Source, Stream};
pub use worker::Phases;

use crate::case::Case;
use crate::compare::{Finding, Judge, Signature, Summary};
use crate::panel::Panel;
use crate::subject::{Effort, Subject};

/// One case in so many is checked for the metamorphic properties: each asks a planner some thirty times more.
pub const PROPERTIES_EVERY: u64 = 16;

/// A bounded run of many cases.
pub struct Campaign<'a> {
    /// Where cases come from.
    pub source: &'a dyn Source,
    /// The number of the first case; more than 0 if this run continues another.
    pub first: u64,
    /// Makes the subjects of one worker; the first one is compared with every other.
    pub subjects: &'a (dyn Fn() -> Result<Vec<Box<dyn Subject>>, String> + Sync),
    /// Judges the answers.
    pub judge: &'a Judge,
    /// When to stop.
    pub bound: Bound,
    /// The number of workers, at least 1.
    pub jobs: usize,
    /// One case in so many is checked against the metamorphic properties; 0 for none.
    pub properties_every: u64,
}

/// When a campaign stops: at whichever bound is reached first. Without a bound it ends with its source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bound {
    /// After so many cases.
    pub cases: Option<u64>,
    /// After so much time.
    pub time: Option<Duration>,
    /// After so many buckets.
    pub buckets: Option<u64>,
    /// If there are findings, the campaign stops this much before `time`, because processing them takes time too.
    pub closing: Duration,
}

/// The case in which a campaign found something.
#[derive(Clone, Debug)]
pub struct FoundCase {
    /// The number of the case in its source.
    pub number: u64,
    /// The case.
    pub case: Case,
}

/// Receives the events of a campaign while it runs.
pub trait Observer {
    /// A finding whose signature is new to this run. `Break` ends the run cleanly. Further findings wait in memory until this returns,
    /// so slow work is better done elsewhere.
    fn found(&mut self, at: FoundCase, finding: Finding) -> ControlFlow<()>;

    /// Called regularly while the campaign runs.
    fn progress(&mut self, progress: &Progress);
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Cases done.
    pub cases: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Buckets found.
    pub buckets: usize,
    /// How long the deadline has passed while workers still wait for a subject.
    pub overdue: Duration,
}

/// The result of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All counts.
    pub summary: Summary,
    /// Findings by bucket.
    pub buckets: BTreeMap<Signature, u64>,
    /// How the workers spent their time.
    pub phases: Phases,
    /// Wall time.
    pub elapsed: Duration,
    /// The number of the first case that was not taken: another run continues there.
    pub next: u64,
    /// What other processes did for the subjects, by the subject's name.
    pub efforts: BTreeMap<String, Effort>,
    /// The subject that could not answer at all, and why. It ended the run.
    pub trouble: Option<(String, String)>,
}

/// The state that workers share: the next number, and whether to stop. Each worker checks the deadline and the user's interrupt
/// itself, even while the calling thread is busy.
struct Shared<'a> {
    next: AtomicU64,
    end: u64,
    done: AtomicU64,
    stop: AtomicBool,
    interrupted: &'a AtomicBool,
    deadline: Option<Instant>,
    /// The deadline that holds once something was found.
    early: Option<Instant>,
    has_found: AtomicBool,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.interrupted.load(Ordering::Relaxed)
            || self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn deadline(&self) -> Option<Instant> {
        if self.has_found.load(Ordering::Relaxed) { self.early } else { self.deadline }
    }

    fn overdue(&self) -> Duration {
        self.deadline().map_or(Duration::ZERO, |deadline| Instant::now().saturating_duration_since(deadline))
    }
}

impl Campaign<'_> {
    /// Runs to the bound, or until `interrupted` is set; both end it cleanly, and everything done so far is counted.
    ///
    /// # Errors
    /// A subject that could not be started: no case was run.
    pub fn run(&self, interrupted: &AtomicBool, observer: &mut dyn Observer) -> Result<Report, String> {
        let start = Instant::now();
        let panels = (0..self.jobs.max(1)).map(|_| (self.subjects)()).collect::<Result<Vec<_>, _>>();
        let panels = match panels {
            // Interrupted while starting: run without workers.
            Err(_) if interrupted.load(Ordering::Relaxed) => Vec::new(),
            started => started?,
        };
        let time = self.bound.time;
        let shared = Shared {
            next: AtomicU64::new(self.first),
            end: self.bound.cases.map_or(u64::MAX, |cases| self.first.saturating_add(cases)),
            done: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            interrupted,
            // A time that the clock cannot represent means no deadline.
            deadline: time.and_then(|time| start.checked_add(time)),
            early: time.and_then(|time| start.checked_add(time.saturating_sub(self.bound.closing))),
            has_found: AtomicBool::new(false),
        };
        let (sender, receiver) = mpsc::channel();
        let mut report = Report::default();
        std::thread::scope(|scope| {
            let judge = Arc::new(self.judge.clone());
            let workers: Vec<_> = panels
                .into_iter()
                .map(|subjects| {
                    let (shared, sender, panel) = (&shared, sender.clone(), Panel::new(subjects, judge.clone()));
                    scope.spawn(move || worker::run(self, shared, panel, &sender))
                })
                .collect();
            drop(sender);
            self.attend(&shared, &receiver, start, observer, &mut report);
            for worker in workers {
                match worker.join() {
                    Ok(done) => report.take(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        report.elapsed = start.elapsed();
        report.next = shared.next.load(Ordering::Relaxed).min(shared.end);
        Ok(report)
    }

    /// Passes findings and progress to the observer until every worker has ended.
    fn attend(
        &self,
        shared: &Shared<'_>,
        receiver: &Receiver<(FoundCase, Finding)>,
        start: Instant,
        observer: &mut dyn Observer,
        report: &mut Report,
    ) {
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok((at, finding)) => {
                    let count = report.buckets.entry(finding.signature.clone()).or_insert(0);
                    *count += 1;
                    shared.has_found.store(true, Ordering::Relaxed);
                    let is_broken_off = *count == 1 && observer.found(at, finding).is_break();
                    let is_full = self.bound.buckets.is_some_and(|buckets| report.buckets.len() as u64 >= buckets);
                    if is_broken_off || is_full {
                        shared.stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            observer.progress(&Progress {
                cases: shared.done.load(Ordering::Relaxed),
                elapsed: start.elapsed(),
                buckets: report.buckets.len(),
                overdue: shared.overdue(),
            });
        }
    }
}

impl Report {
    fn take(&mut self, done: worker::Done) {
        self.summary.add(done.summary);
        self.phases.add(&done.phases);
        self.trouble = self.trouble.take().or(done.trouble);
        for (name, effort) in done.efforts {
            self.efforts.entry(name).or_default().add(effort);
        }
        for (signature, count) in done.repeated {
            *self.buckets.entry(signature).or_insert(0) += count;
        }
    }
}
