//! Classes of planner answers: rows that only a planner can fill.

use std::fmt;

use planfuzz_core::planner::Answer;
use planfuzz_core::planner::{Prepared, Request, Violation};
use planfuzz_core::value::Value;

use crate::case::{Case, Merge, Task};

/// The class of one operation's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnswerClass {
    operation: Operation,
    class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    ProposedNew,
    PlannedDataResource,
    AssertPlanValid,
    AssertObjectCompatible,
    NormalizeLegacy,
    PrepareComputedBlocks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    /// The planner refused (the engine crashes).
    Refused,
    /// The answer is the value that the request passed in.
    Unchanged,
    /// The answer is another value.
    Changed,
    /// No violation.
    Holds,
    /// One violation.
    One,
    /// More than one violation.
    Several,
}

const fn outcome(operation: Operation, class: Class) -> AnswerClass {
    AnswerClass { operation, class }
}

impl AnswerClass {
    /// All outcomes there are.
    pub const ALL: [AnswerClass; 20] = [
        outcome(Operation::ProposedNew, Class::Refused),
        outcome(Operation::ProposedNew, Class::Unchanged),
        outcome(Operation::ProposedNew, Class::Changed),
        outcome(Operation::PlannedDataResource, Class::Refused),
        outcome(Operation::PlannedDataResource, Class::Unchanged),
        outcome(Operation::PlannedDataResource, Class::Changed),
        outcome(Operation::AssertPlanValid, Class::Refused),
        outcome(Operation::AssertPlanValid, Class::Holds),
        outcome(Operation::AssertPlanValid, Class::One),
        outcome(Operation::AssertPlanValid, Class::Several),
        outcome(Operation::AssertObjectCompatible, Class::Refused),
        outcome(Operation::AssertObjectCompatible, Class::Holds),
        outcome(Operation::AssertObjectCompatible, Class::One),
        outcome(Operation::AssertObjectCompatible, Class::Several),
        outcome(Operation::NormalizeLegacy, Class::Refused),
        outcome(Operation::NormalizeLegacy, Class::Unchanged),
        outcome(Operation::NormalizeLegacy, Class::Changed),
        outcome(Operation::PrepareComputedBlocks, Class::Refused),
        outcome(Operation::PrepareComputedBlocks, Class::Unchanged),
        outcome(Operation::PrepareComputedBlocks, Class::Changed),
    ];

    /// The outcomes of a case with a planner that was prepared for its schema and dialect: one for each operation.
    pub fn of(case: &Case, planner: &dyn Prepared) -> Vec<AnswerClass> {
        let Task::Merge(Merge { schema: _, prior, config, planned, actual }) = &case.task else { return Vec::new() };
        [
            Request::ProposedNew { prior, config },
            Request::PlannedDataResource { config },
            Request::AssertPlanValid { prior, config, planned },
            Request::AssertObjectCompatible { planned, actual },
            Request::NormalizeLegacy { value: planned },
            Request::PrepareComputedBlocks { value: config },
        ]
        .into_iter()
        .map(|request| AnswerClass::of_answer(request, planner.answer(request).ok().as_ref()))
        .collect()
    }

    /// As [`Feature::floor`](super::row::Feature): engines crash rarely, and computed blocks are in one dialect of four.
    pub(super) fn floor(self) -> f64 {
        match (self.operation, self.class) {
            (Operation::AssertObjectCompatible | Operation::PrepareComputedBlocks, Class::Refused) => 0.0001,
            (Operation::AssertPlanValid, Class::Refused) => 0.0005,
            (_, Class::Refused) | (Operation::PrepareComputedBlocks, Class::Changed) => 0.001,
            _ => 0.02,
        }
    }

    /// The class of an answer to a request; `None` is a refusal.
    pub fn of_answer(request: Request<'_>, answer: Option<&Answer>) -> AnswerClass {
        let (operation, first) = match request {
            Request::ProposedNew { prior, .. } => (Operation::ProposedNew, Some(prior)),
            Request::PlannedDataResource { config } => (Operation::PlannedDataResource, Some(config)),
            Request::AssertPlanValid { .. } => (Operation::AssertPlanValid, None),
            Request::AssertObjectCompatible { .. } => (Operation::AssertObjectCompatible, None),
            Request::NormalizeLegacy { value } => (Operation::NormalizeLegacy, Some(value)),
            Request::PrepareComputedBlocks { value } => (Operation::PrepareComputedBlocks, Some(value)),
        };
        let class = match answer {
            None => Class::Refused,
            Some(Answer::Value(value)) => of_value(value, first),
            Some(Answer::Violations(violations)) => of_violations(violations),
        };
        outcome(operation, class)
    }
}

fn of_value(value: &Value, first: Option<&Value>) -> Class {
    if first == Some(value) { Class::Unchanged } else { Class::Changed }
}

fn of_violations(violations: &[Violation]) -> Class {
    match violations {
        [] => Class::Holds,
        [_] => Class::One,
        _ => Class::Several,
    }
}

impl fmt::Display for AnswerClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = match self.operation {
            Operation::ProposedNew => "proposed_new",
            Operation::PlannedDataResource => "planned_data_resource",
            Operation::AssertPlanValid => "assert_plan_valid",
            Operation::AssertObjectCompatible => "assert_object_compatible",
            Operation::NormalizeLegacy => "normalize_legacy",
            Operation::PrepareComputedBlocks => "prepare_computed_blocks",
        };
        let class = match self.class {
            Class::Refused => "refused",
            Class::Unchanged => "unchanged",
            Class::Changed => "changed",
            Class::Holds => "holds",
            Class::One => "one_violation",
            Class::Several => "several_violations",
        };
        write!(f, "{operation}.{class}")
    }
}
