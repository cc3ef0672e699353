//! Bounds the memory of a command.

use super::error::CliError;

/// Bounds the address space of this process and its children. Has to be called before anything else is done: the process may be
/// restarted.
///
/// # Errors
/// A platform that does not enforce the bound, a process that cannot be restarted.
#[cfg(unix)]
pub fn bound(mib: u64) -> Result<(), CliError> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    begin_lean()?;
    let bytes = Some(mib << 20);
    let limit = Rlimit { current: bytes, maximum: bytes };
    setrlimit(Resource::As, limit).map_err(|problem| CliError::failed(format!("memory cannot be bounded: {problem}")))
}

/// Likewise.
///
/// # Errors
/// Always: the platform does not enforce it.
#[cfg(not(unix))]
pub fn bound(_: u64) -> Result<(), CliError> {
    Err(CliError::input("memory cannot be bounded on this platform"))
}

/// Restarts this process with an allocator that takes address space as it needs it.
///
/// mimalloc reserves a gibibyte at its first allocation, which leaves little or nothing of a bound on the address space. The
/// amount is read from its environment, before `main`.
#[cfg(all(unix, feature = "mimalloc"))]
fn begin_lean() -> Result<(), CliError> {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// In KiB.
    const RESERVE: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "16384");

    if std::env::var_os(RESERVE.0).is_some() {
        return Ok(());
    }
    let failed = |problem: std::io::Error| CliError::failed(format!("memory cannot be bounded: {problem}"));
    let program = std::env::current_exe().map_err(failed)?;
    Err(failed(Command::new(program).args(std::env::args_os().skip(1)).env(RESERVE.0, RESERVE.1).exec()))
}

/// The system's allocator takes address space as it needs it.
#[cfg(all(unix, not(feature = "mimalloc")))]
fn begin_lean() -> Result<(), CliError> {
    Ok(())
}
