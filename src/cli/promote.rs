//! `promote`: keeps a shrunk case, or that of a bucket, as a regression case that the tests replay.

use std::path::{Path, PathBuf};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Field as _;

use super::args::{PromoteArgs, REGRESSIONS, SubjectArgs};
use super::error::{CliError, Held};
use super::given::one_case;
use super::output::{self, DIM, NOTE, styled};
use super::redact::{self, Redacted};
use super::{files, settings, subjects};
use crate::case::{Case, CaseFile};
use crate::compare::Summary;
use crate::panel::{Extent, Panel};
use crate::triage::{WrittenBucket, WrittenTable, question};

/// Runs the command.
///
/// # Errors
/// A case that cannot be read, a bucket that does not exist, a purpose that is no line, a case that is kept already.
pub fn run(args: &PromoteArgs) -> Result<Held, CliError> {
    let purpose = args.purpose.trim();
    if purpose.is_empty() || purpose.contains('\n') {
        return Err(CliError::input("expected a purpose of one line that explains why the case is kept"));
    }
    let (from, path) = match &args.bucket {
        None => (args.case.clone(), args.into.join(format!("{}.json", settings::slug(purpose)))),
        Some(wanted) => {
            let WrittenBucket { case, signature, .. } = bucket(&args.case, wanted)?;
            (PathBuf::from(case), free_name(&args.into, &signature))
        }
    };
    let (from, file) = one_case(&from, None).map_err(|problem| match args.bucket {
        None if is_triage(&from) => {
            problem.with_hint("it is the document of a triage: name a bucket of it with --bucket")
        }
        _ => problem,
    })?;
    if path.exists() {
        let message = format!("expected no regression of that purpose, found {}", path.display());
        return Err(CliError::input(message).with_hint("give another purpose, or remove the old case"));
    }
    if let Some(path) = kept_already(&args.into, &file.case)? {
        return Err(CliError::input(format!("expected a case that is not kept yet, found it in {}", path.display())));
    }
    let wanted = Wanted { into: &args.into, path: &path, purpose, show_sensitive: args.show_sensitive };
    let Some(case) = keep(&from, &file, &wanted)? else { return Ok(Held::No) };
    output::line(&format!("{}", path.display()))?;
    if args.into == Path::new(REGRESSIONS) {
        report_next(&case, &path)?;
    } else {
        let next = format!("planfuzz replay {} puts it to the subjects again", args.into.display());
        output::report(&styled(DIM, next));
    }
    Ok(Held::Yes)
}

/// Whether a file is the document of a triage.
fn is_triage(path: &Path) -> bool {
    files::read_json(path).is_ok_and(|json| WrittenTable::read(&json).is_ok())
}

/// Finds the bucket in the document of a triage, by its number or its signature.
fn bucket(path: &Path, wanted: &str) -> Result<WrittenBucket, CliError> {
    let table = WrittenTable::read(&files::read_json(path)?).map_err(|problem| {
        let message = format!("{}: expected the document of a triage: {problem}", path.display());
        CliError::input(message).with_hint("make one with planfuzz triage PATH --output FILE")
    })?;
    let count = table.buckets.len();
    let number: Option<u64> = wanted.parse().ok();
    let is_wanted = |bucket: &WrittenBucket| number == Some(bucket.number) || bucket.signature == wanted;
    table.buckets.into_iter().find(is_wanted).ok_or_else(|| {
        let message = format!("{}: expected bucket {wanted:?}, found {count} others", path.display());
        CliError::input(message).with_hint("name a bucket by its number in the table, or by its signature")
    })
}

/// A free file name, made from a signature without its subjects.
pub fn free_name(folder: &Path, signature: &str) -> PathBuf {
    let words: Vec<&str> = signature.split(' ').take(3).collect();
    let stem = settings::slug(&words.join(" "));
    let numbered = (2_u64..).map(|number| folder.join(format!("{stem}-{number}.json")));
    let mut names = std::iter::once(folder.join(format!("{stem}.json"))).chain(numbered);
    names.find(|path| !path.exists()).unwrap_or_else(|| folder.join(format!("{stem}.json")))
}

/// The properties of a new regression.
pub struct Wanted<'a> {
    /// The folder of regressions.
    pub into: &'a Path,
    /// Its file.
    pub path: &'a Path,
    /// Why it is kept, in one line.
    pub purpose: &'a str,
    /// Whether its sensitive values are written as they are.
    pub show_sensitive: bool,
}

/// Writes a case as a regression; `None`, with a message, if the finding shows only with its sensitive values.
///
/// # Errors
/// A case that cannot have placeholders, or then equals a kept one; a file that cannot be written.
pub fn keep(from: &Path, file: &CaseFile, wanted: &Wanted<'_>) -> Result<Option<Case>, CliError> {
    let redacted = redact::redacted(from, file, wanted.show_sensitive)?;
    redact::report(&redacted);
    let Redacted { case, original } = redacted;
    if let Some(path) = kept_already(wanted.into, &case)? {
        return Err(CliError::input(format!("expected a case that is not kept yet, found it in {}", path.display())));
    }
    if let Some(hidden) = original.map(|original| hidden(&original, &case)).transpose()?.flatten() {
        output::report(&redact::only_with_secrets(&hidden));
        return Ok(None);
    }
    // The regression keeps the question only, not the answers.
    let case = Case { purpose: wanted.purpose.to_owned(), ..case };
    files::write_case(wanted.path, &CaseFile { case: case.clone(), finding: None })?;
    Ok(Some(case))
}

/// The regression with the same question, if there is one.
///
/// # Errors
/// A regression that cannot be read.
pub fn kept_already(folder: &Path, case: &Case) -> Result<Option<PathBuf>, CliError> {
    if !folder.exists() {
        return Ok(None);
    }
    let asked = question(case);
    for path in files::case_files(&[folder.to_owned()])? {
        if question(&files::read_case(&path)?.case) == asked {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// A finding of the tests in the original case that does not show in the written one.
fn hidden(original: &Case, written: &Case) -> Result<Option<String>, CliError> {
    let mut panel = planners(original.dialect)?;
    let mut signatures = |case: &Case| -> Vec<String> {
        let found = panel.ask(case, Extent::Whole, &mut Summary::default()).findings;
        found.into_iter().map(|finding| finding.signature.to_string()).collect()
    };
    let shown = signatures(written);
    Ok(signatures(original).into_iter().find(|signature| !shown.contains(signature)))
}

/// Prints the result of the tests for the case, and the next step.
fn report_next(case: &Case, path: &Path) -> Result<(), CliError> {
    let found = planners(case.dialect)?.ask(case, Extent::Whole, &mut Summary::default()).findings;
    let path = path.display();
    match found.first() {
        Some(finding) => {
            output::report(&styled(NOTE, format!("it fails now: {}", finding.what)));
            output::report(&styled(
                DIM,
                "next: mend it; cargo test --test corpus replays the case, and fails until it holds",
            ));
        }
        None => {
            output::report(&styled(DIM, "it holds with reference and optimized; cargo test --test corpus keeps it so"));
            output::report(&styled(
                DIM,
                format!("another subject is asked by planfuzz replay {path} --subject reference --subject NAME"),
            ));
        }
    }
    Ok(())
}

/// The subjects of the tests.
fn planners(dialect: Dialect) -> Result<Panel, CliError> {
    Ok(Panel::new(subjects::start(&SubjectArgs::default(), dialect)?, settings::judge_without_lists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_named_after_its_signature_without_the_subjects() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |signature: &str| {
            let path = free_name(folder.path(), signature);
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let signature = "proposed_new diverge:null_known block_list[] reference/exec:a b c";
        assert_eq!(name(signature), "proposed-new-diverge-null-known-block-list.json");
        std::fs::write(folder.path().join("proposed-new-diverge-null-known-block-list.json"), "").expect("written");
        assert_eq!(name(signature), "proposed-new-diverge-null-known-block-list-2.json");
        assert_eq!(name(""), "case.json");
    }
}
