//! The compiled implementation of the expression evaluator: an expression is compiled once and evaluated many times.
//!
//! Problem: planners of workspaces evaluate the same expressions over and over, and a tree walk looks up names, counts arguments and finds
//! functions each time. Idea: [`Program::compile`] does once what does not depend on values: names become slots of a scope, functions are
//! resolved and their arguments counted, constants are folded. [`Program::evaluate`] then walks a tree of operations over [`Slots`] and
//! clones no value that it only reads.
//!
//! Guarantees: no input panics; depth is bounded by the parser, and the work of an evaluation by [`Program::MOST_WORK`]. This crate shares
//! nothing with the naive implementation but the tree, marked values, and the values of `planfuzz-core`.

#![forbid(unsafe_code)]
// The sources with planted mistakes are generated.
#![cfg_attr(feature = "faults", allow(unused, clippy::all))]

#[cfg(not(feature = "faults"))]
mod access;
#[cfg(not(feature = "faults"))]
mod call;
#[cfg(not(feature = "faults"))]
mod compile;
#[cfg(not(feature = "faults"))]
mod conditional;
#[cfg(not(feature = "faults"))]
mod functions;
#[cfg(not(feature = "faults"))]
mod iterate;
#[cfg(not(feature = "faults"))]
mod machine;
#[cfg(not(feature = "faults"))]
mod make;
#[cfg(not(feature = "faults"))]
mod names;
#[cfg(not(feature = "faults"))]
mod operation;
#[cfg(not(feature = "faults"))]
mod operators;
#[cfg(not(feature = "faults"))]
mod outcome;
#[cfg(not(feature = "faults"))]
mod template;

// The same modules with the planted mistakes.
#[cfg(feature = "faults")]
include!(concat!(env!("OUT_DIR"), "/planted/modules.rs"));
#[cfg(feature = "faults")]
pub mod planted;

use planfuzz_core::dialect::Dialect;
use planfuzz_language::expression::notation::{Locals, ROOT};
use planfuzz_language::expression::{Evaluated, Expression};

pub use compile::Program;
pub use machine::TOO_LARGE;
pub use names::{Names, Slots};

/// Compiles an expression over named values and evaluates it once.
///
/// # Errors
/// The faults that the engine reports.
pub fn evaluate(expression: &Expression, locals: &Locals, dialect: Dialect) -> Evaluated {
    let mut names = Names::default();
    let numbered: Vec<usize> = locals.iter().map(|(name, _)| names.slot(ROOT, Some(name))).collect();
    let mut slots = Slots::new(&names).within(locals.surroundings().clone());
    for (slot, (_, value)) in numbered.into_iter().zip(locals.iter()) {
        slots.set(slot, value.clone());
    }
    Program::compile(expression, &names, dialect).evaluate(&slots)
}
