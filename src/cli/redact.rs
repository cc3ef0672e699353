//! Placeholders for input: a case from a file is processed, shown and written without its sensitive values.
//!
//! Cases that this suite generated contain no secrets: a finding's file records the seed as its origin, and keeps doing so.

use std::path::Path;

use super::error::CliError;
use super::output::{self, NOTE, styled};
use crate::case::{Case, CaseFile, KeptFinding};
use crate::placeholders;

/// The prefix of the origin of a generated case.
const MADE_UP: &str = "seed ";

/// A case that may be shown.
pub struct Redacted {
    /// The case, with placeholders where anything is sensitive.
    pub case: Case,
    /// The case as the file has it, if that differs.
    pub original: Option<Case>,
}

/// The case of a file, with placeholders unless the user wants to see everything.
///
/// # Errors
/// A case that cannot have placeholders.
pub fn redacted(path: &Path, file: &CaseFile, show_sensitive: bool) -> Result<Redacted, CliError> {
    let as_it_is = || Redacted { case: file.case.clone(), original: None };
    if show_sensitive || file.finding.as_ref().is_some_and(is_made_up) {
        return Ok(as_it_is());
    }
    let replaced = placeholders::of_case(&file.case).map_err(|problem| {
        CliError::in_file(path, problem).with_hint("--show-sensitive takes it as it is, secrets and all")
    })?;
    // A case that has its placeholders already may be shown as it is.
    let replaced = replaced.filter(|case| case.to_json() != file.case.to_json());
    Ok(replaced.map_or_else(as_it_is, |case| Redacted { case, original: Some(file.case.clone()) }))
}

fn is_made_up(finding: &KeptFinding) -> bool {
    finding.origin.starts_with(MADE_UP)
}

/// The origin for cases made from a file's: the one in the file if that was generated, else the file.
pub fn origin(path: &Path, finding: Option<&KeptFinding>) -> String {
    let made_up = finding.filter(|finding| is_made_up(finding));
    made_up.map_or_else(|| path.display().to_string(), |finding| finding.origin.clone())
}

/// Prints that there are placeholders, if there are.
pub fn report(redacted: &Redacted) {
    if redacted.original.is_some() {
        output::report(&styled(NOTE, "sensitive values have placeholders; --show-sensitive shows them"));
    }
}

/// The message about a finding that placeholders hide.
pub fn only_with_secrets(what: &str) -> String {
    styled(NOTE, format!("{what} shows only with the sensitive values: nothing is written without --show-sensitive"))
}
