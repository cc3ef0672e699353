//! `report`: writes the page of the nights' records.

use super::args::ReportArgs;
use super::error::{CliError, Held};
use super::files;
use super::output::{self, DIM, styled};
use crate::night::History;
use crate::report::page;

/// Runs the command.
///
/// # Errors
/// Files that are no histories, and a page that cannot be written.
pub fn run(args: &ReportArgs) -> Result<Held, CliError> {
    files::expect_file("--output", Some(&args.output))?;
    let mut history = History::default();
    for path in &args.histories {
        let bytes = files::read(path)?;
        history.add(History::parse(&bytes).map_err(|problem| CliError::in_file(path, problem))?);
    }
    if history.nights.is_empty() {
        let files: Vec<String> = args.histories.iter().map(|path| path.display().to_string()).collect();
        return Err(CliError::input(format!("expected records of nights, found none in {}", files.join(", ")))
            .with_hint("planfuzz night appends one to night/history.jsonl"));
    }
    let page = page(&history).map_err(CliError::failed)?;
    files::write(&args.output, page.as_bytes())?;
    output::report(&styled(
        DIM,
        format!("{} in {}", output::counted(history.nights.len() as u64, "night"), args.output.display()),
    ));
    Ok(Held::Yes)
}
