//! `features`: counts how often each feature of the generator is hit.

use super::args::{Dialects, FeaturesArgs, Preset};
use super::cases::{Cases, share};
use super::error::{CliError, Held};
use super::output::{self, BAD, DIM, GOOD, NOTE, styled};
use crate::generate::{Census, Features, Row, Share};
use crate::night::record::Feature;

/// How many cases are made at a time.
const CHUNK: u64 = 64;

/// The number of cases that floors are for: fewer say little about rare features.
const FLOOR_CASES: u64 = 20_000;

/// Runs the command.
///
/// # Errors
/// Bad options, schema files that cannot be read.
pub fn run(args: &FeaturesArgs) -> Result<Held, CliError> {
    if args.cases == 0 {
        return Err(CliError::input("nothing was counted: no case was asked for"));
    }
    let dialects = args.dialect.unwrap_or(Dialects::All).list();
    let cases = Cases::generated(&args.generator, &dialects, None, share(&args.ops, Share::Planned)?)?;
    output::report(&styled(DIM, format!("seed {}: {} cases, {}", cases.seed(), args.cases, cases.describe())));
    let mut features = Features::default();
    let mut census = Census::default();
    let mut reader = cases.source().open();
    for from in (0..args.cases).step_by(CHUNK as usize) {
        for case in reader.cases(from, CHUNK.min(args.cases - from)) {
            census.count(&case, &mut features).map_err(|problem| CliError::input(problem.to_string()))?;
        }
    }
    let rows = features.rows();
    let mut below = 0_u64;
    for row in &rows {
        below += u64::from(row.is_below_floor());
        print(row, args.json)?;
    }
    if !args.json {
        let missing = rows.iter().filter(|row| row.floor.is_none()).count();
        output::line(&format!("{} features, {below} below their floor, {missing} not generated yet", rows.len()))?;
    }
    if below > 0 && !floors_count(args) {
        output::report(&styled(
            DIM,
            format!("floors are for {FLOOR_CASES} or more mixed cases of invented schemas in all dialects"),
        ));
        return Ok(Held::Yes);
    }
    Ok(Held::from(below == 0))
}

/// Whether the floors apply to the cases.
fn floors_count(args: &FeaturesArgs) -> bool {
    let generator = &args.generator;
    let mixed = generator.preset == Preset::Mixed && generator.schemas.is_empty();
    mixed && args.dialect.is_none() && args.cases >= FLOOR_CASES
}

fn print(row: &Row, json: bool) -> Result<(), CliError> {
    if json {
        let Row { feature, hits, share, floor, .. } = row;
        return output::json_line(&Feature { feature: feature.clone(), hits: *hits, share: *share, floor: *floor });
    }
    let style = match row.floor {
        None => NOTE,
        Some(_) if row.is_below_floor() => BAD,
        Some(_) => GOOD,
    };
    let floor =
        row.floor.map_or_else(|| "not generated yet".to_owned(), |floor| format!("floor {:.3} %", 100.0 * floor));
    let share = format!("{:>8.3} %", 100.0 * row.share);
    let hits = format!("{} of {}", row.hits, row.draws);
    output::line(&format!("{hits:>16} {} {floor:<18} {}", styled(style, share), row.feature))
}
