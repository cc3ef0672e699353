//! Manifests leave out nothing that exists, and name nothing that is not used: a crate with `doctest = false` has no example in its
//! documentation, which would never be run, and what a crate depends on is named in its sources.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of all crates of the workspace.
fn members() -> Vec<PathBuf> {
    let manifest = fs::read_to_string(project().join("Cargo.toml")).expect("the manifest of the workspace");
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = ")).expect("the members on a line");
    members.split('"').skip(1).step_by(2).chain(["."]).map(|member| project().join(member)).collect()
}

/// The Rust files in a folder, without those of crates in folders below.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_other = path.ends_with("target") || path.join("Cargo.toml").exists();
        match path.is_dir() {
            true if is_other => {}
            true => sources(&path, found),
            false => found.extend(path.extension().is_some_and(|extension| extension == "rs").then_some(path)),
        }
    }
}

/// The lines that begin an example: fences in doc comments that are not marked as something else than Rust.
fn examples(text: &str) -> Vec<usize> {
    let (mut found, mut is_open) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        let comment = ["///", "//!"].iter().find_map(|begin| line.trim_start().strip_prefix(begin));
        let Some(language) = comment.and_then(|comment| comment.trim_start().strip_prefix("```")) else { continue };
        is_open = !is_open;
        let is_rust = |word: &str| matches!(word.trim(), "" | "rust" | "should_panic" | "no_run" | "compile_fail");
        if is_open && language.split(',').all(is_rust) {
            found.push(number + 1);
        }
    }
    found
}

#[test]
fn crates_without_doctests_have_no_examples() {
    let mut without = 0;
    for member in members() {
        let manifest = fs::read_to_string(member.join("Cargo.toml")).expect("a manifest");
        if !manifest.lines().any(|line| line == "doctest = false") {
            continue;
        }
        without += 1;
        let mut found = Vec::new();
        sources(&member.join("src"), &mut found);
        for path in found {
            let lines = examples(&fs::read_to_string(&path).expect("a source"));
            assert!(lines.is_empty(), "{}:{lines:?} has an example, and doctest = false", path.display());
        }
    }
    assert!(without > 10, "only {without} crates");
}

/// The dependencies of a manifest, except those with a comment behind them that says what they are for.
fn dependencies(manifest: &str) -> Vec<String> {
    let (mut found, mut is_within) = (Vec::new(), false);
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_within = line.ends_with("dependencies]") && !line.starts_with("[workspace");
        } else if let Some((name, rest)) = line.split_once(['.', ' ']).filter(|(name, _)| is_within && *name != "#")
            && !rest.contains('#')
        {
            found.push(name.to_owned());
        }
    }
    found
}

#[test]
fn what_crates_depend_on_is_used() {
    let mut count = 0;
    for member in members() {
        let manifest = fs::read_to_string(member.join("Cargo.toml")).expect("a manifest");
        let mut found = Vec::new();
        sources(&member, &mut found);
        let text: String = found.iter().map(|path| fs::read_to_string(path).expect("a source")).collect();
        let words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for name in dependencies(&manifest) {
            count += 1;
            let is_used = [name.replace('-', "_"), name.replace('-', "")].iter().any(|name| words.contains(&**name));
            assert!(is_used, "{} does not use {name}", member.display());
        }
    }
    assert!(count > 200, "only {count} dependencies");
}

#[test]
fn a_dependency_is_seen() {
    let manifest = "[workspace.dependencies]\na = \"1\"\n[dependencies]\n# why\nb-c.workspace = true\nd = \"1\" # why\n[lints]\ne = 1";
    assert_eq!(dependencies(manifest), ["b-c"]);
}

#[test]
fn an_example_is_seen() {
    assert_eq!(
        examples("/// ```\n/// let a = 1;\n/// ```\n/// ```text\n/// a\n/// ```\n//! ```rust,no_run\n//! ```"),
        [1, 7]
    );
}
