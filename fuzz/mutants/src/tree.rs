//! The copy of the project that contains all mutants.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use regex::Regex;
use serde_json::Value;

use crate::list::{Mutant, by_file};
use crate::switch::switch;

/// The library that all implementations depend on: the switch is in it.
const CORE: &str = "core/src/lib.rs";

/// The libraries whose code is mutated: folder, part, package.
pub const WRITINGS: [(&str, &str, &str); 6] = [
    ("core/reference", "reference", "planfuzz-reference"),
    ("core/optimized", "optimized", "planfuzz-optimized"),
    ("core/rules", "rules", "planfuzz-rules"),
    ("core/workspace/reference", "workspace-reference", "planfuzz-workspace-reference"),
    ("core/workspace/optimized", "workspace-optimized", "planfuzz-workspace-optimized"),
    ("core/workspace/rules", "workspace-rules", "planfuzz-workspace-rules"),
];

/// The program that runs the campaign on every mutant.
const HARNESS: (&str, &str) = ("examples/mutants.rs", include_str!("../harness.rs"));

/// The lists of planted mistakes.
const PLANTED: [&str; 2] = ["core/planted", "core/pipelines/planted"];

/// How many lines above an error the switch that caused it may be, even before the function begins.
const LINES_ABOVE: usize = 8;

/// Rounds of the compiler after which something else must be wrong.
const MOST_ROUNDS: usize = 20;

/// A copy of the project.
pub struct Tree {
    project: PathBuf,
    root: PathBuf,
}

/// The mutants by whether they can be switched on.
pub struct Sorted {
    /// They compile, and can be switched on.
    pub viable: BTreeSet<u32>,
    /// They do not compile.
    pub unviable: BTreeSet<u32>,
    /// They are in constants, or change a condition that binds names.
    pub unswitchable: BTreeSet<u32>,
}

impl Tree {
    /// Copies all files under version control.
    ///
    /// # Errors
    /// Without git, and errors of the file system.
    pub fn copy(project: &Path, root: PathBuf) -> Result<Tree> {
        let listed =
            Command::new("git").args(["ls-files", "-z", "-co", "--exclude-standard"]).current_dir(project).output()?;
        ensure!(listed.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr));
        let files = String::from_utf8(listed.stdout)?;
        for file in files.split('\0').filter(|file| !file.is_empty() && !file.starts_with("fuzz/mutants")) {
            let (from, to) = (project.join(file), root.join(file));
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            // A deleted file is still listed until the deletion is committed.
            if from.exists() && fs::read(&from).ok() != fs::read(&to).ok() {
                fs::copy(&from, &to).with_context(|| format!("copy {file}"))?;
            }
        }
        Ok(Tree { project: project.to_owned(), root })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Puts all mutants in that compile.
    ///
    /// # Errors
    /// Errors of the compiler that no mutant caused.
    pub fn switch(&self, mutants: &[Mutant]) -> Result<Sorted> {
        self.prepare(mutants.len())?;
        let mut unviable = BTreeSet::new();
        for _ in 0..MOST_ROUNDS {
            let mut has = BTreeSet::new();
            for (file, mutants) in by_file(mutants) {
                let source = fs::read_to_string(self.project.join(file))?;
                let switched = switch(&source, &mutants, &unviable).with_context(|| file.to_owned())?;
                write(&self.root.join(file), &with_switch(file, &switched.text))?;
                has.extend(switched.has);
            }
            let blamed = self.blamed()?;
            eprintln!("{} mutants switched, {} of them do not compile", has.len(), blamed.len());
            if blamed.is_empty() {
                let all = mutants.iter().map(|mutant| mutant.id);
                let unswitchable = all.filter(|id| !has.contains(id) && !unviable.contains(id)).collect();
                return Ok(Sorted { viable: has, unviable, unswitchable });
            }
            unviable.extend(blamed);
        }
        bail!("mutants are left that do not compile after {MOST_ROUNDS} rounds")
    }

    fn prepare(&self, mutants: usize) -> Result<()> {
        let library = fs::read_to_string(self.project.join(CORE))?;
        let module = include_str!("../mutation.rs").replace("MUTANTS", &(mutants + 1).to_string());
        write(&self.root.join(CORE), &format!("{library}\n{module}"))?;
        for (folder, _, _) in WRITINGS {
            let library = format!("{folder}/src/lib.rs");
            let text = fs::read_to_string(self.project.join(&library))?;
            write(&self.root.join(&library), &with_switch(&library, &text))?;
        }
        write(&self.root.join(HARNESS.0), HARNESS.1)?;
        // Planted mistakes are found by the text of the original sources.
        for lists in PLANTED {
            for list in fs::read_dir(self.root.join(lists))? {
                write(&list?.path(), "")?;
            }
        }
        // Generated sources break rules of style.
        let manifest = fs::read_to_string(self.project.join("Cargo.toml"))?;
        let lints = Regex::new(r"(?s)\[workspace\.lints\.(rust|clippy)\].*?\n\n")?;
        let manifest = lints.replace_all(&manifest, "[workspace.lints.$1]\n\n");
        let manifest = manifest.replace("[dev-dependencies]\n", "[dev-dependencies]\nlibc = \"0.2\"\n");
        write(&self.root.join("Cargo.toml"), &manifest)
    }

    /// The mutants because of which a library does not compile.
    fn blamed(&self) -> Result<BTreeSet<u32>> {
        let mut check = Command::new("cargo");
        check.args(["check", "--keep-going", "--message-format=json"]);
        WRITINGS.iter().for_each(|(_, _, package)| {
            check.args(["-p", package]);
        });
        let checked = check.current_dir(&self.root).output()?;
        let mut blamed = BTreeSet::new();
        for line in String::from_utf8_lossy(&checked.stdout).lines() {
            let message: Value = serde_json::from_str(line)?;
            let message = &message["message"];
            if message["level"] != "error" || message["spans"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            let found = self.blamed_by(message)?;
            ensure!(
                !found.is_empty(),
                "no mutant can be blamed for this:\n{}",
                message["rendered"].as_str().unwrap_or("")
            );
            blamed.extend(found);
        }
        ensure!(checked.status.success() || !blamed.is_empty(), "{}", String::from_utf8_lossy(&checked.stderr));
        Ok(blamed)
    }

    fn blamed_by(&self, message: &Value) -> Result<BTreeSet<u32>> {
        let mut spans: Vec<&Value> = message["spans"].as_array().into_iter().flatten().collect();
        spans.sort_by_key(|span| span["is_primary"] != true);
        for span in spans {
            let Some(file) = span["file_name"].as_str() else { continue };
            let Ok(source) = fs::read_to_string(self.root.join(file)) else { continue };
            let lines: Vec<&str> = source.lines().collect();
            let number = |name: &str| span[name].as_u64().unwrap_or(1) as usize;
            let at = (number("line_start") - 1, number("column_start"));
            let is_open = message["message"].as_str().is_some_and(|text| text.contains("non-exhaustive patterns"));
            let found = if is_open { arms(&lines, at.0)? } else { nearest(&lines, at)?.into_iter().collect() };
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(BTreeSet::new())
    }
}

/// The switch on the line of an error or, if there is none, the last one above it, which may have determined the type of a
/// function that returns an iterator.
fn nearest(lines: &[&str], (line, column): (usize, usize)) -> Result<Option<u32>> {
    let switch = Regex::new(r"mutation::is\(\s*(\d+)u32")?;
    let begin = (0..=line).rev().find(|line| lines[*line].contains("fn ")).unwrap_or(line);
    for above in 0..=LINES_ABOVE.max(line - begin).min(line) {
        let found: Vec<_> = switch.captures_iter(lines[line - above]).collect();
        let mut before =
            found.iter().filter(|found| above > 0 || found.get(0).is_some_and(|all| all.start() <= column + 10));
        if let Some(found) = before.next_back().or(found.first()) {
            return Ok(Some(found[1].parse()?));
        }
    }
    Ok(None)
}

/// The arms that can be switched off in a match that is not exhaustive without them.
fn arms(lines: &[&str], line: usize) -> Result<BTreeSet<u32>> {
    let switch = Regex::new(r"!\s*crate::mutation::is\(\s*(\d+)u32")?;
    let begin = (0..=line).rev().find(|line| lines[*line].contains("match ")).unwrap_or(line);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (own, mut found) = (indent(lines[begin]), BTreeSet::new());
    for text in
        lines[begin + 1..].iter().take_while(|text| !(indent(text) == own && text.trim_start().starts_with('}')))
    {
        for arm in switch.captures_iter(text).filter(|_| indent(text) <= own + 8) {
            found.insert(arm[1].parse()?);
        }
    }
    Ok(found)
}

/// A source with mutants in it; the root of a library also imports the switch.
fn with_switch(file: &str, text: &str) -> String {
    let is_library = WRITINGS.iter().any(|(folder, _, _)| *file == format!("{folder}/src/lib.rs"));
    if is_library { format!("{text}\nuse planfuzz_core::mutation;\n") } else { text.to_owned() }
}

/// Writes a file if its content changes, so that unchanged ones are not compiled anew.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("write {}", path.display()))
}
