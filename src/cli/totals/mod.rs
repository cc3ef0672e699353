//! The totals of a campaign, over all its pieces: printed at the end, and kept in a file for `--resume`.

mod print;

use std::collections::BTreeMap;
use std::time::Duration;

use planfuzz_core::record;

use super::groups::GroupRecord;
use crate::campaign::{Phases, Report};
use crate::compare::{Tally, oracle_names};
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
    answered: BTreeMap<String, u64>,
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
        for (subject, count) in &summary.answered {
            *self.answered.entry(subject.clone()).or_default() += count;
        }
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

    /// A subject that answered no case, so that nothing is known of it, if there is one.
    pub fn without_answer(&self) -> Option<&str> {
        // A file that an older version left for --resume does not say.
        let is_counted = !self.answered.is_empty();
        self.subjects.iter().find(|name| is_counted && !self.answered.contains_key(*name)).map(String::as_str)
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
}

/// The counts about runs of scenarios.
const COUNTED: [&str; 4] = ["invariants", "actions", "reasons", PROMISES];

/// The one of them that is about well-behaved providers.
const PROMISES: &str = "promises";

// The object that formats.md describes, which `--resume` keeps as well. Files of older versions lack the members with `[always]`.
record!(Totals, "the state of a campaign":
    cases,
    answered[always] or BTreeMap::new(),
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
