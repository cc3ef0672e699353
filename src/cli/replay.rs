//! `replay`: asks the subjects saved cases, and prints a line for each.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::record;

use super::args::ReplayArgs;
use super::error::{CliError, Held};
use super::given::{Kind, Sources};
use super::junit::JunitFile;
use super::output::{self, BAD, DIM, GOOD, NOTE, PrintedFinding, styled};
use super::redact::{self, Redacted};
use super::{files, memory, settings, subjects};
use crate::case::{Case, CaseFile};
use crate::compare::{Allowances, Finding, Judge, Summary};
use crate::fuzz::{Document, Reading};
use crate::panel::{Extent, Panel};
use planfuzz_ci_report::junit::CaseResult;

/// The suite in JUnit XML.
const SUITE: &str = "replay";

/// How many documents that are no cases are reported.
const MAX_REPORTED_UNREADABLE: u64 = 20;

/// The running subjects, by the dialect and the names in a file.
type Started = BTreeMap<(Dialect, Vec<String>), Panel>;

/// Runs the command.
///
/// # Errors
/// Paths that do not exist, files that are no cases, subjects that do not start.
pub fn run(args: &ReplayArgs) -> Result<Held, CliError> {
    files::expect_file("--junit", args.junit.as_deref())?;
    if let Some(mib) = args.memory {
        memory::bound(mib)?;
    }
    #[cfg(feature = "engine")]
    if let Some(held) = super::provider::saved(&args.paths, args.json, planfuzz_provider::Saved::replay)? {
        return match args.junit {
            Some(_) => Err(CliError::input("these are findings of a provider: --junit is written for cases alone")),
            None => Ok(held),
        };
    }
    if let Some(dialect) = args.subjects.one_dialect()? {
        output::report(&styled(DIM, format!("{dialect} in place of the dialects of the cases")));
    }
    let sources = Sources::of_cases(&args.paths)?;
    let is_one = sources.len() == 1;
    settings::watch_interrupts()?;
    let mut replay = Replay::new(args)?;
    for (after, given) in sources.counted() {
        if settings::interrupted().load(Ordering::Relaxed) {
            return replay.finish(Some(after));
        }
        let (place, is_line) = (given.place.clone(), given.is_line);
        match given.read(args.subjects.one_dialect()?) {
            Ok(Kind::Codec(document, _)) => replay.document(&place, &document)?,
            Ok(Kind::Case(file)) => replay.case(&place, &file)?,
            Ok(Kind::Call(id, case)) => {
                replay.case(&place, &CaseFile { case: Case { purpose: id, ..*case }, finding: None })?;
            }
            Err(problem) if is_one && !is_line => return Err(problem),
            Err(problem) => replay.unreadable(&place, &problem)?,
        }
    }
    replay.finish(None)
}

/// A replay under way.
struct Replay<'a> {
    args: &'a ReplayArgs,
    judge: Arc<Judge>,
    panels: Started,
    junit: JunitFile,
    summary: Summary,
    /// Findings of readers of bytes that are known, by the signature.
    allowed: BTreeMap<String, u64>,
    held: u64,
    failed: u64,
    not_asked: u64,
    unreadable: u64,
}

impl<'a> Replay<'a> {
    fn new(args: &'a ReplayArgs) -> Result<Replay<'a>, CliError> {
        Ok(Replay {
            args,
            judge: Arc::new(settings::judge(args.allow.as_deref())?),
            panels: Started::new(),
            junit: JunitFile::of(args.junit.as_deref(), SUITE),
            summary: Summary::default(),
            allowed: BTreeMap::new(),
            held: 0,
            failed: 0,
            not_asked: 0,
            unreadable: 0,
        })
    }

    /// Checks a document for a reader of bytes.
    fn document(&mut self, place: &Path, document: &Document<'_>) -> Result<(), CliError> {
        let (findings, tolerated) = findings_of_codec(document, &self.judge.allowances);
        tolerated.iter().for_each(|signature| *self.allowed.entry(signature.clone()).or_default() += 1);
        self.ended(place, findings, Aside { tolerated, left_out: Vec::new() })
    }

    /// Counts a document that is no case. One bad file does not hide the results of the others.
    fn unreadable(&mut self, place: &Path, problem: &CliError) -> Result<(), CliError> {
        self.unreadable += 1;
        if self.unreadable <= MAX_REPORTED_UNREADABLE {
            output::error(problem);
        }
        self.junit.add(SUITE, &place.display().to_string(), || CaseResult::Error { message: problem.to_string() })
    }

    /// Asks the subjects a case.
    fn case(&mut self, place: &Path, file: &CaseFile) -> Result<(), CliError> {
        let named = subjects::for_finding(&self.args.subjects, place, file.finding.as_ref())?;
        let panel = match self.panels.entry((file.case.dialect, named.subjects.clone())) {
            Entry::Occupied(started) => started.into_mut(),
            Entry::Vacant(vacant) => {
                vacant.insert(Panel::new(subjects::start(&named, file.case.dialect)?, self.judge.clone()))
            }
        };
        let mut own = Summary::default();
        let found = panel.ask(&file.case, Extent::Whole, &mut own).findings;
        if let Some((name, trouble)) = panel.trouble() {
            return Err(CliError::ended(&name, &trouble));
        }
        let findings = match redact::redacted(place, file, self.args.show_sensitive) {
            _ if found.is_empty() => Vec::new(),
            Ok(Redacted { original: None, .. }) => printed_findings(&found, &found),
            Ok(Redacted { case, .. }) => {
                printed_findings(&found, &panel.ask(&case, Extent::Whole, &mut Summary::default()).findings)
            }
            // Without placeholders only the signature may be shown.
            Err(_) => printed_findings(&found, &[]),
        };
        match own.why_not_compared(panel.subjects().len()).filter(|_| found.is_empty()) {
            Some(reason) => self.not_asked(place, reason)?,
            None => {
                let tolerated = own.tolerated().map(|(what, _)| what).collect();
                let left_out = own.left_out.keys().map(|(subject, reason)| format!("{subject}: {reason}")).collect();
                self.ended(place, findings, Aside { tolerated, left_out })?;
            }
        }
        self.summary.add(own);
        Ok(())
    }

    /// Counts and prints a case that did not reach every subject.
    fn not_asked(&mut self, place: &Path, reason: String) -> Result<(), CliError> {
        self.not_asked += 1;
        let path = place.display().to_string();
        self.junit.add(SUITE, &path, || CaseResult::Skipped { reason: reason.clone() })?;
        if self.args.json {
            let not_compared = Some(reason);
            return output::json_line(&ReplayedCase { case: path, not_compared, ..ReplayedCase::default() });
        }
        output::line(&format!("{} {path}: not compared: {reason}", styled(NOTE, "left  ")))
    }

    /// Counts and prints a result.
    fn ended(&mut self, place: &Path, findings: Vec<PrintedFinding>, aside: Aside) -> Result<(), CliError> {
        let count = if findings.is_empty() { &mut self.held } else { &mut self.failed };
        *count += 1;
        let path = place.display().to_string();
        self.junit.add(SUITE, &path, || outcome(&findings))?;
        if self.args.json {
            let Aside { tolerated, left_out } = aside;
            return output::json_line(&ReplayedCase { case: path, findings, tolerated, left_out, not_compared: None });
        }
        if findings.is_empty() {
            let left_out: String = aside.left_out.iter().map(|what| format!(", but not compared: {what}")).collect();
            return output::line(&format!("{} {path}{}", styled(GOOD, "held  "), styled(NOTE, left_out)));
        }
        let failed = |what: &str| output::line(&format!("{} {path}: {what}", styled(BAD, "failed")));
        findings.iter().try_for_each(|finding| failed(&finding.what))
    }

    /// Prints the counts; `left` are the files that an interrupt left.
    fn finish(self, left: Option<usize>) -> Result<Held, CliError> {
        let Replay { held, failed, not_asked, unreadable, .. } = self;
        self.junit.write()?;
        if !self.args.json {
            for (what, count) in self.summary.tolerated().chain(self.allowed) {
                output::line(&styled(DIM, format!("tolerated {count}: {what}")))?;
            }
            for ((subject, reason), count) in &self.summary.left_out {
                output::line(&styled(DIM, format!("left out {count}: {subject}: {reason}")))?;
            }
            let others = if not_asked > 0 { format!(", {not_asked} not compared") } else { String::new() };
            output::line(&format!("{held} held, {failed} did not{others}"))?;
        }
        if unreadable > 0 {
            let of = held + failed + not_asked + unreadable;
            return Err(CliError::input(format!("{unreadable} of {of} documents are no cases")));
        }
        if let Some(after) = left {
            return Err(CliError::input(format!("interrupted: the rest was not replayed, and {after} files after it")));
        }
        if held + failed + not_asked == 0 {
            return Err(CliError::no_case());
        }
        if held + failed == 0 {
            return Err(CliError::nothing_compared("no subject was asked what the others were"));
        }
        Ok(Held::from(failed == 0))
    }
}

/// The findings in a document for a reader of bytes, and the allowed ones.
fn findings_of_codec(document: &Document<'_>, allowances: &Allowances) -> (Vec<PrintedFinding>, Vec<String>) {
    match document.check() {
        Reading::Read | Reading::Refused => (Vec::new(), Vec::new()),
        Reading::Broken { kind, message } => {
            let signature = document.signature(&kind);
            match allowances.reason(&signature) {
                Some(_) => (Vec::new(), vec![signature]),
                None => (vec![PrintedFinding { signature, what: message }], Vec::new()),
            }
        }
    }
}

/// What a case was not judged by.
struct Aside {
    /// The allowed findings and known differences.
    tolerated: Vec<String>,
    /// The answers that were not asked for, or not given, with the reason.
    left_out: Vec<String>,
}

/// A case as a line of `--json` has it.
#[derive(Default)]
pub struct ReplayedCase {
    /// Its file, or its place in one.
    pub case: String,
    /// What was found.
    pub findings: Vec<PrintedFinding>,
    /// The allowed findings and known differences.
    pub tolerated: Vec<String>,
    /// The answers that were not asked for, or not given, with the reason.
    pub left_out: Vec<String>,
    /// Why some subject could not be asked.
    pub not_compared: Option<String>,
}

record!(ReplayedCase, "a replayed case": case, findings, tolerated, left_out or Vec::new(), not_compared or None);

/// The findings of the original case, described in the words of those in the case that may be shown.
fn printed_findings(found: &[Finding], shown: &[Finding]) -> Vec<PrintedFinding> {
    let one = |Finding { signature, .. }: &Finding| {
        let same = shown.iter().find(|shown| shown.signature == *signature);
        let hidden = || format!("{signature}, only with the sensitive values");
        PrintedFinding { signature: signature.to_string(), what: same.map_or_else(hidden, |shown| shown.what.clone()) }
    };
    found.iter().map(one).collect()
}

/// The findings of a case for JUnit: the first in a line, all of them in full.
fn outcome(findings: &[PrintedFinding]) -> CaseResult {
    let Some(first) = findings.first() else { return CaseResult::Passed };
    let text = |PrintedFinding { signature, what }: &PrintedFinding| format!("{what}\n  {signature}\n");
    CaseResult::Failed { message: first.what.clone(), text: findings.iter().map(text).collect() }
}
