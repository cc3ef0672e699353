//! Configurations as people write them, of two dozen providers, all of them valid to a real engine in both syntaxes: they are read without
//! an error, and written as JSON syntax they are read as the same.

use planfuzz_core::json::Json;
use planfuzz_language::check::{Schemas, validate};
use planfuzz_language::config::{Configuration, load};
use planfuzz_language::laws::{Syntax, round_trip};
use planfuzz_language::write::write_module;
use planfuzz_language::{Diagnostic, Sources};

/// All workspaces by name.
fn workspaces() -> Vec<(String, Sources)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/workspaces/native.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let workspace = |line: &str| {
        let json = Json::parse(line).expect("a line of the corpus is JSON");
        let name = json.member("name").expect("a name").expect_string().expect("a text").to_owned();
        let mut sources = Sources::new();
        for (path, content) in json.member("files").expect("files").expect_object().expect("an object") {
            sources.add(&**path, content.expect_string().expect("a text")).expect("a small file");
        }
        (name, sources)
    };
    text.lines().map(workspace).collect()
}

fn errors(sources: &Sources) -> (Configuration, Vec<String>) {
    let loaded = load(sources, "");
    let mut diagnostics = loaded.diagnostics;
    // No schemas of providers are used; in bodies of unknown types only references are checked.
    diagnostics.extend(validate(&loaded.configuration, sources, &Schemas::default()));
    let errors = diagnostics.iter().filter(|one| one.is_error());
    let shown = |one: &Diagnostic| {
        let place = one.place.map_or(String::new(), |place| format!("{} {:?}", sources.path(place.file), place.span));
        format!("{place}: {}", one.summary)
    };
    (loaded.configuration, errors.map(shown).collect())
}

/// The modules of a workspace, all in JSON syntax.
fn as_json(configuration: &Configuration, sources: &Sources) -> Sources {
    let mut written = Sources::new();
    let mut waiting = vec![configuration];
    while let Some(configuration) = waiting.pop() {
        let directory = configuration.module.directory.as_str();
        let path = if directory.is_empty() { "main.tf.json".to_owned() } else { format!("{directory}/main.tf.json") };
        let text = write_module(&configuration.module, sources, &Schemas::default()).to_text();
        written.add(path, text).expect("a small file");
        waiting.extend(configuration.children.values());
    }
    written
}

#[test]
fn both_syntaxes_of_every_workspace_are_without_errors() {
    let workspaces = workspaces();
    assert_eq!(workspaces.len(), 24);
    for (name, sources) in &workspaces {
        let (configuration, found) = errors(sources);
        assert!(found.is_empty(), "{name}: {found:#?}");
        let written = as_json(&configuration, sources);
        let (again, found) = errors(&written);
        assert!(found.is_empty(), "{name} as JSON: {found:#?}");
        let rewritten = as_json(&again, &written);
        for (path, file) in written.iter() {
            let same = rewritten.find(path).map(|file| rewritten.bytes(file));
            assert_eq!(same, Some(written.bytes(file)), "{name}: {path} is written as it was");
        }
    }
}

#[test]
fn every_file_is_taken_and_written_as_the_same() {
    let mut taken = 0;
    for (name, sources) in workspaces() {
        for (path, file) in sources.iter() {
            let outcome = round_trip(sources.bytes(file), Syntax::Native);
            taken += usize::from(outcome.unwrap_or_else(|law| panic!("{name} {path}: {law}")));
        }
    }
    assert!(taken > 70, "only {taken} files were taken alone");
}
