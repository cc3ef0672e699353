//! What is switched on in a thread, taken along to the workers that plan for it: hashes made weak, and a mistake planted in this crate.
//!
//! Mistakes planted in other crates are not taken along: whoever hunts those asks planners with one worker.

use planfuzz_core::value::{is_weakened, with_hashes};

/// The switches of a thread.
#[derive(Clone, Copy)]
pub struct Switches {
    is_weakened: bool,
    #[cfg(feature = "faults")]
    planted: Option<crate::faults::Fault>,
}

impl Switches {
    /// Those of this thread.
    pub fn here() -> Switches {
        Switches {
            is_weakened: is_weakened(),
            #[cfg(feature = "faults")]
            planted: crate::faults::planted(),
        }
    }

    /// Does something with these switches.
    pub fn within<T>(self, act: impl FnOnce() -> T) -> T {
        #[cfg(feature = "faults")]
        let act = || crate::faults::with(self.planted, act);
        with_hashes(self.is_weakened, act)
    }
}
