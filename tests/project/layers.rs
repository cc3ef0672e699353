//! The top folders of each crate know one another in one direction only: no circle leads through a folder directly below `src/`.
//!
//! Problem: a reader of a folder should not need to know what is above it, and a folder should be able to become a crate when it is big
//! enough, but the compiler allows circles within a crate. Idea: this test searches for them, in every crate of the workspace, by the
//! rules that would hold between crates:
//!
//! * a path that begins with `crate`, or leaves its folder through `super`, is a dependency on the folder that it leads to;
//! * a name at the root of the crate is resolved through the `use` lines there; one that is defined there leads to the root itself, which
//!   depends on what it names; one that cannot be resolved fails the test, and so does every import of the root as a whole;
//! * a macro that another folder defines is a dependency on that folder; one that the root defines, on what is named in it;
//! * an `impl` names something that its own folder defines, as the orphan rule asks between crates: otherwise a method could be used
//!   without a path that shows where it is written;
//! * a file is at the path of its module.
//!
//! Re-exports need no rule: the folder that re-exports depends on the origin of the item. Code of tests is left out: between crates too,
//! tests may use what is built upon them. Files directly below `src/` may depend on one another in circles, as long as there is no folder
//! among them: they are the parts of one small thing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of a folder, split into words and signs, without comments, texts and tests.
struct Source {
    /// The path of its module, as `["compare", "trace"]`.
    module: Vec<String>,
    /// Its path, for messages.
    place: String,
    words: Vec<String>,
}

/// The sources of a crate.
struct Sources {
    files: Vec<Source>,
    /// The folders directly below `src/`.
    folders: BTreeSet<String>,
    /// The targets of names at the root: a folder, a file or the root itself.
    roots: BTreeMap<String, String>,
    /// The macros that are defined in the crate, each with the folders that define it.
    macros: BTreeMap<String, BTreeSet<String>>,
    /// The types and traits that each folder defines.
    defined: BTreeMap<String, BTreeSet<String>>,
}

/// The dependencies of each top folder, of each file beside them and of the root, each with a place that shows it.
type Dependencies = BTreeMap<String, BTreeMap<String, String>>;

/// The name of a crate's root in messages.
const ROOT: &str = "the root";

impl Sources {
    /// The sources of all crates of the workspace that have a folder `src/`, by the folder of the crate.
    fn of_workspace() -> BTreeMap<String, Sources> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let manifest = fs::read_to_string(project.join("Cargo.toml")).expect("the manifest of the workspace");
        let members = manifest.lines().find_map(|line| line.strip_prefix("members = ")).expect("the members on a line");
        let members = members.split('"').skip(1).step_by(2).chain(["."]);
        let sources = members.filter_map(|member| {
            assert!(project.join(member).join("Cargo.toml").is_file(), "no manifest in {member}");
            let src = project.join(member).join("src");
            src.is_dir().then(|| (member.to_owned(), Sources::of_crate(&src)))
        });
        sources.collect()
    }

    fn of_crate(src: &Path) -> Sources {
        let mut files = Vec::new();
        read_folder(src, &mut Vec::new(), &mut files);
        // If there is a library, the program beside it is another crate.
        if files.iter().any(|file| file.place == "lib.rs") {
            files.retain(|file| file.place != "main.rs");
        }
        Sources::new(files)
    }

    fn of_texts(texts: &[(&str, &str)]) -> Sources {
        Sources::new(texts.iter().map(|(place, text)| Source::new(module_of(place), place, text)).collect())
    }

    fn new(files: Vec<Source>) -> Sources {
        let tests: BTreeSet<Vec<String>> = files.iter().flat_map(Source::test_modules).collect();
        let is_test = |file: &Source| (1..=file.module.len()).any(|depth| tests.contains(&file.module[..depth]));
        let files: Vec<Source> = files.into_iter().filter(|file| !is_test(file)).collect();
        let folders = files.iter().filter_map(|file| file.place.split_once('/')).map(|(folder, _)| folder.to_owned());
        let folders = folders.collect();
        let mut macros: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, name) in files.iter().flat_map(|file| file.macros().map(move |name| (file, name))) {
            macros.entry(name.to_owned()).or_default().insert(file.top().to_owned());
        }
        let mut defined: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in &files {
            defined.entry(file.top().to_owned()).or_default().extend(file.definitions().map(str::to_owned));
        }
        let roots = root_names(&files);
        Sources { files, folders, roots, macros, defined }
    }

    fn dependencies(&self) -> Result<Dependencies, String> {
        let mut all = Dependencies::new();
        let mut add = |of: &str, on: &str, place: String| {
            if of != on {
                all.entry(of.to_owned()).or_default().entry(on.to_owned()).or_insert(place);
            }
        };
        for file in &self.files {
            let needed = self.needed_by(file).map_err(|problem| format!("{}: {problem}", file.place))?;
            let tops = needed.iter().map(|(on, _)| on.clone()).collect();
            for (on, path) in needed {
                add(file.top(), &on, format!("{}: {path}", file.place));
            }
            for (of, place) in self.completed_by(file, &tops) {
                add(&of, file.top(), place);
            }
        }
        Ok(all)
    }

    /// The dependencies of a file, each with the path in the file.
    fn needed_by(&self, file: &Source) -> Result<Vec<(String, String)>, String> {
        file.is_plain()?;
        let mut paths = file.left();
        if file.module.is_empty() {
            paths.extend(file.beginning_with(&self.roots));
        }
        let is_macro = |path: &Vec<String>| {
            path.len() == 1 && self.macros.contains_key(&path[0]) && !self.roots.contains_key(&path[0])
        };
        let (by_path, mut paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_macro);
        let called = file.called_macros().into_iter().map(str::to_owned).chain(by_path.into_iter().flatten());
        paths.extend(called.flat_map(|name| self.behind_macro(&name, file.top())));
        let needed = paths.into_iter().map(|path| {
            let name = path.first().ok_or_else(|| "takes in the root of the crate as a whole".to_owned())?;
            let on = self.roots.get(name).ok_or_else(|| format!("crate::{name} leads nowhere"))?;
            Ok((on.clone(), path.join("::")))
        });
        needed.collect()
    }

    /// The dependencies of a caller of a macro: the folder that defines it, or the names in it if the root defines it.
    fn behind_macro(&self, name: &str, caller: &str) -> Vec<Vec<String>> {
        let Some(definers) = self.macros.get(name).filter(|definers| !definers.contains(caller)) else {
            return Vec::new();
        };
        let behind = |definer: &String| match &**definer {
            ROOT => {
                self.files.iter().filter(|file| file.module.is_empty()).flat_map(|root| root.named_in(name)).collect()
            }
            folder => vec![vec![folder.to_owned(), format!("{name}!")]],
        };
        definers.iter().flat_map(behind).collect()
    }

    /// The folders whose types have methods in a file of another folder, each with a place that shows it: they are used without a path.
    fn completed_by(&self, file: &Source, needed: &BTreeSet<String>) -> Vec<(String, String)> {
        let own = &self.defined[file.top()];
        let is_orphan = |header: &&[String]| !header.iter().any(|word| own.contains(word));
        let definers = |header: &[String]| {
            let defines = |top: &&String| header.iter().any(|word| self.defined[*top].contains(word));
            let place = format!("{}: impl {}", file.place, header.join(" "));
            needed.iter().filter(defines).map(|top| (top.clone(), place.clone())).collect::<Vec<_>>()
        };
        file.impls().into_iter().filter(is_orphan).flat_map(definers).collect()
    }
}

/// The targets of names at the root of a crate.
fn root_names(files: &[Source]) -> BTreeMap<String, String> {
    let (root, others): (Vec<&Source>, Vec<&Source>) = files.iter().partition(|file| file.module.is_empty());
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for path in root.iter().flat_map(|root| root.used()) {
        let path = if path.first().is_some_and(|first| first == "crate") { &path[1..] } else { &path[..] };
        if let [top, .., name] = path
            && name != "*"
        {
            names.insert(name.clone(), top.clone());
        }
    }
    names.extend(root.iter().flat_map(|root| root.items()).map(|name| (name.to_owned(), ROOT.to_owned())));
    names.extend(others.iter().map(|file| (file.top().to_owned(), file.top().to_owned())));
    names
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
        } else if path.extension().is_some_and(|extension| extension == "rs") {
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

    /// The top folder of the file, or the file itself if it is beside them.
    fn top(&self) -> &str {
        self.module.first().map_or(ROOT, String::as_str)
    }

    /// Checks that all paths of the file can be followed: none begins at another name of the root, and the file includes no other text.
    ///
    /// # Errors
    /// What cannot be followed.
    fn is_plain(&self) -> Result<(), String> {
        for at in 0..self.words.len() {
            let word = |by: usize| self.words.get(at + by).map(String::as_str).unwrap_or_default();
            let before = at.checked_sub(1).map(|before| self.words[before].as_str());
            if [word(0), word(1), word(2)] == ["#", "[", "path"] {
                return Err("a module that is not where its name says".to_owned());
            }
            // The path is a string, which `words` leaves out.
            if [word(0), word(1), word(2), word(3)] == ["include", "!", "(", ")"] {
                return Err("takes in the text of another file".to_owned());
            }
            let is_root = word(0) == "crate" || word(0) == "super" && self.module.len() == 1;
            let is_visibility = word(1) == ")" && matches!(before, Some("(" | "in"));
            let is_extern = before == Some("extern") && word(1) != "self";
            if is_root && word(1) != "::" && !is_visibility && !is_extern {
                return Err(format!("another name for the root of the crate: {} {}", word(0), word(1)));
            }
        }
        Ok(())
    }

    /// The names of the items of the file that are in no module of their own.
    fn items(&self) -> impl Iterator<Item = &str> {
        let kinds = ["struct", "enum", "trait", "union", "type", "fn", "const", "static"];
        self.words.windows(2).filter(move |words| kinds.contains(&&*words[0])).map(|words| words[1].as_str())
    }

    /// The macros that the file defines.
    fn macros(&self) -> impl Iterator<Item = &str> {
        let calls = self.words.windows(3).filter(|words| words[0] == "macro_rules" && words[1] == "!");
        calls.map(|words| words[2].as_str())
    }

    /// The macros that the file calls without a path.
    fn called_macros(&self) -> BTreeSet<&str> {
        let is_call = |at: usize| {
            self.words[at + 1] == "!" && is_name(&self.words[at]) && (at == 0 || self.words[at - 1] != "::")
        };
        let at = (0..self.words.len().saturating_sub(1)).filter(|at| is_call(*at));
        at.map(|at| self.words[at].as_str()).collect()
    }

    /// The paths from the root of the crate in a macro of this file.
    fn named_in(&self, name: &str) -> Vec<Vec<String>> {
        let is_it = |at: &usize| self.words[*at..*at + 3] == ["macro_rules", "!", name];
        let starts = (0..self.words.len().saturating_sub(3)).filter(is_it);
        let body = |at: usize| {
            let words = &self.words[at + 3..];
            let words = words[..end_of_group(words)].to_vec();
            Source { module: self.module.clone(), place: self.place.clone(), words }
        };
        starts.flat_map(|at| body(at).left()).collect()
    }

    /// The paths of the root's own code that begin with a name directly below it. Re-exports are no uses.
    fn beginning_with(&self, tops: &BTreeMap<String, String>) -> Vec<Vec<String>> {
        let word = |at: usize| self.words.get(at).map(String::as_str).unwrap_or_default();
        let is_passed_on = |at: usize| {
            let before = self.words[..at].iter().rposition(|word| word == ";" || word == "}").map_or(0, |end| end + 1);
            let statement = &self.words[before..at];
            statement.last().is_some_and(|last| last == "use") && statement.iter().any(|word| word == "pub")
        };
        let is_path = |at: &usize| {
            tops.get(word(*at)).is_some_and(|top| top != ROOT)
                && word(at + 1) == "::"
                && (*at == 0 || word(at - 1) != "::")
                && !is_passed_on(*at)
        };
        (0..self.words.len()).filter(is_path).map(|at| vec![word(at).to_owned(), word(at + 2).to_owned()]).collect()
    }

    /// The paths that lead out of the folder, from the root of the crate.
    fn left(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let mut module = self.module.clone();
        // The depth at which each module within the file began.
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
                "crate" | "super" if next(1) == "::" && self.is_start_of_path(at) => {
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
                    // Paths within the folder do not matter.
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

    /// Whether a path begins at a word, or at the `self` before it.
    fn is_start_of_path(&self, at: usize) -> bool {
        let before = |by: usize| at.checked_sub(by).map(|at| self.words[at].as_str());
        // `pub(in super::super)` is a visibility, not a dependency.
        let is_visibility = before(1) == Some("in") && before(2) == Some("(");
        !is_visibility && (before(1) != Some("::") || before(2) == Some("self") && before(3) != Some("::"))
    }

    /// The targets of the `use` lines of a root.
    fn used(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let starts = self.words.iter().enumerate().filter(|(_, word)| *word == "use").map(|(at, _)| at + 1);
        for mut at in starts.collect::<Vec<_>>() {
            self.paths(&mut at, &[], &mut found);
        }
        found
    }

    /// The paths from here on to their ends: one for each item of a list.
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

    /// The names of the types and traits that the file defines, itself or through a macro.
    fn definitions(&self) -> impl Iterator<Item = &str> {
        let kinds = ["struct", "enum", "trait", "union", "type"];
        let pairs = self.words.windows(2).filter(move |words| kinds.contains(&words[0].as_str()));
        pairs.map(|words| words[1].as_str()).chain(self.handed_to_macros())
    }

    /// The names before braces within the braces of a macro: the types that the macro defines.
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

    /// The header of each `impl` of an item: everything before its body.
    fn impls(&self) -> Vec<&[String]> {
        let is_start = |at: &usize| {
            let before = at.checked_sub(1).map(|before| self.words[before].as_str());
            self.words[*at] == "impl" && matches!(before, None | Some("{" | "}" | ";" | "]" | "unsafe"))
        };
        let header = |at: usize| {
            let rest = &self.words[at + 1..];
            let end = rest.iter().position(|word| word == "{" || word == "where").unwrap_or(rest.len());
            &rest[..end]
        };
        // The arms of macros use placeholders for names.
        let is_of_macro = |header: &&[String]| header.iter().any(|word| word == "$");
        (0..self.words.len()).filter(is_start).map(header).filter(|header| !is_of_macro(header)).collect()
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|char: char| char.is_alphabetic() || char == '_')
}

/// The word for `#[cfg(test)] mod` of a file of its own.
const TEST_MODULE: &str = "#[cfg(test)] mod";

/// Splits a text into words and signs: comments, strings and characters are left out.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut words, mut at) = (Vec::new(), 0);
    let begins = |at: usize, what: &str| what.chars().enumerate().all(|(by, char)| chars.get(at + by) == Some(&char));
    while at < chars.len() {
        let char = chars[at];
        let prefix = ["br", "cr", "r"].iter().find(|prefix| begins(at, prefix)).map_or(0, |prefix| prefix.len());
        let hashes = chars[at + prefix..].iter().take_while(|char| **char == '#').count();
        if begins(at, "//") {
            at += chars[at..].iter().take_while(|char| **char != '\n').count();
        } else if begins(at, "/*") {
            at += 2;
            while at < chars.len() && !begins(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if prefix > 0 && chars.get(at + prefix + hashes) == Some(&'"') && !is_in_word(&chars, at) {
            let end: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            at += prefix + hashes + 1;
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

/// The words without items that are only there for tests. A module in a file of its own is replaced by a mark.
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
        at += length_of_item(&words[at..]);
    }
    kept
}

/// The length of the item, field or arm at the beginning of the words: up to its semicolon or comma, to the end of its braces, or of the
/// group it is in.
fn length_of_item(words: &[String]) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return at,
            "}" if depth == 1 => return at + 1,
            ")" | "]" | "}" => depth -= 1,
            ";" | "," if depth == 0 => return at + 1,
            _ => {}
        }
    }
    words.len()
}

/// The end of the group that begins the words.
fn end_of_group(words: &[String]) -> usize {
    let mut depth = 0_usize;
    let closes = |word: &String| {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    words.iter().position(closes).unwrap_or(words.len())
}

/// A circle through a folder, if there is one: its parts, each with the place where it depends on the next.
fn circle(dependencies: &Dependencies, folders: &BTreeSet<String>) -> Option<String> {
    folders.iter().find_map(|folder| way_back(dependencies, folder))
}

/// The shortest way from a folder back to it.
fn way_back(dependencies: &Dependencies, folder: &str) -> Option<String> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut ways: VecDeque<(&str, String)> = VecDeque::from([(folder, String::new())]);
    while let Some((name, way)) = ways.pop_front() {
        for (next, place) in dependencies.get(name).into_iter().flatten() {
            let way = format!("{way}{name} ({place}) -> ");
            if next == folder {
                return Some(format!("{way}{folder}"));
            }
            if seen.insert(next) {
                ways.push_back((next, way));
            }
        }
    }
    None
}

/// Folders that form one thing with files beside them, by crate, each with the reason. No other folder is on their circles.
const ONE_THING: [(&str, &str, &str); 1] = [(
    "core/language/compiled",
    "functions",
    "to call functions is a part of evaluating, and a function evaluates: a template of a file is compiled when it is called",
)];

#[test]
fn no_top_folder_depends_on_itself_through_another() {
    let workspace = Sources::of_workspace();
    assert!(workspace.len() > 20, "the crates are found: {:?}", workspace.keys());
    let (mut circles, mut edges) = (Vec::new(), 0);
    for (name, sources) in &workspace {
        let dependencies = sources.dependencies();
        let dependencies = dependencies.unwrap_or_else(|problem| panic!("{name}/src/{problem}"));
        edges += dependencies.values().map(BTreeMap::len).sum::<usize>();
        let mut folders = sources.folders.clone();
        for (_, folder, _) in ONE_THING.iter().filter(|(of, ..)| of == name) {
            assert!(way_back(&dependencies, folder).is_some(), "{name}: {folder} stands alone by now");
            folders.remove(*folder);
        }
        circles.extend(circle(&dependencies, &folders).map(|circle| format!("{name}: {circle}")));
    }
    assert!(edges > 400, "the dependencies are found: {edges}");
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// The circle found in some texts.
fn circle_in(texts: &[(&str, &str)]) -> Option<String> {
    let sources = Sources::of_texts(texts);
    circle(&sources.dependencies().expect("every path leads somewhere"), &sources.folders)
}

#[test]
fn planted_circles_are_found_however_they_are_written() {
    let b = ("b/mod.rs", "use crate::a::X; pub struct Y;");
    let found = |text| circle_in(&[("lib.rs", "pub mod a; pub mod b;"), ("a/mod.rs", text), b]).is_some();
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
    assert!(found("use self::super::b::Y;"));
    assert!(found("const BYTES: &[u8] = br#\"\"\"#; use crate::b::Y;"));
    assert!(found("struct S { #[cfg(test)] a: u8, b: crate::b::Y }"));
}

#[test]
fn planted_circles_are_found_behind_other_names() {
    let found = |lib, a| circle_in(&[("lib.rs", lib), ("a/mod.rs", a), ("b/mod.rs", "use crate::a::X;")]).is_some();
    assert!(found("mod a; mod b; pub use b::inner;", "use crate::inner::Y;"));
    assert!(found("mod a; mod b; use crate::b::Y;", "use super::Y;"));
    assert!(found("mod a; mod b; pub struct Y(b::Z);", "use crate::Y;"));
    assert!(found("mod a; mod b; macro_rules! m { () => { $crate::b::Y } }", "fn f() { m!() }"));
    assert!(found("mod a; mod b; macro_rules! m (() => { $crate::b::Y });", "fn f() { crate::m!() }"));
    assert!(!found("mod a; mod b; macro_rules! m { () => { $crate::b::Y } }", "fn f() {}"));
    assert!(!found("mod a; mod b; pub use b::Y; pub struct Z;", "use crate::Z;"));
    let macros = [("a/mod.rs", "fn f() { m!() }"), ("b/mod.rs", "macro_rules! m { () => {} } use crate::a::X;")];
    assert!(circle_in(&macros).is_some());
}

#[test]
fn only_circles_through_folders_count() {
    assert!(circle_in(&[("a.rs", "use crate::b::Y;"), ("b.rs", "use crate::a::X;")]).is_none());
    assert!(circle_in(&[("a/mod.rs", "use crate::b::Y;"), ("b.rs", "use crate::a::X;")]).is_some());
    let long = [("a/mod.rs", "use crate::b::Y;"), ("b.rs", "use crate::c::Z;"), ("c/d.rs", "use crate::a::X;")];
    assert_eq!(circle_in(&long).as_deref(), Some("a (a/mod.rs: b::Y) -> b (b.rs: c::Z) -> c (c/d.rs: a::X) -> a"));
}

#[test]
fn paths_that_cannot_be_followed_are_errors() {
    let problem = |text| Sources::of_texts(&[("a/mod.rs", text), ("b/mod.rs", "")]).dependencies().err();
    assert_eq!(problem("use crate::inner::Y;").as_deref(), Some("a/mod.rs: crate::inner leads nowhere"));
    for text in [
        "use crate as all;",
        "use super as all;",
        "use super::{self as all};",
        "use super::*;",
        "extern crate self as all;",
        "#[path = \"../b/mod.rs\"] mod inner;",
        "include!(\"../b/mod.rs\");",
    ] {
        assert!(problem(text).is_some(), "{text}");
    }
    for text in ["pub(crate) struct X;", "pub(in crate::a) struct X;", "pub(super) struct X;", "use self::inner::X;"] {
        assert_eq!(problem(text), None, "{text}");
    }
}

#[test]
fn a_circle_through_an_impl_of_what_another_folder_defines_is_found() {
    let a = ("a/mod.rs", "pub struct X; trait Own {} impl Own for Vec<u8> {}");
    let found = |b| circle_in(&[("lib.rs", "mod a; mod b;"), a, ("b/mod.rs", b)]);
    assert_eq!(found("pub trait T {} impl T for crate::a::X {}"), None);
    assert_eq!(found("use crate::a; records! { Z { a: u8 } } impl Z {}"), None);
    let want = "a (b/mod.rs: impl crate :: a :: X) -> b (b/mod.rs: a::X) -> a";
    assert_eq!(found("pub trait T {} impl crate::a::X { fn f() {} }").as_deref(), Some(want));
    assert!(found("use crate::a::X; pub trait T {} impl Clone for X {}").is_some());
}
