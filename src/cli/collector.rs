//! The collector of a campaign's findings: they are written as they arrive, before anything else is done with them.
//!
//! A finding is on disk, whole, as soon as it arrives; making it smaller is the work of another thread. So a killed run
//! loses no finding.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::args::RunArgs;
use super::cases::Cases;
use super::error::CliError;
use super::output::{BAD, DIM, styled};
use super::progress::Bar;
use super::shrinker::{AllMade, Job, Shrinker};
use super::{files, settings, subjects};
use crate::campaign::{FoundCase, Observer, Progress};
use crate::compare::{Finding, Judge, Signature};
use crate::panel::{Panels, Start};
use crate::triage::{self, FindingFile};

/// How many findings are printed as they arrive.
const MAX_REPORTED: usize = 3;

/// How long a campaign waits for an answer after its time is over.
const GRACE: Duration = Duration::from_millis(500);

/// The collector of a campaign's findings.
pub struct FindingCollector {
    /// The subjects as options name them, for the command in a finding's file.
    options: Vec<String>,
    /// The subjects as they name themselves.
    names: Vec<String>,
    folder: PathBuf,
    seed: String,
    bar: Bar,
    files: BTreeMap<String, String>,
    failure: Option<CliError>,
    shrinker: Shrinker,
}

/// The result of a collector.
pub struct CollectedFindings {
    /// The file of each bucket.
    pub files: BTreeMap<String, String>,
    /// The minimized case of each bucket.
    pub made: AllMade,
    /// The first file that could not be written.
    pub failure: Option<CliError>,
}

impl FindingCollector {
    /// A collector, whose shrinker has subjects of its own.
    ///
    /// # Errors
    /// Subjects that do not start.
    pub fn open(args: &RunArgs, cases: &Cases, judge: &Judge) -> Result<FindingCollector, CliError> {
        // A subject that does not start is reported before anything is done.
        let started = subjects::start_for_shrinking(&args.subjects, cases.first_dialect())?;
        let names: Vec<String> = started.iter().map(|subject| subject.name().to_owned()).collect();
        let options = subjects::names(&args.subjects);
        let chosen = args.subjects.clone();
        let start: Arc<Start> = Arc::new(move |dialect| {
            subjects::start_for_shrinking(&chosen, dialect).map_err(|problem| problem.to_string())
        });
        let panels = Panels::new(start, Arc::new(judge.clone())).with(cases.first_dialect(), started);
        let first = names.first().cloned().unwrap_or_default();
        Ok(FindingCollector {
            names,
            folder: args.findings.clone(),
            seed: cases.seed().to_owned(),
            bar: Bar::new(args.cases.or(cases.total()), args.time),
            files: BTreeMap::new(),
            failure: None,
            shrinker: Shrinker::start(panels, first, options.clone()),
            options,
        })
    }

    /// The names of the subjects.
    pub fn subject_names(&self) -> &[String] {
        &self.names
    }

    /// The subjects with a number in their name, because another has the same name, each with its option.
    pub fn numbered(&self) -> impl Iterator<Item = (&str, &str)> {
        let named = self.names.iter().zip(&self.options);
        let shares = |name: &str| {
            let first = name.rsplit_once(" #").map(|(first, _)| first);
            first.is_some_and(|first| self.names.iter().any(|other| other == first))
        };
        named.filter(move |(name, _)| shares(name)).map(|(name, option)| (name.as_str(), option.as_str()))
    }

    /// Ends the shrinker's work at a point in time.
    pub fn close(self, until: Instant) -> CollectedFindings {
        self.bar.finish();
        let (made, shrunk) = self.shrinker.close(until);
        CollectedFindings { files: self.files, made, failure: self.failure.or(shrunk.err()) }
    }

    fn take(&mut self, FoundCase { number, case }: FoundCase, finding: Finding) -> Result<(), CliError> {
        let origin = format!("seed {}, case {number}", self.seed);
        let path = self.path(&finding.signature);
        let file =
            FindingFile { case: &case, finding: &finding, origin: &origin, subjects: &self.options, path: &path };
        files::write_case(path.as_ref(), &file.to_case_file())?;
        self.report(&finding.signature, &finding.what, &path);
        self.files.insert(finding.signature.to_string(), path.clone());
        self.shrinker.take(Job { case, signature: finding.signature, path, origin });
        Ok(())
    }

    /// Prints the first findings as they arrive; the end of the run prints all of them, grouped.
    fn report(&self, signature: &Signature, what: &str, path: &str) {
        match self.files.len() {
            known if known < MAX_REPORTED => {
                self.bar.report(&format!("{} {signature}\n  {what}\n  {}", styled(BAD, "found"), styled(DIM, path)));
            }
            MAX_REPORTED => self.bar.report(&styled(DIM, "more is found: the end of the run puts it together")),
            _ => {}
        }
    }

    /// The path of a bucket's file.
    fn path(&self, signature: &Signature) -> String {
        self.folder.join(triage::file_name(signature)).display().to_string()
    }
}

impl Observer for FindingCollector {
    fn found(&mut self, at: FoundCase, finding: Finding) -> ControlFlow<()> {
        // A campaign whose findings cannot be written ends.
        match self.take(at, finding) {
            Ok(()) => ControlFlow::Continue(()),
            Err(problem) => {
                self.failure.get_or_insert(problem);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if progress.overdue >= GRACE {
            settings::stop_asking().store(true, Ordering::Relaxed);
        }
        self.bar.show(progress);
    }
}
