//! Writes sources with planted mistakes: lists name expressions and their replacements, and all of them are compiled into one library, each
//! behind a switch.
//!
//! A list has entries separated by blank lines. Each line of an entry begins with a keyword; a line that begins with white space continues
//! the one above:
//!
//! ```text
//! fault  the-name
//! rule   V53
//! shows  roundtrip
//! says   What it does wrong, in a sentence.
//! file   value/set/order.rs
//! after  fn before(                 (optional: a text that occurs once; the first match after it counts)
//! find   x.cmp(y)
//! with   y.cmp(x)
//! ```
//!
//! The text to find is an expression, or statements that end with `;`. White space is ignored. It has to occur exactly once in its file (at
//! least once after `after`); otherwise the build fails, so that no entry becomes outdated unnoticed. Several entries may have the same
//! expression, but none a part of another's.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The members of an entry, by keyword.
type Entry = BTreeMap<String, String>;

/// The faults at each place in a file: their numbers and replacement texts.
type Places = BTreeMap<(usize, usize), Vec<(usize, String)>>;

const KEYWORDS: [&str; 8] = ["fault", "rule", "shows", "says", "file", "after", "find", "with"];

/// Writes the sources of a crate with all mistakes of its `lists` below `target`, the modules of its library to `modules.rs`, and the list
/// of the mistakes to `list.rs` there. The mistakes are numbered from `first`, which differs for each crate.
///
/// # Errors
/// A list cannot be read, or does not fit the sources; the error names the entry and what was expected.
pub fn plant(source: &Path, lists: &Path, target: &Path, first: usize) -> Result<()> {
    let entries = entries(lists)?;
    let mut by_file: BTreeMap<&str, Places> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let (name, file) = (member(entry, "fault")?, member(entry, "file")?);
        let text = fs::read_to_string(source.join(file)).map_err(|problem| format!("{name}: {file}: {problem}"))?;
        let place = place(&text, entry).map_err(|problem| format!("planted fault {name}, {file}: {problem}"))?;
        let with = member(entry, "with")?.to_owned();
        let at = by_file.entry(file).or_default().entry((place.start, place.end)).or_default();
        at.push((first + index, with));
    }
    copy(source, target, Path::new(""), &by_file)?;
    write(&target.join("modules.rs"), &modules(source, target)?)?;
    write(&target.join("list.rs"), &listed(&entries, first)?)
}

/// All entries of all lists, in the order of the lists' names.
fn entries(lists: &Path) -> Result<Vec<Entry>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(lists)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let (mut entries, mut names) = (Vec::new(), Vec::new());
    for file in files {
        for entry in read(&fs::read_to_string(&file)?).map_err(|problem| format!("{}: {problem}", file.display()))? {
            let name = member(&entry, "fault")?.to_owned();
            if names.contains(&name) {
                return Err(format!("{}: two faults are named {name}", file.display()).into());
            }
            names.push(name);
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn read(list: &str) -> Result<Vec<Entry>> {
    let mut entries = vec![Entry::new()];
    let mut keyword = "";
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        if line.trim().is_empty() {
            entries.push(Entry::new());
            keyword = "";
            continue;
        }
        let Some(entry) = entries.last_mut() else { continue };
        if line.starts_with(' ') && !keyword.is_empty() {
            let text: &mut String = entry.entry(keyword.to_owned()).or_default();
            text.push('\n');
            text.push_str(line.trim_end());
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        keyword = KEYWORDS.into_iter().find(|keyword| *keyword == word).ok_or(format!("no keyword: {line:?}"))?;
        if entry.insert(keyword.to_owned(), rest.trim().to_owned()).is_some() {
            return Err(format!("twice in one entry: {line:?}").into());
        }
    }
    entries.retain(|entry| !entry.is_empty());
    Ok(entries)
}

fn member<'e>(entry: &'e Entry, keyword: &str) -> Result<&'e str> {
    entry.get(keyword).map(String::as_str).ok_or_else(|| format!("an entry without {keyword}: {entry:?}").into())
}

/// The place of an entry's expression.
fn place(text: &str, entry: &Entry) -> Result<Range<usize>> {
    let find = member(entry, "find")?;
    let from = match entry.get("after") {
        None => 0,
        Some(after) => only(text, after)?.end,
    };
    match (entry.contains_key("after"), places(&text[from..], find).as_slice()) {
        (false, [only]) => Ok(only.clone()),
        (true, [first, ..]) => Ok(from + first.start..from + first.end),
        (_, found) => Err(format!("expected {find:?} once, found it {} times", found.len()).into()),
    }
}

fn only(text: &str, sought: &str) -> Result<Range<usize>> {
    match places(text, sought).as_slice() {
        [only] => Ok(only.clone()),
        found => Err(format!("expected {sought:?} once, found it {} times", found.len()).into()),
    }
}

/// The places of a text in another, ignoring white space in both.
fn places(text: &str, sought: &str) -> Vec<Range<usize>> {
    let solid: Vec<(usize, char)> = text.char_indices().filter(|(_, char)| !char.is_whitespace()).collect();
    let sought: Vec<char> = sought.chars().filter(|char| !char.is_whitespace()).collect();
    let is_here = |window: &[(usize, char)]| window.iter().map(|(_, char)| char).eq(&sought);
    let windows = solid.windows(sought.len().max(1)).filter(|window| is_here(window));
    windows.map(|window| window[0].0..window[window.len() - 1].0 + window[window.len() - 1].1.len_utf8()).collect()
}

/// The text with a choice at each place.
fn planted(text: &str, places: &Places) -> Result<String> {
    let mut out = String::with_capacity(text.len() * 2);
    let mut done = 0;
    for ((start, end), faults) in places {
        if *start < done {
            return Err(format!("overlaps another fault's: {:?}", &text[*start..*end]).into());
        }
        let right = &text[*start..*end];
        let is_statement = right.ends_with(';');
        out.push_str(&text[done..*start]);
        out.push_str(if is_statement { "" } else { "(" });
        for (id, wrong) in faults {
            write!(out, "if planfuzz_planting::is({id}) {{ {wrong} }} else ")?;
        }
        write!(out, "{{ {right} }}{}", if is_statement { "" } else { ")" })?;
        done = *end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

fn copy(source: &Path, target: &Path, below: &Path, by_file: &BTreeMap<&str, Places>) -> Result<()> {
    for entry in fs::read_dir(source.join(below))? {
        let below = below.join(entry?.file_name());
        if source.join(&below).is_dir() {
            copy(source, target, &below, by_file)?;
            continue;
        }
        let text = fs::read_to_string(source.join(&below))?;
        let name = below.to_string_lossy().replace('\\', "/");
        let text = match by_file.get(&*name) {
            Some(places) => planted(&text, places).map_err(|problem| format!("{name}: {problem}"))?,
            None => text,
        };
        write(&target.join(&below), &text)?;
    }
    Ok(())
}

/// The library's modules, taken from the sources with mistakes.
fn modules(source: &Path, target: &Path) -> Result<String> {
    let library = fs::read_to_string(source.join("lib.rs"))?;
    let mut out = String::new();
    let mut is_replaced = false;
    for line in library.lines() {
        if let Some(declared) = line.strip_suffix(';').filter(|_| is_replaced) {
            let name = declared.trim_start_matches("pub ").trim_start_matches("mod ");
            let folder = target.join(name).join("mod.rs");
            let file = if folder.exists() { folder } else { target.join(format!("{name}.rs")) };
            writeln!(out, "#[path = {file:?}]\n{declared};")?;
        }
        is_replaced = line == "#[cfg(not(feature = \"faults\"))]";
    }
    Ok(out)
}

/// The list as a Rust expression.
fn listed(entries: &[Entry], first: usize) -> Result<String> {
    let mut out = String::from("&[\n");
    for (index, entry) in entries.iter().enumerate() {
        write!(out, "    Planted {{ number: {}, ", first + index)?;
        for keyword in ["fault", "rule", "shows", "says", "file"] {
            let text: Vec<&str> = member(entry, keyword)?.split_whitespace().collect();
            let field = match keyword {
                "fault" => "name",
                "says" => "description",
                _ => keyword,
            };
            write!(out, "{field}: {:?}, ", text.join(" "))?;
        }
        out.push_str("},\n");
    }
    out.push_str("]\n");
    Ok(out)
}

/// Writes a file, unless it already has this text.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}
