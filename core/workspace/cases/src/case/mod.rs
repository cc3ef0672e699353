//! A case of a whole workspace: files, providers, a state, and the steps that people take.
//!
//! A case is complete: it has the configuration as it would lie on a disk, how each provider answers, the state at the beginning, and for
//! each step the command, its options, the files that were edited before it, what happened outside and what fails.

mod read;
mod write;

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_language::Sources;
use planfuzz_language::check::Schemas;
pub use planfuzz_workspace::Command;
use planfuzz_workspace::Options;

pub use read::{CaseError, MAX_FILES, MAX_STEPS};

use crate::model::{RemoteEvents, Simulated, TypeModel};

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which engine in which version.
    pub dialect: Dialect,
    /// Its purpose, if given.
    pub purpose: Option<String>,
    /// What `providers schema -json` has under `provider_schemas`.
    pub providers: Json,
    /// How types behave, by name.
    pub models: BTreeMap<String, TypeModel>,
    /// The configuration: paths and documents in JSON syntax.
    pub files: BTreeMap<String, Json>,
    /// What is stored at the beginning, as a state file.
    pub state: Option<Json>,
    /// What is done, one after the other.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub command: Command,
    /// With which options.
    pub options: Options,
    /// Files that were edited before: their new contents, or `None` for removed ones.
    pub edits: BTreeMap<String, Option<Json>>,
    /// Instances that were tainted before, by address.
    pub taint: Vec<String>,
    /// What happens outside, and what fails.
    pub events: RemoteEvents,
}

impl Step {
    /// A step without anything special.
    pub fn of(command: Command) -> Step {
        let (edits, taint, events) = (BTreeMap::new(), Vec::new(), RemoteEvents::default());
        Step { command, options: Options::default(), edits, taint, events }
    }
}

impl Case {
    /// The schemas of its providers.
    ///
    /// # Errors
    /// The document is not a valid set of schemas.
    pub fn schemas(&self) -> Result<Schemas, CaseError> {
        Ok(Schemas::from_json(&Json::object([("provider_schemas", self.providers.clone())]))?)
    }

    /// The providers in a step.
    pub fn simulated(&self, schemas: &Schemas, events: &RemoteEvents) -> Simulated {
        Simulated::new(schemas.clone(), self.dialect, self.models.clone(), events.clone())
    }
}

/// Files as a planner takes them.
///
/// # Errors
/// A file is too large.
pub fn sources(files: &BTreeMap<String, Json>) -> Result<Sources, CaseError> {
    let mut sources = Sources::new();
    for (path, contents) in files {
        sources.add(path.clone(), contents.to_compact()).map_err(|_| CaseError::Size)?;
    }
    Ok(sources)
}

/// The edits that turn the first files into the second.
pub(crate) fn edits_between(
    before: &BTreeMap<String, Json>,
    after: &BTreeMap<String, Json>,
) -> BTreeMap<String, Option<Json>> {
    let is_new = |(path, file): &(&String, &Json)| before.get(*path) != Some(*file);
    let new = after.iter().filter(is_new).map(|(path, file)| (path.clone(), Some(file.clone())));
    let gone = before.keys().filter(|path| !after.contains_key(*path)).map(|path| (path.clone(), None));
    new.chain(gone).collect()
}

/// The files after the edits of a step.
pub fn edited(files: &mut BTreeMap<String, Json>, step: &Step) {
    for (path, contents) in &step.edits {
        match contents {
            Some(contents) => drop(files.insert(path.clone(), contents.clone())),
            None => drop(files.remove(path)),
        }
    }
}
