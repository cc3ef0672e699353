//! Planners of whole workspaces with a mistake, as subjects.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_optimized::faults::Fault as OfOptimized;
use planfuzz_workspace_reference::faults::Fault as OfReference;

use crate::subject::of_workspaces::OfWorkspaces;
use crate::subject::workspace::PlannerOfWorkspaces;

/// A mistake of a planner of workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceFault {
    /// Of the reference.
    Reference(OfReference),
    /// Of the optimized planner.
    Optimized(OfOptimized),
}

impl WorkspaceFault {
    /// All of them except those of planning again and of several workers, which the planner's own tests hunt: a plan from scratch by one
    /// worker does not show them.
    pub fn all() -> impl Iterator<Item = WorkspaceFault> {
        let of_reference = OfReference::ALL.iter().copied().map(WorkspaceFault::Reference);
        let of_optimized = OfOptimized::ALL
            .iter()
            .copied()
            .filter(|fault| ![OfOptimized::INCREMENTAL, OfOptimized::CONCURRENT].contains(&fault.rule()));
        of_reference.chain(of_optimized.map(WorkspaceFault::Optimized))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            WorkspaceFault::Reference(fault) => fault.name(),
            WorkspaceFault::Optimized(fault) => fault.name(),
        }
    }

    /// The dialect in which it shows.
    pub fn dialect(self) -> Dialect {
        match self {
            WorkspaceFault::Reference(_) => Dialect::default(),
            WorkspaceFault::Optimized(fault) => fault.dialect(),
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
    pub fn planner(self) -> PlannerOfWorkspaces {
        match self {
            WorkspaceFault::Reference(fault) => PlannerOfWorkspaces(fault.planner()),
            WorkspaceFault::Optimized(fault) => PlannerOfWorkspaces(fault.planner()),
        }
    }
}

/// Planners of workspaces with a mistake.
pub struct FaultyWorkspaces;

impl FaultyWorkspaces {
    /// The subject of a fault.
    #[allow(clippy::new_ret_no_self, reason = "a subject of workspaces is all that it is")]
    pub fn new(fault: WorkspaceFault) -> OfWorkspaces {
        OfWorkspaces::new(format!("fault:{}", fault.name()), fault.planner())
    }

    /// The fault of a name.
    pub fn named(name: &str) -> Option<WorkspaceFault> {
        WorkspaceFault::all().find(|fault| fault.name() == name)
    }
}
