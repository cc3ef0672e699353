//! The fuzz targets without a fuzzer: the committed corpus holds, and keeps its meaning for ever.

use std::fs;
use std::path::{Path, PathBuf};

use planfuzz::case::CaseFile;
use planfuzz::fuzz::{Document, Fuzzer, InputOutcome, Target, export, wire};
use planfuzz::generate::{Breed, Mutator, Settings};
use planfuzz_core::json::Json;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder of the project, sorted by name.
fn files(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder(name))
        .unwrap_or_else(|problem| panic!("{name}: {problem}"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

/// The regressions are of all kinds: each is checked by the targets of which it is an input.
#[test]
fn every_committed_regression_is_an_input_of_a_target_and_holds() {
    let mut fuzzers = [Target::Planner, Target::Lifecycle, Target::Workspace].map(Fuzzer::new);
    for (path, bytes) in files("corpus/regressions") {
        let lines: Vec<String> = fuzzers.iter_mut().map(|fuzzer| line_of(&fuzzer.run(&bytes))).collect();
        assert!(lines.iter().any(|line| line == "held"), "{}: {lines:?}", path.display());
        assert!(lines.iter().all(|line| line == "held" || line == "rejected"), "{}: {lines:?}", path.display());
    }
}

/// The outcome of a file, as a line.
fn line_of(outcome: &InputOutcome) -> String {
    match outcome {
        InputOutcome::Held => "held".to_owned(),
        InputOutcome::Rejected => "rejected".to_owned(),
        InputOutcome::Found(troubles) => troubles.iter().map(|trouble| format!("{}; ", trouble.signature)).collect(),
    }
}

#[test]
fn the_committed_corpus_is_a_seed_corpus_as_it_is_and_holds() {
    for (target, name) in [
        (Target::Planner, "corpus/planner"),
        (Target::Lifecycle, "corpus/lifecycle"),
        (Target::Workspace, "corpus/workspace-cases"),
        (Target::Codecs, "corpus/codecs"),
    ] {
        let mut fuzzer = Fuzzer::new(target);
        let files = files(name);
        assert!(!files.is_empty(), "{name} has inputs");
        for (path, bytes) in &files {
            assert_eq!(line_of(&fuzzer.run(bytes)), "held", "{}", path.display());
        }
        let tally = fuzzer.tally();
        println!(
            "{name}: {} files, {} comparisons, {} checks",
            files.len(),
            tally.summary.comparisons,
            tally.summary.checks
        );
    }
}

#[test]
fn the_committed_corpus_is_small() {
    let size = |name: &str| files(name).iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let all = ["corpus/planner", "corpus/lifecycle", "corpus/codecs"].map(size);
    assert!(all.iter().sum::<usize>() < 5_000_000, "{all:?}");
}

#[test]
fn documents_of_codecs_are_kept_under_the_name_of_their_content() {
    for (path, bytes) in files("corpus/codecs") {
        let document = Document::read(&bytes).unwrap_or_else(|| panic!("{}: no document", path.display()));
        let kept = export(Target::Codecs, &document.to_raw()).expect("a document");
        assert_eq!(path.file_name().and_then(|name| name.to_str()), Some(&*kept.name));
    }
}

/// Frozen case files of every format number that there ever was: each is read with its original meaning.
#[test]
fn files_of_every_past_format_are_read_for_ever() {
    let formats = [1];
    for number in formats {
        let files = files(&format!("tests/formats/{number}"));
        assert!(files.len() >= 5, "files of format {number}");
        for (path, bytes) in files {
            let document = Json::parse_bytes(&bytes).expect("JSON");
            assert_eq!(document.member("format"), Some(&Json::int(u64::from(number as u32))), "{}", path.display());
            let read = CaseFile::from_json(&document).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
            // In the newest format they have the same meaning.
            let again = read.to_json();
            let reread = CaseFile::from_json(&again).expect("a case");
            assert_eq!(reread.to_json(), again, "{}", path.display());
            if number == planfuzz::case::FORMAT as i32 {
                assert_eq!(again, document, "{} means what it meant", path.display());
            }
        }
    }
}

/// The generator's settings, and the cases it has made before, do not affect a stored case.
#[test]
fn changing_the_generator_does_not_change_a_stored_case() {
    let stored = files("corpus/planner").into_iter().chain(files("corpus/lifecycle")).step_by(9);
    for (path, bytes) in stored {
        let before = wire::read(&bytes).expect("a case");
        for (settings, breed) in [(Settings::TINY, Breed::Merges), (Settings::HOSTILE, Breed::Scenarios)] {
            let mutator = Mutator::new(breed, settings);
            mutator.mutated(&mutator.fresh(1), 2);
            mutator.mutated(&before, 3);
            let after = wire::read(&bytes).expect("a case");
            assert_eq!(before.to_json(), after.to_json(), "{}", path.display());
            // Nor does the compact form, which is valid for this build only.
            assert_eq!(wire::read(&wire::write(&after)).expect("a case").to_json(), before.to_json());
        }
    }
}
