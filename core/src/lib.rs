//! Everything that the implementations in planfuzz share: values, schemas, states, plans, the dialect table, and the requests and answers of a
//! planner.
//!
//! No I/O, no randomness, no threads of its own, no async. The planners and the rules are crates of their own, which depend on this one and not
//! on each other: `planfuzz-reference`, `planfuzz-optimized`, `planfuzz-rules`, and `planfuzz-pipelines`, the providers that planners call.

#![forbid(unsafe_code)]
// Sources with planted mistakes are written by a program, not by people.
#![cfg_attr(feature = "faults", allow(unused_parens, unused_braces, clippy::all))]

mod declared;

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
