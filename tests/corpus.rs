//! The corpus replayed: every case on disk is read, survives writing, and holds.

#[path = "common/cores.rs"]
mod cores;

use std::fs;
use std::path::{Path, PathBuf};

use cores::on_every_core;
use planfuzz::case::{Call, Case, CaseFile, SchemaCall, Task};
use planfuzz::compare::{Answers, Finding, Judge, Summary};
use planfuzz::fuzz::Kept;
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;

/// Every case file below a folder, sorted.
fn case_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display())) {
            let path = entry.expect("an entry of a folder that is read").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "json" => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

fn corpus() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        (path, text)
    };
    // Documents for readers of bytes are no cases, nor are directories of configurations: tests/fuzzing.rs has the former,
    // the tests of the configuration language the latter; artifacts of engines are read by the tests of `import` and `lint`.
    let others = ["artifacts", "codecs", "workspaces"].map(|name| folder.join(name));
    let files = case_files(&folder).into_iter().filter(|path| !others.iter().any(|other| path.starts_with(other)));
    files.map(read).collect()
}

/// Whether a case is kept for the code that it reaches, as `distil` names them, and not for a purpose of its author.
fn is_distilled(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(Kept::is_name)
}

fn read(path: &Path, text: &str) -> CaseFile {
    let json = Json::parse(text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    CaseFile::from_json(&json).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
}

fn schema_of(case: &Case) -> Option<&Schema> {
    match &case.task {
        Task::Merge(merge) => Some(&merge.schema),
        Task::Call(call @ (Call::Merge(_) | Call::Instance(_) | Call::Scenario(_))) => {
            call.schema().map(|schema| &**schema)
        }
        Task::Call(Call::Schema(
            SchemaCall::Coerce { schema, .. }
            | SchemaCall::EmptyValue { schema }
            | SchemaCall::SchemaType { schema }
            | SchemaCall::SensitivePaths { schema, .. }
            | SchemaCall::WriteOnlyPaths { schema, .. },
        )) => Some(schema),
        Task::Call(_) => None,
    }
}

#[test]
fn every_file_is_a_case_as_it_is_written() {
    let corpus = corpus();
    for (path, text) in &corpus {
        let file = read(path, text);
        let has_purpose = !file.case.purpose.is_empty() || is_distilled(path);
        assert!(has_purpose, "{}: expected a purpose", path.display());
        assert!(!file.case.purpose.contains('\n'), "{}: expected a purpose of one line", path.display());
        // The written case is the one that was read: values compare as text here, records and types included.
        assert_eq!(file.to_json().to_pretty() + "\n", *text, "{}", path.display());
        let schema = schema_of(&file.case);
        let problems = schema.map(|schema| schema.problems(file.case.dialect)).unwrap_or_default();
        assert!(problems.is_empty(), "{}: {problems:?}", path.display());
    }
    assert!(corpus.len() > 100, "expected the curated cases, found {}", corpus.len());
}

#[test]
fn every_case_holds() {
    let corpus = corpus();
    // A part is long enough that its subjects cost nothing beside it, and short enough that no core waits for another.
    let parts: Vec<&[(PathBuf, String)]> = corpus.chunks(64).collect();
    let (mut summary, mut failures) = (Summary::default(), Vec::new());
    for (of_part, found) in on_every_core(parts.len(), |part| failures_of(parts[part])) {
        summary.add(of_part);
        failures.extend(found);
    }
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), corpus.len(), failures.join("\n"));
    assert_eq!(summary.tally.tolerated, 0);
    assert!(summary.left_out.is_empty(), "{:?}", summary.left_out);
    println!("{} cases, {} comparisons, {} checks", corpus.len(), summary.comparisons, summary.checks);
}

fn failures_of(part: &[(PathBuf, String)]) -> (Summary, Vec<String>) {
    let (mut reference, mut optimized) = (InProcess::reference(), InProcess::optimized().only_plans());
    let (mut summary, mut failures) = (Summary::default(), Vec::new());
    for (path, text) in part {
        let case = read(path, text).case;
        let found = judge(&case, &mut [&mut reference, &mut optimized], &mut summary);
        failures.extend(found.iter().map(|found| format!("{}: {}", path.display(), found.what)));
    }
    (summary, failures)
}

fn judge(case: &Case, subjects: &mut [&mut InProcess], summary: &mut Summary) -> Vec<Finding> {
    let judge = Judge::default();
    let outcomes: Vec<Vec<Outcome>> =
        subjects.iter_mut().flat_map(|subject| subject.answer(std::slice::from_ref(case))).collect();
    let answers = subjects.iter().zip(&outcomes);
    let answers: Vec<Answers<'_>> = answers.map(|(subject, outcomes)| Answers::of(&**subject, outcomes)).collect();
    let mut found = judge.judge(case, &answers, summary);
    for subject in subjects.iter() {
        found.extend(judge.properties_of(case, &**subject, |_| true, summary));
    }
    found
}
