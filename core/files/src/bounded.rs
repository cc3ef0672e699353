//! Files that are read up to a bound, so that none fills the memory.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// A file that cannot be read, or is larger.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let problem = format!("expected at most {} MiB, found more", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beyond_the_bound_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "four").expect("written");
        assert_eq!(read(&path, 4).expect("read"), b"four");
        assert_eq!(read(&path, 3).expect_err("too large").kind(), io::ErrorKind::FileTooLarge);
    }
}
