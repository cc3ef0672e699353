//! The naive implementation of the evaluator: a walk over the tree that follows the specification rule by rule (sections 6 and 7).
//!
//! Problem: planners of whole workspaces trust one evaluator, so it has to be compared with another. Idea: this implementation is as plain
//! as the rules are, precomputes nothing and looks every name up when it is needed; a compiled one is in a crate of its own. Neither knows
//! the other: they share the tree, values with marks and the notation of `planfuzz-language`, and no code that computes. Guarantee: for
//! every expression that the parser accepts there is a value or the faults that the engine reports, within bounds on depth (that of the
//! tree) and on what a function makes.

#![forbid(unsafe_code)]

mod access;
mod calls;
mod conditional;
mod evaluate;
mod files;
mod functions;
mod glob;
mod loops;
mod operators;
mod splat;
mod text;
mod unknowns;

pub use evaluate::evaluate;
pub use functions::exists;
