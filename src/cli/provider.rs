//! `provider`: checks a real provider against its contract. The crate of that name does the work.

use std::path::{Path, PathBuf};

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::file::PlanFile;
use planfuzz_language::check::Schemas;
use planfuzz_language::config::load;
use planfuzz_language::write::write_module;
use planfuzz_language::{Diagnostic, Sources};
use planfuzz_provider::{Kept, ProviderArgs, ProviderError, Saved};

use super::error::{CliError, Held, with_causes};
use super::{output, settings};
use crate::artifact::{Artifact, StateObject};

/// Runs the command.
///
/// # Errors
/// A provider that cannot be asked, and bad input.
pub fn run(args: &ProviderArgs) -> Result<Held, CliError> {
    settings::watch_interrupts()?;
    let held = print_lines_of(|out| planfuzz_provider::run(args, &read_seeds, settings::stop_asking(), out).map(Some))?;
    held.ok_or_else(|| CliError::failed("the command has no result"))
}

/// A command on saved findings of providers.
pub type Work = fn(&Saved, bool, &mut dyn FnMut(&str)) -> Result<Kept, ProviderError>;

/// Runs a command on saved findings of providers; `None` if the paths contain anything else.
///
/// # Errors
/// Cases that cannot be read.
pub fn saved(paths: &[PathBuf], json: bool, work: Work) -> Result<Option<Held>, CliError> {
    // Paths that are no files are for the caller to handle.
    if !paths.iter().all(|path| path.exists()) {
        return Ok(None);
    }
    print_lines_of(|out| Saved::read(paths)?.map(|saved| work(&saved, json, out)).transpose())
}

/// The values in a file other than JSON: configuration in native syntax, or a plan file with its state and configuration.
fn read_seeds(path: &Path, bytes: &[u8]) -> Result<Vec<Json>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".tf") || name.ends_with(".tofu") {
        return Ok(vec![native(bytes)?]);
    }
    let artifact = Artifact::read(bytes, None).map_err(|problem| problem.to_string())?;
    let objects = artifact.state().into_iter().flat_map(|state| &state.objects);
    let document = |of: &StateObject| {
        let (key, values) = (of.id.resource_key()?, of.value.as_json()?.clone());
        Some(Json::object([("type", Json::string(&key.type_name)), ("values", values)]))
    };
    let mut documents: Vec<Json> = objects.filter_map(document).collect();
    let plan = [Engine::Terraform, Engine::OpenTofu].into_iter().find_map(|engine| PlanFile::read(bytes, engine).ok());
    for file in plan.iter().flat_map(|plan| &plan.config) {
        documents.push(match file.name.ends_with(".json") {
            true => Json::parse_bytes(&file.contents).map_err(|problem| format!("{}: {problem}", file.name))?,
            false => native(&file.contents).map_err(|problem| format!("{}: {problem}", file.name))?,
        });
    }
    Ok(documents)
}

/// Converts a file in native syntax to JSON.
fn native(bytes: &[u8]) -> Result<Json, String> {
    let mut sources = Sources::new();
    // Each file is a module of its own: its references are no values.
    sources.add("main.tf", bytes).map_err(|problem| problem.to_string())?;
    let loaded = load(&sources, "");
    // The modules that it calls are not loaded.
    let is_own = |it: &&Diagnostic| it.is_error() && it.summary != "Unreadable module directory";
    match loaded.diagnostics.iter().find(is_own) {
        Some(error) => Err(error.summary.to_string()),
        None => {
            let written = write_module(&loaded.configuration.module, &sources, &Schemas::default()).to_text();
            Json::parse(&written).map_err(|problem| problem.to_string())
        }
    }
}

/// Runs `work`, and prints its output line by line.
fn print_lines_of(
    work: impl FnOnce(&mut dyn FnMut(&str)) -> Result<Option<Kept>, ProviderError>,
) -> Result<Option<Held>, CliError> {
    let mut closed = None;
    let kept = work(&mut |line| {
        // When the output is closed the work goes on, so that created objects are destroyed.
        if closed.is_none() {
            closed = output::line(line).err();
        }
    });
    if let Some(closed) = closed {
        return Err(closed);
    }
    match kept {
        Ok(kept) => Ok(kept.map(|kept| Held::from(kept == Kept::Yes))),
        Err(problem @ ProviderError::Place(_)) => Err(CliError::failed(with_causes(&problem))),
        Err(problem) => Err(CliError::input(with_causes(&problem))),
    }
}
