//! A child that leads a process group: asking whether it has ended without reaping it, so that its process id stays its own, and killing it
//! with what it started.

use std::io;
use std::process::{Child, ExitStatus};

/// Whether a child has ended. It is not reaped, where the system allows that.
///
/// # Errors
/// A child that cannot be queried.
#[cfg(unix)]
pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

#[cfg(not(unix))]
pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Kills the rest of the group, and waits for the child. The group goes first, while the process id cannot belong to another process. Most
/// groups are empty by then.
///
/// # Errors
/// A child that cannot be waited for.
pub(super) fn end(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL).ok();
    child.kill().ok();
    child.wait()
}
