//! `run --state`: cases that begin with a state file, and with the configuration that made it.

use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::case::MAX_FILES;
use planfuzz_workspace_cases::generate::Choices;
use planfuzz_workspace_cases::kept::Kept;

use super::args::GeneratorArgs;
use super::error::CliError;
use super::files;
use crate::campaign::{Reader, Source};
use crate::case::Case;
use crate::generate::of_workspace;

/// How deep folders of a configuration are looked through.
const MAX_DEPTH: usize = 32;

/// Cases of a state by number, each in one of the dialects, in turns.
pub struct OfState {
    kept: Vec<Kept>,
    seed: u64,
}

impl OfState {
    /// Of the state in a file, the configuration below a folder (made of the state where none is named), and schemas where they are given.
    ///
    /// # Errors
    /// Whatever cannot be read, or is none of these.
    pub fn read(
        state: &Path,
        config: Option<&Path>,
        args: &GeneratorArgs,
        dialects: &[Dialect],
        seed: u64,
    ) -> Result<OfState, CliError> {
        let document = files::read_json(state)?;
        let configuration = config.map(configuration).transpose()?.unwrap_or_default();
        let schemas = match &args.schemas[..] {
            [] => None,
            [path] => Some(files::read_json(path)?),
            _ => return Err(CliError::input("expected one file of --schemas beside --state, found several")),
        };
        let of = |dialect: &Dialect| Kept::of(&document, &configuration, schemas.as_ref(), *dialect);
        let kept = dialects.iter().map(of).collect::<Result<Vec<_>, _>>();
        let kept = kept.map_err(|problem| CliError::in_file(state, problem))?;
        if kept.iter().any(|kept| kept.blocks() == 0) {
            let place = config.unwrap_or(state);
            return Err(CliError::input(format!(
                "{}: expected blocks of managed resources, found none",
                place.display()
            )));
        }
        Ok(OfState { kept, seed })
    }
}

impl Source for OfState {
    fn open(&self) -> Box<dyn Reader + '_> {
        Box::new(self)
    }
}

impl Reader for &OfState {
    fn cases(&mut self, from: u64, count: u64) -> Vec<Case> {
        let one = |number: u64| {
            let kept = self.kept.get((number % self.kept.len().max(1) as u64) as usize)?;
            Some(of_workspace(kept.case(&mut Choices::seeded(self.seed, number))))
        };
        (from..from.saturating_add(count)).filter_map(one).collect()
    }
}

/// The files of a configuration, with their paths from its folder. What an engine installed is left out.
fn configuration(folder: &Path) -> Result<Vec<(String, String)>, CliError> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, String, usize)> = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((at, prefix, depth)) = open.pop() {
        let entries = fs::read_dir(&at).map_err(|problem| files::unreadable(&at, &problem))?;
        for entry in entries {
            let path = entry.map_err(|problem| files::unreadable(&at, &problem))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.starts_with('.'))
            else {
                continue;
            };
            if path.is_dir() && depth < MAX_DEPTH {
                open.push((path.clone(), format!("{prefix}{name}/"), depth + 1));
            } else if path.is_file() && (name.ends_with(".tf") || name.ends_with(".tf.json")) {
                let bytes = files::read(&path)?;
                let text = String::from_utf8(bytes).map_err(|problem| CliError::in_file(&path, problem))?;
                found.push((format!("{prefix}{name}"), text));
            }
            if found.len() > MAX_FILES {
                let message = format!("{}: expected at most {MAX_FILES} files, found more", folder.display());
                return Err(CliError::input(message));
            }
        }
    }
    found.sort();
    match found.is_empty() {
        true => Err(CliError::input(format!("{}: expected files of a configuration, found none", folder.display()))),
        false => Ok(found),
    }
}
