//! Shrinking beside a campaign: a thread with subjects of its own that makes findings smaller while the campaign goes on.
//!
//! The finding is on disk before it comes here, and a smaller one replaces it in one step, so whatever ends the process
//! leaves one of the two. Shrinking is bounded in time: a subject that hangs can make each of its questions slow, and a thread that does
//! not come to its end is left alone.

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

/// How long one finding may take.
const TIME: Duration = Duration::from_secs(20);

/// How long all that wait may take together when the campaign is over, where no time bounds it.
pub const CLOSING_TIME: Duration = Duration::from_secs(20);

/// How long the last question may take that was asked in time.
const GRACE: Duration = Duration::from_millis(700);

/// A finding that is on disk.
pub struct Job {
    /// The case.
    pub case: Case,
    /// What was found in it.
    pub signature: Signature,
    /// Its file.
    pub path: String,
    /// Where the case came from, for the file.
    pub origin: String,
}

/// What the first finding of a bucket was made into.
#[derive(Clone, Debug)]
pub struct Made {
    /// The smallest case of what it comes from.
    pub small: Small,
    /// Everything that it shows.
    pub shows: Vec<Signature>,
}

/// What buckets were made into.
pub type AllMade = BTreeMap<Signature, Made>;

/// The thread, seen from the collector.
pub struct Shrinker {
    jobs: Sender<Job>,
    made: Arc<Mutex<AllMade>>,
    left: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), CliError>>,
}

impl Shrinker {
    /// A shrinker with subjects of its own: `options` are these as options name them, `first` is the name of the first one.
    pub fn start(panels: Panels, first: String, options: Vec<String>) -> Shrinker {
        let (jobs, waiting) = mpsc::channel();
        let (made, left) = (Arc::<Mutex<AllMade>>::default(), Arc::<AtomicBool>::default());
        let worker = Worker { panels, first, options, made: made.clone(), left: left.clone() };
        Shrinker { jobs, made, left, thread: thread::spawn(move || worker.work(&waiting)) }
    }

    /// Takes a finding.
    pub fn take(&self, job: Job) {
        // A thread that has failed says so when it is closed; the finding is on disk.
        self.jobs.send(job).ok();
    }

    /// Waits for what is left until a point in time, and gives what was made.
    ///
    /// # Errors
    /// A file that could not be written.
    pub fn close(self, until: Instant) -> (AllMade, Result<(), CliError>) {
        let Shrinker { jobs, made, left, thread } = self;
        drop(jobs);
        // Where the time was over before, the thread still has a moment to notice that nothing is left to do.
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
                output::say(&styled(NOTE, "the time is over: a finding was not made smaller"));
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
    /// Set when nobody waits any more: files are not this thread's then.
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
        // A case that does not show it every time says most as it was found.
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
