//! The three writings of the semantics know values, schemas, the planner trait and the dialect table, and nothing of one
//! another: a helper that two of them share is a bug that no comparison can see.

use std::fs;
use std::path::{Path, PathBuf};

/// The writings that must not name one another.
const WRITINGS: [&str; 3] = ["reference", "optimized", "rules"];

/// What each of them may use of the crate.
const SHARED: [&str; 8] = ["dialect", "json", "msgpack", "planner", "plans", "schema", "state", "value"];

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

fn core(writing: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("core").join("src").join(writing)
}

/// The code of a file without comments: words may be said in prose.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// What a source names of the crate: the words after `crate::`, in braces too.
fn named(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        let list = match after.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default(),
            None => after,
        };
        let items: Vec<&str> = if after.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for item in items {
            let word: String = item.trim().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
            if !word.is_empty() {
                names.push(word);
            }
        }
    }
    names
}

#[test]
fn none_of_the_three_writings_names_another() {
    let mut checked = 0;
    for writing in WRITINGS {
        let files = sources(&core(writing));
        assert!(!files.is_empty(), "{writing} has sources");
        for file in files {
            let code = code(&file);
            for name in named(&code) {
                let own = name == writing;
                assert!(own || SHARED.contains(&name.as_str()), "{} uses crate::{name}", file.display());
                checked += 1;
            }
            let escapes = code.contains("planfuzz_core::") || code.contains("#[path") || code.contains("include!");
            assert!(!escapes, "{} reaches around the module tree", file.display());
        }
    }
    assert!(checked > 30, "found only {checked} uses: the test has gone blind");
}

/// The second writing of what planners share takes data from the first, and nothing that computes.
#[test]
fn the_naive_writing_takes_data_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("core").join("naive").join("src");
    let files = sources(&folder);
    assert!(files.len() > 15, "the naive writing has sources");
    let mut checked = 0;
    for file in files {
        let code = code(&file);
        for after in code.split("planfuzz_core::").skip(1) {
            let path = after.split(';').next().unwrap_or_default();
            let of = |text: &str| text.trim().split("::").next().unwrap_or_default().to_owned();
            let part = of(path);
            let parts = ["dialect", "json", "planner", "provider", "schema", "value"];
            assert!(parts.contains(&&*part), "{} takes planfuzz_core::{part}", file.display());
            let items = path.rsplit_once('{').map_or(path.rsplit("::").next().unwrap_or(path), |(_, items)| items);
            for item in items.split([',', '}', '{']).map(str::trim).filter(|item| !item.is_empty()) {
                let item = item.rsplit("::").next().unwrap_or(item);
                let is_data = item.chars().next().is_some_and(char::is_uppercase);
                assert!(is_data, "{} takes {item} of planfuzz_core", file.display());
                checked += 1;
            }
        }
        // A text that holds a document is read as every document is; what its parts mean is not asked there.
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

/// What a provider does is what Core's rules are held against, so no planner may have a hand in it. It knows the calls that
/// planners make (`planner`), and none of those who make them.
#[test]
fn providers_know_no_planner() {
    let files = sources(&core("provider"));
    assert!(files.len() > 20, "provider has sources");
    // Its tests play lives, for which it takes a planner.
    let is_test = |file: &PathBuf| file.file_stem().is_some_and(|name| name == "tests");
    for file in files.into_iter().filter(|file| !is_test(file)) {
        let names = named(&code(&file));
        let planner = names.iter().find(|name| WRITINGS.contains(&name.as_str()));
        assert!(planner.is_none(), "{} uses crate::{}", file.display(), planner.map_or("", |name| name));
    }
}

#[test]
fn no_relative_path_leaves_a_writing() {
    for writing in WRITINGS {
        let root = core(writing);
        for file in sources(&root) {
            let below = file.strip_prefix(&root).expect("below its folder");
            // mod.rs is at the folder's own level, every other file and folder one further down; tests are one module down.
            let is_mod = file.file_name().is_some_and(|name| name == "mod.rs");
            let depth = below.components().count() - usize::from(is_mod);
            let most = code(&file).split("super::").count().saturating_sub(1);
            let longest = (1..=most).take_while(|n| code(&file).contains(&"super::".repeat(*n))).count();
            assert!(longest <= depth + 1, "{} climbs {longest} levels from depth {depth}", file.display());
        }
    }
}

#[test]
fn the_test_would_notice() {
    assert_eq!(named("use crate::{value::Value, optimized};\ncrate::rules::x()"), ["value", "optimized", "rules"]);
}
