//! Shrinking beside a campaign: a thread with subjects of its own that makes findings smaller while the campaign goes on.
//!
//! The finding is on disk before it comes here, and a smaller one replaces it in one step, so whatever ends the process
//! leaves one of the two. Shrinking is bounded in time: a subject that hangs can make each of its questions slow.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::error::CliError;
use super::{files, settings};
use crate::campaign::Finding;
use crate::case::Case;
use crate::compare::{Judge, Signature, Summary};
use crate::subject::Subject;
use crate::triage::{Confirmed, FindingFile, confirm, shrink};

/// How often the subjects may be asked to make one finding smaller.
const BUDGET: u64 = 3_000;

/// How long one finding may take.
const TIME: Duration = Duration::from_secs(20);

/// How long all that wait may take together when the campaign is over.
const CLOSING_TIME: Duration = Duration::from_secs(20);

/// A finding that is on disk.
pub struct Job {
    /// The finding.
    pub finding: Finding,
    /// Its file.
    pub path: String,
    /// Where the case came from, for the file.
    pub origin: String,
}

/// The thread, seen from the desk.
pub struct Shrinker {
    jobs: Sender<Job>,
    closing: Arc<OnceLock<Instant>>,
    thread: JoinHandle<Result<(), CliError>>,
}

impl Shrinker {
    /// A shrinker with subjects of its own. `options` are the subjects as options name them.
    pub fn start(subjects: Vec<Box<dyn Subject>>, judge: Judge, options: Vec<String>) -> Shrinker {
        let (jobs, waiting) = mpsc::channel();
        let closing = Arc::new(OnceLock::new());
        let bench = Bench { subjects, judge, options, closing: closing.clone() };
        Shrinker { jobs, closing, thread: thread::spawn(move || bench.work(&waiting)) }
    }

    /// Takes a finding.
    pub fn take(&self, job: Job) {
        // A thread that has failed says so when it is closed; the finding is on disk.
        self.jobs.send(job).ok();
    }

    /// Waits for what is left, within bounds.
    ///
    /// # Errors
    /// A file that could not be written.
    pub fn close(self) -> Result<(), CliError> {
        let Shrinker { jobs, closing, thread } = self;
        closing.get_or_init(Instant::now);
        drop(jobs);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

struct Bench {
    subjects: Vec<Box<dyn Subject>>,
    judge: Judge,
    options: Vec<String>,
    closing: Arc<OnceLock<Instant>>,
}

impl Bench {
    fn work(mut self, jobs: &Receiver<Job>) -> Result<(), CliError> {
        for job in jobs {
            self.shrink(&job)?;
        }
        Ok(())
    }

    fn shrink(&mut self, job: &Job) -> Result<(), CliError> {
        let Job { finding, path, origin } = job;
        let Some(signature) = finding.found.verdict.signature() else { return Ok(()) };
        let start = Instant::now();
        if self.is_over(start) {
            return Ok(());
        }
        let narrowed = finding.case.narrowed_to(signature.op);
        let from = narrowed.filter(|narrowed| self.shows(narrowed, signature).is_some());
        let from = from.unwrap_or_else(|| finding.case.clone());
        let small =
            shrink(&from, BUDGET, &mut |smaller| !self.is_over(start) && self.shows(smaller, signature).is_some());
        let Some(confirmed) = self.shows(&small.case, signature) else {
            // It does not happen every time: the case as it was found says most.
            return Ok(());
        };
        let file = FindingFile { case: &small.case, confirmed: &confirmed, origin, subjects: &self.options, path };
        files::write_case(path.as_ref(), &file.to_case_file())
    }

    fn is_over(&self, start: Instant) -> bool {
        settings::interrupted().load(Ordering::Relaxed)
            || start.elapsed() >= TIME
            || self.closing.get().is_some_and(|closing| closing.elapsed() >= CLOSING_TIME)
    }

    /// The finding of that signature in a case, if the subjects still show it.
    fn shows(&mut self, case: &Case, signature: &Signature) -> Option<Confirmed> {
        let all = confirm(case, &mut self.subjects, &self.judge, &mut Summary::default());
        all.into_iter().find(|confirmed| confirmed.found.verdict.signature() == Some(signature))
    }
}
