//! The programs that are running, each with its process group.
//!
//! A group ends with its leader, whether the leader was killed or ended by itself, and with this process, whether that ends
//! normally, without unwinding, or is killed (the [`keeper`](super::keeper)).

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::keeper::Keeper;

/// The programs that are running. Locked while a program is started or waited for.
static RUNNING: Mutex<Running> = Mutex::new(Running { leaders: Vec::new(), keeper: None });

struct Running {
    /// The process ids of children that have not been waited for, so that no id can have been reused.
    leaders: Vec<u32>,
    /// Started with the first program.
    keeper: Option<Keeper>,
}

impl Running {
    /// Starts the keeper before the first program: this process may be killed as soon as one runs.
    fn prepare(&mut self) {
        if self.keeper.is_none() {
            self.keeper = Keeper::start();
        }
    }

    fn add(&mut self, leader: u32) {
        self.leaders.push(leader);
        // A keeper that was killed is replaced, and gets the whole list.
        if self.keeper.as_mut().is_some_and(|keeper| !keeper.add(leader)) {
            self.keeper = Keeper::start();
            let knows_all = |keeper: &mut Keeper| self.leaders.iter().all(|leader| keeper.add(*leader));
            if !self.keeper.as_mut().is_some_and(knows_all) {
                self.keeper = None;
            }
        }
    }

    fn remove(&mut self, leader: u32) {
        if let Some(keeper) = &mut self.keeper {
            keeper.remove(leader);
        }
        self.leaders.retain(|number| *number != leader);
    }
}

/// Starts a program, which leads a process group of its own: an interrupt at the terminal is handled by the suite and does not kill
/// the program, and everything that the program started ends with it.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    lead_a_group(command);
    let mut running = running();
    running.prepare();
    if let Some(keeper) = &running.keeper {
        keeper.mark(command);
    }
    let child = command.spawn()?;
    running.add(child.id());
    Ok(child)
}

/// Whether a program has ended, and how. Ends everything that it started and left behind. Afterwards its process id may be reused.
pub(crate) fn try_wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let mut running = running();
    // Until it has been waited for its process id cannot be reused, so its group is killed before that.
    if running.leaders.contains(&child.id()) && has_ended(child) {
        kill_group(child);
        running.remove(child.id());
    }
    child.try_wait()
}

/// Whether a program has ended, without waiting for it.
#[cfg(unix)]
fn has_ended(child: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    waitid(WaitId::Pid(Pid::from_child(child)), options).is_ok_and(|status| status.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// Kills a program with everything that it started, and waits for its end.
pub(crate) fn end(child: &mut Child) {
    kill_group(child);
    wait(child);
}

/// Waits for a program that was killed.
pub(super) fn wait(child: &mut Child) {
    running().remove(child.id());
    child.wait().ok();
}

#[cfg(unix)]
pub(super) fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
pub(super) fn lead_a_group(_: &mut Command) {}

/// Kills a program with everything that it started.
#[cfg(unix)]
pub(super) fn kill_group(child: &mut Child) {
    let leader = rustix::process::Pid::from_child(child);
    rustix::process::kill_process_group(leader, rustix::process::Signal::KILL).ok();
    // Without such a group the program itself must still end, or waiting for it would block.
    child.kill().ok();
}

/// Kills a program.
#[cfg(not(unix))]
pub(super) fn kill_group(child: &mut Child) {
    child.kill().ok();
}

/// Kills all programs with everything that they started, for a process that is ending. The list stays locked, so that starting or
/// waiting for a program blocks until the end.
pub fn kill_programs() {
    let running = running();
    kill_leaders(&running.leaders);
    std::mem::forget(running);
}

/// Kills groups by their leaders.
#[cfg(not(unix))]
pub(super) fn kill_leaders(_: &[u32]) {}

/// Kills groups by their leaders.
#[cfg(unix)]
pub(super) fn kill_leaders(leaders: &[u32]) {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    let leaders = leaders.iter().filter_map(|leader| Pid::from_raw(i32::try_from(*leader).ok()?));
    let killed: Vec<Pid> = leaders.filter(|leader| kill_process_group(*leader, Signal::KILL).is_ok()).collect();
    for leader in killed {
        // The killed leader ends at once.
        waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).ok();
    }
}

/// Kills processes, whatever group they are in.
#[cfg(not(unix))]
pub(super) fn kill_each(_: &[u32]) {}

/// Kills processes, whatever group they are in.
#[cfg(unix)]
pub(super) fn kill_each(processes: &[u32]) {
    use rustix::process::{Pid, Signal, kill_process};

    let processes = processes.iter().filter_map(|process| Pid::from_raw(i32::try_from(*process).ok()?));
    for process in processes {
        kill_process(process, Signal::KILL).ok();
    }
}

/// Locks the list. A thread that panicked has left the list intact.
fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
