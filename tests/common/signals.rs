//! Signals to processes that tests start.

use std::process::Command;

/// A signal.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// Its name without `SIG`.
    pub name: &'static str,
    /// Its number, which is the same everywhere for those that end a command.
    pub number: u32,
}

impl Signal {
    /// Sends it: to a process, or to a group if the number is negative.
    pub fn send(self, to: i64) {
        self.send_all(&[to]);
    }

    /// Sends it to several at once.
    pub fn send_all(self, to: &[i64]) {
        let sent = Command::new("kill").args(["-s", self.name, "--"]).args(to.iter().map(ToString::to_string)).status();
        assert!(sent.expect("there is a kill").success());
    }

    /// Whether processes started here ignore it, as those do that a script started with `&`. If so, a message says that
    /// the test is skipped.
    pub fn is_ignored(self) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        let is_ignored = mask & (1 << (self.number - 1)) != 0;
        if is_ignored {
            println!("skipped: whoever started this test has it ignore SIG{}", self.name);
        }
        is_ignored
    }
}
