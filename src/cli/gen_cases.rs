//! `gen`: generated cases as JSON Lines.

use super::args::GenArgs;
use super::cases::{Cases, share};
use super::error::{CliError, Held};
use super::output::{self, DIM, styled};
use crate::generate::Share;

/// How many cases are made at a time.
const CHUNK: u64 = 64;

/// Runs the command.
///
/// # Errors
/// Bad options, schema files that cannot be read.
pub fn run(args: &GenArgs) -> Result<Held, CliError> {
    let cases = Cases::generated(
        &args.generator,
        &args.dialect.unwrap_or_default().list(),
        None,
        share(&args.ops, Share::All)?,
    )?;
    output::report(&styled(DIM, format!("seed {}: {}", cases.seed(), cases.describe())));
    let mut reader = cases.source().open();
    for from in (0..args.cases).step_by(CHUNK as usize) {
        for case in reader.cases(from, CHUNK.min(args.cases - from)) {
            match output::json_line(&case.to_json()) {
                // The reader has enough cases: the command has no result to lose.
                Err(CliError::ReaderGone) => return Ok(Held::Yes),
                result => result?,
            }
        }
    }
    Ok(Held::Yes)
}
