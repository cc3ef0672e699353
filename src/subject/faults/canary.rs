//! The canary: a subject that is always wrong. A campaign that does not find it at once finds nothing.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Type, Value};
use planfuzz_reference::Reference;

use super::super::Subject;
use super::super::in_process::InProcess;
use super::super::outcome::Outcome;
use crate::case::{Case, Op};

/// Answers everything wrong.
pub struct Canary {
    right: InProcess,
}

impl Canary {
    /// The canary.
    pub fn new() -> Canary {
        Canary { right: InProcess::new(Reference) }
    }
}

impl Default for Canary {
    fn default() -> Canary {
        Canary::new()
    }
}

impl Subject for Canary {
    fn name(&self) -> &str {
        "canary"
    }

    fn can(&self, _: Op, _: Dialect) -> bool {
        true
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let answers = self.right.answer(cases).into_iter();
        answers.map(|outcomes| outcomes.into_iter().map(wrong).collect()).collect()
    }
}

/// Another answer of the same form.
fn wrong(right: Outcome) -> Outcome {
    match right {
        Outcome::Value(value) if value.is_null() => Outcome::Value(Value::unknown(value.ty().clone())),
        Outcome::Value(value) => Outcome::Value(Value::null(value.ty().clone())),
        Outcome::Paths(mut paths) => {
            paths.push(".canary".to_owned());
            paths.sort_unstable();
            Outcome::Paths(paths)
        }
        Outcome::Want(_) => Outcome::Want(Json::object([("canary", Json::Bool(true))])),
        Outcome::Refused(_) => Outcome::Value(Value::null(Type::Dynamic)),
        other => other,
    }
}
