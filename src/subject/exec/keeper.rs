//! Ends what is left of programs once the suite is gone, however it went.
//!
//! **Problem.** A suite that is killed cannot tidy up: programs that ignore the end of their input would stay for ever, and so would
//! what they started. **Idea.** A keeper, this program again, reads from a pipe which process groups are running. When the pipe closes,
//! because the suite ended or was killed, it kills the groups that are still on its list and ends. It leads a group of its own and
//! has no output, so that neither an interrupt at the terminal nor a closed pipe ends it. **Guarantee.** On Unix, in a program whose
//! `main` calls [`begin`], no process of a group that [`groups`](super::groups) started outlives this one by more than an instant.

use std::io::{BufRead as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set in a process that is to be a keeper.
const VARIABLE: &str = "PLANFUZZ_KEEPER";

/// Whether this program can be asked to be a keeper.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// To be called first in `main`, before threads are started and arguments are read.
///
/// Returns in a program that was started as itself. In one that was started as a keeper it does not return.
pub fn begin() {
    if cfg!(unix) {
        if std::env::var_os(VARIABLE).is_some() {
            keep();
        }
        BEGUN.store(true, Ordering::Relaxed);
    }
}

/// The keeper of this process.
#[derive(Debug)]
pub(super) struct Keeper {
    list: ChildStdin,
    /// Never waited for: it ends after this process.
    _child: Child,
}

impl Keeper {
    /// Starts one, where this program can be one.
    pub(super) fn start() -> Option<Keeper> {
        if !BEGUN.load(Ordering::Relaxed) {
            return None;
        }
        let mut command = Command::new(this_program()?);
        command.env_clear().env(VARIABLE, "1").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // It holds on to no folder of the user's.
        command.current_dir("/");
        super::groups::lead_a_group(&mut command);
        let mut child = command.spawn().ok()?;
        Some(Keeper { list: child.stdin.take()?, _child: child })
    }

    /// Puts a group on the list. A keeper that is gone cannot be told, and the suite tidies up by itself where it ends well.
    pub(super) fn add(&mut self, leader: u32) {
        writeln!(self.list, "+{leader}").ok();
    }

    /// Takes a group off the list, before its number can be that of another.
    pub(super) fn remove(&mut self, leader: u32) {
        writeln!(self.list, "-{leader}").ok();
    }
}

/// On Linux by its file, not by the name: that may have been given to another file since, as when it is built anew.
fn this_program() -> Option<std::path::PathBuf> {
    if cfg!(target_os = "linux") { Some("/proc/self/exe".into()) } else { std::env::current_exe().ok() }
}

/// Reads the list to its end, and ends what is on it.
fn keep() -> ! {
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
    std::process::exit(0);
}
