//! The implementations of the semantics know values, schemas, the planner trait and the dialect table, and nothing of one another: a helper
//! that two of them share is a bug that no comparison can see.
//!
//! Each implementation is a crate, so the compiler enforces the wall: a crate cannot use what is not among its dependencies. This test
//! checks the list of those dependencies, and that no source is included around it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates, and the crates of the project that each may use, tests apart.
const WALLS: [(&str, &[&str]); 15] = [
    ("core", &["planting"]),
    ("core/planting", &[]),
    ("core/reference", &["core"]),
    ("core/optimized", &["core"]),
    ("core/rules", &["core"]),
    // Core's rules are checked on what a provider does, so no planner may take part in it.
    ("core/pipelines", &["core", "planting"]),
    ("core/naive", &["core", "pipelines"]),
    ("core/language", &["core"]),
    ("core/language/naive", &["core", "language"]),
    ("core/language/generate", &["core", "language"]),
    ("core/language/compiled", &["core", "language", "planting"]),
    ("core/workspace", &["core", "language"]),
    ("core/workspace/reference", &["core", "language", "language-naive", "reference", "workspace"]),
    ("core/workspace/optimized", &["core", "language", "language-compiled", "optimized", "workspace"]),
    ("core/workspace/rules", &["core", "language", "rules", "workspace"]),
];

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the project that a manifest names as dependencies, by section.
fn known(manifest: &str) -> BTreeMap<String, Vec<String>> {
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else if section.ends_with("dependencies") {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            if let Some(own) = name.strip_prefix("planfuzz-") {
                sections.entry(section.clone()).or_default().push(own.to_owned());
            }
        } else {
            assert!(!section.contains("dependencies."), "a dependency in a form that is not read here: [{section}]");
        }
    }
    sections
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The code of a file without comments, which may contain any words.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn no_writing_knows_another() {
    for (folder, allowed) in WALLS {
        let manifest = fs::read_to_string(project().join(folder).join("Cargo.toml")).expect("a manifest");
        // Dependencies of tests alone do not matter.
        let sections = known(&manifest).into_iter().filter(|(section, _)| section != "dev-dependencies");
        let mut known = sections.flat_map(|(_, names)| names);
        let through = known.find(|name| !allowed.contains(&name.as_str()));
        assert_eq!(through, None, "{folder} knows more of the project than its walls let through: {allowed:?}");
    }
}

#[test]
fn no_writing_takes_a_source_of_another() {
    for (folder, _) in WALLS {
        let files = sources(&project().join(folder).join("src"));
        assert!(!files.is_empty(), "{folder} has sources");
        for file in files {
            let code = code(&file);
            let leaves = code.lines().any(|line| line.contains("#[path") && line.contains('/'));
            let around = leaves || code.matches("include!").count() != code.matches("OUT_DIR").count();
            assert!(!around, "{} takes in a source of elsewhere", file.display());
        }
    }
}

/// The second implementation of what planners share uses data of the first, but no computation.
#[test]
fn the_naive_writing_takes_data_alone() {
    let files = sources(&project().join("core").join("naive").join("src"));
    assert!(files.len() > 15, "the naive writing has sources");
    let mut checked = 0;
    for file in files {
        let code = code(&file);
        for part in ["planfuzz_core::", "planfuzz_pipelines::"] {
            for after in code.split(part).skip(1) {
                for item in items(after.split(';').next().unwrap_or_default()) {
                    let is_data = item.chars().next().is_some_and(char::is_uppercase);
                    assert!(is_data, "{} takes {item} of {part}", file.display());
                    checked += 1;
                }
            }
        }
        // A text that holds a document is parsed like every document; the meaning of its parts is not used there.
        let reads_documents = file.ends_with("model/form.rs");
        for operation in
            ["Number::parse", "Json::parse", ".conforms_to(", ".to_v05_text(", ".from_json(", "::from_json("]
        {
            let may = reads_documents && operation == "Json::parse";
            assert!(may || !code.contains(operation), "{} calls {operation}", file.display());
        }
    }
    assert!(checked > 20, "found only {checked} uses: the test has gone blind");
}

/// The last names in the path of a `use`.
fn items(path: &str) -> Vec<&str> {
    let list = path.rsplit_once('{').map_or(path.rsplit("::").next().unwrap_or(path), |(_, items)| items);
    let names = list.split([',', '}', '{']).map(str::trim).filter(|item| !item.is_empty());
    names.map(|item| item.rsplit("::").next().unwrap_or(item)).collect()
}

#[test]
fn the_tests_would_notice() {
    let manifest = "[dependencies]\nplanfuzz-core.workspace = true\nplanfuzz-rules = { workspace = true }\n[dev-dependencies]\nplanfuzz-x = \"1\"\n";
    let found = known(manifest);
    assert_eq!(found["dependencies"], ["core", "rules"]);
    assert_eq!(found["dev-dependencies"], ["x"]);
    assert_eq!(items("value::{Value, set::build}"), ["Value", "build"]);
}
