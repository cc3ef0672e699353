//! Expressions and templates: parsed into a tree with places, and what is said of values with unknowns, refinements and marks.
//!
//! One parser for both syntaxes. Entry points: [`parse`] for native expressions, [`parse_template`] for templates of JSON strings;
//! `place` is where the text begins. The body parser finds where an expression ends (line ends count but inside
//! brackets) and hands over that text. Depth is bounded where the tree is built, so whatever walks it later needs no bound.
//!
//! Evaluation is no matter of this crate: writings of it stand beside each other in crates of their own, and share what is here:
//! the tree, values with marks ([`Marked`]), what names mean ([`Scope`]) and what is told ([`Evaluated`]).

mod ast;
mod evaluation;
mod heredoc;
mod marked;
pub mod notation;
mod operands;
mod parse;
mod smaller;
mod template;

pub use ast::{
    BinaryOperator, Expression, For, Item, Kind, MAX_EXPRESSION_DEPTH, Reference, ReferenceStep, UnaryOperator,
};
pub use evaluation::{Evaluated, Failure, Fault, Files, Scope, Surroundings};
pub use marked::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};
pub(crate) use parse::argument_fault;
pub use parse::{parse, parse_template};
pub use smaller::{PLAINEST, smaller};
