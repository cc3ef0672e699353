//! `features`: how often each feature of the generator is hit.

use planfuzz_core::json::Json;
use planfuzz_core::planner::Planner;
use planfuzz_core::reference::Reference;

use super::args::FeaturesArgs;
use super::cases::Cases;
use super::error::{CliError, Held};
use super::output::{self, BAD, DIM, GOOD, NOTE, styled};
use crate::case::{Case, Task};
use crate::generate::{Features, Row};

/// How many cases are made at a time.
const CHUNK: u64 = 64;

/// Runs the command.
///
/// # Errors
/// Bad options, schema files that cannot be read.
pub fn run(args: &FeaturesArgs) -> Result<Held, CliError> {
    let cases = Cases::generated(&args.generator, args.dialect.unwrap_or_default(), None)?;
    output::say(&styled(DIM, format!("seed {}: {} cases, {}", cases.seed(), args.cases, cases.describe())));
    let mut features = Features::default();
    let mut reader = cases.source().open();
    for from in (0..args.cases).step_by(CHUNK as usize) {
        for case in reader.cases(from, CHUNK.min(args.cases - from)) {
            observe(&mut features, &case);
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
    Ok(Held::from(below == 0))
}

fn observe(features: &mut Features, case: &Case) {
    features.observe(case);
    if let Task::Merge(merge) = &case.task {
        features.observe_outcomes(case, &*Reference.prepare(&merge.schema, case.dialect));
    }
}

fn print(row: &Row, json: bool) -> Result<(), CliError> {
    let decimal = |share: f64| Json::Number(format!("{share:.6}").into());
    if json {
        let members = [
            ("feature", Json::string(&row.feature)),
            ("hits", Json::int(row.hits)),
            ("share", decimal(row.share)),
            ("floor", row.floor.map_or(Json::Null, decimal)),
        ];
        return output::json_line(&Json::object(members));
    }
    let style = match row.floor {
        None => NOTE,
        Some(_) if row.is_below_floor() => BAD,
        Some(_) => GOOD,
    };
    let floor =
        row.floor.map_or_else(|| "not generated yet".to_owned(), |floor| format!("floor {:.3} %", 100.0 * floor));
    let share = format!("{:>8.3} %", 100.0 * row.share);
    output::line(&format!("{:>9} {} {floor:<18} {}", row.hits, styled(style, share), row.feature))
}
