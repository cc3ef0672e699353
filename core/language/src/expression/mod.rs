//! Expressions and templates: parsed into a tree with places, evaluated over values with unknowns, refinements and marks.
//!
//! One parser for both syntaxes. Entry points: [`parse`] for native expressions, [`parse_template`] for templates of JSON strings;
//! `place` is where the text begins. The body parser of [`crate::native`] finds where an expression ends (line ends count but inside
//! brackets) and hands over that text. Depth is bounded where the tree is built, so whatever walks it later needs no bound.

mod ast;
mod evaluate;
mod marked;
mod operators;
mod parse;
mod template;

pub use ast::{
    BinaryOperator, Expression, For, Item, Kind, MAX_EXPRESSION_DEPTH, Reference, ReferenceStep, UnaryOperator,
};
pub use evaluate::{Evaluated, Failure, Fault, Scope, evaluate};
pub(crate) use evaluate::{index, not_null, prefixed, sized};
pub use marked::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};
pub(crate) use operators::{truth, unknown_not_null};
pub use parse::{parse, parse_template};
