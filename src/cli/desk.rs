//! The desk of a campaign: where findings arrive, are written down, made smaller and written again.
//!
//! A finding is on disk, whole, before anything else is done with it, so that a killed run loses none.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::args::RunArgs;
use super::cases::Cases;
use super::error::CliError;
use super::output::{self, BAD, DIM, styled};
use super::progress::Bar;
use super::{files, subjects};
use crate::campaign::{Finding, Observer, Progress};
use crate::case::Case;
use crate::compare::{Judge, Signature};
use crate::subject::Subject;
use crate::triage::{Confirmed, FindingFile, confirm, shrink, what};

/// How often the subjects may be asked to make one finding smaller.
const SHRINK_BUDGET: u64 = 3_000;

/// The desk of a campaign.
pub struct Desk<'a> {
    judge: &'a Judge,
    subjects: Vec<Box<dyn Subject>>,
    /// The subjects as options name them, for the command in a finding's file.
    options: Vec<String>,
    folder: PathBuf,
    seed: String,
    bar: Bar,
    files: BTreeMap<String, String>,
    failure: Option<CliError>,
}

impl<'a> Desk<'a> {
    /// A desk with subjects of its own.
    ///
    /// # Errors
    /// Subjects that do not start.
    pub fn open(args: &RunArgs, cases: &Cases, judge: &'a Judge) -> Result<Desk<'a>, CliError> {
        let dialect = args.subjects.dialect.unwrap_or_default();
        Ok(Desk {
            judge,
            subjects: subjects::start(&args.subjects, dialect)?,
            options: subjects::names(&args.subjects),
            folder: args.findings.clone(),
            seed: cases.seed().to_owned(),
            bar: Bar::new(args.cases.or(cases.total()), args.time),
            files: BTreeMap::new(),
            failure: None,
        })
    }

    /// The names of the subjects.
    pub fn subject_names(&self) -> Vec<String> {
        self.subjects.iter().map(|subject| subject.name().to_owned()).collect()
    }

    /// The file of each bucket.
    ///
    /// # Errors
    /// A finding that could not be written.
    pub fn close(self) -> Result<BTreeMap<String, String>, CliError> {
        self.bar.finish();
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.files),
        }
    }

    fn take(&mut self, finding: &Finding) -> Result<(), CliError> {
        let Some(signature) = finding.found.verdict.signature() else { return Ok(()) };
        let origin = format!("seed {}, case {}", self.seed, finding.number);
        let as_found = Confirmed { found: finding.found.clone(), outcomes: Vec::new() };
        let whole = self.path(signature);
        self.write(&whole, &finding.case, &as_found, &origin)?;
        let narrowed = finding.case.narrowed_to(signature.op).unwrap_or_else(|| finding.case.clone());
        let start = if self.shows(&narrowed, signature).is_some() { narrowed } else { finding.case.clone() };
        let small = self.shrunk(&start, signature);
        let seen = self.shows(&small, signature).unwrap_or(as_found);
        self.write(&whole, &small, &seen, &origin)?;
        self.files.insert(signature.to_string(), whole.clone());
        self.bar.say(&format!(
            "{} {signature}\n  {}\n  {}",
            styled(BAD, "found"),
            what(&seen.found.verdict),
            styled(DIM, whole)
        ));
        Ok(())
    }

    /// The finding of that signature in a case, if the subjects still show it.
    fn shows(&mut self, case: &Case, signature: &Signature) -> Option<Confirmed> {
        let all = confirm(case, &mut self.subjects, self.judge);
        all.into_iter().find(|confirmed| confirmed.found.verdict.signature() == Some(signature))
    }

    fn shrunk(&mut self, case: &Case, signature: &Signature) -> Case {
        shrink(case, SHRINK_BUDGET, &mut |smaller| self.shows(smaller, signature).is_some()).case
    }

    /// The file of a bucket: the operation, and a hash of the signature.
    fn path(&self, signature: &Signature) -> String {
        let hash = crc32fast::hash(signature.to_string().as_bytes());
        self.folder.join(format!("{}-{hash:08x}.json", signature.op)).display().to_string()
    }

    fn write(&self, path: &str, case: &Case, confirmed: &Confirmed, origin: &str) -> Result<(), CliError> {
        let file = FindingFile { case, confirmed, origin, subjects: &self.options, path };
        files::write_case(path.as_ref(), &file.to_case_file())
    }
}

impl Observer for Desk<'_> {
    fn found(&mut self, finding: Finding) {
        if let Err(problem) = self.take(&finding) {
            output::error(&problem);
            self.failure.get_or_insert(problem);
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.bar.show(progress);
    }
}
