//! Ends the programs that are still running once the suite is gone, however it ended.
//!
//! **Problem.** A suite that is killed cannot clean up: programs that ignore the end of their input would stay for ever, and so would what
//! they started. **Idea.** A keeper, this program again, reads from a pipe which process groups are running. When the pipe closes, because
//! the suite ended or was killed, it kills the groups that are still on its list and ends. It leads a group of its own and has no output,
//! so that neither an interrupt at the terminal nor a closed pipe ends it. **Guarantee.** On Unix, in a program whose `main` calls
//! [`begin`], no process of a group that [`groups`](super::groups) started outlives this one by more than an instant.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// The environment variable that makes this program a keeper.
const VARIABLE: &str = "PLANFUZZ_KEEPER";

/// The environment variable of every program that is started, with the mark of its suite: a program that was not on the list yet when the
/// suite was killed is found by it, where the system shows the environment of processes (Linux).
const MARK: &str = "PLANFUZZ_PROGRAM_OF";

/// How often processes are searched for the mark, and the time between: a program that was just being started has its mark a moment later.
const LOOKS: u32 = 3;
const BETWEEN: std::time::Duration = std::time::Duration::from_millis(100);

/// Whether this program can be started as a keeper.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Has to be called first in `main`, before threads are started and arguments are read.
///
/// Returns in a program started normally. In one that was started as a keeper it does not return.
pub fn begin() {
    if cfg!(unix) {
        if let Some(mark) = std::env::var_os(VARIABLE) {
            keep(&mark.to_string_lossy());
        }
        BEGUN.store(true, Ordering::Relaxed);
    }
}

/// The keeper of this process.
#[derive(Debug)]
pub(super) struct Keeper {
    list: ChildStdin,
    mark: String,
    /// Never waited for: it ends after this process.
    _child: Child,
}

impl Keeper {
    /// Starts one, where this program can be one.
    pub(super) fn start() -> Option<Keeper> {
        if !BEGUN.load(Ordering::Relaxed) {
            return None;
        }
        let mark = format!("{}-{:016x}", std::process::id(), RandomState::new().hash_one(()));
        let mut command = Command::new(this_program()?);
        command.env_clear().env(VARIABLE, &mark).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Keeps no folder of the user's in use.
        command.current_dir("/");
        super::groups::lead_a_group(&mut command);
        let mut child = command.spawn().ok()?;
        Some(Keeper { list: child.stdin.take()?, mark, _child: child })
    }

    /// Marks a program that is going to be started.
    pub(super) fn mark(&self, command: &mut Command) {
        command.env(MARK, &self.mark);
    }

    /// Puts a group on the list; returns false if the keeper is gone.
    #[must_use]
    pub(super) fn add(&mut self, leader: u32) -> bool {
        writeln!(self.list, "+{leader}").is_ok()
    }

    /// Takes a group off the list, before its number can be that of another.
    pub(super) fn remove(&mut self, leader: u32) {
        writeln!(self.list, "-{leader}").ok();
    }
}

/// The path of this program; on Linux by its file, since its name may belong to another file now, for example after a rebuild.
fn this_program() -> Option<std::path::PathBuf> {
    if cfg!(target_os = "linux") { Some("/proc/self/exe".into()) } else { std::env::current_exe().ok() }
}

/// Ignores the signals that ask a process to end: a signal to all processes of this name is meant for those that work.
#[cfg(unix)]
fn stay() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let passed_by = std::sync::Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, passed_by.clone()).ok();
    }
}

#[cfg(not(unix))]
fn stay() {}

/// Reads the list to its end, then kills the groups on it.
fn keep(mark: &str) -> ! {
    stay();
    let mut leaders: Vec<u32> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match (line.strip_prefix('+').map(str::parse), line.strip_prefix('-').map(str::parse::<u32>)) {
            (Some(Ok(leader)), _) => leaders.push(leader),
            (_, Some(Ok(leader))) => leaders.retain(|other| *other != leader),
            _ => {}
        }
    }
    super::groups::kill_leaders(&leaders);
    for _ in 0..LOOKS {
        let marked = marked(mark);
        super::groups::kill_leaders(&marked);
        // A program killed while it was being started may have left processes that lead no group.
        super::groups::kill_each(&marked);
        std::thread::sleep(BETWEEN);
    }
    std::process::exit(0);
}

/// The processes that have a mark in their environment; empty where the system does not show it.
fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let is_marked = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbers = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    numbers.filter(is_marked).collect()
}
