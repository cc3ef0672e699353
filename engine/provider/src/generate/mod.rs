//! Configurations of a schema, and what is learned from refusals.
//!
//! A configuration is built along the schema, anew or from one that is there: each attribute is kept, dropped or made. A provider refuses most
//! of what is made blindly, and says why; so what it says is taken as advice ([`advice`]): which attribute, which words it
//! takes there, what goes together and what does not. What was taken once is built on, so that the share of
//! accepted configurations rises in a run. It is advice and no more: nothing that a provider says can make a configuration that does not
//! fit the schema.

mod build;
mod forms;
mod knowledge;
mod learn;
mod rng;

pub use build::{Builder, Pin, Pins};
pub use knowledge::{Knowledge, Lesson};
pub use learn::{Advice, advice};
pub use rng::Rng;
