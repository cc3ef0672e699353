//! The night: everything that looks for trouble, in a given time, on one machine.
//!
//! Workers are processes and the state is files: a night that is killed at any point leaves no process and loses nothing that it found.
//! What a night did is one [`record`]; `docs/night.md` describes both.

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
