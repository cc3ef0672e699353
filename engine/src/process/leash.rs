//! Ends a child process together with this one.
//!
//! A process that is killed cannot clean up, so the kernel has to end its children. Linux and FreeBSD do so for a process that
//! asks for it itself, and keep to it when that process becomes another program. So a program is not started directly but
//! through this one: the child is this program again, asks, checks that its parent is still running, and becomes the program that
//! was meant. No code runs between fork and exec, so nothing here is unsafe.
//!
//! The kernel speaks of the *thread* that started the child. [`run`](super::run()) waits for the child on that thread, so it
//! outlives it.
//!
//! On other systems, and in a program whose `main` does not call [`begin`], a child outlives a killed parent until the next
//! [`Runs::open`](super::Runs::open), on Linux; elsewhere until it ends by itself, which an engine does once its providers
//! are gone.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set in a child that is to become another program; its value is the number of the parent.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const VARIABLE: &str = "PLANFUZZ_LEASH";

/// The exit status of a child that could not become the program; its standard error begins with [`FAILED`].
pub(super) const FAILED_EXIT: i32 = 127;

/// The beginning of its standard error then.
pub(super) const FAILED: &str = "planfuzz: cannot become ";

/// Whether this program can be asked to become another one.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// To be called first in `main`, before threads are started and arguments are read.
///
/// Returns in a program that was started as itself. In one that was started as a leash it does not return.
pub fn begin() {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    if let Some(parent) = std::env::var_os(VARIABLE) {
        become_program(&parent.to_string_lossy());
    }
    BEGUN.store(true, Ordering::Relaxed);
}

/// The command that runs `program` on the leash if there is one.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn leashed(program: &Path, make: fn(&Path) -> Command) -> Command {
    let this = BEGUN.load(Ordering::Relaxed).then(this_program).flatten();
    let Some(this) = this else { return make(program) };
    let mut command = make(&this);
    command.env(VARIABLE, std::process::id().to_string()).arg(program);
    command
}

/// The command that runs `program`.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn leashed(program: &Path, make: fn(&Path) -> Command) -> Command {
    make(program)
}

/// The command that runs `program` without this process's environment.
pub(super) fn command(program: &Path) -> Command {
    leashed(program, bare)
}

/// The command that runs `program` in this process's environment, on the leash if there is one: the thread that starts it has to wait
/// for it.
pub fn heir(program: &Path) -> Command {
    leashed(program, |program| Command::new(program))
}

fn bare(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// On Linux by its file, not by the name: that may have been given to another file since, as when it is built anew.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn this_program() -> Option<std::path::PathBuf> {
    Some("/proc/self/exe".into())
}

#[cfg(target_os = "freebsd")]
fn this_program() -> Option<std::path::PathBuf> {
    std::env::current_exe().ok()
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn become_program(parent: &str) -> ! {
    use std::os::unix::process::CommandExt as _;

    let mut words = std::env::args_os().skip(1);
    let program = words.next().unwrap_or_default();
    let problem = match die_with(parent) {
        Ok(()) => Command::new(&program).args(words).env_remove(VARIABLE).exec(),
        Err(problem) => problem,
    };
    eprintln!("{FAILED}{}: {problem}", program.to_string_lossy());
    std::process::exit(FAILED_EXIT);
}

/// Asks to be killed when the parent dies. It may have died before.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn die_with(parent: &str) -> std::io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    set_parent_process_death_signal(Some(Signal::KILL))?;
    let now = getppid().map(|pid| pid.as_raw_nonzero().to_string());
    match now.as_deref() == Some(parent) {
        true => Ok(()),
        false => Err(std::io::Error::other("who asked for it is gone")),
    }
}
