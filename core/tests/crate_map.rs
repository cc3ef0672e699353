//! The map of crates in docs/architecture.md is what the manifests say: no circle, no arrow too many, none missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What each crate knows of the project, by name.
type Known = BTreeMap<String, BTreeSet<String>>;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
}

/// The name of the package of a manifest, and what it depends on of the project: what tests alone use is left out.
fn package(manifest: &str) -> (String, BTreeSet<String>) {
    let (mut section, mut name, mut known) = ("", String::new(), BTreeSet::new());
    for line in manifest.lines().map(str::trim) {
        if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = title;
        } else if section == "package" && line.starts_with("name = ") {
            name = line.split('"').nth(1).expect("a name").to_owned();
        } else if section.ends_with("dependencies")
            && !["dev-dependencies", "workspace.dependencies"].contains(&section)
        {
            let key = line.split(['.', '=', ' ']).next().unwrap_or_default();
            known.extend(key.starts_with("planfuzz").then(|| key.to_owned()));
        }
    }
    (name, known)
}

/// The crates of the workspace.
fn crates() -> Known {
    let root = text("Cargo.toml");
    let members = root.lines().find_map(|line| line.strip_prefix("members = ")).expect("the members");
    let folders = members.split('"').skip(1).step_by(2).map(|folder| format!("{folder}/Cargo.toml"));
    let manifests = folders.chain(["Cargo.toml".to_owned()]);
    manifests.map(|manifest| package(&text(&manifest))).collect()
}

/// All that a crate knows, directly or through another.
fn reached(of: &str, crates: &Known) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&String> = crates[of].iter().collect();
    while let Some(name) = waiting.pop() {
        if reached.insert(name.clone()) {
            waiting.extend(&crates[name]);
        }
    }
    reached
}

/// How long the longest way down is.
fn layer(of: &str, crates: &Known) -> usize {
    assert!(!reached(of, crates).contains(of), "{of} knows itself: a circle");
    crates[of].iter().map(|name| layer(name, crates) + 1).max().unwrap_or(0)
}

/// The map: a line a crate, lowest first, with the crates that it knows and does not know through another.
fn map(crates: &Known) -> String {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (name, known) in crates {
        let through: BTreeSet<String> = known.iter().flat_map(|name| reached(name, crates)).collect();
        let direct: Vec<&str> = known.difference(&through).map(|name| short(name)).collect();
        let arrow = if direct.is_empty() { String::new() } else { format!(" → {}", direct.join(", ")) };
        lines.push((layer(name, crates), format!("{}{arrow}", short(name))));
    }
    lines.sort();
    let mut map = String::new();
    let mut last = None;
    for (layer, line) in lines {
        let number = if last == Some(layer) { "  ".to_owned() } else { format!("{layer:<2}") };
        last = Some(layer);
        writeln!(map, "{number}  {line}").expect("a string");
    }
    map
}

fn short(name: &str) -> &str {
    name.strip_prefix("planfuzz-").unwrap_or(name)
}

#[test]
fn the_map_of_crates_is_that_of_the_manifests() {
    let crates = crates();
    assert!(crates.len() > 20, "only {} crates: the reader has gone blind", crates.len());
    let map = map(&crates);
    let page = text("docs/architecture.md");
    let shown = page.split("<!-- map of crates -->\n\n```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(shown, Some(map.as_str()), "docs/architecture.md should have:\n{map}");
}

#[test]
fn dependencies_known_through_another_have_no_arrow() {
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let crates = Known::from([("a".into(), of(&[])), ("b".into(), of(&["a"])), ("c".into(), of(&["a", "b"]))]);
    assert_eq!(map(&crates), "0   a\n1   b → a\n2   c → b\n");
}
