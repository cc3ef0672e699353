//! `run`: a campaign.

use std::path::Path;
use std::time::Duration;

use cpu_time::ProcessTime;

use super::args::RunArgs;
use super::cases::Cases;
use super::desk::Desk;
use super::error::{CliError, Held};
use super::output::{self, DIM, styled};
use super::settings;
use super::totals::Totals;
use super::{files, subjects};
use crate::campaign::{Bound, Campaign};
use crate::compare::Judge;

/// What a campaign without a bound runs for.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// One case in so many is put to the metamorphic properties: each asks a planner some thirty times more.
const PROPERTIES_EVERY: u64 = 16;

/// Runs the command.
///
/// # Errors
/// Bad options, files that cannot be read, subjects that do not start, findings that cannot be written.
pub fn run(args: &RunArgs) -> Result<Held, CliError> {
    let dialect = args.subjects.dialect.unwrap_or_default();
    let judge = Judge { allowances: settings::allowances(args.allow.as_deref())?, ..Judge::default() };
    let mut totals = resumed(args)?;
    let cases = Cases::of(args, totals.as_ref().map(|totals| totals.seed.as_str()))?;
    let mut totals = match totals.take() {
        None => Totals::new(cases.describe(), cases.seed().to_owned()),
        Some(totals) if totals.source == cases.describe() => totals,
        Some(totals) => return Err(other_campaign(&totals, &cases)),
    };
    let mut desk = Desk::open(args, &cases, &judge)?;
    totals.subjects = desk.subject_names();
    let opening = format!("seed {}: {} over {}", cases.seed(), cases.describe(), totals.subjects.join(", "));
    output::say(&styled(DIM, opening));
    let start = || subjects::start(&args.subjects, dialect).map_err(|problem| problem.to_string());
    let campaign = Campaign {
        source: cases.source(),
        first: totals.next,
        subjects: &start,
        judge: &judge,
        bound: bound(args),
        jobs: args.jobs.unwrap_or_else(settings::cores),
        properties_every: PROPERTIES_EVERY,
    };
    let clock = ProcessTime::now();
    let report = campaign.run(settings::interrupts()?, &mut desk).map_err(CliError::failed)?;
    let cpu = clock.elapsed();
    totals.add(report, cpu, &desk.close()?);
    if let Some(path) = &args.resume {
        keep(path, &totals)?;
    }
    if args.json {
        output::json_line(&totals.to_json())?;
    } else {
        totals.print()?;
    }
    Ok(Held::from(totals.findings() == 0))
}

fn bound(args: &RunArgs) -> Bound {
    let unbounded = args.cases.is_none() && args.time.is_none() && !args.exhaustive;
    Bound { cases: args.cases, time: args.time.or(unbounded.then_some(DEFAULT_TIME)), buckets: args.max_findings }
}

/// The state of the campaign to go on from; nothing for a new one.
fn resumed(args: &RunArgs) -> Result<Option<Totals>, CliError> {
    let Some(path) = args.resume.as_deref().filter(|path| path.exists()) else {
        return Ok(None);
    };
    let totals = Totals::from_json(&files::read_json(path)?).map_err(|problem| CliError::in_file(path, problem))?;
    Ok(Some(totals))
}

fn keep(path: &Path, totals: &Totals) -> Result<(), CliError> {
    let mut text = totals.to_json().to_pretty();
    text.push('\n');
    files::write(path, text.as_bytes())
}

fn other_campaign(totals: &Totals, cases: &Cases) -> CliError {
    let message =
        format!("expected the campaign that is being resumed ({}), found {}", totals.source, cases.describe());
    CliError::input(message).with_hint("repeat the options of the first piece, or name a new file")
}
