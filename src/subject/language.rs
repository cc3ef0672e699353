//! The evaluators of the configuration language's expressions, each with the planner of its name.

use planfuzz_core::dialect::Dialect;
use planfuzz_language::expression::notation::{ExpressionOutcome, Locals, outcome_of};

use crate::case::ExpressionCall;

/// Evaluates an expression over named values.
pub type Language = fn(&ExpressionCall, Dialect) -> ExpressionOutcome;

/// The evaluator that compiles an expression to a program.
pub fn compiled(call: &ExpressionCall, dialect: Dialect) -> ExpressionOutcome {
    outcome_of(&call.expression, &call.scope, dialect, &planfuzz_language_compiled::evaluate)
}

/// The evaluator that walks the tree, following the specification rule by rule.
pub fn walked(call: &ExpressionCall, dialect: Dialect) -> ExpressionOutcome {
    let evaluate =
        |expression: &_, locals: &Locals, dialect| planfuzz_language_naive::evaluate(expression, locals, dialect);
    outcome_of(&call.expression, &call.scope, dialect, &evaluate)
}
