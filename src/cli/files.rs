//! Files: read whole, uncompressed from `.gz`, and written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, JsonProblem};
use planfuzz_core::schema::SchemaProblem;
use planfuzz_files::{draft, folder};

use super::error::CliError;
use crate::artifact::MAX_ARTIFACT_BYTES;
use crate::case::{Case, CaseFile};
use crate::fuzz::wire;
use crate::triage::is_artifact_name;

/// The most that is read of one file, uncompressed. Real schema files are of some ten megabytes.
const MAX_FILE: u64 = 256 << 20;

/// The most that is read of a case file: a document takes many times its size in memory.
pub const MAX_CASE: u64 = 64 << 20;

/// Reads a file, uncompressed where its name ends in `.gz`.
///
/// # Errors
/// A file that cannot be read, or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    read_at_most(path, MAX_FILE)
}

/// Reads a file without decompressing it: callers detect compression by the content. If it is larger than any artifact, one byte more
/// than the bound is read, so that callers notice.
///
/// # Errors
/// A file that cannot be read.
pub fn read_as_it_is(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let mut open = || File::open(path)?.take(MAX_ARTIFACT_BYTES as u64 + 1).read_to_end(&mut bytes);
    open().map_err(|problem| unreadable(path, &problem))?;
    Ok(bytes)
}

fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>, CliError> {
    let open = || -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        let mut bytes = Vec::new();
        if path.extension().is_some_and(|extension| extension == "gz") {
            MultiGzDecoder::new(file).take(limit + 1).read_to_end(&mut bytes)?;
        } else {
            file.take(limit + 1).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    let bytes = open().map_err(|problem| unreadable(path, &problem))?;
    if bytes.len() as u64 > limit {
        let message = format!("{}: expected at most {} MiB, found more", path.display(), limit >> 20);
        return Err(CliError::input(message));
    }
    Ok(bytes)
}

/// A file that cannot be read.
pub fn unreadable(path: &Path, problem: &io::Error) -> CliError {
    CliError::input(format!("cannot read {}: {problem}", path.display()))
}

/// Reads a JSON document.
///
/// # Errors
/// As [`read`], and a document that is none.
pub fn read_json(path: &Path) -> Result<Json, CliError> {
    let bytes = read(path)?;
    refuse_encoding(path, &bytes)?;
    Json::parse_bytes(&bytes).map_err(|problem| CliError::in_file(path, problem))
}

/// Refuses a text in another encoding than UTF-8, as PowerShell writes with `>`, by its first bytes.
///
/// # Errors
/// Such a text.
pub fn refuse_encoding(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let encoding = match bytes {
        [0xEF, 0xBB, 0xBF, ..] => "UTF-8 with a byte order mark",
        [0xFF, 0xFE, ..] => "UTF-16 (little-endian, with a byte order mark)",
        [0xFE, 0xFF, ..] => "UTF-16 (big-endian, with a byte order mark)",
        [b'{' | b'[' | b'"', 0, ..] => "UTF-16 (little-endian)",
        [0, b'{' | b'[' | b'"', ..] => "UTF-16 (big-endian)",
        _ => return Ok(()),
    };
    let message = format!("{}: expected UTF-8 without a byte order mark, found {encoding}", path.display());
    Err(CliError::input(message).with_hint("save it as UTF-8; in PowerShell: … | Out-File -Encoding utf8NoBOM FILE"))
}

/// Reads a case file.
///
/// # Errors
/// As [`read_json`], and a document that is no case.
pub fn read_case(path: &Path) -> Result<CaseFile, CliError> {
    let bytes = read_at_most(path, MAX_CASE)?;
    refuse_encoding(path, &bytes)?;
    let document = wire::document(&bytes).map_err(|problem| CliError::in_file(path, problem))?;
    case_of(document, None).map_err(|problem| CliError::in_file(path, problem))
}

/// Whether a file has the name of an artifact of a fuzzer whose memory ran out.
pub fn is_out_of_memory(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("oom-"))
}

/// The case of a document, in the given dialect instead of its own if there is one.
///
/// # Errors
/// A document that is no case.
pub fn case_of(mut json: Json, dialect: Option<Dialect>) -> Result<CaseFile, JsonError> {
    if let (Some(dialect), Json::Object(members)) = (dialect, &mut json)
        && let Some((_, name)) = members.iter_mut().find(|(name, _)| **name == *"dialect")
    {
        *name = Json::string(&dialect.to_string());
    }
    let file = CaseFile::from_json(&json)?;
    check_schema(&file.case)?;
    Ok(file)
}

/// Checks the schema of a case: the merge is defined for valid schemas, and answers to others are no findings. Vectors are exempt:
/// engines were asked all the same.
fn check_schema(case: &Case) -> Result<(), JsonError> {
    let problems = case.schema().map(|schema| schema.problems(case.dialect)).unwrap_or_default();
    match problems.into_iter().next() {
        None => Ok(()),
        Some(SchemaProblem { rule, path, message }) => {
            let message = format!("{path}: {message}");
            Err(JsonError::from(JsonProblem::Schema { rule, message }).inside_member("schema"))
        }
    }
}

/// The case files that paths name: files themselves, and every `.json` below folders, sorted.
///
/// # Errors
/// A path that does not exist.
pub fn case_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    files_below(paths, &[".json"])
}

/// Refuses a folder in the place of a file that a command will write.
///
/// # Errors
/// There is a folder.
pub fn expect_file(option: &str, path: Option<&Path>) -> Result<(), CliError> {
    match path.filter(|path| path.is_dir()) {
        Some(path) => Err(CliError::input(format!("{option}: expected a file, found the folder {}", path.display()))),
        None => Ok(()),
    }
}

/// Refuses a file in the place of a folder that a command will fill.
///
/// # Errors
/// There is a file.
pub fn expect_folder(option: &str, path: &Path) -> Result<(), CliError> {
    match path.exists() && !path.is_dir() {
        true => Err(CliError::input(format!("{option}: expected a folder, found the file {}", path.display()))),
        false => Ok(()),
    }
}

/// The files that paths name: files themselves, and every file below folders with one of the endings, compressed or not, sorted.
///
/// # Errors
/// A path that does not exist.
pub fn files_below(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, CliError> {
    below(paths, &|name| endings.iter().any(|ending| ends_in(name, ending)))
}

/// The findings that paths name: as [`case_files`], with a fuzzer's artifacts, which have no ending.
///
/// # Errors
/// A path that does not exist.
pub fn finding_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    below(paths, &|name| is_artifact_name(name) || ends_in(name, ".json"))
}

/// Whether a file has the name of a fuzzer's artifact.
pub fn is_artifact(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_artifact_name(&name.to_string_lossy()))
}

fn below(paths: &[PathBuf], is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        let is_folder = fs::metadata(path).map_err(|problem| unreadable(path, &problem))?.is_dir();
        if is_folder { collect(path, is_wanted, &mut files)? } else { files.push(path.clone()) }
    }
    Ok(files)
}

/// Whether a name has an ending, compressed or not.
fn ends_in(name: &str, ending: &str) -> bool {
    name.strip_suffix(".gz").unwrap_or(name).ends_with(ending)
}

/// Adds the wanted files below a folder. Links to folders are not followed, as one may lead back; nor is what an engine keeps beside a
/// configuration looked at, which is not the user's.
fn collect(folder: &Path, is_wanted: &dyn Fn(&str) -> bool, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    for entry in folder::entries(folder).map_err(|problem| unreadable(folder, &problem))? {
        let path = entry.path();
        let kind = entry.file_type().map_err(|problem| unreadable(&path, &problem))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && name == OF_ENGINE {
            continue;
        }
        if kind.is_dir() {
            collect(&path, is_wanted, files)?;
        } else if is_wanted(&name) && !path.is_dir() {
            files.push(path);
        }
    }
    Ok(())
}

/// The folder in which engines keep providers and modules.
const OF_ENGINE: &str = ".terraform";

/// The last part of a path.
pub fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a file has a document in each line.
pub fn is_lines(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}

/// Writes a file whole or not at all: a temporary file beside it, then a rename. Folders are made as needed.
///
/// # Errors
/// A disk that is full, a folder that cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    draft::write_whole(path, |file| file.write_all(bytes)).map_err(|problem| CliError::writing(path, problem))
}

/// Writes lines as [`write()`] does, compressed if the name ends in `.gz`. If a line is an error, no file is left.
///
/// # Errors
/// As [`write()`], and the lines' own.
pub fn write_lines<E: std::error::Error + Send + Sync + 'static>(
    path: &Path,
    lines: impl Iterator<Item = Result<Vec<u8>, E>>,
) -> Result<(), CliError> {
    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
    let written = draft::write_whole(path, |file| {
        let mut file = io::BufWriter::new(file);
        if !is_compressed {
            put_lines(&mut file, lines)?;
            return file.flush();
        }
        let mut packed = GzEncoder::new(&mut file, Compression::best());
        put_lines(&mut packed, lines)?;
        packed.finish()?.flush()
    });
    written.map_err(|problem| CliError::writing(path, problem))
}

fn put_lines<E: std::error::Error + Send + Sync + 'static>(
    file: &mut impl Write,
    lines: impl Iterator<Item = Result<Vec<u8>, E>>,
) -> io::Result<()> {
    for line in lines {
        file.write_all(&line.map_err(io::Error::other)?)?;
    }
    Ok(())
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
