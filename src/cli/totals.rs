//! The totals of a campaign, over all its pieces: printed at the end, and kept in a file for `--resume`.

use std::collections::BTreeMap;
use std::time::Duration;

use planfuzz_core::record;
use planfuzz_workspace_optimized::IN_PART;

use super::error::CliError;
use super::groups::GroupRecord;
use super::output::{self, BAD, DIM, GOOD, HEAD, NOTE, styled};
use crate::campaign::{Phases, Report};
use crate::case::Op;
use crate::compare::{PLANNED_AGAIN, Tally, UNCHECKED, oracle_names};
use crate::subject::Effort;

/// All counts, and the number of the case where the next piece begins.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The description of the cases: a campaign resumes only with the same cases and subjects.
    pub source: String,
    /// The seed.
    pub seed: String,
    /// The subjects' names.
    pub subjects: Vec<String>,
    /// The number of the first case that was not taken.
    pub next: u64,
    /// How many resource types of `--schemas` were visited; `None` without `--schemas`.
    pub types_visited: Option<TypesVisited>,
    cases: u64,
    comparisons: u64,
    steps: u64,
    traces: BTreeMap<String, BTreeMap<String, u64>>,
    workspaces: BTreeMap<String, BTreeMap<String, u64>>,
    calls: BTreeMap<String, u64>,
    checks: u64,
    oracles: BTreeMap<String, u64>,
    seconds: f64,
    cpu_seconds: f64,
    tally: Tally,
    left_out: BTreeMap<String, u64>,
    tolerated: BTreeMap<String, u64>,
    buckets: BTreeMap<String, Bucket>,
    phases: Phases,
    efforts: BTreeMap<String, Effort>,
    groups: Vec<GroupRecord>,
}

/// Resource types of `--schemas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypesVisited {
    /// How many were visited.
    pub visited: u64,
    /// How many there are.
    pub of: u64,
}

/// A bucket of findings.
#[derive(Clone, Debug, Default)]
pub struct Bucket {
    /// How many findings it has.
    pub count: u64,
    /// The file of the first one.
    pub case: String,
}

impl Totals {
    /// Totals without counts.
    pub fn new(source: String, seed: String, subjects: Vec<String>) -> Totals {
        Totals { source, seed, subjects, ..Totals::default() }
    }

    /// Whether another campaign has the same cases and subjects, so that one can go on where the other ended.
    pub fn is_of_same_campaign(&self, other: &Totals) -> bool {
        (&self.source, &self.seed, &self.subjects) == (&other.source, &other.seed, &other.subjects)
    }

    /// A description of the campaign.
    pub fn describe(&self) -> String {
        format!("seed {}: {} over {}", self.seed, self.source, self.subjects.join(", "))
    }

    /// Adds a piece. `files` has the file of each bucket that was new in it.
    pub fn add(&mut self, report: Report, cpu: Duration, files: &BTreeMap<String, String>) {
        let Report { summary, buckets, phases, elapsed, next, efforts, trouble: _ } = report;
        self.next = next;
        self.cases += summary.cases;
        self.comparisons += summary.comparisons;
        self.steps += summary.steps;
        self.checks += summary.checks;
        // Oracles without checks are listed too.
        for name in oracle_names() {
            let count = summary.oracles.get(name).copied().unwrap_or(0);
            *self.oracles.entry(name.to_owned()).or_default() += count;
        }
        for (op, count) in &summary.calls {
            *self.calls.entry(op.name().to_owned()).or_default() += count;
        }
        let traces = &summary.traces;
        if summary.steps > 0 {
            for (what, counts) in
                COUNTED.iter().zip([traces.invariants(), traces.actions(), traces.reasons(), traces.promises()])
            {
                let kept = self.traces.entry((*what).to_owned()).or_default();
                counts.into_iter().for_each(|(name, count)| *kept.entry(name.to_owned()).or_default() += count);
            }
        }
        for (what, counts) in summary.workspaces.tables() {
            let kept = self.workspaces.entry(what.to_owned()).or_default();
            counts.into_iter().for_each(|(name, count)| *kept.entry(name.to_owned()).or_default() += count);
        }
        self.seconds += elapsed.as_secs_f64();
        self.cpu_seconds += cpu.as_secs_f64();
        self.tally.add(&summary.tally);
        self.phases.add(&phases);
        for (what, count) in summary.tolerated() {
            *self.tolerated.entry(what).or_default() += count;
        }
        for (name, effort) in efforts.into_iter().filter(|(_, effort)| effort.runs > 0) {
            self.efforts.entry(name).or_default().add(effort);
        }
        for ((subject, reason), count) in summary.left_out {
            *self.left_out.entry(format!("{subject}: {}", reason)).or_default() += count;
        }
        for (signature, count) in buckets {
            let signature = signature.to_string();
            let file = files.get(&signature);
            let bucket = self.buckets.entry(signature).or_default();
            bucket.count += count;
            if let Some(file) = file {
                bucket.case.clone_from(file);
            }
        }
    }

    /// Adds the groups of a piece; groups that share a bucket are merged.
    pub fn add_groups(&mut self, groups: Vec<GroupRecord>) {
        for mut group in groups {
            let shares =
                |kept: &GroupRecord| kept.signatures.iter().any(|signature| group.signatures.contains(signature));
            let (same, others) = std::mem::take(&mut self.groups).into_iter().partition(shares);
            self.groups = others;
            let same: Vec<GroupRecord> = same;
            for kept in same {
                group.count += kept.count;
                for signature in kept.signatures {
                    if !group.signatures.contains(&signature) {
                        group.signatures.push(signature);
                    }
                }
            }
            self.groups.push(group);
        }
        self.groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    }

    /// The findings by likely cause, the largest group first.
    pub fn groups(&self) -> &[GroupRecord] {
        &self.groups
    }

    /// How many findings no allowance expects.
    pub fn findings(&self) -> u64 {
        self.tally.findings()
    }

    /// Why there is no result, if nothing was checked. A single subject is checked against the rules.
    pub fn why_nothing_compared(&self) -> Option<String> {
        let is_tested = self.comparisons > 0 || self.subjects.len() < 2 && self.checks > 0;
        if is_tested || self.findings() > 0 {
            return None;
        }
        let most = self.left_out.iter().max_by_key(|(_, count)| **count);
        Some(match most {
            Some((reason, count)) => format!("{count} operations were left out ({reason})"),
            None if self.next == 0 => "the campaign ended before its first case".to_owned(),
            None if self.subjects.len() < 2 => {
                "of one subject only rules are checked, and none is about these operations".to_owned()
            }
            None => "no generated case has these operations".to_owned(),
        })
    }

    /// Prints the summary for people: what was compared, what agreed, what was left out and why.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn print(&self, verbose: bool, not_asked: &[String], next: &[&str]) -> Result<(), CliError> {
        self.print_compared()?;
        self.print_oracles()?;
        let Tally { agree, both_refuse, tolerated, diverge, rule_broken, crash, over_budget } = self.tally;
        output::line(&styled(HEAD, "agreed"))?;
        let refused = match both_refuse {
            0 => String::new(),
            count => format!("; on {} inputs both refuse, as the engine itself crashes there", thousands(count)),
        };
        output::line(&format!("  {} answers{refused}", thousands(agree)))?;
        if tolerated > 0 {
            output::line(&styled(DIM, format!("  {} differences are tolerated:", thousands(tolerated))))?;
        }
        for (what, count) in &self.tolerated {
            output::line(&styled(DIM, format!("  tolerated {count}: {what}")))?;
        }
        if !self.left_out.is_empty() || !not_asked.is_empty() {
            output::line(&styled(HEAD, "left out"))?;
        }
        for (what, count) in &self.left_out {
            output::line(&styled(NOTE, format!("  {} operations of {what}", thousands(*count))))?;
        }
        for what in not_asked {
            output::line(&styled(DIM, format!("  {what}")))?;
        }
        if verbose {
            self.print_counts()?;
        }
        if self.why_nothing_compared().is_some() {
            return Ok(());
        }
        if self.findings() == 0 {
            output::line(&styled(GOOD, "no findings"))?;
            return output::line(&styled(DIM, format!("next: {}", next.join(", "))));
        }
        output::line(&styled(
            BAD,
            format!("{diverge} diverge, {rule_broken} break a rule, {crash} crash, {over_budget} over budget"),
        ))?;
        if !verbose && !self.groups.is_empty() {
            return Ok(());
        }
        output::line(&styled(HEAD, "findings by bucket"))?;
        for (signature, Bucket { count, case }) in &self.buckets {
            output::line(&format!("  {count:>8}  {signature}\n            {}", styled(DIM, case)))?;
        }
        Ok(())
    }

    /// Prints how often each shared operation was compared with its second implementation.
    fn print_calls(&self) -> Result<(), CliError> {
        let Some((rarest, least)) = self.calls.iter().min_by_key(|(_, count)| **count) else { return Ok(()) };
        let all: u64 = self.calls.values().sum();
        let of = Op::ALL.iter().filter(|op| op.is_shared()).count();
        let line = format!(
            "  calls of what planners share: {all}, of {} of {of} operations, {rarest} least: {least} times",
            self.calls.len()
        );
        output::line(&styled(DIM, line))
    }

    /// Prints what was compared and checked, and how often.
    fn print_compared(&self) -> Result<(), CliError> {
        output::line(&styled(HEAD, "compared"))?;
        let cases = format!("  {} cases in {:.1} s", thousands(self.cases), self.seconds);
        output::line(&match &*self.subjects {
            [first, others @ ..] if !others.is_empty() => {
                let (comparisons, others) = (thousands(self.comparisons), others.join(", "));
                format!("{cases}: {comparisons} answers of {first} beside those of {others}")
            }
            _ => format!("{cases}, with the rules only: there is one subject"),
        })?;
        let steps = match self.steps {
            0 => String::new(),
            steps => format!("; {} steps of scenarios", thousands(steps)),
        };
        output::line(&format!("  {} checks of answers against the rules{steps}", thousands(self.checks)))?;
        match self.types_visited {
            Some(TypesVisited { visited, of }) => output::line(&format!("  {visited} of {of} resource types visited")),
            None => Ok(()),
        }
    }

    /// Prints counts for developers of the suite.
    fn print_counts(&self) -> Result<(), CliError> {
        output::line(&styled(HEAD, "counted"))?;
        let per_second = self.comparisons as f64 / self.cpu_seconds.max(0.001);
        output::line(&styled(DIM, format!("  {per_second:.0} comparisons per CPU second")))?;
        if self.steps > 0 {
            self.print_traces()?;
        }
        self.print_workspaces()?;
        self.print_calls()?;
        self.print_phases()?;
        self.print_efforts()
    }

    /// Prints how often each oracle checked something, and which never did.
    fn print_oracles(&self) -> Result<(), CliError> {
        let (asked, never): (Vec<_>, Vec<_>) = self.oracles.iter().partition(|(_, count)| **count > 0);
        let asked: Vec<String> = asked.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let never: Vec<&str> = never.iter().map(|(name, _)| name.as_str()).collect();
        let never = if never.is_empty() { String::new() } else { format!("; never: {}", never.join(", ")) };
        output::line(&styled(DIM, format!("  checks by oracle: {}{never}", asked.join(", "))))
    }

    /// Prints what occurred in runs of scenarios, and what never did.
    fn print_traces(&self) -> Result<(), CliError> {
        for (what, counts) in &self.traces {
            if what == COUNTED[3] {
                let of = |name: &str| counts.get(name).copied().unwrap_or(0);
                let line = format!(
                    "  well-behaved providers: {} checked against their contract, {} exempt (the scenario made it unkeepable)",
                    of("held"),
                    of("waived")
                );
                output::line(&styled(DIM, line))?;
                continue;
            }
            let (seen, never): (Vec<_>, Vec<_>) = counts.iter().partition(|(_, count)| **count > 0);
            let rarest = seen.iter().min_by_key(|(_, count)| **count);
            let rarest = rarest.map_or_else(String::new, |(name, count)| format!(", {name} least: {count} times"));
            let never: Vec<&str> = never.iter().map(|(name, _)| name.as_str()).collect();
            let never = if never.is_empty() { String::new() } else { format!("; never: {}", never.join(", ")) };
            let line = format!("  {what}: {} of {}{rarest}{never}", seen.len(), counts.len());
            output::line(&styled(DIM, line))?;
        }
        Ok(())
    }

    /// Prints how often the rules and the laws of workspaces were checked, and which never were.
    fn print_workspaces(&self) -> Result<(), CliError> {
        let played = self.workspaces.get("played");
        let of = |name: &str| played.and_then(|played| played.get(name)).copied().unwrap_or(0);
        for what in ["rules", "laws"] {
            let Some(counts) = self.workspaces.get(what) else { continue };
            let (held, never): (Vec<_>, Vec<_>) = counts.iter().partition(|(_, count)| **count > 0);
            let times: u64 = counts.values().sum();
            let never: Vec<&str> = never.iter().map(|(name, _)| name.as_str()).collect();
            let never = if never.is_empty() { String::new() } else { format!("; never: {}", never.join(", ")) };
            let line = format!("  {what} of workspaces: {} of {} held {times} times{never}", held.len(), counts.len());
            output::line(&styled(DIM, line))?;
        }
        for (why, count) in self.workspaces.get(UNCHECKED).into_iter().flatten() {
            output::line(&styled(DIM, format!("    not checked {count} times: {why}")))?;
        }
        if let Some(counts) = self.workspaces.get(PLANNED_AGAIN) {
            self.print_planned_again(counts)?;
        }
        match played {
            None => Ok(()),
            Some(_) => output::line(&styled(
                DIM,
                format!("  workspaces: {} steps with {} calls of providers", of("steps"), of("calls")),
            )),
        }
    }

    /// Prints how often plans were made again in part, and why the others were made as a whole, the most frequent reason first.
    fn print_planned_again(&self, counts: &BTreeMap<String, u64>) -> Result<(), CliError> {
        let parts = counts.get(IN_PART).copied().unwrap_or(0);
        let mut wholes: Vec<(&String, &u64)> = counts.iter().filter(|(reason, _)| *reason != IN_PART).collect();
        wholes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let all: u64 = wholes.iter().map(|(_, count)| **count).sum();
        output::line(&styled(DIM, format!("  planned again: {parts} {IN_PART}, {all} as a whole, for")))?;
        for (reason, count) in wholes {
            output::line(&styled(DIM, format!("    {count}: {reason}")))?;
        }
        Ok(())
    }

    /// Prints the work of other processes, and this process's share of the whole.
    fn print_efforts(&self) -> Result<(), CliError> {
        for (name, Effort { runs, asked, alone, cpu }) in &self.efforts {
            let theirs = cpu.as_secs_f64();
            let share = 100.0 * self.cpu_seconds / (self.cpu_seconds + theirs).max(0.001);
            let alone = if *alone == 0 { String::new() } else { format!(", {alone} of them alone in a run") };
            let line = format!(
                "  {name}: {runs} runs, asked {asked} walks{alone}, {theirs:.1} s of its processor time; ours {:.1} s, {share:.0} %",
                self.cpu_seconds
            );
            output::line(&styled(DIM, line))?;
        }
        Ok(())
    }

    fn print_phases(&self) -> Result<(), CliError> {
        let total = self.phases.total().as_secs_f64().max(f64::EPSILON);
        let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
        let Phases { generating, planning, comparing, properties } = self.phases;
        output::line(&styled(
            DIM,
            format!(
                "  time: generating {:.0} %, planning {:.0} %, comparing {:.0} %, properties {:.0} %",
                share(generating),
                share(planning),
                share(comparing),
                share(properties),
            ),
        ))
    }
}

/// A number with its thousands apart.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The counts about runs of scenarios.
const COUNTED: [&str; 4] = ["invariants", "actions", "reasons", "promises"];

// The object that formats.md describes, which `--resume` keeps as well. Files of older versions lack the members with `[always]`.
record!(Totals, "the state of a campaign":
    cases,
    comparisons,
    steps[always] or 0,
    traces[always] or BTreeMap::new(),
    workspaces[always] or BTreeMap::new(),
    calls[always] or BTreeMap::new(),
    checks,
    oracles[always] or BTreeMap::new(),
    seconds by decimal,
    cpu_seconds by decimal,
    seed,
    source,
    next,
    subjects,
    tally as "verdicts",
    left_out,
    tolerated,
    phases,
    efforts[always] or BTreeMap::new(),
    buckets by listed,
    groups[always] or Vec::new(),
    types_visited as "resource_types" or None,
);

record!(TypesVisited, "resource types": visited, of);
record!(Phases, "phases": generating by time, planning by time, comparing by time, properties by time);
record!(Effort, "what an engine did": runs, asked, alone[always] or 0, cpu as "cpu_seconds" by time);

/// A number of seconds, to the millisecond.
mod decimal {
    use planfuzz_core::json::{Field, Json, JsonError};

    pub(super) fn write(seconds: &f64) -> Json {
        Json::Number(format!("{seconds:.3}").into())
    }

    pub(super) fn read(json: &Json) -> Result<f64, JsonError> {
        Field::read(json)
    }
}

/// A duration in seconds.
mod time {
    use std::time::Duration;

    use planfuzz_core::json::{Json, JsonError};

    use super::decimal;

    pub(super) fn write(time: &Duration) -> Json {
        decimal::write(&time.as_secs_f64())
    }

    pub(super) fn read(json: &Json) -> Result<Duration, JsonError> {
        Duration::try_from_secs_f64(decimal::read(json)?).map_err(|_| json.unexpected("a number of seconds"))
    }
}

/// Buckets as a list, each with its signature.
mod listed {
    use std::collections::BTreeMap;

    use planfuzz_core::json::{Field, Json, JsonError};
    use planfuzz_core::record;

    use super::Bucket;

    struct Listed {
        signature: String,
        count: u64,
        case: String,
    }

    record!(Listed, "a bucket": signature, count, case);

    pub(super) fn write(buckets: &BTreeMap<String, Bucket>) -> Json {
        let of = |(signature, bucket): (&String, &Bucket)| {
            let Bucket { count, case } = bucket.clone();
            Listed { signature: signature.clone(), count, case }.write()
        };
        Json::Array(buckets.iter().map(of).collect())
    }

    pub(super) fn read(json: &Json) -> Result<BTreeMap<String, Bucket>, JsonError> {
        let listed: Vec<Listed> = Field::read(json)?;
        Ok(listed.into_iter().map(|Listed { signature, count, case }| (signature, Bucket { count, case })).collect())
    }
}
