//! The domain of planfuzz: values, schemas, planners and the rules they are held to.
//!
//! No I/O, no randomness, no threads of its own, no async. `reference`, `optimized` and `rules` share values,
//! schemas, the planner trait and the dialect table, and nothing else; a test keeps it so.

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
pub mod optimized;
#[cfg(not(feature = "faults"))]
pub mod planner;
#[cfg(not(feature = "faults"))]
pub mod plans;
#[cfg(not(feature = "faults"))]
pub mod provider;
#[cfg(not(feature = "faults"))]
pub mod reference;
#[cfg(not(feature = "faults"))]
pub mod rules;
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
