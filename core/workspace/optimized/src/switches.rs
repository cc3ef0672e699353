//! The switches of a thread, which its workers take over: weakened hashes, and a mistake planted in this crate.
//!
//! Workers do not take over mistakes planted in other crates: these are hunted with planners that have one worker.

use planfuzz_core::value::{is_weakened, with_hashes};

/// The switches of a thread.
#[derive(Clone, Copy)]
pub struct Switches {
    is_weakened: bool,
    #[cfg(feature = "faults")]
    planted: Option<crate::faults::Fault>,
}

impl Switches {
    /// The switches of this thread.
    pub fn here() -> Switches {
        Switches {
            is_weakened: is_weakened(),
            #[cfg(feature = "faults")]
            planted: crate::faults::planted(),
        }
    }

    /// Runs `act` with these switches.
    pub fn within<T>(self, act: impl FnOnce() -> T) -> T {
        #[cfg(feature = "faults")]
        let act = || crate::faults::with(self.planted, act);
        with_hashes(self.is_weakened, act)
    }
}
