//! The signals by which a user ends a command: interrupt, termination, hangup of the terminal.
//!
//! A command may be started with some of them ignored (`nohup`, `&` in a script). It goes on ignoring those, and those alone: the
//! others still end it with its results so far.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the signals are watched already.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Calls a function, on a thread of its own, for each of these signals. Only the first call in a process has an effect.
///
/// # Errors
/// A platform that cannot watch signals.
pub fn watch(handler: impl Fn() + Copy + Send + 'static) -> Result<(), Problem> {
    if IS_WATCHED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    match ctrlc::try_set_handler(handler) {
        // Some signals are ignored: then `ctrlc` watches none.
        Err(ctrlc::Error::MultipleHandlers) => others::watch(handler),
        watching => Ok(watching?),
    }
}

/// Why signals cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The platform's error.
    #[error(transparent)]
    Watching(#[from] ctrlc::Error),
    /// A thread cannot be started, or a signal cannot be watched.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

#[cfg(unix)]
mod others {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::Problem;

    /// Watches the signals that are not ignored.
    pub fn watch(handler: impl Fn() + Send + 'static) -> Result<(), Problem> {
        let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals = Signals::new(signals)?;
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for _ in signals.forever() {
                handler();
            }
        })?;
        Ok(())
    }

    /// Whether a signal is ignored; if the system does not report it, `nohup` is assumed.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        match mask(&status) {
            Some(ignored) => ignored & (1 << (signal - 1)) != 0,
            None => signal == SIGHUP,
        }
    }

    fn mask(status: &str) -> Option<u64> {
        let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(digits.trim(), 16).ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_mask_of_ignored_signals_is_read() {
            assert_eq!(mask("Name:\tx\nSigIgn:\t0000000000001001\n"), Some(0x1001));
            assert_eq!(mask("Name:\tx\n"), None);
        }
    }
}

#[cfg(not(unix))]
mod others {
    use super::Problem;

    /// Elsewhere no signals are ignored, so `ctrlc` watches them.
    pub fn watch(_: impl Fn() + Send + 'static) -> Result<(), Problem> {
        Ok(())
    }
}
