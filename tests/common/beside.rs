//! Data that lies beside a checkout, where it does: it is not part of the project.

use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;

/// The folder or file of that name; nothing, and said so, where there is none.
pub fn path(names: &[&str]) -> Option<PathBuf> {
    let mut path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "shared"].iter().collect();
    path.extend(names);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {} beside this checkout", names.join("/"));
    None
}

/// The bytes of a file, uncompressed.
#[allow(dead_code, reason = "not every test reads one file")]
pub fn bytes(path: &PathBuf) -> Vec<u8> {
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(File::open(path).expect("a file")).read_to_end(&mut bytes).expect("a compressed file");
    } else {
        bytes = fs::read(path).expect("a file");
    }
    bytes
}

/// The text of a file, uncompressed.
#[allow(dead_code, reason = "not every test reads one file")]
pub fn text(names: &[&str]) -> Option<String> {
    Some(String::from_utf8(bytes(&path(names)?)).expect("a text file"))
}
