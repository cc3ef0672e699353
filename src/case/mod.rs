//! Cases: the units of comparison, in memory and on disk.
//!
//! A case is one input that every subject gets. Its task is either a single operation with its inputs, which is what a
//! vector holds and what a finding is shrunk to, or a whole set of inputs of the merge, on which every operation of
//! merge-and-rules.md is run: generated merges are of that kind, because making a schema costs more than an answer.

mod call;
mod expression;
mod instance;
mod kept_finding;
pub mod lifecycle;
mod merge;
mod minus_zero;
mod op;
mod provider;
mod read;
pub mod scenario;
mod sdk;
mod shown;
mod vector;
mod workspace;
mod write;

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Request;
use planfuzz_core::schema::Schema;

pub use call::{Call, FileCall, SchemaCall, ValueCall};
pub use expression::{ExpressionCall, MAX_EXPRESSION, canonical_outcome};
pub(crate) use instance::write_reason;
pub use instance::{InstanceCall, InstanceInputs, PlannedChange, RecordedAnswer};
pub use kept_finding::KeptFinding;
pub use merge::{Merge, MergeCall};
pub use minus_zero::has_minus_zero_in_set;
pub use op::{Op, OpError};
pub use provider::{FrameworkProvider, ProviderCall};
pub use read::CaseFile;
pub use sdk::SdkCall;
pub use shown::Shown;
pub use vector::{Recorded, Vector};
pub use workspace::{
    Asides, RunCall, canonical_run, first_reported, reported_differences, reported_replay, without_asides,
};

/// The format number of case files that this build writes. Files of every earlier number stay readable.
pub const FORMAT: u64 = 1;

/// One input for every subject: a task, its dialect, and a line that states its purpose.
#[derive(Clone, Debug)]
pub struct Case {
    /// Why the case is kept, in one line; empty for a generated one.
    pub purpose: String,
    /// The engine version whose decisions count.
    pub dialect: Dialect,
    /// The task.
    pub task: Task,
}

/// The operations that a case runs.
#[derive(Clone, Debug)]
pub enum Task {
    /// Every operation of merge-and-rules.md on one set of inputs.
    Merge(Merge),
    /// One operation.
    Call(Call),
}

impl Case {
    /// A case without a purpose line.
    pub fn new(dialect: Dialect, task: Task) -> Case {
        Case { purpose: String::new(), dialect, task }
    }

    /// The operations of the case, in the order in which they are run and compared.
    pub fn ops(&self) -> Vec<Op> {
        match &self.task {
            Task::Merge(merge) => merge.ops(self.dialect).collect(),
            Task::Call(call) => vec![call.op()],
        }
    }

    /// The scenario, if it is one.
    pub fn scenario(&self) -> Option<&scenario::Scenario> {
        match &self.task {
            Task::Call(Call::Scenario(scenario)) => Some(scenario),
            Task::Merge(_) | Task::Call(_) => None,
        }
    }

    /// The schema that planners are prepared for; `None` for an operation that planners do not answer.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        match &self.task {
            Task::Merge(merge) => Some(&merge.schema),
            Task::Call(call) => call.schema(),
        }
    }

    /// The request to planners for one of the case's operations; `None` for one that planners do not answer.
    pub fn request(&self, op: Op) -> Option<Request<'_>> {
        match &self.task {
            Task::Merge(merge) => merge.request(op, self.dialect),
            Task::Call(Call::Merge(call)) if call.op() == op => Some(call.request()),
            Task::Call(_) => None,
        }
    }

    /// Whether a planner that is prepared for this case is prepared for the other one too: they share a schema (the same one, not
    /// an equal one) and the dialect.
    pub fn is_prepared_like(&self, other: &Case) -> bool {
        let schemas = self.schema().zip(other.schema());
        self.dialect == other.dialect && schemas.is_some_and(|(schema, other)| Arc::ptr_eq(schema, other))
    }

    /// Whether the oracles for this case fit the other one too: planners are prepared for both alike, and both are of the same kind.
    pub fn is_judged_like(&self, other: &Case) -> bool {
        let is_of_a_kind = match (&self.task, &other.task) {
            (Task::Merge(_), Task::Merge(_)) => true,
            (Task::Call(call), Task::Call(other)) => call.op() == other.op(),
            (Task::Merge(_), Task::Call(_)) | (Task::Call(_), Task::Merge(_)) => false,
        };
        is_of_a_kind && self.is_prepared_like(other)
    }

    /// The same case for one operation alone, which is what a finding is written with. `None` if the case does not have that
    /// operation.
    pub fn narrowed_to(&self, op: Op) -> Option<Case> {
        let call = match &self.task {
            Task::Merge(merge) => merge.call(op, self.dialect).map(Call::Merge)?,
            Task::Call(call) if call.op() == op => call.clone(),
            Task::Call(_) => return None,
        };
        Some(Case { purpose: self.purpose.clone(), dialect: self.dialect, task: Task::Call(call) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Cases, Generator, Settings};

    #[test]
    fn cases_of_one_schema_are_judged_alike_where_they_are_of_one_kind() {
        let mut cases = Cases::new(Generator::new(Settings::TINY), 7);
        let merge = (0..).map(|number| cases.case(number)).find(|case| matches!(case.task, Task::Merge(_)));
        let merge = merge.expect("a merge");
        let calls: Vec<Case> = merge.ops().into_iter().filter_map(|op| merge.narrowed_to(op)).collect();
        assert!(calls.len() > 1 && calls.iter().all(|call| call.is_prepared_like(&merge)));
        assert!(merge.is_judged_like(&merge.clone()) && calls[0].is_judged_like(&calls[0].clone()));
        assert!(calls.iter().all(|call| !call.is_judged_like(&merge)) && !calls[0].is_judged_like(&calls[1]));
    }
}
