//! The phase that sorts the findings, of tonight and before: runs `triage` on their folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use planfuzz_core::json::{Field, Json, JsonError};
use planfuzz_files::folder;

use super::context::Context;
use super::error::PhaseError;
use super::record::{MAX_DOCUMENT, RecordedFinding};
use crate::case::KeptFinding;
use crate::triage::{WrittenBucket, WrittenTable, is_artifact_name};

/// The results of triage.
#[derive(Debug, Default)]
pub struct Triaged {
    /// Its counts of files.
    pub counts: BTreeMap<String, u64>,
    /// Its buckets.
    pub findings: Vec<RecordedFinding>,
    /// Files that show nothing any more.
    gone: Vec<String>,
    /// Files that cannot be read any more: compact inputs of another build.
    unreadable: Vec<String>,
}

/// Sorts the cases that were found. Files that show nothing any more, or cannot be read, are moved away, so that they are not replayed
/// every night.
///
/// # Errors
/// A triage that fails or takes too long, files that are no cases, and the end of the night. Results are in `triaged` nevertheless.
pub fn triage(context: &Context<'_>, triaged: &mut Triaged) -> Result<(), PhaseError> {
    let folder = context.findings();
    let entries = folder::entries(&folder).map_err(|problem| PhaseError::of_file("read", &folder, &problem))?;
    if !entries.iter().any(has_finding) {
        return Ok(());
    }
    let table = context.options.cache.join("triage.json");
    remove(&table)?;
    let jobs = context.options.workers.clamp(1, 1024).to_string();
    let mut order = context
        .command("triage", &["triage", "--json", "--jobs", &jobs])
        .with(folder)
        .option("--regressions", context.options.corpus.join("regressions"))
        .option("--shrunk", context.triaged())
        .option("--output", &table);
    order = context.options.asked.arguments.iter().fold(order, |order, argument| order.with(argument));
    if let Some(allow) = &context.options.allow {
        order = order.option("--allow", allow);
    }
    let ended = order.run(context.clock.end_of("triage"), context.stop)?;
    if !table.exists() {
        return Err(ended.error("triage"));
    }
    let bytes = fs::read(&table).map_err(|problem| PhaseError::of_file("read", &table, &problem))?;
    let unreadable = |problem: JsonError| PhaseError::Failed(format!("{}: {problem}", table.display()));
    let json = Json::parse_bytes(&bytes).map_err(unreadable)?;
    *triaged = Triaged::read(&json).map_err(unreadable)?;
    let asked = &context.options.asked.subjects;
    for file in std::mem::take(&mut triaged.gone) {
        let file: &Path = file.as_ref();
        if !was_asked(file, asked) {
            continue;
        }
        match context.clock.has_seen_written(file) {
            true => triaged.recount("gone", "flaky"),
            false => put_aside(file, &context.gone())?,
        }
    }
    for file in std::mem::take(&mut triaged.unreadable) {
        put_aside(file.as_ref(), &context.unreadable())?;
    }
    // Groups of which all files were put aside; others are not empty, and stay.
    entries.iter().map(fs::DirEntry::path).filter(|path| path.is_dir()).for_each(|path| drop(fs::remove_dir(path)));
    // All files are sorted; exit code 2: some are no cases.
    if matches!(ended.code, Some(0 | 1)) { Ok(()) } else { Err(ended.error("triage")) }
}

impl Triaged {
    /// Counts a file in another place: what was found tonight and shows in no replay is flaky, for nothing was mended since.
    pub fn recount(&mut self, from: &str, to: &str) {
        if let Some(count) = self.counts.get_mut(from) {
            *count = count.saturating_sub(1);
        }
        *self.counts.entry(to.to_owned()).or_default() += 1;
    }

    /// Reads the table.
    fn read(json: &Json) -> Result<Triaged, JsonError> {
        let WrittenTable { counts, buckets, gone, unreadable, .. } = WrittenTable::read(json)?;
        Ok(Triaged {
            counts: BTreeMap::read(&counts.write())?,
            findings: buckets.into_iter().map(finding).collect(),
            gone: gone.into_iter().map(|one| one.file).collect(),
            unreadable: unreadable.into_iter().map(|one| one.file).collect(),
        })
    }
}

fn finding(bucket: WrittenBucket) -> RecordedFinding {
    let WrittenBucket { signature, new, known, what, count, size, case, command, .. } = bucket;
    let document = document(case.as_ref());
    RecordedFinding { signature, new, known, what, count, size, case, command, document }
}

/// The case file, if it is short enough for a record. A file that cannot be read has no document.
pub fn document(path: &Path) -> Option<Json> {
    let bytes = fs::read(path).ok()?;
    let json = Json::parse_bytes(&bytes).ok()?;
    (json.to_compact().len() <= MAX_DOCUMENT).then_some(json)
}

/// Whether the subjects that a finding was seen with are among those that were asked; a night that names none asks those of the files.
/// A finding that shows nothing without its subject is not gone. A file without a list of subjects counts as asked.
fn was_asked(path: &Path, asked: &[String]) -> bool {
    let found = fs::read(path).ok().and_then(|bytes| Json::parse_bytes(&bytes).ok());
    let found = found.and_then(|case| KeptFinding::read(case.member("finding")?).ok()).unwrap_or_default();
    asked.is_empty() || found.subjects.iter().all(|subject| asked.contains(subject))
}

/// Whether a file is a finding, or a folder has one: a run puts its findings into folders, one for each likely cause.
fn has_finding(entry: &fs::DirEntry) -> bool {
    let path = entry.path();
    match path.is_dir() {
        // A folder that cannot be read is for triage to report.
        true => folder::entries(&path).map_or(true, |below| below.iter().any(has_finding)),
        false => is_finding(&entry.file_name().to_string_lossy()),
    }
}

/// Whether triage takes a file: a case, or an artifact of a fuzzer.
fn is_finding(name: &str) -> bool {
    let is_case = name.ends_with(".json") && !name.starts_with('.');
    is_case || is_artifact_name(name)
}

/// Moves a file into a folder.
///
/// # Errors
/// A folder that cannot be made, or a file that cannot be moved.
pub fn put_aside(file: &Path, folder: &Path) -> Result<(), PhaseError> {
    let Some(name) = file.file_name() else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|problem| PhaseError::of_file("make", folder, &problem))?;
    fs::rename(file, folder.join(name)).map_err(|problem| PhaseError::of_file("rename", file, &problem))
}

fn remove(file: &Path) -> Result<(), PhaseError> {
    match fs::remove_file(file) {
        Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => {
            Err(PhaseError::of_file("remove", file, &problem))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::{Counts, GoneFile};

    fn table() -> WrittenTable {
        let bucket = WrittenBucket {
            number: 1,
            signature: "s".into(),
            new: true,
            known: None,
            what: Some("w".into()),
            count: 2,
            size: 70,
            shrunk: true,
            case: "none.json".into(),
            command: "planfuzz probe none.json".into(),
            may_be: Vec::new(),
            may_be_known: None,
            signatures: [("s".into(), 2)].into(),
            files: vec!["a".into(), "b".into()],
        };
        WrittenTable {
            counts: Counts { files: 3, reproduce: 2, gone: 1, new: 1, ..Counts::default() },
            buckets: vec![bucket],
            gone: vec![GoneFile { file: "c".into(), recorded: None }],
            ..WrittenTable::default()
        }
    }

    #[test]
    fn drafts_are_no_findings() {
        assert!(["a.json", "crash-1f", "oom-2", "slow-unit-3"].iter().all(|name| is_finding(name)));
        assert!([".planfuzz-x.draft", ".a.json", "notes.txt"].iter().all(|name| !is_finding(name)));
    }

    #[test]
    fn a_folder_without_files_has_no_finding() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("group/deeper")).unwrap();
        let entry = || folder::entries(folder.path()).unwrap().remove(0);
        assert!(!has_finding(&entry()));
        fs::write(folder.path().join("group/deeper/a.json"), "{}").unwrap();
        assert!(has_finding(&entry()));
    }

    #[test]
    fn what_was_found_tonight_and_shows_no_more_is_flaky() {
        let mut triaged = Triaged::read(&table().write()).unwrap();
        triaged.recount("gone", "flaky");
        assert_eq!((triaged.counts["gone"], triaged.counts["flaky"]), (0, 1));
    }

    #[test]
    fn a_finding_whose_subject_was_not_asked_is_not_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("case.json");
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        fs::write(&path, r#"{"finding":{"signature":"s","subjects":["reference","exec:old"]}}"#).unwrap();
        assert!(was_asked(&path, &[]));
        assert!(was_asked(&path, &names(&["reference", "exec:old", "exec:new"])));
        assert!(!was_asked(&path, &names(&["reference", "exec:new"])));
    }

    #[test]
    fn the_table_of_a_triage_is_read() {
        let triaged = Triaged::read(&table().write()).unwrap();
        assert_eq!((triaged.counts["files"], triaged.counts["new_buckets"]), (3, 1));
        assert_eq!((triaged.findings.len(), triaged.gone), (1, vec!["c".to_owned()]));
        let [finding] = &triaged.findings[..] else { panic!("one") };
        assert_eq!((finding.new, finding.count, finding.document.as_ref()), (true, 2, None));
        assert!(Triaged::read(&Json::parse("{}").unwrap()).is_err());
    }
}
