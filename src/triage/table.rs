//! The table of a triage: as a document, and as rows for people.

use planfuzz_core::record;

use super::bucket::Bucket;
use super::documents::{Document, DocumentBucket, DocumentOutcome};
use super::finding::FindingFile;
use super::replay::ReplayOutcome;
use super::sorting::{Entry, Triaged};
use super::written::{UnreadableFile, WrittenBucket, WrittenTable};
use crate::case::CaseFile;

/// The results of a triage.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The files that were replayed.
    pub entries: &'a [Entry],
    /// Their outcomes.
    pub triaged: &'a Triaged,
    /// The files that were replayed in processes of their own.
    pub documents: &'a [Document],
    /// The buckets of these.
    pub document_buckets: &'a [DocumentBucket<'a>],
    /// Files that are no cases, each with its problem.
    pub unreadable: &'a [(String, String)],
    /// The subjects as they name themselves, and as options name them.
    pub subjects: &'a [(String, String)],
    /// The folder for the files of small cases.
    pub folder: &'a str,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The number of the bucket, from 1.
    pub number: usize,
    /// The bucket.
    pub bucket: &'a Bucket,
    /// How many files it has.
    pub count: usize,
    /// The length of the document of its case in bytes: the minimized case, or the smallest file's where there is none.
    pub size: usize,
    /// The file of that case.
    pub case: String,
    /// The command that shows it.
    pub command: String,
}

/// How many files had which outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub files: u64,
    /// Those in a bucket.
    pub reproduce: u64,
    /// Those whose replays differ.
    pub flaky: u64,
    /// Those that show nothing.
    pub gone: u64,
    /// Those that show something only with their sensitive values.
    pub redacted: u64,
    /// Those that took too long.
    pub ran_over: u64,
    /// Those that took too much memory.
    pub over_memory: u64,
    /// Those that ended the process that they were replayed in.
    pub dies: u64,
    /// Those that were not replayed: the user interrupted.
    pub not_begun: u64,
    /// Those that some subject could not be asked.
    pub not_asked: u64,
    /// Those that are no cases.
    pub unreadable: u64,
    /// Buckets that are not known.
    pub new: u64,
}

record!(Counts, "counts of files":
    files,
    reproduce,
    flaky,
    gone,
    redacted,
    ran_over,
    over_memory,
    dies,
    not_begun,
    not_asked,
    unreadable,
    new as "new_buckets",
);

impl<'a> Table<'a> {
    /// The rows, a bucket each.
    pub fn rows(&self) -> Vec<Row<'a>> {
        (1..).zip(&self.triaged.buckets).map(|(number, bucket)| self.row(number, bucket)).collect()
    }

    fn row(&self, number: usize, bucket: &'a Bucket) -> Row<'a> {
        let smallest = bucket.files.first().map(|file| &self.entries[*file]);
        let of_entry = |entry: &Entry| entry.case.to_json().to_compact().len();
        let (case, size) = match &bucket.small {
            Some(small) => (self.path(bucket), small.size()),
            None => (smallest.map_or(String::new(), |entry| entry.path.clone()), smallest.map_or(0, of_entry)),
        };
        let command = super::finding::probe(&case, &self.options(bucket));
        Row { number, bucket, count: bucket.files.len(), size, case, command }
    }

    /// The files of the small cases, with the path of each.
    pub fn files(&self) -> Vec<(String, CaseFile)> {
        let file = |row: Row<'_>| {
            let small = row.bucket.small.as_ref()?;
            let origin = row.bucket.files.first().map_or(String::new(), |file| self.entries[*file].origin.clone());
            let subjects = self.options(row.bucket);
            let finding = FindingFile {
                case: &small.case,
                finding: &small.finding,
                origin: &origin,
                subjects: &subjects,
                path: &row.case,
            };
            Some((row.case.clone(), finding.to_case_file()))
        };
        self.rows().into_iter().filter_map(file).collect()
    }

    /// The path of a bucket's file.
    fn path(&self, bucket: &Bucket) -> String {
        std::path::Path::new(self.folder).join(super::file_name(&bucket.signature)).display().to_string()
    }

    /// The subjects that show a bucket, as options name them.
    fn options(&self, bucket: &Bucket) -> Vec<String> {
        let first = self.subjects.first().map(|(name, _)| name.as_str()).unwrap_or_default();
        let needed = self.subjects.iter().filter(|(name, _)| bucket.signature.is_about(name, first));
        needed.map(|(_, option)| option.clone()).collect()
    }

    /// How many files had which outcome.
    pub fn counts(&self) -> Counts {
        let of_cases = self.triaged.buckets.iter().map(|bucket| &bucket.known);
        let of_documents = self.document_buckets.iter().map(|bucket| &bucket.known);
        let mut counts = Counts {
            files: (self.entries.len() + self.documents.len() + self.unreadable.len()) as u64,
            unreadable: self.unreadable.len() as u64,
            new: of_cases.chain(of_documents).filter(|known| known.is_none()).count() as u64,
            ..Counts::default()
        };
        for document in self.documents {
            match &document.outcome {
                DocumentOutcome::Shows { .. } => counts.reproduce += 1,
                DocumentOutcome::Flaky(_) => counts.flaky += 1,
                DocumentOutcome::Other(replayed) => *counts.of(replayed) += 1,
            }
        }
        for replayed in &self.triaged.replayed {
            *counts.of(replayed) += 1;
        }
        counts
    }

    /// How many buckets there are.
    pub fn buckets(&self) -> usize {
        self.triaged.buckets.len() + self.document_buckets.len()
    }

    /// The whole as a document.
    pub fn document(&self) -> WrittenTable {
        let mut table = WrittenTable {
            counts: self.counts(),
            subjects: self.subjects.iter().map(|(_, option)| option.clone()).collect(),
            buckets: self.rows().iter().map(|row| self.bucket(row)).collect(),
            ..WrittenTable::default()
        };
        let of_documents = (table.buckets.len() + 1..).zip(self.document_buckets);
        table.buckets.extend(of_documents.map(|(number, bucket)| document_bucket(number, bucket)));
        for (entry, replayed) in self.entries.iter().zip(&self.triaged.replayed) {
            table.add(&entry.path, replayed);
        }
        for document in self.documents {
            match &document.outcome {
                DocumentOutcome::Shows { .. } => {}
                DocumentOutcome::Flaky(seen) => {
                    table.add_flaky(&document.path, document.recorded.clone(), seen.clone().into_iter());
                }
                DocumentOutcome::Other(replayed) => table.add(&document.path, replayed),
            }
        }
        let unreadable = self.unreadable.iter().cloned();
        table.unreadable = unreadable.map(|(file, problem)| UnreadableFile { file, problem }).collect();
        table
    }

    fn bucket(&self, row: &Row<'_>) -> WrittenBucket {
        let Row { number, bucket, count, size, case, command } = row;
        let signatures = bucket.signatures.iter().map(|(signature, count)| (signature.to_string(), *count as u64));
        WrittenBucket {
            number: *number as u64,
            signature: bucket.signature.to_string(),
            new: bucket.known.is_none(),
            known: bucket.known.clone(),
            what: bucket.small.as_ref().map(|small| small.finding.what.clone()),
            count: *count as u64,
            size: *size as u64,
            shrunk: bucket.small.is_some(),
            case: case.clone(),
            command: command.clone(),
            may_be: bucket.may_be.iter().map(|other| *other as u64).collect(),
            may_be_known: bucket.may_be_known.clone(),
            signatures: signatures.collect(),
            files: bucket.files.iter().map(|file| self.entries[*file].path.clone()).collect(),
        }
    }
}

impl Counts {
    /// The counter of an outcome.
    fn of(&mut self, replayed: &ReplayOutcome) -> &mut u64 {
        match replayed {
            ReplayOutcome::Reproduces { .. } => &mut self.reproduce,
            ReplayOutcome::Flaky { .. } => &mut self.flaky,
            ReplayOutcome::Gone { .. } => &mut self.gone,
            ReplayOutcome::Redacted(_) => &mut self.redacted,
            ReplayOutcome::RanOver => &mut self.ran_over,
            ReplayOutcome::OverMemory => &mut self.over_memory,
            ReplayOutcome::Dies(_) => &mut self.dies,
            ReplayOutcome::NotBegun => &mut self.not_begun,
            ReplayOutcome::NotAsked(_) => &mut self.not_asked,
        }
    }
}

/// The command that shows a document for a reader.
pub fn replay(path: &str) -> String {
    format!("planfuzz replay {}", super::finding::quoted(path))
}

fn document_bucket(at: usize, bucket: &DocumentBucket<'_>) -> WrittenBucket {
    let DocumentBucket { signature, what, known, documents } = bucket;
    let count = documents.len() as u64;
    let (case, size) = documents.first().map_or(("", 0), |document| (document.path.as_str(), document.size));
    WrittenBucket {
        number: at as u64,
        signature: (*signature).to_owned(),
        new: known.is_none(),
        known: known.clone(),
        what: Some((*what).to_owned()),
        count,
        size: size as u64,
        shrunk: false,
        case: case.to_owned(),
        command: replay(case),
        may_be: Vec::new(),
        may_be_known: None,
        signatures: [((*signature).to_owned(), count)].into(),
        files: documents.iter().map(|document| document.path.clone()).collect(),
    }
}
