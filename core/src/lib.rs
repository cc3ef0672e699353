//! What all writings of planfuzz share: values, schemas, states, plans, the dialect table, and what a planner is asked and answers.
//!
//! No I/O, no randomness, no threads of its own, no async. The planners and the rules are crates of their own beside this one, which know it
//! and not one another: `planfuzz-reference`, `planfuzz-optimized`, `planfuzz-rules`, and `planfuzz-pipelines`, the providers that planners ask.

#![forbid(unsafe_code)]
// What planted mistakes are put in is not written by people.
#![cfg_attr(feature = "faults", allow(unused_parens, unused_braces, clippy::all))]

#[cfg(not(feature = "faults"))]
pub mod address;
#[cfg(not(feature = "faults"))]
pub mod dialect;
#[cfg(not(feature = "faults"))]
pub mod json;
#[cfg(not(feature = "faults"))]
pub mod msgpack;
#[cfg(not(feature = "faults"))]
pub mod planner;
#[cfg(not(feature = "faults"))]
pub mod plans;
#[cfg(not(feature = "faults"))]
pub mod schema;
#[cfg(not(feature = "faults"))]
pub mod state;
#[cfg(not(feature = "faults"))]
pub mod value;

// The same modules with planted mistakes in them.
#[cfg(feature = "faults")]
include!(concat!(env!("OUT_DIR"), "/planted/modules.rs"));
#[cfg(feature = "faults")]
pub mod planted;

#[cfg(any(test, feature = "strategies"))]
pub mod strategies;
