//! Planners of this process as subjects.

use std::time::{Duration, Instant};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Prepared, Request};

use super::Subject;
use super::guard::guard;
use super::outcome::Outcome;
use super::vocabulary::answer_value_or_schema;
use crate::case::{Call, Case, Merge, Op, Task};

/// What one operation may take. A planner of this process cannot be stopped, so the limit is held against it afterwards.
const LIMIT: Duration = Duration::from_secs(10);

/// A planner of this process.
pub struct InProcess {
    planner: Box<dyn Planner>,
}

impl InProcess {
    /// A subject of a planner.
    pub fn new(planner: impl Planner + 'static) -> InProcess {
        InProcess { planner: Box::new(planner) }
    }

    fn answer_case(&self, case: &Case) -> Vec<Outcome> {
        match &case.task {
            Task::Merge(merge) => self.answer_merge(merge, case.dialect),
            Task::Call(call) => vec![self.answer_call(call, case.dialect)],
        }
    }

    fn answer_merge(&self, merge: &Merge, dialect: Dialect) -> Vec<Outcome> {
        let ops = merge.ops(dialect);
        let prepared = match guard(|| self.planner.prepare(&merge.schema, dialect)) {
            Ok(prepared) => prepared,
            Err(panic) => return ops.map(|_| Outcome::from(panic.clone())).collect(),
        };
        let requests = ops.filter_map(|op| merge.request(op, dialect));
        requests.map(|request| answer_request(&*prepared, request)).collect()
    }

    fn answer_call(&self, call: &Call, dialect: Dialect) -> Outcome {
        let answer = match call {
            Call::Merge(call) => guard(|| {
                let prepared = self.planner.prepare(call.schema(), dialect);
                answer_request(&*prepared, call.request())
            }),
            Call::Value(_) | Call::Schema(_) => guard(|| answer_value_or_schema(call, dialect)),
        };
        answer.unwrap_or_else(Outcome::from)
    }
}

impl Subject for InProcess {
    fn name(&self) -> &str {
        self.planner.name()
    }

    fn can(&self, _: Op, _: Dialect) -> bool {
        true
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        cases.iter().map(|case| self.answer_case(case)).collect()
    }

    fn planner(&self) -> Option<&dyn Planner> {
        Some(&*self.planner)
    }
}

/// Asks a prepared planner, with its panics and its time as outcomes.
pub fn answer_request(prepared: &dyn Prepared, request: Request<'_>) -> Outcome {
    let start = Instant::now();
    let outcome = match guard(|| prepared.answer(request)) {
        Ok(answer) => Outcome::of_planner(answer),
        Err(panic) => Outcome::from(panic),
    };
    if start.elapsed() > LIMIT { Outcome::OverBudget { limit: LIMIT } } else { outcome }
}
