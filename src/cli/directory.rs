//! A user's configuration: the root module in a folder, the modules that it calls, and the values of its variables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_language::Sources;
use planfuzz_language::config::load_file;
use planfuzz_workspace_cases::case::MAX_FILES;
use planfuzz_workspace_cases::kept::{Installed, Written};

use super::error::CliError;
use super::files;
use super::output::{self, NOTE, styled};

/// The file in which an engine lists the modules that it installed.
const MANIFEST: &str = ".terraform/modules/modules.json";

/// The state that engines keep beside a configuration.
const STATE: &str = "terraform.tfstate";

/// The file in which an engine records the providers that it chose.
const LOCK: &str = ".terraform.lock.hcl";

/// The default registry of OpenTofu.
const TOFU_REGISTRY: &str = "registry.opentofu.org/";

/// The configuration in a folder as an engine reads it: its files, those of the modules that it calls, and files of values: those that an
/// engine loads by itself, then the named ones.
///
/// # Errors
/// Files that cannot be read, no configuration, too many files, and modules that are not installed.
pub fn configuration(folder: &Path, values: &[PathBuf], engine: Engine) -> Result<Written, CliError> {
    let manifest = folder.join(MANIFEST);
    let installed = match manifest.is_file() {
        true => {
            Installed::read(&files::read_json(&manifest)?).map_err(|problem| CliError::in_file(&manifest, problem))?
        }
        false => Installed::default(),
    };
    let files = modules(folder, &installed, engine)?;
    if files.is_empty() {
        return Err(CliError::input(format!("{}: expected files of a configuration, found none", folder.display())));
    }
    let own = names(folder, is_taken)?;
    // E07: `terraform.tfvars` and its like in JSON come first, then the others by name.
    let (first, rest): (Vec<&String>, Vec<&String>) = own.iter().partition(|name| name.starts_with("terraform.tfvars"));
    let own = first.into_iter().chain(rest).map(|name| folder.join(name));
    let values = own.chain(values.iter().cloned()).map(|path| Ok((files::name_of(&path), text(&path)?)));
    Ok(Written { files, values: values.collect::<Result<_, CliError>>()?, installed })
}

/// The state beside a configuration; `None` if there is none, or an empty file, as an engine leaves one when the state is moved elsewhere.
pub fn state_of(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(STATE);
    fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() > 0).then_some(path)
}

/// The engine of a folder, by the providers that it chose; Terraform if nothing indicates the engine.
///
/// # Errors
/// Files that cannot be read.
pub fn engine_of(folder: &Path) -> Result<Engine, CliError> {
    let lock = folder.join(LOCK);
    let locks_tofu = lock.is_file() && text(&lock)?.contains(TOFU_REGISTRY);
    let is_tofu = locks_tofu || !names(folder, is_of_tofu)?.is_empty();
    Ok(if is_tofu { Engine::OpenTofu } else { Engine::Terraform })
}

fn is_of_tofu(name: &str) -> bool {
    !name.starts_with(['.', '#']) && (name.ends_with(".tofu") || name.ends_with(".tofu.json"))
}

/// The files of a module by their names in a case. OpenTofu reads `x.tofu` in place of `x.tf`. Override files are left out.
fn module_files(folder: &Path, engine: Engine) -> Result<BTreeMap<String, PathBuf>, CliError> {
    let mut found = BTreeMap::new();
    let mut names_found = names(folder, is_configuration)?;
    if engine == Engine::OpenTofu {
        names_found.extend(names(folder, is_of_tofu)?);
    }
    for name in names_found {
        let in_case = name.replace(".tofu", ".tf");
        let stem = in_case.strip_suffix(".json").unwrap_or(&in_case);
        if stem == "override.tf" || stem.ends_with("_override.tf") {
            let path = folder.join(&name);
            output::report(&styled(
                NOTE,
                format!("left out {}: files that overlay others are not read", path.display()),
            ));
            continue;
        }
        found.insert(in_case, folder.join(name));
    }
    Ok(found)
}

/// Whether an engine loads a file of values by itself.
fn is_taken(name: &str) -> bool {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    stem == "terraform.tfvars" || stem.ends_with(".auto.tfvars")
}

fn is_configuration(name: &str) -> bool {
    !name.starts_with(['.', '#']) && (name.ends_with(".tf") || name.ends_with(".tf.json"))
}

/// The files of the root module and of all modules that it calls, by their paths from the root.
fn modules(folder: &Path, installed: &Installed, engine: Engine) -> Result<Vec<(String, String)>, CliError> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([String::new()]);
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        for (name, path) in module_files(&folder.join(&directory), engine)? {
            let path_below = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            let text = text(&path)?;
            for called in calls(&path, &path_below, &text, &directory, installed)? {
                if seen.insert(called.clone()) {
                    open.push(called);
                }
            }
            found.push((path_below, text));
            if found.len() > MAX_FILES {
                let message = format!("{}: expected at most {MAX_FILES} files, found more", folder.display());
                return Err(CliError::input(message));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The directories of the modules that a file calls.
fn calls(
    path: &Path,
    path_below: &str,
    text: &str,
    directory: &str,
    installed: &Installed,
) -> Result<Vec<String>, CliError> {
    let input_error = |message: String| CliError::input(format!("{}: {message}", path.display()));
    let mut sources = Sources::new();
    let file = sources
        .add(path_below, text)
        .map_err(|_| input_error("expected a file of some size, found a larger one".into()))?;
    let (module, _) = load_file(&sources, file);
    let mut called = Vec::new();
    for call in &module.calls {
        let Some(source) = &call.source else { continue };
        let name = call.name.text.as_str();
        let found = installed.directory(directory, name, source.value.as_str()).ok_or_else(|| {
            let what = format!("expected module.{name} ({}) to be installed, found nothing of it", source.value);
            input_error(what).with_hint("terraform init, or tofu init, installs what is called")
        })?;
        called.push(found);
    }
    Ok(called)
}

/// The names of the wanted files in a folder.
fn names(folder: &Path, is_wanted: fn(&str) -> bool) -> Result<Vec<String>, CliError> {
    let entries = fs::read_dir(folder).map_err(|problem| files::unreadable(folder, &problem))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|problem| files::unreadable(folder, &problem))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_wanted(&name) && entry.path().is_file() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(files::read(path)?).map_err(|problem| CliError::in_file(path, problem))
}

/// The schemas of `providers schema -json`, from one file at most.
///
/// # Errors
/// Several files, and files that cannot be read.
pub fn schemas(paths: &[PathBuf], beside: &str) -> Result<Option<Json>, CliError> {
    match paths {
        [] => Ok(None),
        [path] => files::read_json(path).map(Some),
        _ => Err(CliError::input(format!("expected one file of --schemas beside {beside}, found several"))),
    }
}
