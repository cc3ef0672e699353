//! The code that all planners share, as a subject: values, msgpack, schemas, the pipelines of providers.
//!
//! Its answers are compared with those of [`super::Naive`] in the form of formats.md, written by the code under test: the writer is
//! shared too, so its mistakes show as well.

use planfuzz_core::dialect::Dialect;

use super::Subject;
use super::outcome::{LeftOut, Outcome};
use super::provider;
use super::vocabulary::answer_value_or_schema;
use crate::case::{Call, Case, Op, Task};
use crate::guard::guard;

/// The code that all planners share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared {
    only_providers: bool,
}

impl Shared {
    /// The pipelines of providers alone.
    pub fn of_providers() -> Shared {
        Shared { only_providers: true }
    }

    fn answer_case(self, case: &Case) -> Vec<Outcome> {
        match &case.task {
            Task::Call(call) if self.can(call.op(), case.dialect) => {
                vec![guard(|| answer(call, case.dialect)).unwrap_or_else(Outcome::from)]
            }
            _ if self.only_providers => vec![Outcome::LeftOut(LeftOut::UnknownOp); case.ops().len()],
            _ => vec![Outcome::LeftOut(LeftOut::NotAsked); case.ops().len()],
        }
    }
}

fn answer(call: &Call, dialect: Dialect) -> Outcome {
    match call {
        Call::Provider(call) => provider::answer(call, dialect).unwrap_or_else(Outcome::Refused),
        call => answer_value_or_schema(call, dialect),
    }
}

impl Subject for Shared {
    fn name(&self) -> &str {
        if self.only_providers { "provider" } else { "shared" }
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        if self.only_providers { op.is_provider() } else { op.is_shared() }
    }

    fn answers_with_shared_code(&self) -> bool {
        true
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        cases.iter().map(|case| self.answer_case(case)).collect()
    }
}
