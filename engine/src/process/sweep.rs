//! Removes what dead owners left.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::runs::{LOCK, PREFIX};

/// What a sweep did.
#[derive(Debug, Default)]
pub struct Swept {
    /// How many owners' directories were removed.
    pub directories: usize,
    /// How many processes were killed that still worked there.
    pub processes: usize,
    /// What could not be removed, and why. Directories of other users are among it.
    pub left: Vec<(PathBuf, io::Error)>,
}

/// Removes what dead owners left in `parent`. A locked file shows that its owner lives.
pub(super) fn sweep(parent: &Path) -> Swept {
    let mut swept = Swept::default();
    let entries = match parent.canonicalize().and_then(fs::read_dir) {
        Ok(entries) => entries,
        Err(problem) => {
            swept.left.push((parent.to_owned(), problem));
            return swept;
        }
    };
    let names = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let locks: Vec<PathBuf> = names.filter(|path| is_lock(path)).collect();
    for lock_path in locks {
        if let Err(problem) = remove_if_dead(&lock_path, &mut swept) {
            swept.left.push((lock_path, problem));
        }
    }
    swept
}

fn is_lock(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(LOCK)).is_some_and(|inner| {
        let mut numbers = inner.split('-');
        let number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
        number(numbers.next()) && number(numbers.next()) && numbers.next().is_none()
    })
}

fn remove_if_dead(lock_path: &Path, swept: &mut Swept) -> io::Result<()> {
    let lock = match File::open(lock_path) {
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(problem)) => return Err(problem),
    }
    let removed = remove(lock_path)?;
    swept.processes += removed.processes;
    swept.directories += usize::from(removed.was_there);
    Ok(())
}

/// What was removed with a lock file.
pub(super) struct Removed {
    processes: usize,
    was_there: bool,
}

/// Kills the processes that work in the directory beside a lock file, and removes both.
pub(super) fn remove(lock_path: &Path) -> io::Result<Removed> {
    /// How long a process that is being killed may still write there.
    const LIMIT: Duration = Duration::from_secs(1);

    let home = lock_path.with_extension("");
    let until = Instant::now() + LIMIT;
    let mut processes = 0;
    let was_there = loop {
        processes += kill_those_in(&home);
        match fs::remove_dir_all(&home) {
            Ok(()) => break true,
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => break false,
            Err(problem) if problem.kind() == io::ErrorKind::DirectoryNotEmpty && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(problem) => return Err(problem),
        }
    };
    // Last, so that the next sweep completes one that is cut short; under the lock, so that no process claims it meanwhile.
    fs::remove_file(lock_path)?;
    Ok(Removed { processes, was_there })
}

/// Kills the processes that work below a directory: only processes that were started here work there.
#[cfg(target_os = "linux")]
pub(super) fn kill_those_in(home: &Path) -> usize {
    use rustix::process::{Pid, Signal, kill_process};

    let pids = |home: &Path| -> Vec<Pid> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
        let works_there = |pid: &i32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(home));
        let all = entries.filter_map(|entry| pid(entry.ok()?)).filter(works_there);
        all.filter_map(Pid::from_raw).collect()
    };
    let found = pids(home);
    let killed = found.iter().filter(|pid| kill_process(**pid, Signal::KILL).is_ok()).count();
    // They must not write any more when the directory is removed.
    let until = Instant::now() + Duration::from_secs(1);
    while killed > 0 && !pids(home).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    killed
}

/// The working directories of processes are not available on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_those_in(_: &Path) -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Runs;

    #[test]
    fn a_living_owner_is_left_alone_and_a_dead_one_removed() {
        let temp = tempfile::tempdir().expect("a directory");
        let living = Runs::open(temp.path()).expect("runs");
        let dir = living.make().expect("a directory");
        let dead = temp.path().join("planfuzz-1-0");
        fs::create_dir_all(dead.join("3")).expect("made");
        fs::write(temp.path().join("planfuzz-1-0.lock"), "").expect("written");
        for other in ["planfuzz-x.lock", "planfuzz-1-0-2.lock", "other-1-0.lock"] {
            fs::write(temp.path().join(other), "").expect("written");
        }
        let swept = sweep(temp.path());
        assert_eq!((swept.directories, swept.left.len()), (1, 0));
        assert!(!dead.exists() && dir.path().exists());
        assert_eq!(fs::read_dir(temp.path()).expect("a directory").count(), 5);
    }
}
