//! The corpora that are kept from night to night: folders of readable cases, replaced whole or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::PhaseError;
use super::record::Corpus;

/// The folder in which a new corpus is made, beside the one that it replaces.
pub fn draft_of(corpus: &Path) -> PathBuf {
    beside(corpus, "new")
}

/// Replaces the corpus by its draft. If the process is killed at any point, [`recover`] finds one of the two whole.
///
/// # Errors
/// A folder that cannot be renamed or removed.
pub fn replace(corpus: &Path) -> Result<(), PhaseError> {
    let old = beside(corpus, "old");
    if corpus.exists() {
        rename(corpus, &old)?;
    }
    rename(&draft_of(corpus), corpus)?;
    remove(&old)
}

/// Restores the corpus after a night was killed. A draft is removed, as it may be incomplete.
///
/// # Errors
/// A folder that cannot be renamed or removed.
pub fn recover(corpus: &Path) -> Result<(), PhaseError> {
    let old = beside(corpus, "old");
    if old.exists() && !corpus.exists() {
        rename(&old, corpus)?;
    }
    remove(&old)?;
    remove(&draft_of(corpus))
}

/// Counts the files of a corpus, their bytes, and the files whose names are not in `before`.
///
/// # Errors
/// A folder that cannot be read.
pub fn count(corpus: &Path, before: &BTreeSet<String>) -> Result<Corpus, PhaseError> {
    let mut counted = Corpus::default();
    for (name, bytes) in files_in(corpus)? {
        counted.files += 1;
        counted.bytes += bytes;
        counted.fresh += u64::from(!before.contains(&name));
    }
    Ok(counted)
}

/// The names of the files of a corpus.
///
/// # Errors
/// A folder that cannot be read.
pub fn names(corpus: &Path) -> Result<BTreeSet<String>, PhaseError> {
    Ok(files_in(corpus)?.into_iter().map(|(name, _)| name).collect())
}

/// The files in a folder with their sizes; empty if the folder does not exist.
fn files_in(folder: &Path) -> Result<Vec<(String, u64)>, PhaseError> {
    let list = || -> io::Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let about = entry.metadata()?;
            if about.is_file() {
                files.push((entry.file_name().to_string_lossy().into_owned(), about.len()));
            }
        }
        Ok(files)
    };
    match list() {
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other.map_err(|problem| PhaseError::of_file("read", folder, &problem)),
    }
}

fn beside(corpus: &Path, what: &str) -> PathBuf {
    let name = corpus.file_name().unwrap_or_default().to_string_lossy();
    corpus.with_file_name(format!(".{name}.{what}"))
}

fn rename(from: &Path, to: &Path) -> Result<(), PhaseError> {
    fs::rename(from, to).map_err(|problem| PhaseError::of_file("rename", from, &problem))
}

fn remove(folder: &Path) -> Result<(), PhaseError> {
    match fs::remove_dir_all(folder) {
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => {
            Err(PhaseError::of_file("remove", folder, &problem))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(name), name).unwrap();
    }

    fn all(folder: &Path) -> Vec<String> {
        names(folder).unwrap().into_iter().collect()
    }

    #[test]
    fn a_corpus_is_replaced_whole() {
        let place = tempfile::tempdir().unwrap();
        let corpus = place.path().join("planner");
        put(&draft_of(&corpus), "a");
        replace(&corpus).unwrap();
        put(&draft_of(&corpus), "b");
        let before = names(&corpus).unwrap();
        replace(&corpus).unwrap();
        assert_eq!(all(&corpus), ["b"]);
        assert_eq!(count(&corpus, &before).unwrap(), Corpus { files: 1, bytes: 1, fresh: 1 });
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_corpus_that_a_killed_night_left_is_recovered() {
        let place = tempfile::tempdir().unwrap();
        let corpus = place.path().join("planner");
        // Killed between the two renames.
        put(&beside(&corpus, "old"), "a");
        put(&draft_of(&corpus), "b");
        recover(&corpus).unwrap();
        assert_eq!(all(&corpus), ["a"]);
        // Killed before the first and after the second.
        put(&draft_of(&corpus), "half");
        put(&beside(&corpus, "old"), "z");
        recover(&corpus).unwrap();
        assert_eq!(all(&corpus), ["a"]);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
