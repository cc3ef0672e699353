//! Drafts: files that are being written, under a temporary name until they are complete.
//!
//! [`write_whole`] writes a file by way of a draft: whole or not at all, however the writer ends. A link stays a link, and what is no
//! regular file (a terminal, a pipe, `/dev/null`) is written to, never replaced.
//!
//! A draft is locked as long as its writer lives: the kernel releases the lock however the writer ends. So a draft that
//! can be locked was left by a writer that was killed.

use std::fs::{self, DirEntry, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::folder;

/// The prefix of a draft's name.
const PREFIX: &str = ".planfuzz-";

/// Its suffix.
const SUFFIX: &str = ".draft";

/// How many links are followed one after another, as Linux does.
const LINKS: usize = 40;

/// How many times [`make`] tries again when another process removes the draft it just made.
const ATTEMPTS: u32 = 100;

/// Makes a draft in a folder, locked where the file system has locks.
///
/// # Errors
/// A folder in which no file can be made.
fn make(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // A temporary file is readable by its owner alone; the finished file gets the permissions that the user's umask
    // leaves.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    for _ in 0..ATTEMPTS {
        let draft = builder.tempfile_in(folder)?;
        match draft.as_file().try_lock() {
            // A concurrent sweep may have locked or removed it first.
            Err(TryLockError::WouldBlock) => {}
            Ok(()) if !draft.path().exists() => {}
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(draft),
        }
    }
    Err(io::Error::from(io::ErrorKind::ResourceBusy))
}

/// Writes a file whole or not at all: `put` fills a draft beside it, which then gets its name, and the permissions of the file that had
/// the name before. Folders are made as needed. The file of a link is written, not the link; a pipe or a device is written to.
///
/// # Errors
/// Those of `put`, a disk that is full, a folder that cannot be written.
pub fn write_whole(path: &Path, put: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let path = match place(path)? {
        Place::Open(mut file) => return put(&mut file),
        Place::At(path) => path,
    };
    let before = fs::metadata(&path).ok();
    let folder = folder::of_file(&path);
    fs::create_dir_all(folder)?;
    let mut draft = make(folder)?;
    put(draft.as_file_mut())?;
    if let Some(before) = before {
        draft.as_file().set_permissions(before.permissions())?;
    }
    // Else a crash of the machine may leave the name with an empty file.
    draft.as_file().sync_all()?;
    draft.persist(&path).map_err(|problem| problem.error)?;
    Ok(())
}

/// Where a file is written.
enum Place {
    /// To what is open, or is no regular file: another file would not be seen by who has it open.
    Open(File),
    /// At a path, which is no link.
    At(PathBuf),
}

/// The place that a path leads to, whether there is a file or not.
fn place(path: &Path) -> io::Result<Place> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Some(open) = descriptor(&path) {
            return open.map(Place::Open);
        }
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder::of_file(&path).join(next);
    }
    match fs::metadata(&path) {
        Ok(about) if !about.is_file() => File::options().write(true).open(&path).map(Place::Open),
        _ => Ok(Place::At(path)),
    }
}

/// The file that a path names by way of what this process has open. Standard output and error are the same descriptions again, so that what
/// follows is written behind.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<io::Result<File>> {
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    let of_process = || path.starts_with("/proc") && path.parent().is_some_and(|folder| folder.ends_with("fd"));
    match path.to_str() {
        Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => {
            let again = io::stdout().flush().and_then(|()| io::stdout().as_fd().try_clone_to_owned());
            Some(again.map(File::from))
        }
        Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => {
            Some(io::stderr().as_fd().try_clone_to_owned().map(File::from))
        }
        _ if path.starts_with("/dev/fd") || of_process() => Some(File::options().append(true).open(path)),
        _ => None,
    }
}

#[cfg(not(unix))]
fn descriptor(_: &Path) -> Option<io::Result<File>> {
    None
}

/// Removes the drafts in a folder whose writers are dead; returns those that could not be removed. A missing folder has
/// none.
#[must_use]
pub fn sweep(folder: &Path) -> Vec<(PathBuf, io::Error)> {
    let entries = match folder::entries(folder) {
        Ok(entries) => entries,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(problem) => return vec![(folder.to_owned(), problem)],
    };
    let drafts = entries.iter().map(DirEntry::path).filter(|path| is_draft(path));
    drafts.filter_map(|path| remove_if_dead(&path).err().map(|problem| (path, problem))).collect()
}

/// Removes dead drafts in a folder of findings and in the folders of groups in it, as [`sweep`] does.
#[must_use]
pub fn sweep_findings(findings: &Path) -> Vec<(PathBuf, io::Error)> {
    let left = sweep(findings);
    // A folder that cannot be read is among those already.
    let entries = folder::entries(findings).unwrap_or_default();
    let groups = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(DirEntry::path);
    left.into_iter().chain(groups.flat_map(|group| sweep(&group))).collect()
}

fn is_draft(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

fn remove_if_dead(path: &Path) -> io::Result<()> {
    let removed = || match File::open(path)?.try_lock() {
        Ok(()) => fs::remove_file(path),
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(problem)) => Err(problem),
    };
    match removed() {
        // The writer renamed it meanwhile.
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_writer_keeps_its_draft_and_a_dead_one_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let living = make(folder.path()).expect("a draft");
        for name in [".planfuzz-x.draft", ".planfuzz-config", "planfuzz-x.draft", "a.json"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        assert!(sweep(folder.path()).is_empty());
        assert!(living.path().exists());
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("one").path()).collect();
        names.retain(|path| path != living.path());
        assert_eq!(names.len(), 3, "{names:?}");
        let name = folder.path().join("b.json");
        living.persist(&name).expect("named");
        assert!(sweep(folder.path()).is_empty() && name.exists());
        assert!(sweep(&folder.path().join("none")).is_empty());
    }

    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        use std::io::Write as _;

        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/a.json");
        write_whole(&path, |file| file.write_all(b"one")).expect("written");
        let half = write_whole(&path, |file| {
            file.write_all(b"tw")?;
            Err(io::Error::other("the rest is missing"))
        });
        assert_eq!(half.expect_err("half").to_string(), "the rest is missing");
        assert_eq!(fs::read(&path).expect("a file"), b"one");
        assert_eq!(folder::entries(&folder.path().join("deep")).expect("entries").len(), 1, "no draft is left");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay_and_what_is_no_file_is_written_to() {
        use std::io::Write as _;
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt, symlink};

        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).expect("made");
        fs::write(at("deep/file"), "before").expect("written");
        fs::set_permissions(at("deep/file"), PermissionsExt::from_mode(0o640)).expect("permitted");
        symlink("deep/link", at("link")).expect("linked");
        symlink("file", at("deep/link")).expect("linked");
        symlink("new", at("dangling")).expect("linked");
        for name in ["link", "dangling"] {
            write_whole(&at(name), |file| file.write_all(b"after")).expect("written");
            assert!(fs::symlink_metadata(at(name)).expect("there").is_symlink());
            assert_eq!(fs::read(at(name)).expect("a file"), b"after");
        }
        assert_eq!(fs::metadata(at("deep/file")).expect("there").permissions().mode() & 0o777, 0o640);

        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().expect("run").success());
        let reader = std::thread::spawn({
            let pipe = at("pipe");
            move || fs::read(pipe).expect("read")
        });
        write_whole(&at("pipe"), |file| file.write_all(b"through")).expect("written");
        assert_eq!(reader.join().expect("ended"), b"through");
        assert!(fs::metadata(at("pipe")).expect("there").file_type().is_fifo());
        write_whole(&at("deep"), |_| Ok(())).expect_err("a folder is no file");
    }

    #[test]
    fn drafts_in_groups_of_findings_are_swept_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let group = folder.path().join("group");
        fs::create_dir(&group).expect("made");
        let drafts = [folder.path().join(".planfuzz-x.draft"), group.join(".planfuzz-y.draft")];
        drafts.iter().for_each(|draft| fs::write(draft, "").expect("written"));
        assert!(sweep_findings(folder.path()).is_empty());
        assert!(drafts.iter().all(|draft| !draft.exists()));
        assert!(sweep_findings(&folder.path().join("none")).is_empty());
    }
}
