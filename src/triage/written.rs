//! The table of a triage as a document: `triage --json` writes it, and a night reads it.
//!
//! Each list has the files of one outcome; what is known of a file beside its name depends on the outcome.

use std::collections::BTreeMap;

use planfuzz_core::record;

use super::replay::{ROUNDS, ReplayOutcome};
use super::table::Counts;

/// The whole table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenTable {
    /// How many files had which outcome.
    pub counts: Counts,
    /// The subjects, as options name them.
    pub subjects: Vec<String>,
    /// The buckets, those of documents last.
    pub buckets: Vec<WrittenBucket>,
    /// Files whose replays differ.
    pub flaky: Vec<FlakyFile>,
    /// Files that show something else than they record.
    pub otherwise: Vec<OtherFile>,
    /// Files that show nothing.
    pub gone: Vec<GoneFile>,
    /// Files that show something only with their sensitive values.
    pub redacted: Vec<RedactedFile>,
    /// Files that took too long.
    pub ran_over: Vec<File>,
    /// Files that took too much memory.
    pub over_memory: Vec<File>,
    /// Files that ended the process that they were replayed in.
    pub dies: Vec<DeadlyFile>,
    /// Files that were not replayed.
    pub not_begun: Vec<File>,
    /// Files that some subject could not be asked.
    pub not_asked: Vec<UnaskedFile>,
    /// Files that are no cases.
    pub unreadable: Vec<UnreadableFile>,
}

record!(WrittenTable, "the table of a triage":
    counts,
    subjects,
    buckets,
    flaky,
    otherwise,
    gone,
    redacted,
    ran_over,
    over_memory,
    dies,
    not_begun,
    not_asked,
    unreadable,
);

/// A bucket: files with one likely cause.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenBucket {
    /// Its number, from 1.
    pub number: u64,
    /// The signature of its smallest case.
    pub signature: String,
    /// Whether it is not known.
    pub new: bool,
    /// Why it is known, if it is.
    pub known: Option<String>,
    /// In words, if it could be minimized.
    pub what: Option<String>,
    /// How many files it has.
    pub count: u64,
    /// The size of its case, in bytes.
    pub size: u64,
    /// Whether its case was minimized.
    pub shrunk: bool,
    /// The file of its case.
    pub case: String,
    /// The command that shows it.
    pub command: String,
    /// The numbers of other buckets with this very case.
    pub may_be: Vec<u64>,
    /// Why it may be known: its case comes down to something known, which may hide this.
    pub may_be_known: Option<String>,
    /// The signatures that its files show, with how many of them.
    pub signatures: BTreeMap<String, u64>,
    /// Its files.
    pub files: Vec<String>,
}

record!(WrittenBucket, "a bucket":
    number, signature, new, known, what, count, size, shrunk, case, command, may_be, may_be_known, signatures, files);

/// A file of which nothing more is known.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its path.
    pub file: String,
}

record!(File, "a file": file);

/// A file whose replays differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FlakyFile {
    /// Its path.
    pub file: String,
    /// The signature that it records.
    pub recorded: Option<String>,
    /// How often it was replayed.
    pub replays: u64,
    /// How many of the replays showed each signature.
    pub seen: BTreeMap<String, u64>,
}

record!(FlakyFile, "a file whose replays differ": file, recorded, replays, seen);

/// A file that shows something else than it records.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherFile {
    /// Its path.
    pub file: String,
    /// The signature that it records.
    pub recorded: String,
    /// The signatures that it shows.
    pub shows: Vec<String>,
}

record!(OtherFile, "a file that shows something else": file, recorded, shows);

/// A file that shows nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct GoneFile {
    /// Its path.
    pub file: String,
    /// The signature that it records.
    pub recorded: Option<String>,
}

record!(GoneFile, "a file that shows nothing": file, recorded);

/// A file that shows something only with its sensitive values.
#[derive(Clone, Debug, PartialEq)]
pub struct RedactedFile {
    /// Its path.
    pub file: String,
    /// The signatures that placeholders hide.
    pub hidden: Vec<String>,
}

record!(RedactedFile, "a file with sensitive values": file, hidden);

/// A file that ended the process that it was replayed in.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlyFile {
    /// Its path.
    pub file: String,
    /// How the process ended.
    pub how: String,
}

record!(DeadlyFile, "a file that ends a process": file, how);

/// A file that some subject could not be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct UnaskedFile {
    /// Its path.
    pub file: String,
    /// Why not.
    pub reason: String,
}

record!(UnaskedFile, "a file that was not asked": file, reason);

/// A file that is no case.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreadableFile {
    /// Its path.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

record!(UnreadableFile, "a file that is no case": file, problem);

impl WrittenTable {
    /// Adds a file to the list of its outcome. One that shows what it records is in buckets alone.
    pub(super) fn add(&mut self, path: &str, outcome: &ReplayOutcome) {
        let file = path.to_owned();
        match outcome {
            ReplayOutcome::Reproduces { recorded: None, .. } => {}
            ReplayOutcome::Reproduces { shown, recorded: Some(recorded) } => {
                let shows = shown.iter().map(|finding| finding.signature.to_string()).collect();
                self.otherwise.push(OtherFile { file, recorded: recorded.clone(), shows });
            }
            ReplayOutcome::Flaky { recorded, seen } => {
                let seen = seen.iter().map(|(signature, count)| (signature.to_string(), *count));
                self.add_flaky(path, recorded.clone(), seen);
            }
            ReplayOutcome::Gone { recorded } => self.gone.push(GoneFile { file, recorded: recorded.clone() }),
            ReplayOutcome::Redacted(hidden) => {
                let hidden = hidden.iter().map(ToString::to_string).collect();
                self.redacted.push(RedactedFile { file, hidden });
            }
            ReplayOutcome::RanOver => self.ran_over.push(File { file }),
            ReplayOutcome::OverMemory => self.over_memory.push(File { file }),
            ReplayOutcome::Dies(how) => self.dies.push(DeadlyFile { file, how: how.clone() }),
            ReplayOutcome::NotBegun => self.not_begun.push(File { file }),
            ReplayOutcome::NotAsked(reason) => self.not_asked.push(UnaskedFile { file, reason: reason.clone() }),
        }
    }

    /// Adds a file whose replays differ.
    pub(super) fn add_flaky(
        &mut self,
        path: &str,
        recorded: Option<String>,
        seen: impl Iterator<Item = (String, usize)>,
    ) {
        let seen = seen.map(|(signature, count)| (signature, count as u64)).collect();
        self.flaky.push(FlakyFile { file: path.to_owned(), recorded, replays: ROUNDS as u64, seen });
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Field as _;

    use super::*;

    #[test]
    fn each_outcome_has_its_list_and_is_read_back() {
        let mut table = WrittenTable::default();
        let recorded = Some("s".to_owned());
        let outcomes = [
            ReplayOutcome::Reproduces { shown: Vec::new(), recorded: None },
            ReplayOutcome::Reproduces { shown: Vec::new(), recorded: recorded.clone() },
            ReplayOutcome::Flaky { recorded: recorded.clone(), seen: BTreeMap::new() },
            ReplayOutcome::Gone { recorded },
            ReplayOutcome::Redacted(Vec::new()),
            ReplayOutcome::RanOver,
            ReplayOutcome::OverMemory,
            ReplayOutcome::Dies("signal 6".into()),
            ReplayOutcome::NotBegun,
            ReplayOutcome::NotAsked("no engine".into()),
        ];
        outcomes.iter().for_each(|outcome| table.add("a.json", outcome));
        let json = table.write();
        let lists = json.entries().iter().filter(|(_, list)| !list.items().is_empty());
        let names: Vec<&str> = lists.map(|(name, _)| &**name).collect();
        let expected =
            ["flaky", "otherwise", "gone", "redacted", "ran_over", "over_memory", "dies", "not_begun", "not_asked"];
        assert_eq!(names, expected);
        assert_eq!(WrittenTable::read(&json).expect("a table"), table);
    }
}
