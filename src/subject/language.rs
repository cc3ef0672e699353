//! The writings of the configuration language's expressions, each with the planner that goes by its name.

use planfuzz_core::dialect::Dialect;
use planfuzz_language::expression::notation::{Locals, Told, told};

use crate::case::ExpressionCall;

/// A writing of expressions: what comes of one over named values.
pub type Language = fn(&ExpressionCall, Dialect) -> Told;

/// The program that an expression is compiled to.
pub fn compiled(call: &ExpressionCall, dialect: Dialect) -> Told {
    told(&call.expression, &call.scope, dialect, &planfuzz_language_compiled::evaluate)
}

/// The tree walk that follows the text rule by rule.
pub fn walked(call: &ExpressionCall, dialect: Dialect) -> Told {
    let evaluate =
        |expression: &_, locals: &Locals, dialect| planfuzz_language_naive::evaluate(expression, locals, dialect);
    told(&call.expression, &call.scope, dialect, &evaluate)
}
