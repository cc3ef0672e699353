//! Expressions and templates: a parser to trees with places, and the interface of evaluation with unknowns, refinements and marks.
//!
//! One parser serves both syntaxes. Entry points: [`parse()`] for native expressions, [`parse_template`] for templates of JSON strings;
//! `place` is where the text begins. The body parser finds the end of an expression (line ends end it outside of brackets) and passes that
//! text. Depth is bounded when the tree is built, so walks over it need no bound.
//!
//! Evaluation is not part of this crate: its implementations are in crates of their own and share the tree, values with marks ([`Marked`]),
//! scopes ([`Scope`]) and outcomes ([`Evaluated`]).

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
