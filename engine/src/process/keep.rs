//! Keeps a program running beside this one for as long as it is needed.
//!
//! The kernel ends a child with the *thread* that started it ([`leash`]), so a thread of its own starts the child and stays with it to the
//! end. A hundred times a second it checks whether the child has ended, should end, or exceeds its allowance. However the child ends, its
//! group is killed, other processes in its directory are killed, and the directory is removed.

use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::crash::Crash;
use super::runs::RunDir;
use super::{child, leash, sweep, usage};

/// How often the child is checked.
const LOOK_UP: Duration = Duration::from_millis(10);

/// The usage is counted in one of so many checks.
const COUNT_EVERY: u32 = 20;

/// How many bytes of the end of its log are kept.
const KEPT_LOG: usize = 64 << 10;

/// The longest first line of standard output that is read.
const LONGEST_LINE: u64 = 64 << 10;

/// The environment variables inherited from this process.
const INHERITED: &[&str] = if cfg!(windows) { &["PATH", "SystemRoot"] } else { &["PATH"] };

/// The limits of a kept program.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Bytes of memory, of it and all processes that it started; counted on Linux.
    pub memory: u64,
    /// Processes, likewise.
    pub processes: usize,
    /// Bytes of its log since the last [`Kept::turn_page`].
    pub log: u64,
}

/// How to start a kept program.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// Its environment beside the path for programs: nothing else is inherited. Its home and its directory for temporary files are in its
    /// working directory.
    pub variables: &'a [(String, String)],
    /// Its limits.
    pub allowance: Allowance,
    /// Set when the suite should stop.
    pub stop: &'static AtomicBool,
}

/// How a kept program ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Death {
    /// By itself, or by a signal from another process.
    #[error("it ended by itself ({how})")]
    Itself {
        /// Its exit status, and the crash in its log.
        how: String,
    },
    /// It took more memory than allowed.
    #[error("it took more than {0} bytes of memory and was killed")]
    Memory(u64),
    /// It started more processes than allowed.
    #[error("it started more than {0} processes and was killed")]
    Processes(usize),
    /// It logged too much.
    #[error("it logged more than {0} bytes in one call and was killed")]
    Log(u64),
    /// It was no longer needed, or the suite was stopped.
    #[error("it was ended")]
    Ended,
    /// It cannot be started.
    #[error("it does not start: {0}")]
    Start(String),
}

/// A program that runs.
#[derive(Debug)]
pub struct Kept {
    shared: Arc<Shared>,
    first_line: Option<Receiver<Option<String>>>,
    child_thread: Option<JoinHandle<()>>,
    dir: PathBuf,
}

#[derive(Debug, Default)]
struct Shared {
    unwanted: AtomicBool,
    /// How many bytes it logged, and how many of them before the last [`Kept::turn_page`].
    logged: AtomicU64,
    page: AtomicU64,
    log: Mutex<Vec<u8>>,
    death: Mutex<Option<Death>>,
    died: Condvar,
}

impl Kept {
    /// Starts a program in a directory, which is removed with it.
    ///
    /// # Errors
    /// The thread cannot be started. If the program does not start, that is its [`Death`].
    pub fn start(wanted: &Wanted<'_>, dir: RunDir) -> std::io::Result<Kept> {
        let shared = Arc::new(Shared::default());
        let (send, first_line) = channel();
        let path = dir.path().to_owned();
        let command = command(wanted, &path);
        let child_thread =
            ChildThread { shared: Arc::clone(&shared), stop: wanted.stop, allowance: wanted.allowance, dir };
        let child_thread =
            thread::Builder::new().name("child".into()).spawn(move || child_thread.keep(command, send))?;
        Ok(Kept { shared, first_line: Some(first_line), child_thread: Some(child_thread), dir: path })
    }

    /// Its working directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The first line of its standard output; `None` if there is none in time, or none at all. Only the first call returns it.
    pub fn first_line(&mut self, limit: Duration) -> Option<String> {
        // A line that does not come in time is not reported.
        self.first_line.take()?.recv_timeout(limit).unwrap_or_default()
    }

    /// From now on only new output counts against the log's allowance.
    pub fn turn_page(&self) {
        self.shared.page.store(self.shared.logged.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// The end of its log.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&lock(&self.shared.log)).into_owned()
    }

    /// How it ended, if it has; waits for its end up to `wait`.
    pub fn death(&self, wait: Duration) -> Option<Death> {
        let until = Instant::now() + wait;
        let mut death = lock(&self.shared.death);
        while death.is_none() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let woken = self.shared.died.wait_timeout(death, left);
            death = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        death.clone()
    }

    /// Ends it, and returns how it ended.
    pub fn end(&mut self) -> Death {
        self.shared.unwanted.store(true, Ordering::Relaxed);
        if let Some(child_thread) = self.child_thread.take() {
            // A panic of it cannot be reported here.
            child_thread.join().ok();
        }
        self.death(Duration::ZERO).unwrap_or(Death::Ended)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.end();
    }
}

fn command(wanted: &Wanted<'_>, dir: &Path) -> Command {
    let mut command = leash::command(wanted.program);
    command.args(wanted.args).current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let inherited = INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.envs(inherited);
    for name in ["HOME", "TMPDIR", "TEMP", "TMP"] {
        command.env(name, dir);
    }
    command.envs(wanted.variables.iter().map(|(name, value)| (name, value)));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// The data of the thread beside the child.
struct ChildThread {
    shared: Arc<Shared>,
    stop: &'static AtomicBool,
    allowance: Allowance,
    dir: RunDir,
}

impl ChildThread {
    fn keep(self, mut command: Command, first_line: Sender<Option<String>>) {
        let death = match command.spawn() {
            Ok(child) => self.stay_with(child, first_line),
            Err(problem) => Death::Start(problem.to_string()),
        };
        sweep::kill_those_in(self.dir.path());
        *lock(&self.shared.death) = Some(death);
        self.shared.died.notify_all();
        // The next start removes what is left.
        self.dir.close().ok();
    }

    fn stay_with(&self, mut child: Child, first_line: Sender<Option<String>>) -> Death {
        let stdout = child.stdout.take().map(|pipe| beside("stdout", move || read_line(pipe, &first_line)));
        let shared = Arc::clone(&self.shared);
        let stderr = child.stderr.take().map(|pipe| beside("log", move || shared.drain(pipe)));
        let verdict = self.watch(&mut child);
        let status = child::end(&mut child);
        // Its last output explains its end; its pipes are closed, except by processes that it started outside of its group.
        let until = Instant::now() + Duration::from_millis(500);
        for reader in [stdout, stderr].into_iter().flatten().flatten() {
            while !reader.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(2));
            }
        }
        verdict.unwrap_or_else(|| self.ended_itself(status))
    }

    fn ended_itself(&self, status: std::io::Result<ExitStatus>) -> Death {
        let log = String::from_utf8_lossy(&lock(&self.shared.log)).into_owned();
        let status = match status {
            Ok(status) => status,
            Err(problem) => return Death::Itself { how: problem.to_string() },
        };
        if status.code() == Some(leash::FAILED_EXIT) && log.starts_with(leash::FAILED) {
            return Death::Start(log.trim_end().to_owned());
        }
        let how = match Crash::of(status, &log) {
            Some(crash) if crash.message.is_empty() => format!("{status}, in {}", crash.site),
            Some(crash) => format!("{status}, in {}: {}", crash.site, crash.message),
            None => status.to_string(),
        };
        Death::Itself { how }
    }

    /// Why the child must be ended; `None` if it has ended by itself.
    fn watch(&self, child: &mut Child) -> Option<Death> {
        let pid = child.id();
        let mut looks = 0u32;
        loop {
            // A child that cannot be queried counts as ended.
            if child::has_ended(child).unwrap_or(true) {
                return None;
            }
            if self.shared.unwanted.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed) {
                return Some(Death::Ended);
            }
            let logged =
                self.shared.logged.load(Ordering::Relaxed).saturating_sub(self.shared.page.load(Ordering::Relaxed));
            if logged > self.allowance.log {
                return Some(Death::Log(self.allowance.log));
            }
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(COUNT_EVERY) {
                let usage = usage::of_group(pid);
                if usage.memory > self.allowance.memory {
                    return Some(Death::Memory(self.allowance.memory));
                }
                if usage.processes > self.allowance.processes {
                    return Some(Death::Processes(self.allowance.processes));
                }
            }
            thread::sleep(LOOK_UP);
        }
    }
}

impl Shared {
    /// Reads the log to its end and keeps the last bytes of it.
    fn drain(&self, mut pipe: impl Read) {
        let mut buffer = vec![0; 1 << 14];
        loop {
            let read = match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => read,
                Err(problem) if problem.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            self.logged.fetch_add(read as u64, Ordering::Relaxed);
            let mut log = lock(&self.log);
            log.extend_from_slice(&buffer[..read]);
            let over = log.len().saturating_sub(KEPT_LOG);
            log.drain(..over);
        }
    }
}

/// Reads the first line and sends it, then reads on, so that the child never waits for a reader.
fn read_line(pipe: impl Read, first_line: &Sender<Option<String>>) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
    let line = read.ok().filter(|read| *read > 0).map(|_| String::from_utf8_lossy(&line).trim_end().to_owned());
    // After the time limit the receiver is gone.
    first_line.send(line).ok();
    std::io::copy(&mut reader, &mut std::io::sink()).ok();
}

fn beside(name: &str, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    thread::Builder::new().name(name.into()).spawn(work).ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
