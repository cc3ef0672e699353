//! The files of a run.

use std::fs;
use std::io::ErrorKind;

use super::EngineError;
use crate::process::RunDir;
use crate::workdir::File;

/// The plan file of a run.
pub(super) const PLAN: &str = "plan.bin";

/// The state of a run.
pub(super) const STATE: &str = "terraform.tfstate";

/// Writes a file.
pub(super) fn write(dir: &RunDir, name: &'static str, bytes: &[u8]) -> Result<(), EngineError> {
    let path = dir.path().join(name);
    let written = match path.parent() {
        Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::write(&path, bytes)),
        None => fs::write(&path, bytes),
    };
    written.map_err(|problem| EngineError::File { what: "write", name, problem: problem.to_string() })
}

/// Writes a file whose name is generated.
pub(super) fn write_named(dir: &RunDir, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
    fs::write(dir.path().join(name), bytes).map_err(|problem| EngineError::File {
        what: "write",
        name: "a configuration",
        problem: problem.to_string(),
    })
}

/// Writes the files of a configuration.
pub(super) fn write_config(dir: &RunDir, files: &[File]) -> Result<(), EngineError> {
    files.iter().try_for_each(|file| write(dir, file.path, file.content.to_compact().as_bytes()))
}

/// The text of the configuration of the root module, which is one file.
pub(super) fn root_text(files: &[File]) -> String {
    let root = files.iter().find(|file| !file.path.contains('/'));
    root.map(|file| file.content.to_compact()).unwrap_or_default()
}

/// Reads a file; `None` if there is none.
pub(super) fn read(dir: &RunDir, name: &'static str) -> Result<Option<Vec<u8>>, EngineError> {
    match fs::read(dir.path().join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(EngineError::File { what: "read", name, problem: problem.to_string() }),
    }
}
