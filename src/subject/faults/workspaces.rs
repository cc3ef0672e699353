//! The reference planner of whole workspaces with a mistake, as a subject.

use planfuzz_core::dialect::Dialect;
pub use planfuzz_workspace_reference::faults::Fault as WorkspaceFault;

use crate::case::{Call, Case, Op, Task};
use crate::subject::outcome::{LeftOut, Outcome};
use crate::subject::workspace::Workspaces;
use crate::subject::{Subject, guard};

/// A planner of workspaces with a mistake.
#[derive(Clone, Debug)]
pub struct FaultyWorkspaces {
    name: String,
    planner: Workspaces,
}

impl FaultyWorkspaces {
    /// The subject of a fault.
    pub fn new(fault: WorkspaceFault) -> FaultyWorkspaces {
        FaultyWorkspaces { name: format!("fault:{}", fault.name()), planner: Workspaces(fault.planner()) }
    }

    /// The fault of a name.
    pub fn named(name: &str) -> Option<WorkspaceFault> {
        WorkspaceFault::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

impl Subject for FaultyWorkspaces {
    fn name(&self) -> &str {
        &self.name
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        op.is_of_workspaces()
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
