//! The programs that are running, each with its process group, for who ends this process without unwinding.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The numbers of children that have not been waited for, so that each is still its own. Who starts one or waits for one
/// holds this meanwhile.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Starts a program, which leads a process group of its own: an interrupt at the terminal is the suite's business and not the
/// program's death, and what the program started ends with it.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    lead_a_group(command);
    let mut running = running();
    let child = command.spawn()?;
    running.push(child.id());
    Ok(child)
}

/// Whether a program has ended, and how. After it its number is no longer its own.
pub(crate) fn try_wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let mut running = running();
    let status = child.try_wait()?;
    if status.is_some() {
        running.retain(|number| *number != child.id());
    }
    Ok(status)
}

/// Kills a program with what it started, and waits for its end.
pub(crate) fn end(child: &mut Child) {
    kill_group(child);
    wait(child);
}

/// Waits for a program that was killed.
pub(super) fn wait(child: &mut Child) {
    running().retain(|number| *number != child.id());
    child.wait().ok();
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn lead_a_group(_: &mut Command) {}

/// Kills a program with what it started.
#[cfg(unix)]
pub(super) fn kill_group(child: &mut Child) {
    let leader = rustix::process::Pid::from_child(child);
    rustix::process::kill_process_group(leader, rustix::process::Signal::KILL).ok();
    // Should there be no such group, the program itself must not be waited for.
    child.kill().ok();
}

/// Kills a program.
#[cfg(not(unix))]
pub(super) fn kill_group(child: &mut Child) {
    child.kill().ok();
}

/// Kills all programs with what they started, for a process that is ending: who starts or waits for one after that waits for
/// the end.
pub fn kill_programs() {
    let running = running();
    #[cfg(unix)]
    kill_groups(&running);
    std::mem::forget(running);
}

#[cfg(unix)]
fn kill_groups(leaders: &[u32]) {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    let leaders = leaders.iter().filter_map(|leader| Pid::from_raw(i32::try_from(*leader).ok()?));
    let killed: Vec<Pid> = leaders.filter(|leader| kill_process_group(*leader, Signal::KILL).is_ok()).collect();
    for leader in killed {
        // It does not take long.
        waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).ok();
    }
}

/// A thread that panicked has left the list as it was.
fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
