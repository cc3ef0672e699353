//! Generates configurations of a schema, and learns from refusals.
//!
//! A configuration is built along the schema, new or from an earlier one: each attribute is kept, dropped or made. A provider refuses most
//! random configurations and reports why; its diagnostics are used as advice ([`advice`]): which attribute to change, which words it
//! accepts there, which attributes go together and which do not. Accepted configurations are built on, so that their share rises during a
//! run. Diagnostics are only advice: none can make a configuration that does not fit the schema.

mod build;
mod forms;
mod knowledge;
mod learn;
mod rng;

pub use build::{Builder, Pin, Pins};
pub use knowledge::{Knowledge, Lesson};
pub use learn::{Advice, advice};
pub use rng::Rng;
