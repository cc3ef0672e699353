//! What the reference makes of every curated scenario, to be read as a story: what was asked and answered, what the plan
//! says, what was saved.
//!
//! `INSTA_UPDATE=always cargo test --test stories` writes them anew; a reviewer holds each change against docs/spec.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use planfuzz::case::{Case, CaseFile};
use planfuzz::report::{self, Detail};
use planfuzz::subject::{InProcess, Subject};
use planfuzz_core::json::Json;
use planfuzz_core::reference::Reference;

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

fn story(case: &Case) -> String {
    let mut text = format!("{}\n", case.dialect) + &report::plain(&report::inputs(case)) + "\n";
    let outcomes = InProcess::new(Reference).answer(std::slice::from_ref(case)).pop().expect("a list for each case");
    for (op, outcome) in case.ops().into_iter().zip(&outcomes) {
        text += &report::plain(&report::answer(case, op, outcome, Detail::Full));
    }
    text
}

#[test]
fn curated_scenarios() {
    let scenarios = folder("corpus/lifecycle");
    for name in names(&scenarios, "json") {
        let bytes = fs::read(scenarios.join(format!("{name}.json"))).expect("a file that was listed");
        let file = Json::parse_bytes(&bytes).and_then(|json| CaseFile::from_json(&json));
        let case = file.unwrap_or_else(|problem| panic!("{name}: {problem}")).case;
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots/stories");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(case.purpose.as_str());
        settings.bind(|| insta::assert_snapshot!(name.as_str(), story(&case)));
    }
}

#[test]
fn every_story_has_its_scenario() {
    let stories = names(&folder("snapshots/stories"), "snap");
    let scenarios = names(&folder("corpus/lifecycle"), "json");
    let orphans: Vec<_> = stories.difference(&scenarios).collect();
    assert!(orphans.is_empty(), "stories without a scenario: {orphans:?}");
}
