//! The reference's answers to every curated case, for reading: purpose, schema, inputs and answers; scenarios step by step.
//!
//! `INSTA_UPDATE=always cargo test --test snapshots` writes them anew; a reviewer compares each change with docs/spec.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use planfuzz::case::{Case, CaseFile};
use planfuzz::report::{self, Detail};
use planfuzz::subject::{InProcess, Subject};
use planfuzz_core::json::Json;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The names, without extension, of the files of a folder that have one.
fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of a folder that is read").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}

fn rendering(case: &Case) -> String {
    let inputs = report::plain(&report::inputs(case));
    let mut text = format!("{}\n", case.dialect) + &inputs;
    let outcomes = InProcess::reference().answer(std::slice::from_ref(case)).pop().expect("a list for each case");
    for (op, outcome) in case.ops().into_iter().zip(&outcomes) {
        let answer = report::answer(case, op, outcome, Detail::Full);
        let answer: Vec<_> = answer.into_iter().map(|line| line.indented(2)).collect();
        text += &format!("\n{op}\n{}", report::plain(&answer));
    }
    text
}

/// The reference's run of a scenario, step by step.
fn transcript(case: &Case) -> String {
    let mut text = format!("{}\n", case.dialect) + &report::plain(&report::inputs(case)) + "\n";
    let outcomes = InProcess::reference().answer(std::slice::from_ref(case)).pop().expect("a list for each case");
    for (op, outcome) in case.ops().into_iter().zip(&outcomes) {
        text += &report::plain(&report::answer(case, op, outcome, Detail::Full));
    }
    text
}

/// Compares the rendering of every case of a folder with its snapshot.
fn hold(cases: &str, snapshots: &str, render: fn(&Case) -> String) {
    let cases = folder(cases);
    for name in names(&cases, "json") {
        let bytes = fs::read(cases.join(format!("{name}.json"))).expect("a file that was listed");
        let file = Json::parse_bytes(&bytes).and_then(|json| CaseFile::from_json(&json));
        let case = file.unwrap_or_else(|problem| panic!("{name}: {problem}")).case;
        if case.purpose.is_empty() {
            // Kept for the code that it reaches and not for a purpose: there is nothing to review.
            continue;
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(format!("../{snapshots}"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(case.purpose.as_str());
        settings.bind(|| insta::assert_snapshot!(name.as_str(), render(&case)));
    }
}

#[test]
fn curated_cases() {
    hold("corpus/planner", "snapshots/snapshots", rendering);
}

#[test]
fn curated_scenarios() {
    hold("corpus/lifecycle", "snapshots/transcripts", transcript);
}

#[test]
fn curated_workspaces() {
    hold("corpus/workspace-cases", "snapshots/workspaces", transcript);
}

#[test]
fn every_snapshot_has_its_case() {
    for (snapshots, cases) in [
        ("snapshots/snapshots", "corpus/planner"),
        ("snapshots/transcripts", "corpus/lifecycle"),
        ("snapshots/workspaces", "corpus/workspace-cases"),
    ] {
        let (snapshots, cases) = (names(&folder(snapshots), "snap"), names(&folder(cases), "json"));
        let orphans: Vec<_> = snapshots.difference(&cases).collect();
        assert!(orphans.is_empty(), "snapshots without a case: {orphans:?}");
    }
}
