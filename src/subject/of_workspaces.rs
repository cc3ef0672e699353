//! Subjects that plan whole workspaces and nothing else.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_optimized::{Concurrent, Workers};

use super::Subject;
use super::outcome::{LeftOut, Outcome};
use super::workspace::PlannerOfWorkspaces;
use crate::case::{Call, Case, Op, Task};
use crate::guard::guard;

/// More workers than most blocks have instances.
const WORKERS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(2);
/// An order other than that of the instances.
const ORDER: u64 = 97;

/// Shared by all subjects of the process, so that its threads are started once.
static EAGER: LazyLock<Concurrent> = LazyLock::new(|| Concurrent::new(Workers::eager(WORKERS, ORDER)));

/// A planner of workspaces that does not belong to a planner of instances.
#[derive(Clone, Debug)]
pub struct OfWorkspaces {
    name: String,
    planner: PlannerOfWorkspaces,
}

impl OfWorkspaces {
    /// The name of the optimized planner that plans each step of a case again from the one before it.
    pub const INCREMENTAL: &str = "incremental";

    /// The name of the optimized planner with several workers, which share even the smallest block.
    pub const CONCURRENT: &str = "concurrent";

    /// A planner under a name.
    pub fn new(name: String, planner: PlannerOfWorkspaces) -> OfWorkspaces {
        OfWorkspaces { name, planner }
    }

    /// The optimized planner that plans each step of a case again from the one before it.
    pub fn incremental() -> OfWorkspaces {
        let planner = PlannerOfWorkspaces(&planfuzz_workspace_optimized::Incremental);
        OfWorkspaces::new(OfWorkspaces::INCREMENTAL.to_owned(), planner)
    }

    /// The optimized planner with several workers, which take the instances of every block one at a time.
    pub fn concurrent() -> OfWorkspaces {
        OfWorkspaces::new(OfWorkspaces::CONCURRENT.to_owned(), PlannerOfWorkspaces(eager()))
    }
}

/// The planner of the subject `concurrent`.
pub(super) fn eager() -> &'static Concurrent {
    &EAGER
}

impl Subject for OfWorkspaces {
    fn name(&self) -> &str {
        &self.name
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        op.is_of_workspaces()
    }

    fn workspaces(&self) -> Option<PlannerOfWorkspaces> {
        Some(self.planner)
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let answer = |case: &Case| match &case.task {
            Task::Call(Call::Workspace(workspace)) => vec![self.planner.answer(workspace)],
            Task::Call(Call::WorkspaceRun(call)) => vec![self.planner.replay(call)],
            _ => vec![Outcome::LeftOut(LeftOut::UnknownOp); case.ops().len()],
        };
        cases.iter().map(|case| guard(|| answer(case)).unwrap_or_else(|panic| vec![panic.into()])).collect()
    }
}
