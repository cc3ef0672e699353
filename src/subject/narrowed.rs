//! A subject restricted to some operations.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Planner;

use super::outcome::{LeftOut, Outcome};
use super::{Effort, PlannerOfWorkspaces, Subject};
use crate::case::Shown;
use crate::case::{Case, Op};

/// A subject restricted to some operations; the others are neither answered nor counted.
///
/// The metamorphic properties ask its planner any operation: their callers drop findings of other operations
/// ([`Subject::can`]).
pub struct Narrowed {
    subject: Box<dyn Subject>,
    ops: Vec<Op>,
}

impl Narrowed {
    /// The subject for these operations.
    pub fn new(subject: Box<dyn Subject>, ops: Vec<Op>) -> Narrowed {
        Narrowed { subject, ops }
    }
}

impl Subject for Narrowed {
    fn name(&self) -> &str {
        self.subject.name()
    }

    fn signed(&self) -> String {
        self.subject.signed()
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        self.ops.contains(&op) && self.subject.can(op, dialect)
    }

    fn planner(&self) -> Option<&dyn Planner> {
        self.subject.planner()
    }

    fn workspaces(&self) -> Option<PlannerOfWorkspaces> {
        self.subject.workspaces()
    }

    fn batch_size(&self) -> u64 {
        self.subject.batch_size()
    }

    fn effort(&self) -> Effort {
        self.subject.effort()
    }

    fn trouble(&self) -> Option<String> {
        self.subject.trouble()
    }

    fn shows(&self) -> Shown {
        self.subject.shows()
    }

    fn answers_with_shared_code(&self) -> bool {
        self.subject.answers_with_shared_code()
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        if cases.iter().all(|case| case.ops().iter().all(|op| self.ops.contains(op))) {
            return self.subject.answer(cases);
        }
        let mut outcomes = Vec::with_capacity(cases.len());
        let mut places = Vec::new();
        let mut asked = Vec::new();
        for (case_index, case) in cases.iter().enumerate() {
            let ops = case.ops();
            outcomes.push(vec![Outcome::LeftOut(LeftOut::NotAsked); ops.len()]);
            for (op_index, op) in ops.into_iter().enumerate().filter(|(_, op)| self.ops.contains(op)) {
                if let Some(narrowed) = case.narrowed_to(op) {
                    places.push((case_index, op_index));
                    asked.push(narrowed);
                }
            }
        }
        for ((case, op), mut answer) in places.into_iter().zip(self.subject.answer(&asked)) {
            if let Some(outcome) = answer.pop() {
                outcomes[case][op] = outcome;
            }
        }
        outcomes
    }
}
