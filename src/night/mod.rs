//! The night: runs all kinds of search for findings, in a given time, on one machine.
//!
//! Workers are processes and the state is in files: a night that is killed at any point leaves no process and loses no finding. Each
//! night is one [`record`]; `docs/night.md` describes both.

mod canary;
mod clock;
mod context;
mod corpora;
mod coverage;
mod distil;
mod documents;
mod error;
mod fuzz;
mod history;
mod kills;
mod phases;
mod program;
pub mod record;
mod slots;
mod tables;
mod triaged;
mod worker;

pub use context::{Asked, Options};
#[cfg(feature = "command")]
pub(crate) use error::PhaseError;
pub use history::{History, NoHistory};
pub use phases::night;
#[cfg(feature = "command")]
pub(crate) use program::{Order, ProgramOutput};
