//! The night: everything that looks for trouble, in a given time, on one machine.
//!
//! Workers are processes and the state is files: a night that is killed at any point leaves no process and loses nothing that it found.
//! What a night did is one [`record`]; `docs/night.md` describes both.

mod canary;
mod clock;
mod corpora;
mod coverage;
mod distil;
mod documents;
mod field;
mod fuzz;
mod ground;
mod history;
mod kills;
mod phases;
mod program;
pub mod record;
mod seat;
mod slices;
mod tables;
mod triaged;
mod trouble;

pub use field::Field;
pub use ground::{Asked, Options};
pub use history::{History, NoHistory};
pub use phases::night;
pub(crate) use program::{Ended, Order};
pub(crate) use trouble::Trouble;
