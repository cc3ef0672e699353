//! An expression of the configuration language over named values (workspace-language.md, sections 5 to 7).

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_language::expression::notation::{Locals, write_outcome};

use super::Op;

/// The longest expression that is accepted, in bytes.
pub const MAX_EXPRESSION: usize = 1 << 20;

/// An expression and the values of the names in it.
#[derive(Clone, Debug)]
pub struct ExpressionCall {
    /// The values that it calls `local.NAME`.
    pub scope: Locals,
    /// The expression, in native syntax: what stands to the right of `=`.
    pub expression: String,
}

impl ExpressionCall {
    /// The operation.
    pub fn op(&self) -> Op {
        Op::Expression
    }

    /// Reads the members of a case, a vector or a request.
    pub(super) fn read(reader: &mut ObjectReader<'_>) -> Result<ExpressionCall, JsonError> {
        let scope = reader.required("scope", Locals::from_json)?;
        let expression = reader.required("expression", read_expression)?;
        Ok(ExpressionCall { scope, expression })
    }

    /// The members that [`ExpressionCall::read`] reads.
    pub(super) fn members(&self) -> Vec<(&'static str, Json)> {
        let ExpressionCall { scope, expression } = self;
        vec![("scope", scope.to_json()), ("expression", Json::string(expression))]
    }
}

fn read_expression(json: &Json) -> Result<String, JsonError> {
    match json.expect_string()? {
        text if text.len() <= MAX_EXPRESSION => Ok(text.to_owned()),
        text => Err(json.unexpected(format!("at most {MAX_EXPRESSION} bytes, not {}", text.len()))),
    }
}

/// An outcome in canonical form, so that those of vectors and of subjects can be compared as documents.
///
/// # Errors
/// A document that is no outcome of an expression.
pub fn canonical_outcome(want: &Json) -> Result<Json, JsonError> {
    planfuzz_language::expression::notation::read_outcome(want).map(|outcome| write_outcome(&outcome))
}
