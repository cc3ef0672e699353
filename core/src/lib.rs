//! The domain of planfuzz: values, schemas, planners and the rules they are held to.
//!
//! No I/O, no randomness, no threads of its own, no async. `reference`, `optimized` and `rules` share values,
//! schemas, the planner trait and the dialect table, and nothing else; a test keeps it so.

#![forbid(unsafe_code)]

pub mod address;
pub mod dialect;
pub mod json;
pub mod msgpack;
pub mod optimized;
pub mod planner;
pub mod plans;
pub mod provider;
pub mod reference;
pub mod rules;
pub mod schema;
pub mod state;
pub mod value;
