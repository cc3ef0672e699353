//! `triage`: sorts findings and fuzzer artifacts into buckets for a person to look at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Field;

use super::apart::Apart;
use super::args::TriageArgs;
use super::error::{CliError, Held};
use super::given::{self, Given, Kind, Sources};
use super::output::{self, BAD, DIM, GOOD, HEAD, NOTE, styled};
use super::progress::Bar;
use super::redact::{self, Redacted};
use super::{files, settings, subjects};
use crate::case::{Case, CaseFile};
use crate::triage::{
    Bounds, Counts, Document, DocumentBucket, DocumentOutcome, Entry, ROUNDS, ReplayOutcome, Row, Stage, Table, Triage,
    Workers, document_buckets, replay_command,
};

/// Runs the command.
///
/// # Errors
/// Paths that do not exist, subjects that do not start, files that cannot be written; and files that are no cases, after all others
/// were sorted.
pub fn run(args: &TriageArgs) -> Result<Held, CliError> {
    #[cfg(feature = "engine")]
    if let Some(held) = super::provider::saved(&args.paths, args.json, planfuzz_provider::Saved::triage)? {
        return Ok(held);
    }
    files::expect_file("--output", args.output.as_deref())?;
    files::expect_folder("--shrunk", &args.shrunk)?;
    let judge = settings::judge(args.allow.as_deref())?;
    let mut input = read(args)?;
    let args = &input.with_subjects(args)?;
    let kept = regressions(args)?;
    settings::watch_interrupts()?;
    input.replay_apart(args)?;
    let Input { entries, heavy: _, documents, unreadable, named: _ } = input;
    let named = start_once(args, entries.iter().chain(&kept).map(|entry| entry.case.dialect).collect())?;
    let document_buckets = document_buckets(&documents, &judge.allowances);
    let first = named.first().map(|(name, _)| name.clone()).unwrap_or_default();
    let triage = triage_of(args, judge, first);
    let bar = Bar::new(Some(0), None);
    let (entries, kept) = (Arc::new(entries), Arc::new(kept));
    let triaged = triage.run(&entries, &kept, &mut |stage, done, of| bar.part(&doing(stage), done, of));
    bar.finish();
    let triaged = triaged.map_err(CliError::failed)?;
    let folder = args.shrunk.display().to_string();
    let table = Table {
        entries: &entries,
        triaged: &triaged,
        documents: &documents,
        document_buckets: &document_buckets,
        unreadable: &unreadable,
        subjects: &named,
        folder: &folder,
    };
    for (path, file) in table.files() {
        files::write_case(path.as_ref(), &file)?;
    }
    if let Some(path) = &args.output {
        files::write(path, format!("{}\n", table.document().write().to_pretty()).as_bytes())?;
    }
    if args.json {
        output::line(&table.document().write().to_pretty())?;
    } else {
        print(&table)?;
    }
    if !unreadable.is_empty() {
        return Err(CliError::input(format!("{} of {} files are no cases", unreadable.len(), table.counts().files)));
    }
    let Counts { files, not_asked, not_begun, .. } = table.counts();
    if files == 0 {
        return Err(CliError::no_case());
    }
    if not_asked + not_begun == files {
        return Err(CliError::nothing_compared(format!(
            "{not_asked} files could not be asked, {not_begun} were not begun"
        )));
    }
    let is_open = |document: &Document| match &document.outcome {
        DocumentOutcome::Other(replayed) => replayed.is_open(),
        DocumentOutcome::Flaky(_) => true,
        DocumentOutcome::Shows { .. } => false,
    };
    let is_known = document_buckets.iter().all(|bucket| bucket.known.is_some());
    Ok(Held::from(triaged.holds() && is_known && !documents.iter().any(is_open)))
}

/// The files that were given.
#[derive(Default)]
struct Input {
    /// The files that are cases.
    entries: Vec<Entry>,
    /// Files that exhausted memory once: they are not even read.
    heavy: Vec<PathBuf>,
    /// Documents for readers.
    documents: Vec<Document>,
    /// Files that are no cases, each with its problem.
    unreadable: Vec<(String, String)>,
    /// The subjects that findings were seen with, as options name them, each with the first file that names them; empty if options
    /// name subjects.
    named: BTreeMap<Vec<String>, String>,
}

/// Reads the input. One bad file does not hide the others.
fn read(args: &TriageArgs) -> Result<Input, CliError> {
    let mut input = Input::default();
    for source in Sources::of_cases(&args.paths)?.each() {
        if let Some(path) = source.file().filter(|path| files::is_out_of_memory(path)) {
            input.heavy.push(path.to_owned());
            continue;
        }
        for given in source.documents() {
            input.read(given, args)?;
        }
    }
    Ok(input)
}

impl Input {
    /// The options with the subjects that the findings name, where options name none.
    fn with_subjects(&self, args: &TriageArgs) -> Result<TriageArgs, CliError> {
        let mut args = args.clone();
        let mut named = self.named.iter();
        match (named.next(), named.next()) {
            (None, _) => {}
            (Some((subjects, _)), None) if *subjects == subjects::names(&args.subjects) => {}
            (Some((subjects, _)), None) => args.subjects.subjects.clone_from(subjects),
            (Some((one, at)), Some((other, there))) => {
                let message = format!(
                    "expected findings of the same subjects, found {} in {at} and {} in {there}",
                    one.join(", "),
                    other.join(", ")
                );
                return Err(
                    CliError::input(message).with_hint("name them with --subject, or sort one folder after the other")
                );
            }
        }
        Ok(args)
    }

    fn read(&mut self, given: Given, args: &TriageArgs) -> Result<(), CliError> {
        let place = given.place.clone();
        let read = given.read(args.subjects.one_dialect()?);
        let read = read.and_then(|kind| match kind {
            Kind::Case(file) => Ok(Some(*file)),
            Kind::Call(id, case) => Ok(Some(CaseFile { case: Case { purpose: id, ..*case }, finding: None })),
            Kind::Codec(..) if !place.exists() && !given::is_line(&place) => {
                let message =
                    format!("{}: expected a file of a document that another process replays", place.display());
                Err(CliError::input(message))
            }
            Kind::Codec(document, finding) => {
                let recorded = finding.map(|finding| finding.signature);
                let outcome = DocumentOutcome::Other(ReplayOutcome::NotBegun);
                self.documents.push(Document {
                    path: place.display().to_string(),
                    size: document.bytes.len(),
                    recorded,
                    outcome,
                });
                Ok(None)
            }
        });
        if let Ok(Some(file)) = &read
            && file.finding.is_some()
        {
            let named = subjects::for_finding(&args.subjects, &place, file.finding.as_ref())?;
            self.named.entry(subjects::names(&named)).or_insert_with(|| place.display().to_string());
        }
        match read.and_then(|file| file.map(|file| entry(&place, &file, args.show_sensitive)).transpose()) {
            Ok(read) => self.entries.extend(read),
            Err(problem @ CliError::Input { .. }) => {
                self.unreadable.push((place.display().to_string(), problem.to_string()))
            }
            Err(problem) => return Err(problem),
        }
        Ok(())
    }

    /// Replays the files that must not be replayed in this process; heavy files that stay within bounds are then read like all
    /// others.
    fn replay_apart(&mut self, args: &TriageArgs) -> Result<(), CliError> {
        if self.documents.is_empty() && self.heavy.is_empty() {
            return Ok(());
        }
        let apart = Apart::new(args)?;
        for document in &mut self.documents {
            document.outcome = apart.rounds(document.path.as_ref(), document.recorded.as_deref());
        }
        for path in std::mem::take(&mut self.heavy) {
            match apart.replay(&path) {
                // A file that the other process refused is reported when this one reads it.
                Ok(_) => {
                    for given in Sources::of_cases(std::slice::from_ref(&path))?.documents() {
                        self.read(given, args)?;
                    }
                }
                Err(ended) => {
                    let size = std::fs::metadata(&path).map_or(0, |about| about.len() as usize);
                    let path = path.display().to_string();
                    self.documents.push(Document {
                        path,
                        size,
                        recorded: None,
                        outcome: DocumentOutcome::Other(ended),
                    });
                }
            }
        }
        Ok(())
    }
}

/// A file, with placeholders unless the user wants to see everything.
fn entry(path: &Path, file: &CaseFile, show_sensitive: bool) -> Result<Entry, CliError> {
    let Redacted { case, original } = redact::redacted(path, file, show_sensitive)?;
    let finding = file.finding.as_ref();
    let recorded = finding.map(|finding| finding.signature.clone());
    Ok(Entry { path: path.display().to_string(), case, original, origin: redact::origin(path, finding), recorded })
}

/// The regression cases; empty if the folder does not exist.
fn regressions(args: &TriageArgs) -> Result<Vec<Entry>, CliError> {
    if !args.regressions.exists() {
        return Ok(Vec::new());
    }
    let paths = files::case_files(std::slice::from_ref(&args.regressions))?;
    // Committed cases have been reviewed by a person.
    paths.iter().map(|path| entry(path, &files::read_case(path)?, true)).collect()
}

/// Starts the subjects for every dialect once, so that a subject that does not start is reported before anything is done. Returns
/// their names, each with the option that names it.
fn start_once(args: &TriageArgs, dialects: BTreeSet<Dialect>) -> Result<Vec<(String, String)>, CliError> {
    let mut named = Vec::new();
    for dialect in dialects {
        let started = subjects::start_for_shrinking(&args.subjects, dialect)?;
        let names = started.iter().map(|subject| subject.name().to_owned());
        named = names.zip(subjects::names(&args.subjects)).collect();
    }
    Ok(named)
}

fn triage_of(args: &TriageArgs, judge: crate::compare::Judge, first: String) -> Triage {
    let (options, interrupted) = (args.subjects.clone(), settings::interrupted());
    let jobs = args.jobs.map_or_else(settings::cores, usize::from);
    Triage {
        start: Arc::new(move |dialect| {
            subjects::start_for_shrinking(&options, dialect).map_err(|problem| problem.to_string())
        }),
        first,
        judge: Arc::new(judge),
        workers: Workers { jobs, limit: args.file_time, interrupted },
        bounds: Bounds { calls: args.budget, time: args.shrink_time, interrupted },
    }
}

fn doing(stage: Stage) -> String {
    match stage {
        Stage::Replaying(round) => format!("replaying, round {round} of {ROUNDS}"),
        Stage::Shrinking => "making small".to_owned(),
    }
}

fn print(table: &Table<'_>) -> Result<(), CliError> {
    let rows = table.rows();
    if !rows.is_empty() || !table.document_buckets.is_empty() {
        output::line(&styled(HEAD, "  #  files   size"))?;
    }
    rows.iter().try_for_each(print_row)?;
    (rows.len() + 1..)
        .zip(table.document_buckets)
        .try_for_each(|(number, bucket)| print_document_bucket(number, bucket))?;
    print_others(table)?;
    output::line(&in_words(table.counts(), table.buckets()))
}

fn print_document_bucket(number: usize, bucket: &DocumentBucket<'_>) -> Result<(), CliError> {
    let DocumentBucket { signature, what, known, documents } = bucket;
    let (style, word) = if known.is_none() { (BAD, "new  ") } else { (GOOD, "known") };
    let (path, size) = documents.first().map_or(("", 0), |document| (document.path.as_str(), document.size));
    output::line(&format!("{number:>3} {:>6} {size:>6}  {} {signature}", documents.len(), styled(style, word)))?;
    let below = |text: &str| output::line(&format!("{:19}{text}", ""));
    below(&styled(DIM, known.as_deref().unwrap_or(what)))?;
    below(&styled(DIM, replay_command(path)))
}

fn print_row(Row { number, bucket, count, size, case: _, command }: &Row<'_>) -> Result<(), CliError> {
    let (style, known) = if bucket.known.is_none() { (BAD, "new  ") } else { (GOOD, "known") };
    output::line(&format!("{number:>3} {count:>6} {size:>6}  {} {}", styled(style, known), bucket.signature))?;
    let below = |text: &str| output::line(&format!("{:19}{text}", ""));
    if let Some(reason) = &bucket.known {
        below(&styled(DIM, reason))?;
    }
    if !bucket.may_be.is_empty() {
        let others: Vec<String> = bucket.may_be.iter().map(usize::to_string).collect();
        below(&styled(NOTE, format!("may be the same as {}", others.join(", "))))?;
    }
    if let Some(reason) = &bucket.may_be_known {
        below(&styled(NOTE, format!("may be known: made smaller for its likely cause, {reason}")))?;
    }
    below(&styled(DIM, command))
}

/// How many files of one kind are named: a person reads no more.
const NAMED: usize = 10;

/// Prints the files that are in no bucket, or record another signature than that of their bucket.
fn print_others(table: &Table<'_>) -> Result<(), CliError> {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for document in table.documents {
        if let DocumentOutcome::Flaky(seen) = &document.outcome {
            let all: Vec<String> =
                seen.iter().map(|(signature, count)| format!("{signature} ({count} of {ROUNDS})")).collect();
            output::line(&format!("{} {}: {}", styled(NOTE, "flaky"), document.path, all.join("; ")))?;
        }
    }
    let of_cases = table.entries.iter().map(|entry| entry.path.as_str()).zip(&table.triaged.replayed);
    let of_documents = table.documents.iter().filter_map(|document| match &document.outcome {
        DocumentOutcome::Other(replayed) => Some((document.path.as_str(), replayed)),
        DocumentOutcome::Shows { .. } | DocumentOutcome::Flaky(_) => None,
    });
    for (path, replayed) in of_cases.chain(of_documents) {
        let (style, word, text) = match replayed {
            ReplayOutcome::Reproduces { recorded: None, .. } => continue,
            ReplayOutcome::Reproduces { recorded: Some(recorded), .. } => {
                (NOTE, "otherwise", format!("recorded {recorded}"))
            }
            ReplayOutcome::Flaky { recorded, seen } => {
                let mut all: Vec<String> =
                    seen.iter().map(|(signature, count)| format!("{signature} ({count} of {ROUNDS})")).collect();
                all.extend(recorded.as_ref().map(|recorded| format!("recorded {recorded}")));
                (NOTE, "flaky", all.join("; "))
            }
            ReplayOutcome::Gone { recorded: Some(recorded) } => (GOOD, "gone", format!("recorded {recorded}")),
            ReplayOutcome::Gone { recorded: None } => (GOOD, "gone", format!("nothing is found in {ROUNDS} replays")),
            ReplayOutcome::Redacted(hidden) => {
                let all: Vec<String> = hidden.iter().map(ToString::to_string).collect();
                let text = format!("{} only with its sensitive values: --show-sensitive takes them", all.join("; "));
                (BAD, "redacted", text)
            }
            ReplayOutcome::RanOver => (BAD, "ran over", "a replay takes longer than --file-time".to_owned()),
            ReplayOutcome::OverMemory => (BAD, "over memory", "a replay takes more than --file-memory".to_owned()),
            ReplayOutcome::Dies(how) => (BAD, "dies", how.clone()),
            ReplayOutcome::NotBegun => (NOTE, "not begun", "interrupted".to_owned()),
            ReplayOutcome::NotAsked(reason) => (NOTE, "not asked", reason.clone()),
        };
        let count = named.entry(word).or_default();
        *count += 1;
        if *count <= NAMED {
            output::line(&format!("{} {path}: {text}", styled(style, word)))?;
        }
    }
    for (word, count) in named.into_iter().filter(|(_, count)| *count > NAMED) {
        output::line(&styled(DIM, format!("{} more {word}: --output FILE has all", count - NAMED)))?;
    }
    for (_, problem) in table.unreadable {
        output::line(&format!("{} {problem}", styled(BAD, "unreadable")))?;
    }
    Ok(())
}

fn in_words(counts: Counts, buckets: usize) -> String {
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
        new,
    } = counts;
    let of = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let mut parts = vec![format!("{reproduce} reproduce")];
    let rest = [
        (flaky, "flaky"),
        (gone, "gone"),
        (redacted, "redacted"),
        (ran_over, "ran over"),
        (over_memory, "over memory"),
        (dies, if dies == 1 { "dies" } else { "die" }),
        (not_begun, "not begun"),
        (not_asked, "not asked"),
        (unreadable, "unreadable"),
    ];
    parts.extend(rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    format!(
        "{}: {}; {}, {new} new",
        of(files, "file", "files"),
        parts.join(", "),
        of(buckets as u64, "bucket", "buckets")
    )
}
