//! What all planners share, as a subject: values, msgpack, schemas, the pipelines of providers.
//!
//! Its answers are what formats.md has in `want`, written by the code that is asked: a mistake in the writer is one of what is shared, and
//! shows in the comparison with [`super::Naive`].

use planfuzz_core::dialect::Dialect;

use super::Subject;
use super::guard::guard;
use super::outcome::{LeftOut, Outcome};
use super::provider;
use super::vocabulary::answer_value_or_schema;
use super::wire::want_of;
use crate::case::{Call, Case, Op, Task};

/// What all planners share.
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
    let outcome = match call {
        Call::Provider(call) => return provider::answer(call, dialect).unwrap_or_else(Outcome::Refused),
        call => answer_value_or_schema(call, dialect),
    };
    match outcome {
        Outcome::Value(_) | Outcome::Paths(_) => {
            want_of(call, &outcome, dialect).map_or_else(|| outcome.clone(), Outcome::Want)
        }
        other => other,
    }
}

impl Subject for Shared {
    fn name(&self) -> &str {
        if self.only_providers { "provider" } else { "shared" }
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        if self.only_providers { op.is_provider() } else { op.is_shared() }
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        cases.iter().map(|case| self.answer_case(case)).collect()
    }
}
