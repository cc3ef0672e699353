//! `run`: runs a campaign.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use planfuzz_core::json::Field;
use planfuzz_files::{draft, folder};

use super::args::RunArgs;
use super::cases::Cases;
use super::collector::{CollectedFindings, FindingCollector};
use super::error::{CliError, Held};
use super::groups::Groups;
use super::names::ops_in_words;
use super::output::{self, DIM, NOTE, styled};
use super::settings;
use super::shrinker::CLOSING_TIME;
use super::totals::Totals;
use super::{files, subjects};
use crate::campaign::{Bound, Campaign, PROPERTIES_EVERY};
use crate::case::Op;

/// The time of a campaign without a bound.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The most time of a campaign that is reserved to make findings smaller.
const MAX_CLOSING: Duration = Duration::from_secs(10);

/// Runs the command.
///
/// # Errors
/// Bad options, files that cannot be read, subjects that do not start, findings that cannot be written.
pub fn run(args: &RunArgs) -> Result<Held, CliError> {
    let begun = Instant::now();
    let args = &of_state(args);
    files::expect_folder("--findings", &args.findings)?;
    let judge = settings::judge(args.allow.as_deref())?;
    let resumed = resumed(args)?;
    let cases = Cases::of(args, resumed.as_ref().map(|totals| totals.seed.as_str()))?;
    expect_something_to_check(args)?;
    subjects::expect_use_of_all(&args.subjects, cases.first_dialect())?;
    sweep(args);
    let mut collector = FindingCollector::open(args, &cases, &judge)?;
    let fresh = Totals::new(cases.describe(), cases.seed().to_owned(), collector.subject_names().to_vec());
    let mut totals = match resumed {
        None => fresh,
        Some(totals) if totals.is_of_same_campaign(&fresh) => totals,
        Some(totals) => return Err(other_campaign(&totals, &fresh)),
    };
    settings::watch_interrupts()?;
    output::report(&styled(DIM, totals.describe()));
    for (name, option) in collector.numbered() {
        output::report(&styled(DIM, format!("  {name} is {option}")));
    }
    let start = || subjects::start_for_all(&args.subjects, cases.dialects()).map_err(|problem| problem.to_string());
    let bound = bound(args, begun);
    let campaign = Campaign {
        source: cases.source(),
        first: totals.next,
        subjects: &start,
        judge: &judge,
        bound,
        jobs: args.jobs.map_or_else(settings::cores, usize::from),
        properties_every: PROPERTIES_EVERY,
    };
    let clock = ProcessTime::now();
    let report = campaign.run(settings::interrupted(), &mut collector).map_err(CliError::failed)?;
    let cpu = clock.elapsed();
    if let Some((subject, trouble)) = &report.trouble {
        collector.close(Instant::now());
        return Err(CliError::ended(subject, trouble));
    }
    let CollectedFindings { files, made, failure } = collector.close(closing(args, begun));
    let groups = Groups::of(&report.buckets, &files, &made);
    let (files, failure) = match groups.file(&args.findings, files) {
        Ok(files) => (files, failure),
        Err((files, problem)) => (files, failure.or(Some(problem))),
    };
    totals.add(report, cpu, &files);
    totals.add_groups(groups.records(&files));
    totals.types_visited = cases.types_visited(totals.next);
    // If findings could not be written, the piece is to be run again.
    if let (Some(path), None) = (&args.resume, &failure) {
        keep(path, &totals)?;
    }
    if args.json {
        output::json_line(&totals.write())?;
    } else {
        totals.print(args.verbose, &cases.not_asked(args), &next_steps(args))?;
        groups.print(&totals, &args.findings)?;
    }
    if settings::interrupted().load(Ordering::Relaxed) {
        output::report(&styled(NOTE, "interrupted: these are the results so far"));
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    match totals.why_nothing_compared() {
        Some(why) => Err(CliError::nothing_compared(why)),
        None if totals.findings() > 0 => Ok(Held::No),
        // The default subjects divide the operations between them.
        None => match totals.without_answer().filter(|_| !args.subjects.subjects.is_empty()) {
            Some(name) => Err(CliError::nothing_compared(format!("{name} answered none of these cases"))),
            None => Ok(Held::Yes),
        },
    }
}

/// The options with the operation of `--state`: its cases are whole workspaces, which not every default subject answers.
fn of_state(args: &RunArgs) -> RunArgs {
    let mut args = args.clone();
    if args.state.is_some() && args.subjects.ops.is_empty() {
        args.subjects.ops.push(Op::Workspace);
    }
    args
}

/// Refuses operations that one subject alone is not checked on: the whole campaign would say nothing.
///
/// # Errors
/// There is one subject, and no rule is about any of the operations.
fn expect_something_to_check(args: &RunArgs) -> Result<(), CliError> {
    let ops = &args.subjects.ops;
    let is_alone = subjects::names(&args.subjects).len() == 1;
    let is_compared_only = |op: &Op| op.is_shared() || *op == Op::Expression;
    if is_alone && !ops.is_empty() && ops.iter().all(is_compared_only) {
        let names = ops_in_words(ops);
        let problem = format!("expected two subjects to compare, found one: no rule is about {names}");
        return Err(CliError::input(problem).with_hint("name another --subject, or none for the usual ones"));
    }
    Ok(())
}

/// What a user may try next, if nothing was found.
fn next_steps(args: &RunArgs) -> Vec<&'static str> {
    let only_workspaces = args.subjects.ops == [Op::Workspace];
    let steps = [
        (true, "--time 10m looks longer"),
        (args.generator.schemas.is_empty() && args.state.is_none(), "--schemas FILE at real resources"),
        // A program is asked no workspaces.
        (!subjects::has_program(&args.subjects) && !only_workspaces, "--subject exec:COMMAND at your planner"),
    ];
    steps.into_iter().filter(|(fits, _)| *fits).map(|(_, step)| step).collect()
}

/// Removes files that a killed run left in the output folders.
fn sweep(args: &RunArgs) {
    let of_state = args.resume.as_deref().map(folder::of_file);
    let left = draft::sweep_findings(&args.findings).into_iter().chain(of_state.into_iter().flat_map(draft::sweep));
    for (path, problem) in left {
        output::warn_once(&format!("cannot remove what an earlier run left at {}: {problem}", path.display()));
    }
}

/// The time of the campaign, if one bounds it.
fn time(args: &RunArgs) -> Option<Duration> {
    let is_unbounded = args.cases.is_none() && args.time.is_none() && !args.exhaustive;
    args.time.or(is_unbounded.then_some(DEFAULT_TIME))
}

/// The bound of the campaign; the time includes starting and closing.
fn bound(args: &RunArgs, begun: Instant) -> Bound {
    let time = time(args);
    let closing = time.map_or(Duration::ZERO, |time| (time / 6).min(MAX_CLOSING));
    let left = time.map(|time| time.saturating_sub(begun.elapsed()));
    Bound { cases: args.cases, time: left, buckets: args.max_findings, closing }
}

/// The time until which findings are made smaller.
fn closing(args: &RunArgs, begun: Instant) -> Instant {
    let now = Instant::now();
    if settings::interrupted().load(Ordering::Relaxed) {
        return now;
    }
    let end = time(args).and_then(|time| begun.checked_add(time));
    // The number of cases may have ended the campaign long before.
    end.map_or(now + CLOSING_TIME, |end| end.min(now + CLOSING_TIME))
}

/// The state of the campaign to resume; `None` for a new one.
fn resumed(args: &RunArgs) -> Result<Option<Totals>, CliError> {
    let Some(path) = args.resume.as_deref().filter(|path| path.exists()) else {
        return Ok(None);
    };
    let totals = Totals::read(&files::read_json(path)?).map_err(|problem| CliError::in_file(path, problem))?;
    Ok(Some(totals))
}

fn keep(path: &Path, totals: &Totals) -> Result<(), CliError> {
    let mut text = totals.write().to_pretty();
    text.push('\n');
    files::write(path, text.as_bytes())
}

fn other_campaign(kept: &Totals, given: &Totals) -> CliError {
    let (kept, given) = (kept.describe(), given.describe());
    let message = format!("expected the campaign that is being resumed ({kept}), found {given}");
    CliError::input(message).with_hint("repeat the options of the first piece, or name a new file")
}
