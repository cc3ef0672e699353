//! Placeholders at the door: a case that comes from a file is worked on, shown and written without what is sensitive in it.
//!
//! What this suite made up itself is not secret: a finding's file says that it comes of a seed, and keeps saying so.

use std::path::Path;

use planfuzz_core::json::Json;

use super::error::CliError;
use super::output::{self, NOTE, styled};
use crate::case::{Case, CaseFile};
use crate::placeholders;

/// What the origin of a case begins with that was made up.
const MADE_UP: &str = "seed ";

/// A case as it may be shown.
pub struct Redacted {
    /// The case, with placeholders where anything is sensitive.
    pub case: Case,
    /// The case as the file has it, where that is not the same.
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
    // A case whose placeholders are all there already is as it may be shown.
    let replaced = replaced.filter(|case| case.to_json() != file.case.to_json());
    Ok(replaced.map_or_else(as_it_is, |case| Redacted { case, original: Some(file.case.clone()) }))
}

fn is_made_up(finding: &Json) -> bool {
    origin_of(finding).is_some_and(|origin| origin.starts_with(MADE_UP))
}

fn origin_of(finding: &Json) -> Option<&str> {
    finding.member("origin")?.expect_string().ok()
}

/// Where a case is from that is made of a file's: what the file says where it was made up, else the file.
pub fn origin(path: &Path, finding: Option<&Json>) -> String {
    let made_up = finding.filter(|finding| is_made_up(finding)).and_then(origin_of);
    made_up.map_or_else(|| path.display().to_string(), str::to_owned)
}

/// Says that there are placeholders, if there are.
pub fn tell(redacted: &Redacted) {
    if redacted.original.is_some() {
        output::say(&styled(NOTE, "sensitive values have placeholders; --show-sensitive shows them"));
    }
}

/// What is said of a finding that placeholders hide.
pub fn only_with_secrets(what: &str) -> String {
    styled(NOTE, format!("{what} shows only with the sensitive values: nothing is written without --show-sensitive"))
}
