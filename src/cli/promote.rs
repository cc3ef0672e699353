//! `promote`: a shrunk case becomes a regression case that the tests replay.

use std::path::Path;

use super::args::{PromoteArgs, REGRESSIONS};
use super::error::{CliError, Held};
use super::output::{self, DIM, styled};
use super::{files, settings};
use crate::case::{Case, CaseFile};

/// Runs the command.
///
/// # Errors
/// A case that cannot be read, a purpose that is no line, a file that is there already.
pub fn run(args: &PromoteArgs) -> Result<Held, CliError> {
    let purpose = args.purpose.trim();
    if purpose.is_empty() || purpose.contains('\n') {
        return Err(CliError::input("expected a purpose of one line that says why the case is kept"));
    }
    let case = files::read_case(&args.case)?.case;
    let path = args.into.join(format!("{}.json", settings::slug(purpose)));
    if path.exists() {
        let message = format!("expected no regression of that purpose, found {}", path.display());
        return Err(CliError::input(message).with_hint("give another purpose, or remove the old case"));
    }
    // What the subjects said then is the fix's business; what is kept is the question.
    let kept = CaseFile { case: Case { purpose: purpose.to_owned(), ..case }, finding: None };
    files::write_case(&path, &kept)?;
    output::line(&format!("{}", path.display()))?;
    let next = match args.into == Path::new(REGRESSIONS) {
        true => "the test suite replays it from now on".to_owned(),
        false => format!("planfuzz replay {} puts it to the subjects again", args.into.display()),
    };
    output::say(&styled(DIM, next));
    Ok(Held::Yes)
}
