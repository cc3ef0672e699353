//! The table of a triage: as a document, and as rows for people.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use super::bucket::Bucket;
use super::documents::{Document, DocumentBucket, DocumentOutcome};
use super::finding::FindingFile;
use super::replay::{ROUNDS, ReplayOutcome};
use super::sorting::{Entry, Triaged};
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
    pub files: usize,
    /// Those in a bucket.
    pub reproduce: usize,
    /// Those whose replays differ.
    pub flaky: usize,
    /// Those that show nothing.
    pub gone: usize,
    /// Those that show something only with their sensitive values.
    pub redacted: usize,
    /// Those that took too long.
    pub ran_over: usize,
    /// Those that took too much memory.
    pub over_memory: usize,
    /// Those that ended the process that they were replayed in.
    pub dies: usize,
    /// Those that were not replayed: the user interrupted.
    pub not_begun: usize,
    /// Those that some subject could not be asked.
    pub not_asked: usize,
    /// Those that are no cases.
    pub unreadable: usize,
    /// Buckets.
    pub buckets: usize,
    /// Buckets that are not known.
    pub new: usize,
}

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

    /// The path of a bucket's file: the operation, and a hash of the signature.
    fn path(&self, bucket: &Bucket) -> String {
        let hash = crc32fast::hash(bucket.signature.to_string().as_bytes());
        let path = std::path::Path::new(self.folder).join(format!("{}-{hash:08x}.json", bucket.signature.op));
        path.display().to_string()
    }

    /// The subjects that show a bucket, as options name them.
    fn options(&self, bucket: &Bucket) -> Vec<String> {
        let first = self.subjects.first().map(|(name, _)| name.as_str()).unwrap_or_default();
        let needed = self.subjects.iter().filter(|(name, _)| bucket.signature.is_about(name, first));
        needed.map(|(_, option)| option.clone()).collect()
    }

    /// How many files had which outcome.
    pub fn counts(&self) -> Counts {
        let buckets = &self.triaged.buckets;
        let mut counts = Counts {
            files: self.entries.len() + self.documents.len() + self.unreadable.len(),
            unreadable: self.unreadable.len(),
            buckets: buckets.len() + self.document_buckets.len(),
            new: buckets.iter().filter(|bucket| bucket.known.is_none()).count()
                + self.document_buckets.iter().filter(|bucket| bucket.known.is_none()).count(),
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

    /// The whole as a document.
    pub fn document(&self) -> Json {
        let Counts {
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
            buckets: _,
            new,
        } = self.counts();
        let counts = [
            ("files", files),
            ("reproduce", reproduce),
            ("flaky", flaky),
            ("gone", gone),
            ("redacted", redacted),
            ("ran_over", ran_over),
            ("over_memory", over_memory),
            ("dies", dies),
            ("not_begun", not_begun),
            ("not_asked", not_asked),
            ("unreadable", unreadable),
            ("new_buckets", new),
        ];
        let options = self.subjects.iter().map(|(_, option)| Json::string(option));
        let others = |kind: fn(&str, &ReplayOutcome) -> Option<Json>| {
            let of_cases = self.entries.iter().map(|entry| entry.path.as_str()).zip(&self.triaged.replayed);
            let of_documents = self.documents.iter().filter_map(|document| match &document.outcome {
                DocumentOutcome::Other(replayed) => Some((document.path.as_str(), replayed)),
                DocumentOutcome::Shows { .. } | DocumentOutcome::Flaky(_) => None,
            });
            Json::Array(of_cases.chain(of_documents).filter_map(|(path, replayed)| kind(path, replayed)).collect())
        };
        let mut flaky_ones = others(flaky_one);
        if let Json::Array(ones) = &mut flaky_ones {
            ones.extend(self.documents.iter().filter_map(flaky_document));
        }
        let buckets = self.rows().iter().map(|row| self.bucket(row)).collect::<Vec<_>>();
        let after = buckets.len() + 1;
        let of_documents = (after..).zip(self.document_buckets).map(|(number, bucket)| document_bucket(number, bucket));
        let unreadable = self
            .unreadable
            .iter()
            .map(|(file, problem)| Json::object([("file", Json::string(file)), ("problem", Json::string(problem))]));
        Json::object([
            ("counts", Json::object(counts.map(|(name, count)| (name, number(count))))),
            ("subjects", Json::Array(options.collect())),
            ("buckets", Json::Array(buckets.into_iter().chain(of_documents).collect())),
            ("flaky", flaky_ones),
            ("otherwise", others(other_signature)),
            ("gone", others(gone_one)),
            ("redacted", others(redacted_one)),
            ("ran_over", others(ran_over_one)),
            ("over_memory", others(over_memory_one)),
            ("dies", others(dies_one)),
            ("not_begun", others(not_begun_one)),
            ("not_asked", others(not_asked_one)),
            ("unreadable", Json::Array(unreadable.collect())),
        ])
    }

    fn bucket(&self, row: &Row<'_>) -> Json {
        let Row { number: at, bucket, count, size, case, command } = row;
        let what = bucket.small.as_ref().map(|small| Json::string(&small.finding.what));
        let files = bucket.files.iter().map(|file| Json::string(&self.entries[*file].path));
        let signatures = bucket.signatures.iter().map(|(signature, count)| (signature.to_string(), number(*count)));
        let known = bucket.known.as_ref().map_or(Json::Null, |reason| Json::string(reason));
        Json::object([
            ("number", number(*at)),
            ("signature", Json::string(&bucket.signature.to_string())),
            ("new", Json::Bool(bucket.known.is_none())),
            ("known", known),
            ("what", what.unwrap_or(Json::Null)),
            ("count", number(*count)),
            ("size", number(*size)),
            ("shrunk", Json::Bool(bucket.small.is_some())),
            ("case", Json::string(case)),
            ("command", Json::string(command)),
            ("may_be", Json::Array(bucket.may_be.iter().map(|other| number(*other)).collect())),
            ("signatures", named(signatures)),
            ("files", Json::Array(files.collect())),
        ])
    }
}

impl Counts {
    /// The counter of an outcome.
    fn of(&mut self, replayed: &ReplayOutcome) -> &mut usize {
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

fn document_bucket(at: usize, bucket: &DocumentBucket<'_>) -> Json {
    let DocumentBucket { signature, what, known, documents } = bucket;
    let (case, size) = documents.first().map_or(("", 0), |document| (document.path.as_str(), document.size));
    Json::object([
        ("number", number(at)),
        ("signature", Json::string(signature)),
        ("new", Json::Bool(known.is_none())),
        ("known", text(known.as_ref())),
        ("what", Json::string(what)),
        ("count", number(documents.len())),
        ("size", number(size)),
        ("shrunk", Json::Bool(false)),
        ("case", Json::string(case)),
        ("command", Json::string(&replay(case))),
        ("may_be", Json::Array(Vec::new())),
        ("signatures", Json::object([(*signature, number(documents.len()))])),
        ("files", Json::Array(documents.iter().map(|document| Json::string(&document.path)).collect())),
    ])
}

fn flaky_document(document: &Document) -> Option<Json> {
    let DocumentOutcome::Flaky(seen) = &document.outcome else { return None };
    Some(flaky(&document.path, document.recorded.as_ref(), seen.clone()))
}

fn flaky(path: &str, recorded: Option<&String>, seen: BTreeMap<String, usize>) -> Json {
    Json::object([
        ("file", Json::string(path)),
        ("said", text(recorded)),
        ("replays", number(ROUNDS)),
        ("seen", named(seen.into_iter().map(|(signature, count)| (signature, number(count))))),
    ])
}

fn over_memory_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    (*replayed == ReplayOutcome::OverMemory).then(|| Json::object([("file", Json::string(path))]))
}

fn not_begun_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    (*replayed == ReplayOutcome::NotBegun).then(|| Json::object([("file", Json::string(path))]))
}

fn dies_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    let ReplayOutcome::Dies(how) = replayed else { return None };
    Some(Json::object([("file", Json::string(path)), ("how", Json::string(how))]))
}

fn number(count: usize) -> Json {
    Json::int(count as u64)
}

fn named(members: impl Iterator<Item = (String, Json)>) -> Json {
    Json::Object(members.map(|(name, json)| (name.into(), json)).collect())
}

fn text(recorded: Option<&String>) -> Json {
    recorded.map_or(Json::Null, |recorded| Json::string(recorded))
}

fn flaky_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    let ReplayOutcome::Flaky { recorded, seen } = replayed else { return None };
    let seen: BTreeMap<String, usize> = seen.iter().map(|(signature, count)| (signature.to_string(), *count)).collect();
    Some(flaky(path, recorded.as_ref(), seen))
}

fn other_signature(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    let ReplayOutcome::Reproduces { shown, recorded: Some(recorded) } = replayed else { return None };
    let shown = shown.iter().map(|finding| Json::string(&finding.signature.to_string()));
    Some(Json::object([
        ("file", Json::string(path)),
        ("said", Json::string(recorded)),
        ("shows", Json::Array(shown.collect())),
    ]))
}

fn gone_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    let ReplayOutcome::Gone { recorded } = replayed else { return None };
    Some(Json::object([("file", Json::string(path)), ("said", text(recorded.as_ref()))]))
}

fn redacted_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    let ReplayOutcome::Redacted(hidden) = replayed else { return None };
    let hidden = hidden.iter().map(|signature| Json::string(&signature.to_string()));
    Some(Json::object([("file", Json::string(path)), ("hidden", Json::Array(hidden.collect()))]))
}

fn ran_over_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    (*replayed == ReplayOutcome::RanOver).then(|| Json::object([("file", Json::string(path))]))
}

fn not_asked_one(path: &str, replayed: &ReplayOutcome) -> Option<Json> {
    let ReplayOutcome::NotAsked(reason) = replayed else { return None };
    Some(Json::object([("file", Json::string(path)), ("reason", Json::string(reason))]))
}
