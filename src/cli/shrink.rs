//! `shrink`: makes a failing case smaller while its bucket stays the same.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use planfuzz_core::dialect::Dialect;

use super::args::ShrinkArgs;
use super::error::{CliError, Held};
use super::given::{Given, Sources};
use super::output::{self, DIM, GOOD, HEAD, NOTE, styled};
use super::place::CasePlace;
use super::redact::{self, Redacted};
use super::{files, settings, subjects};
use crate::case::{Case, CaseFile};
use crate::compare::{KnownDifferences, Signature, Summary};
use crate::panel::{Extent, Panel};
use crate::triage::FindingFile;

/// The running subjects, by the dialect and the names in a file.
type Started = BTreeMap<(Dialect, Vec<String>), Panel>;

/// The result for a case.
enum ShrinkOutcome {
    /// It shows the same, and is as small as it could be made.
    Small(Box<CaseFile>),
    /// It shows something only with its sensitive values.
    Hidden,
    /// Nothing is found in it.
    Nothing,
    /// No two subjects were asked the same operation.
    NotAsked(String),
}

/// Runs the command.
///
/// # Errors
/// Cases that cannot be read, subjects that do not start, a file that cannot be written.
pub fn run(args: &ShrinkArgs) -> Result<Held, CliError> {
    let dialect = args.subjects.one_dialect()?;
    let mut documents = Sources::of_cases(&args.cases)?.documents();
    let mut panels = Started::new();
    let Some(first) = documents.next() else {
        return Err(CliError::no_case());
    };
    let Some(second) = documents.next() else { return one(first, args, &mut panels) };
    let (mut held, mut asked, mut why) = (true, false, String::new());
    let mut place = CasePlace::of(args.output.as_deref());
    for given in [first, second].into_iter().chain(documents) {
        let path = given.place.clone();
        let file = given.case(dialect)?;
        output::report(&styled(HEAD, path.display()));
        match small(&path, file, args, &mut panels)? {
            ShrinkOutcome::Small(file) => {
                (held, asked) = (false, true);
                place.put(*file)?;
            }
            ShrinkOutcome::Hidden => (held, asked) = (false, true),
            ShrinkOutcome::Nothing => asked = true,
            ShrinkOutcome::NotAsked(reason) => {
                output::report(&styled(NOTE, format!("not compared: {reason}")));
                why = reason;
            }
        }
    }
    place.finish()?;
    if asked { Ok(Held::from(held)) } else { Err(CliError::nothing_compared(why)) }
}

fn one(given: Given, args: &ShrinkArgs, panels: &mut Started) -> Result<Held, CliError> {
    files::expect_file("--output", args.output.as_deref())?;
    let path = given.place.clone();
    let file = given.case(args.subjects.one_dialect()?)?;
    match small(&path, file, args, panels)? {
        ShrinkOutcome::Nothing => Ok(Held::Yes),
        ShrinkOutcome::Hidden => Ok(Held::No),
        ShrinkOutcome::NotAsked(why) => Err(CliError::nothing_compared(why)),
        ShrinkOutcome::Small(file) => {
            match &args.output {
                Some(path) => files::write_case(path, &file)?,
                None => output::line(&file.to_json().to_pretty())?,
            }
            Ok(Held::No)
        }
    }
}

/// Minimizes a case.
fn small(path: &Path, file: CaseFile, args: &ShrinkArgs, panels: &mut Started) -> Result<ShrinkOutcome, CliError> {
    let redacted = redact::redacted(path, &file, args.show_sensitive)?;
    redact::report(&redacted);
    let (Redacted { case, original }, finding) = (redacted, file.finding);
    let known = settings::judge(None)?.known;
    let named_subjects = subjects::for_finding(&args.subjects, path, finding.as_ref())?;
    let panel = match panels.entry((case.dialect, named_subjects.subjects.clone())) {
        Entry::Occupied(started) => started.into_mut(),
        Entry::Vacant(place) => {
            let subjects = subjects::start_for_shrinking(&named_subjects, case.dialect)?;
            place.insert(Panel::new(subjects, settings::judge_without_lists()))
        }
    };
    let named = finding.as_ref().map(|finding| finding.signature.as_str());
    let found = unknown_first(signatures(panel, &case), &known, &case);
    if let Some(shown) = original.and_then(|original| chosen(signatures(panel, &original), named))
        && !found.contains(&shown)
    {
        output::report(&redact::only_with_secrets(&shown.to_string()));
        return Ok(ShrinkOutcome::Hidden);
    }
    let Some(signature) = chosen(found, named) else {
        if let Some(why) = why_not_asked(panel, &case) {
            return Ok(ShrinkOutcome::NotAsked(why));
        }
        output::report(&styled(GOOD, "nothing is found in this case: there is nothing to shrink it to"));
        return Ok(ShrinkOutcome::Nothing);
    };
    if let Some(named) = named.filter(|named| *named != signature.to_string()) {
        output::report(&styled(NOTE, format!("{named} is not found in this case any more: another bucket is kept")));
    }
    if let Some(entry) = known.find(&signature, case.dialect) {
        output::report(&styled(NOTE, format!("{signature} is a known difference: {}", entry.name)));
    }
    // A property asks a planner far more often, so properties are checked only if the bucket is that of a property.
    let extent = if panel.shows(&case, &signature, Extent::Answers) { Extent::Answers } else { Extent::Whole };
    let narrowed = case.narrowed_to(signature.op).filter(|narrowed| panel.shows(narrowed, &signature, extent));
    let start = narrowed.unwrap_or(case);
    let shrunk = panel.shrink(&start, (&signature, extent), args.budget, &|| true);
    output::report(&styled(DIM, format!("{signature}: asked {} times", shrunk.calls)));
    let target = args.output.as_deref().unwrap_or(path).display().to_string();
    let names = subjects::names(&named_subjects);
    let shown = panel.shown(&shrunk.case, &signature, extent);
    let origin = redact::origin(path, finding.as_ref());
    let file = match &shown {
        Some(finding) => {
            FindingFile { case: &shrunk.case, finding, origin: &origin, subjects: &names, path: &target }.to_case_file()
        }
        None => CaseFile { case: shrunk.case.clone(), finding: None },
    };
    Ok(ShrinkOutcome::Small(Box::new(file)))
}

/// Puts known differences last: they are shrunk only if there are no others, or if one is named.
fn unknown_first(found: Vec<Signature>, known: &KnownDifferences, case: &Case) -> Vec<Signature> {
    let (known, mut first): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|signature| known.find(signature, case.dialect).is_some());
    first.extend(known);
    first
}

/// The bucket to keep: the one that the case was kept for, if it still shows, else the first.
fn chosen(found: Vec<Signature>, named: Option<&str>) -> Option<Signature> {
    let is_named = |signature: &Signature| named.is_some_and(|named| signature.to_string() == named);
    let index = found.iter().position(is_named).unwrap_or(0);
    found.into_iter().nth(index)
}

/// The buckets of a case, in the order in which they are found.
fn signatures(panel: &mut Panel, case: &Case) -> Vec<Signature> {
    let asked = panel.ask(case, Extent::Whole, &mut Summary::default());
    asked.findings.into_iter().map(|finding| finding.signature).collect()
}

/// Why a case without findings has no verdict.
fn why_not_asked(panel: &mut Panel, case: &Case) -> Option<String> {
    let mut summary = Summary::default();
    panel.ask(case, Extent::Whole, &mut summary);
    summary.why_not_compared(panel.subjects().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bucket_that_a_case_was_kept_for_is_kept() {
        let bucket =
            |kind: &str| -> Signature { format!("scenario {kind} root reference/other").parse().expect("a signature") };
        let found = || vec![bucket("diverge:state"), bucket("rule_broken:I36")];
        let recorded = bucket("rule_broken:I36").to_string();
        assert_eq!(chosen(found(), Some(&recorded)), Some(bucket("rule_broken:I36")));
        assert_eq!(chosen(found(), None), Some(bucket("diverge:state")));
        assert_eq!(chosen(found(), Some("gone")), Some(bucket("diverge:state")));
        assert_eq!(chosen(Vec::new(), Some("gone")), None);
    }
}
