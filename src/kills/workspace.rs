//! Faults of planners of whole workspaces: a campaign of the reference against the planner that has one.

use super::hunted::{Bounds, Hunted};
use super::planner::pursue;
use super::target::Target;
use crate::campaign::{Reader, Source};
use crate::generate::{Settings, Workspaces};
use crate::subject::faults::{FaultyWorkspaces, WorkspaceFault};
use crate::subject::{InProcess, Subject};

/// The workspaces of a seed.
struct WorkspaceSource(Workspaces);

impl Source for WorkspaceSource {
    fn open(&self) -> Box<dyn Reader + '_> {
        Box::new(self.0.clone())
    }
}

/// Hunts a fault.
pub fn hunt(fault: WorkspaceFault, seed: u64, bounds: &Bounds<'_>) -> Hunted {
    let subjects = || {
        let right: Box<dyn Subject> = Box::new(InProcess::reference());
        Ok(vec![right, Box::new(FaultyWorkspaces::new(fault))])
    };
    let source = WorkspaceSource(Workspaces::new(&Settings::MIXED, &[fault.dialect()], seed));
    pursue(Target::Workspace(fault), &source, &subjects, bounds)
}
