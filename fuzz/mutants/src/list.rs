//! The mutants, as cargo-mutants lists them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::tree::WRITINGS;

/// The kind of a change, as cargo-mutants names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Genre {
    /// A function only returns a value.
    FnValue,
    /// One operator is replaced by another.
    BinaryOperator,
    /// A unary operator is removed.
    UnaryOperator,
    /// A guard that always or never holds.
    MatchArmGuard,
    /// An arm that never matches.
    MatchArm,
    /// A field that comes from the rest of a struct.
    StructField,
}

/// A line and a column, both from 1.
pub type Position = (usize, usize);

/// One change of the sources.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its number in the list, from 1.
    pub id: u32,
    /// The file, from the root of the project.
    pub file: String,
    /// The beginning of the part that is changed.
    pub at: Position,
    /// The kind of the change.
    pub genre: Genre,
    /// The replacement.
    pub replacement: String,
    /// Its place and its effect, in words.
    pub name: String,
}

impl Mutant {
    /// The part of the project that it is in.
    pub fn part(&self) -> &'static str {
        let inside = |(folder, _, _): &&(&str, &'static str, &str)| {
            self.file.strip_prefix(folder).is_some_and(|rest| rest.starts_with("/src/"))
        };
        WRITINGS.iter().find(inside).map_or("", |(_, part, _)| part)
    }

    /// The name without line and column, which other changes move.
    pub fn lasting_name(&self) -> String {
        let (_, what) = self.name.split_once(": ").unwrap_or(("", &self.name));
        format!("{}: {what}", self.file)
    }
}

/// All mutants that `.cargo/mutants.toml` asks for.
///
/// # Errors
/// Without cargo-mutants, and for a list in a form that is not known.
pub fn list(project: &Path) -> Result<Vec<Mutant>> {
    let listed = Command::new("cargo")
        .args(["mutants", "--list", "--json"])
        .args(WRITINGS.iter().flat_map(|(_, _, package)| ["--package", package]))
        .current_dir(project)
        .output()?;
    if !listed.status.success() {
        bail!(
            "cargo mutants --list failed; is it installed (cargo install cargo-mutants)?\n{}",
            String::from_utf8_lossy(&listed.stderr)
        );
    }
    let listed: Vec<Value> = serde_json::from_slice(&listed.stdout).context("the list of mutants")?;
    ensure!(
        !listed.is_empty(),
        "cargo mutants lists no mutant: does .cargo/mutants.toml name the files that there are?"
    );
    (1..).zip(&listed).map(|(id, mutant)| read(id, mutant).with_context(|| format!("mutant {id}"))).collect()
}

fn read(id: u32, mutant: &Value) -> Result<Mutant> {
    let text = |name: &str| mutant[name].as_str().with_context(|| format!("no {name}"));
    let number = |name: &str| mutant["span"]["start"][name].as_u64().with_context(|| format!("no {name} of its start"));
    let genre = match text("genre")? {
        "FnValue" => Genre::FnValue,
        "BinaryOperator" => Genre::BinaryOperator,
        "UnaryOperator" => Genre::UnaryOperator,
        "MatchArmGuard" => Genre::MatchArmGuard,
        "MatchArm" => Genre::MatchArm,
        "StructField" => Genre::StructField,
        other => bail!("expected a known genre, found {other}"),
    };
    Ok(Mutant {
        id,
        file: text("file")?.to_owned(),
        at: (number("line")? as usize, number("column")? as usize),
        genre,
        replacement: text("replacement")?.to_owned(),
        name: text("name")?.to_owned(),
    })
}

/// The mutants of each file.
pub fn by_file(mutants: &[Mutant]) -> BTreeMap<&str, Vec<&Mutant>> {
    let mut files: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        files.entry(&mutant.file).or_default().push(mutant);
    }
    files
}
