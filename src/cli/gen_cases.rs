//! `gen`: generated cases as JSON Lines.

use super::args::GenArgs;
use super::cases::{Cases, share};
use super::error::{CliError, Held};
use super::output::{self, DIM, styled};
use crate::case::Case;
use crate::generate::Share;

/// How many cases are made at a time.
const CHUNK: u64 = 64;

/// How many cases are made at most for each that has one of the wanted operations.
const MOST_NUMBERS: u64 = 1000;

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
    let is_wanted = |case: &Case| args.ops.is_empty() || case.ops().iter().any(|op| args.ops.contains(op));
    let (mut made, mut number) = (0, 0);
    while made < args.cases {
        // Calls of shared code are drawn from all of them.
        let left = args.cases - made;
        let chunk = if args.ops.is_empty() { CHUNK.min(left) } else { CHUNK };
        let wanted = reader.cases(number, chunk).into_iter().filter(is_wanted).take(left as usize);
        number += chunk;
        for case in wanted {
            made += 1;
            match output::json_line(&case.to_json()) {
                // The reader has enough cases: the command has no result to lose.
                Err(CliError::ReaderGone) => return Ok(Held::Yes),
                result => result?,
            }
        }
        if made < args.cases && number > MOST_NUMBERS.saturating_mul(made + CHUNK) {
            let problem = format!("{made} of {} cases made: others with these operations are too rare", args.cases);
            return Err(CliError::input(problem));
        }
    }
    Ok(Held::Yes)
}
