//! Files: read whole with `.gz` seen through, written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use planfuzz_core::json::Json;

use super::error::CliError;
use crate::case::{CaseFile, Vector};

/// The most that is read of one file, uncompressed. Real schema files are of some ten megabytes.
const MAX_FILE: u64 = 1 << 30;

/// Reads a file, uncompressed where its name ends in `.gz`.
///
/// # Errors
/// A file that cannot be read, or is larger than any this command has use for.
pub fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let open = || -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        let mut bytes = Vec::new();
        if path.extension().is_some_and(|extension| extension == "gz") {
            MultiGzDecoder::new(file).take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        } else {
            file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    let bytes = open().map_err(|problem| CliError::input(format!("cannot read {}: {problem}", path.display())))?;
    if bytes.len() as u64 > MAX_FILE {
        let message = format!("{}: expected at most {MAX_FILE} bytes, found more", path.display());
        return Err(CliError::input(message));
    }
    Ok(bytes)
}

/// Reads a JSON document.
///
/// # Errors
/// As [`read`], and a document that is none.
pub fn read_json(path: &Path) -> Result<Json, CliError> {
    Json::parse_bytes(&read(path)?).map_err(|problem| CliError::in_file(path, problem))
}

/// Reads a case file.
///
/// # Errors
/// As [`read_json`], and a document that is no case.
pub fn read_case(path: &Path) -> Result<CaseFile, CliError> {
    CaseFile::from_json(&read_json(path)?).map_err(|problem| CliError::in_file(path, problem))
}

/// Reads the vectors of a file of JSON Lines, or those between the `jsonl` fences of a Markdown file; blank lines are
/// skipped.
///
/// # Errors
/// As [`read`], and the first line that is no vector.
pub fn read_vectors(path: &Path) -> Result<Vec<Vector>, CliError> {
    let bytes = read(path)?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let mut inside = path.extension().is_none_or(|extension| extension != "md");
    let whole = inside;
    lines
        .filter(|(_, line)| match line.trim_ascii() {
            b"" => false,
            b"```jsonl" if !whole => {
                inside = true;
                false
            }
            b"```" if !whole => {
                inside = false;
                false
            }
            _ => inside,
        })
        .map(|(index, line)| {
            Json::parse_bytes(line)
                .and_then(Vector::from_json)
                .map_err(|problem| CliError::in_line(path, index + 1, problem))
        })
        .collect()
}

/// The case files that paths name: files as they are, folders with every `.json` below them, sorted.
///
/// # Errors
/// A path that is not there.
pub fn case_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, true, &mut files)
            .map_err(|problem| CliError::input(format!("cannot read {}: {problem}", path.display())))?;
    }
    Ok(files)
}

fn collect(path: &Path, named: bool, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        return entries.iter().try_for_each(|entry| collect(&entry.path(), false, files));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if named || name.ends_with(".json") || name.ends_with(".json.gz") {
        files.push(path.to_owned());
    }
    Ok(())
}

/// Writes a file whole or not at all: a temporary file beside it, then a rename. Folders are made as needed.
///
/// # Errors
/// A disk that is full, a folder that may not be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let write = || -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".planfuzz-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|problem| problem.error)?;
        Ok(())
    };
    write().map_err(|problem| CliError::writing(path, problem))
}

/// Writes a case file, for reading and review.
///
/// # Errors
/// As [`write()`].
pub fn write_case(path: &Path, file: &CaseFile) -> Result<(), CliError> {
    let mut text = file.to_json().to_pretty();
    text.push('\n');
    write(path, text.as_bytes())
}
