//! `import DIR`: makes a case of a root module and the state beside it.

use std::path::Path;

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::json::Json;
use planfuzz_core::plans::Mode;
use planfuzz_workspace_cases::kept::Kept;
use planfuzz_workspace_cases::{Command, Step};

use super::args::ImportArgs;
use super::error::CliError;
use super::{directory, files, kept};
use crate::artifact::Artifact;
use crate::case::Case;
use crate::generate::of_workspace;
use crate::import::described;

/// A user's workspace.
pub struct Imported {
    /// The case: planned and applied as it is, planned again, destroyed.
    pub case: Case,
    /// The number of stored objects.
    pub objects: u64,
    /// The reference's plan of it, in a line.
    pub planned: String,
}

/// The workspace in a folder.
///
/// # Errors
/// Files that cannot be read, or are no workspace, and secrets that cannot have placeholders.
pub fn of_folder(args: &ImportArgs, folder: &Path) -> Result<Imported, CliError> {
    let schemas = directory::schemas(&args.schemas, "a folder")?;
    let state_file = args.state.clone().or_else(|| directory::state_of(folder));
    let (state, dialect) = match &state_file {
        Some(path) => {
            let bytes = files::read(path)?;
            let artifact = Artifact::read(&bytes, None).map_err(|problem| CliError::in_file(path, problem))?;
            let state = Json::parse_bytes(&bytes).map_err(|problem| CliError::in_file(path, problem))?;
            (Some(state), described(artifact.producer.dialect()))
        }
        None if directory::engine_of(folder)? == Engine::OpenTofu => (None, Dialect::OPENTOFU_1_12),
        None => (None, Dialect::TERRAFORM_1_11),
    };
    let dialect = args.dialect.unwrap_or(dialect);
    let written = directory::configuration(folder, &args.var_files, dialect.engine())?;
    let of = Kept::of(state.as_ref(), Some(&written), schemas.as_ref(), dialect)
        .map_err(|problem| kept::blamed(problem, folder, state_file.as_deref()))?;
    let planned_of =
        |of: &Kept| kept::planned(of).map(|first| first.text).map_err(|problem| CliError::in_file(folder, problem));
    let mut planned = planned_of(&of)?;
    let redacted = if args.show_sensitive { None } else { kept::redacted(folder, &of, "--show-sensitive")? };
    if let Some(redacted) = &redacted {
        let replaced = planned_of(redacted)?;
        if replaced != planned {
            planned = format!("{planned} With placeholders: {replaced}");
        }
    }
    let mut workspace = redacted.as_ref().unwrap_or(&of).with(trace());
    let name = files::name_of(&folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
    workspace.purpose = Some(format!("Imported from {name}: planned and applied as it is, planned again, destroyed"));
    Ok(Imported { case: of_workspace(workspace), objects: state.as_ref().map_or(0, objects), planned })
}

/// The steps of an imported workspace.
fn trace() -> Vec<Step> {
    let mut destroyed = Step::of(Command::Apply);
    destroyed.options.mode = Mode::Destroy;
    vec![Step::of(Command::Apply), Step::of(Command::Plan), destroyed]
}

fn objects(state: &Json) -> u64 {
    let items = |json: &'_ Json, name: &str| json.member(name).map_or(&[][..], Json::listed).len() as u64;
    let resources = state.member("resources").map_or(&[][..], Json::listed);
    resources.iter().map(|resource| items(resource, "instances")).sum()
}
