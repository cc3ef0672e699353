//! The project's own recorded vectors.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use planfuzz::case::Vector;
use planfuzz_core::json::Json;

/// The folder of recorded vectors.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join("recorded")
}

/// The lines of every file of recorded engines, by the file's name.
#[allow(dead_code, reason = "not every test asks engines")]
pub fn files() -> Vec<(String, Vec<String>)> {
    of_folder(&folder())
}

/// The lines of every file of recorded provider pipelines, by the file's name.
#[allow(dead_code, reason = "not every test asks pipelines")]
pub fn providers() -> Vec<(String, Vec<String>)> {
    of_folder(&folder().join("providers"))
}

fn of_folder(folder: &Path) -> Vec<(String, Vec<String>)> {
    let entries = fs::read_dir(folder).expect("a folder of recorded vectors");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gz"));
    paths.sort();
    let read = |path: &PathBuf| {
        let mut text = String::new();
        GzDecoder::new(File::open(path).expect("a file")).read_to_string(&mut text).expect("a text file");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, text.lines().map(str::to_owned).collect())
    };
    paths.iter().map(read).collect()
}

/// Reads a line.
pub fn vector(line: &str) -> Vector {
    Json::parse(line).and_then(Vector::from_json).unwrap_or_else(|problem| panic!("{problem} in {line}"))
}
