//! The record of a night: one line of a history file, from which the page of the nights is made.
//!
//! `docs/night.md` describes each member. The number of the format is that of the reader that is needed; every number that was ever
//! written can be read for ever.

use std::collections::BTreeMap;

use planfuzz_core::json::{Field, Json, JsonError, ObjectReader, Word};
use planfuzz_core::words;

/// The format that is written.
pub const FORMAT: u64 = 1;

/// The longest document of a small case that a record holds, in bytes; a longer one is only named.
pub const MAX_DOCUMENT: usize = 16 << 10;

/// Defines a part of the record, which is read for ever. A later member has a value that stands for it in older records; members that
/// no field has are passed over, because a newer program may have written them.
macro_rules! part {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident $(as $member:literal)?: $ty:ty $(= $absent:expr)?,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$of])* pub $field: $ty,)* }

        planfuzz_core::record!($name, "a part of a record", open: $($field $(as $member)? $([always] or $absent)?,)*);
    };
}

/// How a night ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// All phases were run.
    #[default]
    Complete,
    /// A signal ended it; the record has the results so far.
    Interrupted,
}

words!(End, "how a night ended": Complete = "complete", Interrupted = "interrupted");

/// The outcome of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PhaseOutcome {
    /// It did all its work.
    #[default]
    Done,
    /// It had nothing to do, or lacked something that it needs; `reason` names it.
    Skipped,
    /// It failed; `reason` has the error.
    Failed,
    /// Its time ran out; it was ended.
    OverTime,
}

words!(PhaseOutcome, "what came of a phase": Done = "done", Skipped = "skipped", Failed = "failed", OverTime = "over_time");

/// The outcome of the search for the planted mistakes that a night has to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CanaryOutcome {
    /// There was no search: no binary has them.
    #[default]
    Absent,
    /// All were found.
    Found,
    /// One was not found, so the absence of other findings proves nothing.
    Missed,
}

words!(CanaryOutcome, "what came of the planted mistakes": Absent = "absent", Found = "found", Missed = "missed");

part! {
    /// A night.
    Night {
        /// When it began, in UTC.
        started: String,
        /// The version of the program.
        version: String,
        /// The commit that was tested, if it is known.
        commit: Option<String> = None,
        /// What all random choices come from.
        seed: String,
        /// The time that it was given.
        minutes: f64,
        /// The time that it took.
        seconds: f64,
        /// The number of fuzzing processes at a time.
        workers: u64,
        /// The subjects that the user named; absent where the planners of planfuzz were asked.
        subjects: Option<Vec<String>> = None,
        /// How it ended.
        end: End,
        /// The phases, in order.
        phases: Vec<Phase>,
        /// The coverage-guided targets.
        targets: Vec<Target>,
        /// The campaign without instrumentation.
        bulk: Option<Campaign> = None,
        /// What triage counted of the files that were found, tonight and before.
        triage: BTreeMap<String, u64> = BTreeMap::new(),
        /// What was found, a bucket each, new ones first.
        findings: Vec<RecordedFinding>,
        /// The features of generated cases, with how often they occur.
        features: Vec<Feature>,
        /// The optimized planner against the reference.
        timing: Vec<Timing>,
        /// Whole workspaces by shape; not known of a record that is older.
        workspaces: Option<Vec<WorkspaceCost>> = None,
        /// The planted mistakes that have to be found.
        canary: Canary,
        /// The last table of planted faults, where there is one.
        kills: Vec<Kill>,
    }
}

part! {
    /// A phase.
    Phase {
        /// Its name.
        name: String,
        /// The time that it took.
        seconds: f64,
        /// Its outcome.
        outcome as "came": PhaseOutcome,
        /// Why, where it is not done.
        reason: Option<String> = None,
    }
}

part! {
    /// The counts of a process of a coverage-guided target, as the process writes them; or the sum of several.
    Tally {
        /// The target.
        target: String,
        /// Inputs.
        executions: u64,
        /// Inputs that are no case.
        rejected: u64,
        /// Cases that the planners were asked.
        cases: u64,
        /// Comparisons of two answers.
        comparisons: u64,
        /// Checks of rules and properties on answers.
        checks: u64,
        /// Time, of all processes together.
        seconds: f64,
        /// Processor time.
        cpu_seconds: f64,
        /// Verdicts by name.
        verdicts: BTreeMap<String, u64> = BTreeMap::new(),
        /// Cases whose features were counted; older records do not have it.
        sampled: Option<u64> = None,
        /// Features by name, with how many of these cases have them.
        features: BTreeMap<String, u64> = BTreeMap::new(),
    }
}

part! {
    /// A coverage-guided target over the night.
    Target {
        /// The counts of all its processes.
        tally: Tally,
        /// Processes that were started.
        processes: u64,
        /// Of these, how many ended by themselves before their time.
        deaths: u64,
        /// How many left no counts.
        silent: u64,
        /// Edges that the corpus covers in the end, as libFuzzer counts them.
        coverage: Option<u64> = None,
        /// The corpus in the end.
        corpus: Corpus,
    }
}

part! {
    /// A corpus.
    Corpus {
        /// Files.
        files: u64,
        /// Their size.
        bytes: u64,
        /// Files that were not in it the night before.
        fresh: u64,
    }
}

part! {
    /// A campaign of generated cases, as `run --json` counts it; or the sum of several.
    Campaign {
        /// Cases.
        cases: u64,
        /// Comparisons of two answers.
        comparisons: u64,
        /// Checks of rules and properties on answers.
        checks: u64,
        /// Time, of all processes together.
        seconds: f64,
        /// Processor time.
        cpu_seconds: f64,
        /// Verdicts by name.
        verdicts: BTreeMap<String, u64> = BTreeMap::new(),
    }
}

part! {
    /// A bucket of findings.
    RecordedFinding {
        /// The signature of its files.
        signature: String,
        /// Whether it is not known.
        new: bool,
        /// Why it is known, if it is.
        known: Option<String> = None,
        /// What was found, in words.
        what: Option<String> = None,
        /// Files that show it.
        count: u64,
        /// The size of its small case, in bytes.
        size: u64,
        /// The file of that case.
        case: String,
        /// The command that shows it.
        command: String,
        /// The case file itself, where it is short enough.
        document: Option<Json> = None,
    }
}

part! {
    /// A feature of the generator.
    Feature {
        /// Its name.
        feature: String,
        /// How often it was hit.
        hits: u64,
        /// The share of cases that hit it.
        share: f64,
        /// The least share that there has to be; none for what is not generated yet.
        floor: Option<f64> = None,
    }
}

part! {
    /// Planning times of cases of one size. Ratios are those of single operations.
    Timing {
        /// The size, or another property that the cases share.
        class: String,
        /// Operations that were timed.
        operations: u64,
        /// The median of the reference, in nanoseconds.
        reference: f64,
        /// The median of the optimized planner, in nanoseconds.
        optimized: f64,
        /// The median of the ratios: how many times faster the optimized planner is.
        ratio: f64,
        /// The least of the ratios.
        least: f64,
        /// The median of a deep clone of the configuration, in nanoseconds; this and what follows is not known of a record that is older.
        clone: Option<f64> = None,
        /// The optimized planner by the reference.
        to_reference: Option<Spread> = None,
        /// The optimized planner by a deep clone of the configuration.
        to_clone: Option<Spread> = None,
    }
}

part! {
    /// What an operation on a workspace of one shape costs a planner, as `measure --workspace` prints it.
    WorkspaceCost {
        /// The shape.
        workspace: String,
        /// How many instances it has, more or less.
        instances: u64,
        /// The planner.
        subject: String,
        /// The operation.
        op: String,
        /// Processor time, in nanoseconds, the providers' left out; absent where the time is that of a change.
        ns_per_instance: Option<f64> = None,
        /// The same of planning again after one change.
        ns_per_change: Option<f64> = None,
        /// The memory that was added at most, where the system reports it.
        bytes_per_instance: Option<u64> = None,
        /// Calls to providers.
        calls: u64,
    }
}

part! {
    /// The distribution of numbers.
    Spread {
        /// Half of them are no greater.
        median: f64,
        /// Of a hundred of them, 99 are no greater.
        p99: f64,
    }
}

part! {
    /// The planted mistakes that a night has to find.
    Canary {
        /// The outcome.
        outcome as "came": CanaryOutcome,
        /// The planted mistakes, or why there was no search.
        reason: String,
        /// Cases that were needed.
        cases: u64,
    }
}

part! {
    /// A planted fault in the table of `kills`.
    Kill {
        /// Its name.
        fault: String,
        /// The subject that has it.
        subject: String,
        /// Whether it was found.
        found: bool,
        /// Cases until it was found, or all that were tried if it was not.
        cases: u64,
        /// Time until it was found, or all that was spent if it was not.
        seconds: f64,
        /// The size of the small case, in bytes.
        size: Option<u64> = None,
        /// Nodes of its document.
        nodes: Option<u64> = None,
        /// Attributes and blocks of its schema.
        members: Option<u64> = None,
        /// Its steps.
        steps: Option<u64> = None,
        /// The known bug that it is.
        bug: Option<String> = None,
        /// The rule that it breaks.
        rule: Option<String> = None,
        /// The operation that shows it.
        op: Option<String> = None,
        /// What found it: the comparison, rules by their ids.
        by: Option<String> = None,
        /// Why it was not found.
        reason: Option<String> = None,
    }
}

impl PhaseOutcome {
    /// The outcome for people.
    pub fn in_words(self) -> String {
        self.word().replace('_', " ")
    }
}

impl Night {
    /// The record as a document.
    pub fn to_json(&self) -> Json {
        let mut json = self.write();
        if let Json::Object(members) = &mut json {
            members.insert(0, ("format".into(), Json::int(FORMAT)));
        }
        json
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Documents that are no records, and records of a newer version.
    pub fn from_json(json: &Json) -> Result<Night, JsonError> {
        let format = ObjectReader::new(json, "the record of a night")?.required("format", Ok)?;
        match format.expect_u64() {
            Ok(FORMAT) => Night::read(json),
            _ => Err(format.unexpected(format!("a format from 1 to {FORMAT}")).inside_member("format")),
        }
    }

    /// All comparisons, guided and not.
    pub fn comparisons(&self) -> u64 {
        self.sum(|tally| tally.comparisons, |bulk| bulk.comparisons)
    }

    /// All cases that planners were asked, guided and not.
    pub fn cases(&self) -> u64 {
        self.sum(|tally| tally.cases, |bulk| bulk.cases)
    }

    /// All checks of rules and properties, guided and not.
    pub fn checks(&self) -> u64 {
        self.sum(|tally| tally.checks, |bulk| bulk.checks)
    }

    /// All inputs of the coverage-guided targets.
    pub fn executions(&self) -> u64 {
        self.targets.iter().map(|target| target.tally.executions).sum()
    }

    /// Buckets that are not known.
    pub fn new_findings(&self) -> usize {
        self.findings.iter().filter(|finding| finding.new).count()
    }

    /// Planted faults that were not found.
    pub fn missed(&self) -> impl Iterator<Item = &Kill> {
        self.kills.iter().filter(|kill| !kill.found)
    }

    /// Whether the night itself succeeded, so that finding nothing means something.
    pub fn is_sound(&self) -> bool {
        let failed = self.phases.iter().any(|phase| phase.outcome == PhaseOutcome::Failed);
        let sees_mistakes = self.canary.outcome != CanaryOutcome::Missed && self.missed().next().is_none();
        sees_mistakes && !failed && self.is_sorted() && self.comparisons() > 0
    }

    /// How many files show a finding in some replays only: in no bucket, and a race as likely as a slip of the machine.
    /// Triage counts what it met: a night without such a file has no count.
    pub fn flaky(&self) -> u64 {
        self.triage.get("flaky").copied().unwrap_or_default()
    }

    /// The phases that did not complete though finding nothing depends on them: whether planted mistakes are found, and what the corpus
    /// covers. The targets cover planfuzz's own planners, so coverage is not required of a night with the user's subjects.
    pub fn not_tried(&self) -> Vec<&str> {
        let needed: &[&str] =
            if self.subjects.is_some() { &["canary", "kills"] } else { &["canary", "kills", "coverage"] };
        let is_done =
            |name: &str| self.phases.iter().any(|phase| phase.name == name && phase.outcome == PhaseOutcome::Done);
        needed.iter().copied().filter(|name| !is_done(name)).collect()
    }

    /// Whether the findings are in the record, as far as they reproduce.
    pub fn is_sorted(&self) -> bool {
        self.phases.iter().any(|phase| phase.name == "triage" && phase.outcome == PhaseOutcome::Done)
    }

    fn sum(&self, guided: impl Fn(&Tally) -> u64, bulk: impl Fn(&Campaign) -> u64) -> u64 {
        self.targets.iter().map(|target| guided(&target.tally)).sum::<u64>() + self.bulk.as_ref().map_or(0, bulk)
    }
}

impl Tally {
    /// Adds the counts of another process.
    pub fn add(&mut self, other: Tally) {
        self.executions += other.executions;
        self.rejected += other.rejected;
        self.cases += other.cases;
        self.comparisons += other.comparisons;
        self.checks += other.checks;
        self.seconds += other.seconds;
        self.cpu_seconds += other.cpu_seconds;
        add_counts(&mut self.verdicts, other.verdicts);
        self.sampled = self.sampled.map_or(other.sampled, |sampled| Some(sampled + other.sampled.unwrap_or_default()));
        add_counts(&mut self.features, other.features);
    }

    /// Comparisons in a second of processor time; `None` if there was no time.
    pub fn speed(&self) -> Option<f64> {
        speed(self.comparisons, self.cpu_seconds)
    }
}

impl Campaign {
    /// Adds another campaign.
    pub fn add(&mut self, other: Campaign) {
        self.cases += other.cases;
        self.comparisons += other.comparisons;
        self.checks += other.checks;
        self.seconds += other.seconds;
        self.cpu_seconds += other.cpu_seconds;
        add_counts(&mut self.verdicts, other.verdicts);
    }

    /// Comparisons in a second of processor time; `None` if there was no time.
    pub fn speed(&self) -> Option<f64> {
        speed(self.comparisons, self.cpu_seconds)
    }
}

fn speed(comparisons: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| comparisons as f64 / seconds)
}

fn add_counts(counts: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    for (name, count) in more {
        *counts.entry(name).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of format 1 as once written. It must be read for ever: add to these, change none.
    const FORMAT_1: &str = include_str!("formats/1.json");

    /// One of format 1 with deep clones.
    const WITH_CLONES: &str = include_str!("formats/1-clones.json");

    /// One of format 1 with whole workspaces.
    const WITH_WORKSPACES: &str = include_str!("formats/1-workspaces.json");

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let night = Night::from_json(&Json::parse(FORMAT_1).unwrap()).unwrap();
        assert_eq!((night.minutes, night.seconds, night.end), (30.0, 1790.25, End::Complete));
        assert_eq!((night.executions(), night.comparisons(), night.new_findings()), (1_000, 9_400, 1));
        let again = Json::parse(&night.to_json().to_compact()).unwrap();
        assert_eq!(Night::from_json(&again).unwrap(), night);
    }

    #[test]
    fn a_record_of_before_the_workspaces_has_none() {
        let of = |text: &str| Night::from_json(&Json::parse(text).unwrap()).unwrap();
        assert_eq!(of(FORMAT_1).workspaces, None);
        let new = of(WITH_WORKSPACES);
        assert_eq!(new.workspaces.as_ref().map(Vec::len), Some(4));
        assert_eq!(of(&new.to_json().to_compact()), new);
    }

    #[test]
    fn a_record_of_before_the_deep_clones_has_none() {
        let of = |text: &str| Night::from_json(&Json::parse(text).unwrap()).unwrap();
        let old = of(FORMAT_1);
        assert_eq!((old.timing[0].clone, &old.timing[0].to_reference, &old.timing[0].to_clone), (None, &None, &None));
        let new = of(WITH_CLONES);
        assert_eq!(new.timing[0].to_reference, Some(Spread { median: 0.25, p99: 0.5 }));
        assert_eq!(new.timing[0].to_clone, Some(Spread { median: 1.5, p99: 4.0 }));
        assert_eq!(Night::from_json(&new.to_json()).unwrap(), new);
    }

    #[test]
    fn a_newer_format_is_refused_and_a_newer_member_is_not() {
        let mut json = Night::default().to_json();
        let Json::Object(members) = &mut json else { panic!("an object") };
        members.push(("weather".into(), Json::Bool(true)));
        assert_eq!(Night::from_json(&json).unwrap(), Night::default());
        let Json::Object(members) = &mut json else { panic!("an object") };
        members[0].1 = Json::int(FORMAT + 1);
        let problem = Night::from_json(&json).unwrap_err().to_string();
        assert!(problem.contains("from 1 to 1"), "{problem}");
    }

    #[test]
    fn a_record_with_a_missing_part_is_refused() {
        let Json::Object(mut members) = Night::default().to_json() else { panic!("an object") };
        members.retain(|(name, _)| **name != *"canary");
        assert!(Night::from_json(&Json::Object(members)).is_err());
    }
}
