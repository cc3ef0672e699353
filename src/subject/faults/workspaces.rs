//! Planners of whole workspaces with a mistake, as subjects.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_optimized::faults::Fault as OfOptimized;
use planfuzz_workspace_reference::faults::Fault as OfReference;

use crate::case::{Call, Case, Op, Task};
use crate::guard::guard;
use crate::subject::Subject;
use crate::subject::outcome::{LeftOut, Outcome};
use crate::subject::workspace::Workspaces;

/// A mistake of a planner of workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceFault {
    /// Of the reference.
    Reference(OfReference),
    /// Of the optimized planner.
    Optimized(OfOptimized),
}

impl WorkspaceFault {
    /// All of them.
    pub fn all() -> impl Iterator<Item = WorkspaceFault> {
        let of_reference = OfReference::ALL.iter().copied().map(WorkspaceFault::Reference);
        of_reference.chain(OfOptimized::ALL.iter().copied().map(WorkspaceFault::Optimized))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            WorkspaceFault::Reference(fault) => fault.name(),
            WorkspaceFault::Optimized(fault) => fault.name(),
        }
    }

    /// The rule that it breaks.
    pub fn rule(self) -> &'static str {
        match self {
            WorkspaceFault::Reference(fault) => fault.rule(),
            WorkspaceFault::Optimized(fault) => fault.rule(),
        }
    }

    /// The planner that has it.
    pub fn planner(self) -> Workspaces {
        match self {
            WorkspaceFault::Reference(fault) => Workspaces(fault.planner()),
            WorkspaceFault::Optimized(fault) => Workspaces(fault.planner()),
        }
    }
}

/// A planner of workspaces with a mistake.
#[derive(Clone, Debug)]
pub struct FaultyWorkspaces {
    name: String,
    planner: Workspaces,
}

impl FaultyWorkspaces {
    /// The subject of a fault.
    pub fn new(fault: WorkspaceFault) -> FaultyWorkspaces {
        FaultyWorkspaces { name: format!("fault:{}", fault.name()), planner: fault.planner() }
    }

    /// The fault of a name.
    pub fn named(name: &str) -> Option<WorkspaceFault> {
        WorkspaceFault::all().find(|fault| fault.name() == name)
    }
}

impl Subject for FaultyWorkspaces {
    fn name(&self) -> &str {
        &self.name
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        op.is_of_workspaces()
    }

    fn workspaces(&self) -> Option<Workspaces> {
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
