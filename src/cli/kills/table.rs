//! Prints the table: the worst first for people, in the order of the catalogues for programs.

use crate::cli::args::KillsArgs;
use crate::cli::error::CliError;
use crate::cli::output::{self, BAD, DIM, GOOD, HEAD, NOTE, styled};
use crate::kills::provider::NOT_OF_THE_SDK;
use crate::kills::{End, Hunted, Target};
use crate::night::record::Kill;
use crate::subject::faults::NOT_PLANTED;
use planfuzz_pipelines::faults::FaultInfo;

/// Prints the completed hunts.
///
/// # Errors
/// Standard output is closed.
pub fn print(hunted: &[&Hunted], args: &KillsArgs) -> Result<(), CliError> {
    let mut rows: Vec<Kill> = hunted.iter().map(|hunted| row(hunted)).collect();
    if args.json {
        rows.iter().try_for_each(output::json_line)?;
        not_planted(args).iter().for_each(|line| output::report(line));
        summary(&rows).iter().for_each(|line| output::report(line));
        return Ok(());
    }
    rows.sort_by(|a, b| a.found.cmp(&b.found).then(b.seconds.total_cmp(&a.seconds)));
    let heading = format!(
        "{:>9} {:>8} {:>6} {:>5} {:>7} {:>5}  {:6} {:22} fault",
        "time", "cases", "bytes", "nodes", "members", "steps", "rule", "found by"
    );
    output::line(&styled(HEAD, heading))?;
    rows.iter().try_for_each(|row| output::line(&in_words(row)))?;
    not_planted(args).iter().try_for_each(|line| output::line(line))?;
    summary(&rows).iter().try_for_each(|line| output::line(line))
}

/// A row, in the form of a night's record.
fn row(hunted: &Hunted) -> Kill {
    let Hunted { target, cases, seconds, end } = hunted;
    let row = Kill {
        fault: target.name(),
        subject: target.subject(),
        found: false,
        cases: *cases,
        seconds: *seconds,
        bug: target.bug(),
        rule: Some(target.rule().to_owned()),
        op: Some(target.op().name().to_owned()),
        ..Kill::default()
    };
    match end {
        End::Missed(why) => Kill { reason: Some(why.to_string()), ..row },
        End::Caught(catch) => Kill {
            found: true,
            by: Some(catch.by.join(", ")),
            size: Some(catch.size.bytes as u64),
            nodes: Some(catch.size.nodes as u64),
            members: Some(catch.size.members as u64),
            steps: Some(catch.size.steps as u64),
            ..row
        },
    }
}

fn in_words(row: &Kill) -> String {
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let [bytes, nodes, members, steps] = [row.size, row.nodes, row.members, row.steps].map(number);
    let (style, by) = match (&row.by, &row.reason) {
        (Some(by), _) => (GOOD, by.clone()),
        (None, reason) => (BAD, format!("MISSED: {}", reason.as_deref().unwrap_or_default())),
    };
    let rule = row.rule.as_deref().unwrap_or("-");
    let time = format!("{:.3} s", row.seconds);
    let whose = match row.subject.strip_prefix("provider:") {
        Some(style) => styled(DIM, format!(" of a provider ({style})")),
        None => String::new(),
    };
    format!(
        "{time:>9} {:>8} {bytes:>6} {nodes:>5} {members:>7} {steps:>5}  {rule:6} {} {}{whose}",
        row.cases,
        styled(style, format!("{by:22}")),
        row.fault
    )
}

/// Faults that a reader might expect in the table, and why they are not.
fn not_planted(args: &KillsArgs) -> Vec<String> {
    if !args.faults.is_empty() {
        return Vec::new();
    }
    let impossible = NOT_OF_THE_SDK.iter().map(|(name, why)| {
        let info = FaultInfo::of(*name);
        (format!("{} {}", info.id, info.name.name().replace('_', "-")), format!("a provider of the SDK {why}"))
    });
    let bugs = NOT_PLANTED.iter().map(|(bug, why)| ((*bug).to_owned(), (*why).to_owned()));
    let all: Vec<(String, String)> = bugs.chain(impossible).collect();
    let controls = FaultInfo::ALL.iter().filter(|info| info.is_control()).count();
    let mut lines = vec![styled(HEAD, format!("not planted: {}", all.len()))];
    lines.extend(all.iter().map(|(what, why)| format!("  {} {why}", styled(NOTE, format!("{what:28}")))));
    lines.push(styled(
        DIM,
        format!("{controls} controls of the catalogue of providers are to break nothing: they are not hunted"),
    ));
    lines
}

/// The counts, and the known bugs.
fn summary(rows: &[Kill]) -> Vec<String> {
    let (found, missed): (Vec<&Kill>, Vec<&Kill>) = rows.iter().partition(|row| row.found);
    let bugs: Vec<&Kill> = rows.iter().filter(|row| row.bug.is_some()).collect();
    let seconds = spread(found.iter().map(|row| row.seconds));
    let cases = spread(found.iter().map(|row| row.cases as f64));
    let bytes = spread(found.iter().filter_map(|row| row.size).map(|size| size as f64));
    let style = if missed.is_empty() { GOOD } else { BAD };
    let mut lines = vec![styled(style, format!("{} of {} faults found", found.len(), rows.len()))];
    if !bugs.is_empty() {
        let found = bugs.iter().filter(|row| row.found).count();
        let known = Target::all().iter().filter(|target| target.bug().is_some()).count();
        lines.push(format!("{found} of {} known bugs found ({known} are planted)", bugs.len()));
    }
    if let (Some((median, worst)), Some(cases), Some(bytes)) = (seconds, cases, bytes) {
        lines.push(format!("time until found: median {median:.3} s, worst {worst:.3} s"));
        lines.push(format!("cases until found: median {:.0}, worst {:.0}", cases.0, cases.1));
        lines.push(format!("small cases: median {:.0} bytes, worst {:.0}", bytes.0, bytes.1));
    }
    lines.extend(missed.iter().map(|row| styled(BAD, format!("missed: {} ({})", row.fault, row.subject))));
    lines
}

/// Median and maximum.
fn spread(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    Some((*numbers.get(numbers.len() / 2)?, *numbers.last()?))
}
