//! The binary of an engine: where it is, which version it is, running it within limits and leaving nothing behind.
//!
//! Every process that is started here leads a process group, works in a directory of its own, and is waited for by the thread that started
//! it. It is killed with its group when its time is over or the suite is stopped, dies with the suite if [`leash::begin`] was called, and
//! is found and killed by the next start ([`Runs::open`]) if even that did not happen. A suite that ends without unwinding calls [`end`].

mod binary;
mod child;
mod cpu;
mod crash;
mod drain;
mod keep;
pub mod leash;
mod place;
mod run;
mod runs;
mod sweep;
mod usage;
mod version;

pub use binary::{Binary, BinaryError};
pub use crash::Crash;
pub use keep::{Allowance, Death, Kept, Wanted};
pub use place::place;
pub use run::{Finished, RunError, RunOutcome, RunRequest, run};
pub use runs::{RunDir, Runs, RunsError, end};
pub use sweep::Swept;
pub use version::{Followed, Version};
