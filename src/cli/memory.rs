//! How much memory a command may take.

use super::error::CliError;

/// Bounds the address space of this process, and of each that it starts. To be called before anything else is done: the command
/// may begin anew in between.
///
/// # Errors
/// A platform that does not hold anybody to it, a process that cannot begin anew.
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
/// Always: nobody is held to it.
#[cfg(not(unix))]
pub fn bound(_: u64) -> Result<(), CliError> {
    Err(CliError::input("memory cannot be bounded on this platform"))
}

/// Begins this process anew, as one whose allocator takes address space as it comes to need it.
///
/// mimalloc reserves a gibibyte at its first allocation. Of a bound on the address space that leaves little or nothing, and it
/// reads how much it is to reserve from its environment, before `main`.
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

/// The system's allocator takes it as it comes.
#[cfg(all(unix, not(feature = "mimalloc")))]
fn begin_lean() -> Result<(), CliError> {
    Ok(())
}
