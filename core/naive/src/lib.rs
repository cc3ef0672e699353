//! A second implementation of everything that all planners share.
//!
//! The planners and the rules are written three times, and a mistake in one of them shows in a comparison. The parts that all of them use
//! (values, sets, numbers, codecs, schemas, the pipelines of providers) are written once, and a mistake there gives every planner the same
//! wrong answer. This crate implements these parts a second time, from `docs/spec/` alone, only to be compared with the first.
//!
//! It is naive on purpose: plain trees in place of shared nodes, lists that are searched from end to end in place of hashes, digits in place of
//! machine words. It takes from `planfuzz-core` data types and no code that computes with them: `tests/project/independence.rs` checks this.

#![forbid(unsafe_code)]

pub mod file;
pub mod framework;
pub mod model;
pub mod msgpack;
pub mod path;
pub mod schema;
pub mod sdk;
pub mod value;
