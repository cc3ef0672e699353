//! The directory that runs are made in.
//!
//! An engine writes the whole state to a file, and waits until the disk has it, after each resource of an apply. These files are not needed
//! once the run is over, so they are in memory where the system offers that: it saves a third of the time.

use std::path::PathBuf;

/// The directory of files in memory.
#[cfg(target_os = "linux")]
const IN_MEMORY: &str = "/dev/shm";

/// The free space that it must have: a container may have next to none.
#[cfg(target_os = "linux")]
const ROOM: u64 = 1 << 30;

/// The directory for runs: the one for temporary files if the user named one (`TMPDIR`), else one in memory where there is room,
/// else the system's.
pub fn place() -> PathBuf {
    #[cfg(target_os = "linux")]
    if std::env::var_os("TMPDIR").is_none() && has_room() {
        return PathBuf::from(IN_MEMORY);
    }
    std::env::temp_dir()
}

#[cfg(target_os = "linux")]
fn has_room() -> bool {
    use rustix::fs::{Access, access, statvfs};

    let room = statvfs(IN_MEMORY).map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize));
    room >= ROOM && access(IN_MEMORY, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}
