//! Directories for runs, of which nothing is left behind.
//!
//! `planfuzz-PID-N` under the system's directory for temporary files has a directory for each run. Beside it, `planfuzz-PID-N.lock` is
//! locked as long as its owner lives: the kernel releases the lock however the owner ends, so a reused process id does no harm.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::sweep::{Swept, remove, sweep};

/// What every name here begins with.
pub(super) const PREFIX: &str = "planfuzz-";

/// What the name of a lock file ends in.
pub(super) const LOCK: &str = ".lock";

/// How many names are tried before that is an error.
const ATTEMPTS: u32 = 1000;

/// The lock files of this process. Locked while one of them, or its directory, is made or removed.
static LOCKS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Why there is no directory to run in.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} {path}: {problem}")]
pub struct RunsError {
    what: &'static str,
    path: PathBuf,
    problem: io::Error,
}

/// The directories of this process.
#[derive(Clone, Debug)]
pub struct Runs {
    home: Arc<Home>,
    swept: Arc<Swept>,
}

/// A directory for one run, removed on drop.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    home: Arc<Home>,
    /// Whether it was removed or moved already, so that a drop must not remove it.
    closed: bool,
}

#[derive(Debug)]
struct Home {
    path: PathBuf,
    lock_path: PathBuf,
    /// Locked until it is closed.
    _lock: File,
    settings: PathBuf,
    next: AtomicU64,
}

impl Runs {
    /// Directories below `parent`, which is [`std::env::temp_dir`] except in tests. First removes what dead owners left there, and kills
    /// their processes.
    ///
    /// # Errors
    /// A directory cannot be made.
    pub fn open(parent: &Path) -> Result<Runs, RunsError> {
        let swept = Arc::new(sweep(parent));
        // The system reports the working directory of a process by its canonical path.
        let parent = parent.canonicalize().map_err(fails("find", parent))?;
        let mut locks = locks();
        let (lock_path, lock) = claim(&parent)?;
        locks.push(lock_path.clone());
        let path = lock_path.with_extension("");
        make_dir(&path)?;
        let settings = path.join("none.tfrc");
        fs::write(&settings, "").map_err(fails("write", &settings))?;
        let home = Arc::new(Home { path, lock_path, _lock: lock, settings, next: AtomicU64::new(0) });
        Ok(Runs { home, swept })
    }

    /// What was removed of dead owners at the start.
    pub fn swept(&self) -> &Swept {
        &self.swept
    }

    /// A new directory, empty.
    ///
    /// # Errors
    /// A directory cannot be made.
    pub fn make(&self) -> Result<RunDir, RunsError> {
        let path = self.home.path.join(self.home.next.fetch_add(1, Ordering::Relaxed).to_string());
        make_dir(&path)?;
        Ok(RunDir { path, home: Arc::clone(&self.home), closed: false })
    }
}

impl RunDir {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An empty settings file for the engine, which warns if there is none.
    pub(super) fn settings(&self) -> &Path {
        &self.home.settings
    }

    /// Removes it.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn close(mut self) -> Result<(), RunsError> {
        self.closed = true;
        fs::remove_dir_all(&self.path).map_err(fails("remove", &self.path))
    }

    /// Moves it to `at`, so that people can look at it. Not into another file system.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn keep(mut self, at: &Path) -> Result<(), RunsError> {
        fs::rename(&self.path, at).map_err(fails("move", &self.path))?;
        self.closed = true;
        Ok(())
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        if !self.closed {
            // What is left is removed with the directory around it, or by the next start.
            fs::remove_dir_all(&self.path).ok();
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let mut locks = locks();
        // What is left is removed by the next start, which finds it by the lock file.
        if fs::remove_dir_all(&self.path).is_ok() {
            fs::remove_file(&self.lock_path).ok();
        }
        locks.retain(|path| *path != self.lock_path);
    }
}

/// Ends this process at once, whatever its threads are doing, and leaves nothing behind: kills the processes that work in its directories,
/// and removes these.
///
/// Waits for a thread that is making or removing a lock file, so a signal handler has to call it on a thread of its own.
pub fn end(code: i32) -> ! {
    // Locked until the end, so that no thread makes another one.
    let locks = locks();
    for lock_path in locks.iter() {
        // The next start removes what is left.
        remove(lock_path).ok();
    }
    std::process::exit(code)
}

/// After a panic of another thread the list is still valid: paths in it that no longer exist do no harm.
fn locks() -> MutexGuard<'static, Vec<PathBuf>> {
    LOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a lock file and locks it.
///
/// A sweep of another process may get the lock first and remove the file, so it counts only if it is still there once it is locked.
fn claim(parent: &Path) -> Result<(PathBuf, File), RunsError> {
    let pid = std::process::id();
    for attempt in 0..ATTEMPTS {
        let path = parent.join(format!("{PREFIX}{pid}-{attempt}{LOCK}"));
        let file = match File::create_new(&path) {
            Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made.map_err(fails("make", &path))?,
        };
        match file.try_lock() {
            Ok(()) if path.exists() => return Ok((path, file)),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(problem)) => return Err(RunsError { what: "lock", path, problem }),
        }
    }
    let problem = io::Error::from(io::ErrorKind::AlreadyExists);
    Err(RunsError { what: "find a free name in", path: parent.to_owned(), problem })
}

/// Makes a directory that other users cannot access.
fn make_dir(path: &Path) -> Result<(), RunsError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(fails("make", path))
}

fn fails(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunsError {
    let path = path.to_owned();
    move |problem| RunsError { what, path, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("a directory");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn nothing_is_left_of_runs() {
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        let (one, two) = (runs.make().expect("a directory"), runs.make().expect("a directory"));
        assert_ne!(one.path(), two.path());
        fs::write(one.path().join("file"), "x").expect("written");
        let path = one.path().to_owned();
        one.close().expect("removed");
        assert!(!path.exists());
        drop(runs);
        assert!(two.path().exists(), "who has a directory keeps it");
        drop(two);
        assert!(names(temp.path()).is_empty());
    }

    #[test]
    fn one_that_is_kept_stays() {
        let temp = tempfile::tempdir().expect("a directory");
        let runs = Runs::open(temp.path()).expect("runs");
        runs.make().expect("a directory").keep(&temp.path().join("kept")).expect("moved");
        drop(runs);
        assert_eq!(names(temp.path()), ["kept"]);
    }
}
