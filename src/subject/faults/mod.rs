//! Planted faults: subjects of this process that are wrong on purpose, to measure campaigns and the shrinker.
//!
//! Only builds with the cargo feature `faults` have them. Each is right except for one decision ([`Fault`]); the canary
//! is always wrong.
//! always wrong.

mod canary;
mod catalogue;
mod naive;
mod relations;
mod scenarios;
mod values;
mod weak;
mod workspaces;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Planner;

use super::Subject;
use super::in_process::InProcess;
use super::outcome::Outcome;
use crate::case::{Call, Case, Op, Task};
use crate::guard::guard;
use naive::NaivePlanner;

pub use canary::Canary;
pub use catalogue::{Fault, NOT_PLANTED};
pub use relations::{Dependence, Dependent};
pub use weak::WeakHash;
pub use workspaces::{FaultyWorkspaces, WorkspaceFault};

/// A subject with one fault, or none.
pub struct Faulty {
    fault: Option<Fault>,
    planner: InProcess,
}

impl Faulty {
    /// The subject with this fault.
    pub fn new(fault: Fault) -> Faulty {
        Faulty::of(Some(fault), format!("fault:{}", fault.name()))
    }

    /// The subject without a fault, in which the faults are planted: tests show that it is right.
    pub fn sound() -> Faulty {
        Faulty::of(None, "fault:none".to_owned())
    }

    fn of(fault: Option<Fault>, name: String) -> Faulty {
        Faulty { fault, planner: InProcess::new(NaivePlanner { name, fault }) }
    }
}

impl Subject for Faulty {
    fn name(&self) -> &str {
        self.planner.name()
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        self.planner.can(op, dialect)
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let answers = self.planner.answer(cases);
        let Some(fault) = self.fault else { return answers };
        let spoil = |(case, answers): (&Case, Vec<Outcome>)| match &case.task {
            Task::Call(Call::Value(call)) if call.op() == fault.op() => {
                let right = answers.into_iter();
                right.map(|right| guard(|| values::spoilt(fault, call, right)).unwrap_or_else(Outcome::from)).collect()
            }
            _ => answers,
        };
        cases.iter().zip(answers).map(spoil).collect()
    }

    fn planner(&self) -> Option<&dyn Planner> {
        self.planner.planner()
    }
}
