//! Shrinking beside a campaign: a thread with subjects of its own makes findings smaller while the campaign goes on.
//!
//! The finding is on disk before it comes here, and a smaller one replaces it in one step, so however the process ends, one of the two
//! is there. Shrinking is bounded in time: a subject that hangs can make each of its questions slow, and a thread that does not end in
//! time is abandoned.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::error::CliError;
use super::output::{self, NOTE, styled};
use super::{files, settings};
use crate::case::Case;
use crate::compare::{Signature, Summary};
use crate::panel::{Bounds, Extent, Minimized, Panels, Small};
use crate::triage::FindingFile;

/// How often the subjects may be asked to make one finding smaller.
const BUDGET: u64 = 3_000;

/// The time for one finding.
const TIME: Duration = Duration::from_secs(20);

/// The time for all waiting findings when the campaign is over, if no time bounds it.
pub const CLOSING_TIME: Duration = Duration::from_secs(20);

/// The time for the last question, if it was asked in time.
const GRACE: Duration = Duration::from_millis(700);

/// A finding that is on disk.
pub struct Job {
    /// The case.
    pub case: Case,
    /// Its signature.
    pub signature: Signature,
    /// Its file.
    pub path: String,
    /// The origin of the case, for the file.
    pub origin: String,
}

/// The minimized case of a bucket's first finding.
#[derive(Clone, Debug)]
pub struct Made {
    /// The smallest case.
    pub small: Small,
    /// Everything that it shows.
    pub shows: Vec<Signature>,
}

/// The minimized cases of buckets.
pub type AllMade = BTreeMap<Signature, Made>;

/// The thread, seen from the collector.
pub struct Shrinker {
    jobs: Sender<Job>,
    made: Arc<Mutex<AllMade>>,
    left: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), CliError>>,
}

impl Shrinker {
    /// Starts a shrinker with subjects of its own: `options` are their names in options, `first` is the name of the first one.
    pub fn start(panels: Panels, first: String, options: Vec<String>) -> Shrinker {
        let (jobs, waiting) = mpsc::channel();
        let (made, left) = (Arc::<Mutex<AllMade>>::default(), Arc::<AtomicBool>::default());
        let worker = Worker { panels, first, options, made: made.clone(), left: left.clone() };
        Shrinker { jobs, made, left, thread: thread::spawn(move || worker.work(&waiting)) }
    }

    /// Takes a finding.
    pub fn take(&self, job: Job) {
        // If the thread has failed, closing reports that; the finding is on disk.
        self.jobs.send(job).ok();
    }

    /// Waits for the remaining findings until a point in time, and returns the minimized cases.
    ///
    /// # Errors
    /// A file that could not be written.
    pub fn close(self, until: Instant) -> (AllMade, Result<(), CliError>) {
        let Shrinker { jobs, made, left, thread } = self;
        drop(jobs);
        // Even if the time was over before, the thread needs a moment to notice that nothing is left to do.
        let last = until.max(Instant::now()) + GRACE;
        while !thread.is_finished() {
            let now = Instant::now();
            if now >= until {
                settings::stop_shrinking().store(true, Ordering::Relaxed);
            }
            if now >= last {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let ended = match thread.is_finished() {
            true => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            false => {
                left.store(true, Ordering::SeqCst);
                output::report(&styled(NOTE, "the time is over: a finding was not made smaller"));
                Ok(())
            }
        };
        let made = std::mem::take(&mut *made.lock().unwrap_or_else(PoisonError::into_inner));
        (made, ended)
    }
}

struct Worker {
    panels: Panels,
    first: String,
    options: Vec<String>,
    made: Arc<Mutex<AllMade>>,
    /// Set when the thread is abandoned: it must not write files then.
    left: Arc<AtomicBool>,
}

impl Worker {
    fn work(mut self, jobs: &Receiver<Job>) -> Result<(), CliError> {
        for job in jobs {
            if !settings::stop_shrinking().load(Ordering::Relaxed) {
                self.shrink(&job)?;
            }
        }
        Ok(())
    }

    fn shrink(&mut self, job: &Job) -> Result<(), CliError> {
        let Job { case, signature, path, origin } = job;
        let bounds = Bounds { calls: BUDGET, time: TIME, interrupted: settings::stop_shrinking() };
        let minimized = self.panels.minimize(case, (signature, &self.first), bounds);
        // A case that does not show the finding every time stays as it was found.
        let Some(Minimized { exact, small }) = minimized.map_err(CliError::failed)? else { return Ok(()) };
        let is_over = || self.left.load(Ordering::SeqCst);
        if let Some(Small { case, finding }) = exact.filter(|_| !is_over()) {
            let file = FindingFile { case: &case, finding: &finding, origin, subjects: &self.options, path };
            files::write_case(path.as_ref(), &file.to_case_file())?;
        }
        let shown = self.panels.ask(&small.case, None, Extent::Whole, &mut Summary::default());
        let shown = shown.map_err(CliError::failed)?.findings;
        let shows = shown.into_iter().map(|finding| finding.signature).collect();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(signature.clone(), Made { small, shows });
        Ok(())
    }
}
