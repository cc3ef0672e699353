//! The desk of a campaign: where findings arrive and are written down, before anything else is done with them.
//!
//! A finding is on disk, whole, as soon as it arrives; making it smaller is the work of another thread. So a killed run
//! loses none that it has seen.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::args::RunArgs;
use super::cases::Cases;
use super::error::CliError;
use super::output::{BAD, DIM, styled};
use super::progress::Bar;
use super::shrinker::{Job, Shrinker};
use super::{files, subjects};
use crate::campaign::{Finding, Observer, Progress};
use crate::compare::{Judge, Signature};
use crate::triage::{Confirmed, FindingFile, what};

/// The desk of a campaign.
pub struct Desk {
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

/// What a desk has when it closes.
pub struct Closed {
    /// The file of each bucket.
    pub files: BTreeMap<String, String>,
    /// The first file that could not be written.
    pub failure: Option<CliError>,
}

impl Desk {
    /// A desk, whose shrinker has subjects of its own.
    ///
    /// # Errors
    /// Subjects that do not start.
    pub fn open(args: &RunArgs, cases: &Cases, judge: &Judge) -> Result<Desk, CliError> {
        let dialect = args.subjects.dialect.unwrap_or_default();
        let subjects = subjects::start_for_shrinking(&args.subjects, dialect)?;
        let names = subjects.iter().map(|subject| subject.name().to_owned()).collect();
        let options = subjects::names(&args.subjects);
        Ok(Desk {
            names,
            folder: args.findings.clone(),
            seed: cases.seed().to_owned(),
            bar: Bar::new(args.cases.or(cases.total()), args.time),
            files: BTreeMap::new(),
            failure: None,
            shrinker: Shrinker::start(subjects, judge.clone(), options.clone()),
            options,
        })
    }

    /// The names of the subjects.
    pub fn subject_names(&self) -> &[String] {
        &self.names
    }

    /// The subjects that have a number beside their name, since it is another's too, with what options call them.
    pub fn numbered(&self) -> impl Iterator<Item = (&str, &str)> {
        let named = self.names.iter().zip(&self.options);
        let shares = |name: &str| {
            let first = name.rsplit_once(" #").map(|(first, _)| first);
            first.is_some_and(|first| self.names.iter().any(|other| other == first))
        };
        named.filter(move |(name, _)| shares(name)).map(|(name, option)| (name.as_str(), option.as_str()))
    }

    /// Ends the work at the desk, within bounds.
    pub fn close(self) -> Closed {
        self.bar.finish();
        let shrunk = self.shrinker.close();
        Closed { files: self.files, failure: self.failure.or(shrunk.err()) }
    }

    fn take(&mut self, finding: Finding) -> Result<(), CliError> {
        let Some(signature) = finding.found.verdict.signature() else { return Ok(()) };
        let origin = format!("seed {}, case {}", self.seed, finding.number);
        let path = self.path(signature);
        let confirmed = Confirmed { found: finding.found.clone(), outcomes: Vec::new() };
        let file = FindingFile {
            case: &finding.case,
            confirmed: &confirmed,
            origin: &origin,
            subjects: &self.options,
            path: &path,
        };
        files::write_case(path.as_ref(), &file.to_case_file())?;
        self.bar.say(&format!(
            "{} {signature}\n  {}\n  {}",
            styled(BAD, "found"),
            what(&finding.found.verdict),
            styled(DIM, &path)
        ));
        self.files.insert(signature.to_string(), path.clone());
        self.shrinker.take(Job { finding, path, origin });
        Ok(())
    }

    /// The file of a bucket: the operation, and a hash of the signature.
    fn path(&self, signature: &Signature) -> String {
        let hash = crc32fast::hash(signature.to_string().as_bytes());
        self.folder.join(format!("{}-{hash:08x}.json", signature.op)).display().to_string()
    }
}

impl Observer for Desk {
    fn found(&mut self, finding: Finding) -> ControlFlow<()> {
        // What cannot be written down is not worth finding.
        match self.take(finding) {
            Ok(()) => ControlFlow::Continue(()),
            Err(problem) => {
                self.failure.get_or_insert(problem);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.bar.show(progress);
    }
}
