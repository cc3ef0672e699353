//! Campaigns: bounded runs of many cases over chosen subjects.
//!
//! A source gives cases by their number, so that the same seed gives the same cases in the same order whatever the number
//! of workers. Workers take numbers in chunks and share nothing else in the loop: each has its own subjects and its own
//! summary. What is found goes through a channel to the thread that called, which knows what is new.

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

/// A bounded run of many cases.
pub struct Campaign<'a> {
    /// Where cases come from.
    pub source: &'a dyn Source,
    /// The number of the first case; more than 0 where a run goes on from another.
    pub first: u64,
    /// Makes the subjects of one worker; the first one is compared with every other.
    pub subjects: &'a (dyn Fn() -> Result<Vec<Box<dyn Subject>>, String> + Sync),
    /// Who judges.
    pub judge: &'a Judge,
    /// When to stop.
    pub bound: Bound,
    /// The number of workers, at least 1.
    pub jobs: usize,
    /// One case in so many is put to the metamorphic properties; 0 for none.
    pub properties_every: u64,
}

/// When a campaign stops: at whichever comes first. With neither it ends with its source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bound {
    /// After so many cases.
    pub cases: Option<u64>,
    /// After so much time.
    pub time: Option<Duration>,
    /// After so many buckets.
    pub buckets: Option<u64>,
    /// So much earlier than the time says, where there are findings: what is done with them takes time too.
    pub closing: Duration,
}

/// Where a campaign found something.
#[derive(Clone, Debug)]
pub struct FoundCase {
    /// The number of the case in its source.
    pub number: u64,
    /// The case.
    pub case: Case,
}

/// Who is told of what a campaign does while it runs.
pub trait Observer {
    /// A finding whose signature is new to this run. To break off ends the run cleanly. Others wait meanwhile, in memory
    /// only, so what takes long is done elsewhere.
    fn found(&mut self, at: FoundCase, finding: Finding) -> ControlFlow<()>;

    /// Some time has passed.
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
    /// How long ago the time was over: workers still wait for a subject.
    pub overdue: Duration,
}

/// What a campaign came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Everything that was counted.
    pub summary: Summary,
    /// Findings by bucket.
    pub buckets: BTreeMap<Signature, u64>,
    /// Where the workers' time went.
    pub phases: Phases,
    /// Wall time.
    pub elapsed: Duration,
    /// The number of the first case that was not taken: where another run goes on.
    pub next: u64,
    /// What other processes did for the subjects, by name.
    pub efforts: BTreeMap<String, Effort>,
    /// The subject that could not answer anything at all, and why. It ended the run.
    pub trouble: Option<(String, String)>,
}

/// What workers share: the next number, and whether to stop. They see for themselves that the time is over or the user
/// wants an end, whatever the thread that called is doing.
struct Shared<'a> {
    next: AtomicU64,
    end: u64,
    done: AtomicU64,
    stop: AtomicBool,
    interrupted: &'a AtomicBool,
    deadline: Option<Instant>,
    /// The deadline once something was found.
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
    /// Runs to the bound, or until `interrupted` is set; both end it cleanly, with everything counted that was done.
    ///
    /// # Errors
    /// A subject that could not be started: nothing was run.
    pub fn run(&self, interrupted: &AtomicBool, observer: &mut dyn Observer) -> Result<Report, String> {
        let start = Instant::now();
        let panels = (0..self.jobs.max(1)).map(|_| (self.subjects)()).collect::<Result<Vec<_>, _>>();
        let panels = match panels {
            // Nobody is to be asked any more.
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
            // A time beyond what the clock can tell is none.
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

    /// Passes findings and progress on until every worker has hung up.
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
