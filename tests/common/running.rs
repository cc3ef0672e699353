//! Whether processes that tests start are there.

use std::fmt::Display;
use std::process::Command;

/// Whether a process runs. One that ended and was not reaped does not.
pub fn is_running(pid: impl Display) -> bool {
    let state = state(pid);
    !state.is_empty() && !state.starts_with('Z')
}

/// The state of a process, as `/proc` or `ps` has it; empty if there is none.
pub fn state(pid: impl Display) -> String {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        return stat.rsplit_once(") ").map_or(String::new(), |(_, rest)| rest.chars().take(1).collect());
    }
    if std::path::Path::new("/proc/self/stat").exists() {
        return String::new();
    }
    let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().expect("there is a ps");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
