//! Folders: their entries, none of which is left out silently, and the folder of a file.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

/// The entries of a folder, in the order of their names.
///
/// # Errors
/// A folder that cannot be read to its end.
pub fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

/// The folder that a file is in.
#[must_use]
pub fn of_file(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        ["b", "a", "c"].iter().for_each(|name| fs::write(folder.path().join(name), "").expect("written"));
        let names = entries(folder.path()).expect("entries").into_iter().map(|entry| entry.file_name());
        assert!(names.eq(["a", "b", "c"]));
        assert_eq!(entries(&folder.path().join("none")).expect_err("none").kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_bare_name_is_in_the_folder_of_the_process() {
        assert_eq!(of_file("a.json".as_ref()), Path::new("."));
        assert_eq!(of_file("b/a.json".as_ref()), Path::new("b"));
    }
}
