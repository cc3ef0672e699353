//! Subjects: the participants of a comparison.
//!
//! A subject answers batches of cases. In this process a batch is a loop; to a program at the other end of a pipe it is a
//! window of requests in flight, and to an engine one run of a binary. If a subject could not be asked something, its
//! outcome is [`LeftOut`] with a reason, which is counted: nothing is left out silently.

mod each_dialect;
mod exec;
#[cfg(feature = "faults")]
pub mod faults;
mod file_trees;
mod files;
mod in_process;
mod instance;
mod language;
mod naive;
mod naive_provider;
mod narrowed;
mod of_bytes;
mod of_workspaces;
mod outcome;
mod provider;
mod sdk;
mod shared;
#[cfg(feature = "engine")]
mod terraform;
mod vocabulary;
mod wire;
mod workspace;

use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Planner;

use crate::case::{Case, Op};

pub use crate::case::Shown;
pub use crate::guard::{Panic, guard};
pub use each_dialect::EachDialect;
pub(crate) use exec::groups;
pub use exec::keeper::begin as begin_keeper;
pub use exec::{Exec, ExecError, ExecOptions, kill_programs};
pub use in_process::{InProcess, answer_request};
pub use language::{Language, walked};
pub use naive::Naive;
pub use narrowed::Narrowed;
pub use of_bytes::OfBytes;
pub use of_workspaces::OfWorkspaces;
pub use outcome::{LeftOut, Outcome};
pub use shared::Shared;
#[cfg(feature = "engine")]
pub use terraform::{Applies, Terraform};
pub use vocabulary::answer_value_or_schema;
pub use wire::{in_one_form, outcome_of, record_of, want_of};
pub use workspace::{EngineStep, PlannerOfWorkspaces, WorkspaceAnswer};

/// The work of other processes for a subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How many were run.
    pub runs: u64,
    /// The walks asked; a walk that is asked again counts again.
    pub asked: u64,
    /// The walks that had a run to themselves, and were answered.
    pub alone: u64,
    /// Their processor time, as far as the system reports it.
    pub cpu: Duration,
}

impl Effort {
    /// Adds the work for another worker's subject.
    pub fn add(&mut self, other: Effort) {
        let Effort { runs, asked, alone, cpu } = other;
        self.runs += runs;
        self.asked += asked;
        self.alone += alone;
        self.cpu += cpu;
    }
}

/// Answers cases.
pub trait Subject: Send {
    /// The name in findings and options.
    fn name(&self) -> &str;

    /// The name with the version, as recorded outcomes have it.
    fn signed(&self) -> String {
        format!("{} of planfuzz {}", self.name(), env!("CARGO_PKG_VERSION"))
    }

    /// Whether the subject answers an operation in a dialect.
    fn can(&self, op: Op, dialect: Dialect) -> bool;

    /// Answers every operation of every case: one list for each case, in the order of [`Case::ops`].
    ///
    /// A panic, a crash, a malformed answer and a timeout are outcomes; the rest of the batch is answered all the same.
    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>>;

    /// How much of an answer can be observed.
    fn shows(&self) -> Shown {
        Shown::Whole
    }

    /// Whether its answers to shared operations come from the code that all planners of this process share: they agree with one another
    /// whatever is wrong with it.
    fn answers_with_shared_code(&self) -> bool {
        false
    }

    /// The problem that keeps the subject from answering anything at all, if there is one: then its answers say nothing
    /// about the cases.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// The least number of cases that it should be asked at a time.
    fn batch_size(&self) -> u64 {
        1
    }

    /// The work of other processes for it so far.
    fn effort(&self) -> Effort {
        Effort::default()
    }

    /// The planner, if it is in this process: the metamorphic properties are checked on it.
    fn planner(&self) -> Option<&dyn Planner> {
        None
    }

    /// Its planner of workspaces, likewise: the laws are checked on it.
    fn workspaces(&self) -> Option<PlannerOfWorkspaces> {
        None
    }
}
