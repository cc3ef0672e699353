//! The top folders of `src/` know one another in one direction only: there is no circle among them.
//!
//! A reader of a folder need not know what is above it, and a folder can become a crate when it is big enough. The compiler would
//! allow circles within a crate, so they are looked for here, by the rules that would hold between crates:
//!
//! * a path that begins with `crate`, or leaves its folder through `super`, is a dependency on the folder that it leads to;
//! * a name at the root of the crate is resolved through the `pub use` lines of `lib.rs`; one that cannot be resolved fails the test;
//! * an `impl` names something that its own folder defines, as the orphan rule asks between crates: otherwise a method could be used
//!   without a path that shows where it is written.
//!
//! What a re-export passes on needs no rule: the folder that re-exports depends on where the thing is from. Code of tests is left out:
//! between crates too, tests may use what is built upon them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of a folder, cut into words and signs, without comments, texts and tests.
struct Source {
    /// The path of its module, as `["compare", "life"]`.
    module: Vec<String>,
    /// Where it is, for messages.
    place: String,
    words: Vec<String>,
}

/// The sources of a crate.
struct Sources {
    files: Vec<Source>,
    /// What names at the root lead to: a folder each.
    roots: BTreeMap<String, String>,
}

/// The folders that each folder depends on, each with a place that shows it.
type Dependencies = BTreeMap<String, BTreeMap<String, String>>;

impl Sources {
    fn of_project() -> Sources {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        read_folder(&src, &mut Vec::new(), &mut files);
        Sources::new(files)
    }

    fn of_texts(texts: &[(&str, &str)]) -> Sources {
        Sources::new(texts.iter().map(|(place, text)| Source::new(module_of(place), place, text)).collect())
    }

    fn new(files: Vec<Source>) -> Sources {
        let lib = files.iter().find(|file| file.module.is_empty());
        let mut roots = BTreeMap::new();
        let folders: BTreeSet<String> = files.iter().filter_map(|file| file.module.first().cloned()).collect();
        roots.extend(folders.into_iter().map(|folder| (folder.clone(), folder)));
        for path in lib.into_iter().flat_map(Source::used) {
            if let [folder, .., name] = &path[..] {
                roots.insert(name.clone(), folder.clone());
            }
        }
        let tests: BTreeSet<Vec<String>> = files.iter().flat_map(Source::test_modules).collect();
        let is_test = |file: &Source| (1..=file.module.len()).any(|depth| tests.contains(&file.module[..depth]));
        Sources { files: files.into_iter().filter(|file| !is_test(file)).collect(), roots }
    }

    fn dependencies(&self) -> Result<Dependencies, String> {
        let mut all = Dependencies::new();
        for file in self.files.iter().filter(|file| !file.module.is_empty()) {
            let of = all.entry(file.module[0].clone()).or_default();
            for path in file.left() {
                let Some(name) = path.first() else { continue };
                let folder = self.roots.get(name);
                let folder = folder.ok_or_else(|| format!("{}: crate::{name} leads nowhere", file.place))?;
                if *folder != file.module[0] {
                    of.entry(folder.clone()).or_insert_with(|| format!("{}: {}", file.place, path.join("::")));
                }
            }
        }
        Ok(all)
    }

    /// The places of `impl`s that name nothing of their own folder.
    fn orphans(&self) -> Vec<String> {
        let mut defined: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in self.files.iter().filter(|file| !file.module.is_empty()) {
            defined.entry(&file.module[0]).or_default().extend(file.definitions());
        }
        let of_file = |file: &Source| {
            let own = &defined[&*file.module[0]];
            let is_orphan = |header: &&[String]| !header.iter().any(|word| own.contains(word.as_str()));
            let told = |header: &[String]| format!("{}: impl {}", file.place, header.join(" "));
            file.impls().into_iter().filter(|header| is_orphan(header)).map(told).collect::<Vec<_>>()
        };
        self.files.iter().filter(|file| !file.module.is_empty()).flat_map(of_file).collect()
    }
}

fn module_of(place: &str) -> Vec<String> {
    let mut module: Vec<String> = place.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib" || last == "main") {
        module.pop();
    }
    module
}

fn read_folder(folder: &Path, way: &mut Vec<String>, files: &mut Vec<Source>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        way.push(name);
        if path.is_dir() {
            read_folder(&path, way, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && way.join("/") != "main.rs" {
            let place = way.join("/");
            files.push(Source::new(module_of(&place), &place, &fs::read_to_string(&path).expect("a source")));
        }
        way.pop();
    }
}

impl Source {
    fn new(module: Vec<String>, place: &str, text: &str) -> Source {
        Source { module, place: place.to_owned(), words: without_tests(words(text)) }
    }

    /// The paths that lead out of the folder, from the root of the crate.
    fn left(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let mut module = self.module.clone();
        // How deep each module within the file began.
        let (mut depth, mut inner): (usize, Vec<usize>) = (0, Vec::new());
        let mut at = 0;
        while at < self.words.len() {
            let word = self.words[at].as_str();
            let next = |by: usize| self.words.get(at + by).map(String::as_str).unwrap_or_default();
            match word {
                "mod" if next(2) == "{" => {
                    module.push(next(1).to_owned());
                    inner.push(depth);
                    depth += 1;
                    at += 3;
                    continue;
                }
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    if inner.last() == Some(&depth) {
                        inner.pop();
                        module.pop();
                    }
                }
                "crate" | "super"
                    if next(1) == "::" && self.words.get(at.wrapping_sub(1)).is_none_or(|w| w != "::") =>
                {
                    let mut base = if word == "crate" { Vec::new() } else { module.clone() };
                    if word == "super" {
                        base.pop();
                    }
                    at += 2;
                    while self.words.get(at).is_some_and(|word| word == "super") {
                        base.pop();
                        at += if self.words.get(at + 1).is_some_and(|word| word == "::") { 2 } else { 1 };
                    }
                    let before = found.len();
                    self.paths(&mut at, &base, &mut found);
                    // What stays in the folder is of no interest.
                    let mut paths = found.split_off(before);
                    paths.retain(|path| path.first() != self.module.first());
                    found.extend(paths);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// What the `use` lines of a root lead to.
    fn used(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let starts = self.words.iter().enumerate().filter(|(_, word)| *word == "use").map(|(at, _)| at + 1);
        for mut at in starts.collect::<Vec<_>>() {
            self.paths(&mut at, &[], &mut found);
        }
        found
    }

    /// The paths from here on, as far as they go: those of a list each.
    fn paths(&self, at: &mut usize, base: &[String], found: &mut Vec<Vec<String>>) {
        let mut path = base.to_vec();
        loop {
            match self.words.get(*at).map(String::as_str) {
                Some("{") => {
                    *at += 1;
                    while self.words.get(*at).is_some_and(|word| word != "}") {
                        let before = *at;
                        self.paths(at, &path, found);
                        if self.words.get(*at).is_some_and(|word| word == "as") {
                            *at += 2;
                        }
                        if self.words.get(*at).is_some_and(|word| word == ",") || *at == before {
                            *at += 1;
                        }
                    }
                    *at += 1;
                    return;
                }
                Some(word) if word == "*" || is_name(word) => {
                    if word != "self" {
                        path.push(word.to_owned());
                    }
                    *at += 1;
                }
                _ => {}
            }
            if self.words.get(*at).is_some_and(|word| word == "::") {
                *at += 1;
            } else {
                found.push(path);
                return;
            }
        }
    }

    /// The modules that are only there for tests.
    fn test_modules(&self) -> Vec<Vec<String>> {
        let marks = self.words.windows(3).filter(|words| words[0] == TEST_MODULE && words[2] == ";");
        marks.map(|words| self.module.iter().chain([&words[1]]).cloned().collect()).collect()
    }

    /// The names of the types and traits that the file defines, itself or by what it hands to a macro.
    fn definitions(&self) -> impl Iterator<Item = &str> {
        let kinds = ["struct", "enum", "trait", "union", "type"];
        let pairs = self.words.windows(2).filter(move |words| kinds.contains(&words[0].as_str()));
        pairs.map(|words| words[1].as_str()).chain(self.handed_to_macros())
    }

    /// The names that stand before braces within the braces of a macro: what the macro makes types of.
    fn handed_to_macros(&self) -> impl Iterator<Item = &str> {
        let mut depth = 0_usize;
        let mut began = None;
        self.words.windows(2).enumerate().filter_map(move |(at, words)| {
            let is_call = at > 0 && words[0] == "!" && words[1] == "{" && is_name(&self.words[at - 1]);
            if is_call && began.is_none() {
                began = Some(depth);
            }
            match words[0].as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if words[0] == "}" && began == Some(depth) {
                began = None;
            }
            let is_type = words[0].starts_with(char::is_uppercase) && words[1] == "{";
            (began.is_some() && is_type).then_some(words[0].as_str())
        })
    }

    /// What stands between each `impl` of an item and its body.
    fn impls(&self) -> Vec<&[String]> {
        let is_start = |at: &usize| {
            let before = at.checked_sub(1).map(|before| self.words[before].as_str());
            self.words[*at] == "impl" && matches!(before, None | Some("}" | ";" | "]" | "unsafe"))
        };
        let header = |at: usize| {
            let rest = &self.words[at + 1..];
            let end = rest.iter().position(|word| word == "{" || word == "where").unwrap_or(rest.len());
            &rest[..end]
        };
        // The arms of macros name what they are called with.
        let is_of_macro = |header: &&[String]| header.iter().any(|word| word == "$");
        (0..self.words.len()).filter(is_start).map(header).filter(|header| !is_of_macro(header)).collect()
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|char: char| char.is_alphabetic() || char == '_')
}

/// What stands for `#[cfg(test)] mod` of a file of its own.
const TEST_MODULE: &str = "#[cfg(test)] mod";

/// A text in words and signs: comments, texts and characters are left out.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut words, mut at) = (Vec::new(), 0);
    let begins = |at: usize, what: &str| what.chars().enumerate().all(|(by, char)| chars.get(at + by) == Some(&char));
    while at < chars.len() {
        let char = chars[at];
        let hashes = chars[at + 1..].iter().take_while(|char| **char == '#').count();
        if begins(at, "//") {
            at += chars[at..].iter().take_while(|char| **char != '\n').count();
        } else if begins(at, "/*") {
            at += 2;
            while at < chars.len() && !begins(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if char == 'r' && chars.get(at + 1 + hashes) == Some(&'"') && !is_in_word(&chars, at) {
            let end: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            at += 2 + hashes;
            while at < chars.len() && !begins(at, &end) {
                at += 1;
            }
            at += end.len();
        } else if char == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if char == '\'' && (chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\'')) {
            at += if chars.get(at + 1) == Some(&'\\') { 3 } else { 2 };
            while at < chars.len() && chars[at] != '\'' {
                at += 1;
            }
            at += 1;
        } else if char.is_alphanumeric() || char == '_' {
            let length = chars[at..].iter().take_while(|char| char.is_alphanumeric() || **char == '_').count();
            words.push(chars[at..at + length].iter().collect());
            at += length;
        } else if begins(at, "::") {
            words.push("::".to_owned());
            at += 2;
        } else {
            if !char.is_whitespace() {
                words.push(char.to_string());
            }
            at += 1;
        }
    }
    words
}

fn is_in_word(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

/// The words without the items that are only there for tests. A module of a file of its own leaves its mark.
fn without_tests(words: Vec<String>) -> Vec<String> {
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let is_mark = words[at..].iter().zip(mark).filter(|(word, sign)| word == sign).count() == mark.len();
        if !is_mark {
            kept.push(words[at].clone());
            at += 1;
            continue;
        }
        at += mark.len();
        if words.get(at).is_some_and(|word| word == "mod") && words.get(at + 2).is_some_and(|word| word == ";") {
            kept.extend([TEST_MODULE.to_owned(), words[at + 1].clone(), ";".to_owned()]);
            at += 3;
            continue;
        }
        // The item goes to its semicolon, or to the end of its braces.
        let mut depth = 0_usize;
        while at < words.len() {
            match words[at].as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_end = depth == 0 && (words[at] == "}" || words[at] == ";");
            at += 1;
            if is_end {
                break;
            }
        }
    }
    kept
}

/// A circle, if there is one: folders, each with the place where it depends on the next.
fn circle(dependencies: &Dependencies) -> Option<String> {
    let mut left = dependencies.clone();
    loop {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, of)| of.keys().all(|on| !left.contains_key(on)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|name| _ = left.remove(name));
    }
    // Whoever is left depends on another that is left: so a walk along them comes round.
    let mut name = left.keys().next()?;
    let mut way: Vec<(&String, &String)> = Vec::new();
    while !way.iter().any(|(passed, _)| *passed == name) {
        let (next, place) = left[name].iter().find(|(on, _)| left.contains_key(*on))?;
        way.push((name, place));
        name = next;
    }
    let from = way.iter().position(|(passed, _)| *passed == name)?;
    Some(way[from..].iter().map(|(name, place)| format!("{name} ({place})")).collect::<Vec<_>>().join(" -> "))
}

#[test]
fn no_top_folder_depends_on_itself_through_another() {
    let sources = Sources::of_project();
    let dependencies = sources.dependencies().expect("every path leads somewhere");
    assert!(dependencies.len() > 15, "the folders are found: {:?}", dependencies.keys());
    let edges: usize = dependencies.values().map(BTreeMap::len).sum();
    assert!(edges > 40, "the dependencies are found: {edges}");
    assert_eq!(circle(&dependencies), None);
}

#[test]
fn every_impl_is_beside_what_it_names() {
    assert_eq!(Sources::of_project().orphans(), Vec::<String>::new());
}

/// What a planted circle is found by.
fn told(texts: &[(&str, &str)]) -> Option<String> {
    circle(&Sources::of_texts(texts).dependencies().expect("every path leads somewhere"))
}

#[test]
fn planted_circles_are_found_however_they_are_written() {
    let b = ("b/mod.rs", "use crate::a::X; pub struct Y;");
    let found = |text| told(&[("lib.rs", "pub mod a; pub mod b;"), ("a/mod.rs", text), b]).is_some();
    assert!(!found("pub struct X;"));
    assert!(found("use crate::b::Y;"));
    assert!(found("use crate::{b::Y};"));
    assert!(found("fn f(y: &crate::b::Y) {}"));
    assert!(found("use super::b::Y;"));
    assert!(found("mod inner { use super::super::b::Y; }"));
    assert!(found("macro_rules! m { () => { $crate::b::Y } }"));
    assert!(found("const TEXT: &str = r#\"\"\"#; use crate::b::Y;"));
    assert!(!found("// use crate::b::Y;\nconst TEXT: &str = \"crate::b::Y\"; /* crate::b::Y */ const C: char = '\"';"));
    assert!(!found("#[cfg(test)] mod tests { use crate::b::Y; }"));
    assert!(found("#[cfg(test)] mod tests { } use crate::b::Y;"));
    assert!(!found("mod inner { use super::b::Y; }"));
}

#[test]
fn a_planted_circle_is_found_through_a_name_at_the_root() {
    let a = ("a/mod.rs", "use crate::inner::Y;");
    let b = ("b/inner.rs", "use crate::a::X;");
    assert!(told(&[("lib.rs", "pub mod a; pub mod b; pub use b::inner;"), a, b]).is_some());
    let unknown = Sources::of_texts(&[("lib.rs", "pub mod a; pub mod b;"), a, b]).dependencies();
    assert_eq!(unknown.unwrap_err(), "a/mod.rs: crate::inner leads nowhere");
}

#[test]
fn an_impl_of_what_another_folder_defines_is_found() {
    let a = ("a/mod.rs", "pub struct X; trait Own {} impl Own for Vec<u8> {} impl crate::b::T for X {}");
    let orphans = |b| Sources::of_texts(&[("lib.rs", ""), a, ("b/mod.rs", b)]).orphans();
    assert!(orphans("pub trait T {} impl T for crate::a::X {}").is_empty());
    assert!(orphans("records! { Z { a: u8 } } impl Z {}").is_empty());
    assert_eq!(orphans("pub trait T {} impl crate::a::X { fn f() {} }"), ["b/mod.rs: impl crate :: a :: X"]);
    assert_eq!(orphans("pub trait T {} impl Clone for X {}"), ["b/mod.rs: impl Clone for X"]);
}
