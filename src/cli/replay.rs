//! `replay`: asks the subjects saved cases, and prints a line for each.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
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
use super::{memory, settings, subjects};
use crate::case::{Case, CaseFile};
use crate::compare::{Allowances, Finding, Summary};
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
    if let Some(mib) = args.memory {
        memory::bound(mib)?;
    }
    #[cfg(feature = "engine")]
    if let Some(held) = super::provider::saved(&args.paths, args.json, planfuzz_provider::Saved::replay)? {
        return Ok(held);
    }
    let judge = Arc::new(settings::judge(args.allow.as_deref())?);
    if let Some(dialect) = args.subjects.one_dialect()? {
        output::report(&styled(DIM, format!("{dialect} in place of the dialects of the cases")));
    }
    let sources = Sources::of_cases(&args.paths)?;
    let is_one = sources.len() == 1;
    settings::watch_interrupts()?;
    let mut panels = Started::new();
    let (mut held, mut failed, mut not_asked, mut unreadable) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut left = None;
    let mut summary = Summary::default();
    let mut allowed: BTreeMap<String, u64> = BTreeMap::new();
    let mut junit = JunitFile::of(args.junit.as_deref(), SUITE);
    for (after, given) in sources.counted() {
        if settings::interrupted().load(Ordering::Relaxed) {
            left = Some(after);
            break;
        }
        let (path, is_line) = (given.place.clone(), given.is_line);
        let name = path.display().to_string();
        // One bad file does not hide the results of the others.
        let file = match given.read(args.subjects.one_dialect()?) {
            Ok(Kind::Codec(document, _)) => {
                let (findings, tolerated) = findings_of_codec(&document, &judge.allowances);
                tolerated.iter().for_each(|signature| *allowed.entry(signature.clone()).or_default() += 1);
                let count = if findings.is_empty() { &mut held } else { &mut failed };
                *count += 1;
                junit.add(SUITE, &name, || outcome(&findings))?;
                print(&name, findings, tolerated, args.json)?;
                continue;
            }
            Ok(Kind::Case(file)) => *file,
            Ok(Kind::Call(id, case)) => CaseFile { case: Case { purpose: id, ..*case }, finding: None },
            Err(problem) if is_one && !is_line => return Err(problem),
            Err(problem) => {
                unreadable += 1;
                if unreadable <= MAX_REPORTED_UNREADABLE {
                    output::error(&problem);
                }
                junit.add(SUITE, &name, || CaseResult::Error { message: problem.to_string() })?;
                continue;
            }
        };
        let path = path.as_path();
        let named = subjects::for_finding(&args.subjects, path, file.finding.as_ref())?;
        let panel = match panels.entry((file.case.dialect, named.subjects.clone())) {
            Entry::Occupied(started) => started.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Panel::new(subjects::start(&named, file.case.dialect)?, judge.clone()))
            }
        };
        let mut own = Summary::default();
        let found = panel.ask(&file.case, Extent::Whole, &mut own).findings;
        if found.is_empty()
            && let Some(reason) = own.why_not_asked()
        {
            not_asked += 1;
            junit.add(SUITE, &name, || CaseResult::Skipped { reason: reason.clone() })?;
            print_not_asked(&name, &reason, args.json)?;
            summary.add(own);
            continue;
        }
        let count = if found.is_empty() { &mut held } else { &mut failed };
        *count += 1;
        let findings = match redact::redacted(path, &file, args.show_sensitive) {
            _ if found.is_empty() => Vec::new(),
            Ok(Redacted { original: None, .. }) => printed_findings(&found, &found),
            Ok(Redacted { case, .. }) => {
                printed_findings(&found, &panel.ask(&case, Extent::Whole, &mut Summary::default()).findings)
            }
            // Without placeholders only the signature may be shown.
            Err(_) => printed_findings(&found, &[]),
        };
        junit.add(SUITE, &name, || outcome(&findings))?;
        let tolerated: Vec<String> = own.tolerated().map(|(what, _)| what).collect();
        print(&name, findings, tolerated, args.json)?;
        summary.add(own);
    }
    junit.write()?;
    if !args.json {
        for (what, count) in summary.tolerated().chain(allowed) {
            output::line(&styled(DIM, format!("tolerated {count}: {what}")))?;
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
    if held + failed == 0 {
        return Err(CliError::nothing_compared("no subject was asked what the others were"));
    }
    Ok(Held::from(failed == 0))
}

/// Prints a case that did not reach every subject.
fn print_not_asked(path: &str, reason: &str, json: bool) -> Result<(), CliError> {
    if json {
        let not_compared = Some(reason.to_owned());
        return output::json_line(&ReplayedCase { case: path.to_owned(), not_compared, ..ReplayedCase::default() });
    }
    output::line(&format!("{} {path}: not compared: {reason}", styled(NOTE, "left  ")))
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

/// A case as a line of `--json` has it.
#[derive(Default)]
pub struct ReplayedCase {
    /// Its file, or its place in one.
    pub case: String,
    /// What was found.
    pub findings: Vec<PrintedFinding>,
    /// The allowed findings and known differences.
    pub tolerated: Vec<String>,
    /// Why some subject could not be asked.
    pub not_compared: Option<String>,
}

record!(ReplayedCase, "a replayed case": case, findings, tolerated, not_compared or None);

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

fn print(path: &str, findings: Vec<PrintedFinding>, tolerated: Vec<String>, json: bool) -> Result<(), CliError> {
    if json {
        return output::json_line(&ReplayedCase { case: path.to_owned(), findings, tolerated, not_compared: None });
    }
    if findings.is_empty() {
        return output::line(&format!("{} {path}", styled(GOOD, "held  ")));
    }
    for PrintedFinding { signature: _, what } in findings {
        output::line(&format!("{} {path}: {what}", styled(BAD, "failed")))?;
    }
    Ok(())
}
