//! Faults of planners of whole workspaces: a campaign of the reference against the planner that has one.

use std::time::Instant;

use super::hunted::{Bounds, End, Hunted};
use super::planner::{pursue, pursue_from};
use super::size::Size;
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

/// The resources and steps that a small case has at most.
const SMALL: (usize, usize) = (3, 2);

/// How many further cases of a fault are tried while the smallest is not small.
const MORE: usize = 4;

/// Hunts a fault. Some cases cannot be made as small as others that show the same fault, so the hunt goes on, as long as it has time, until
/// one is small.
pub fn hunt(fault: WorkspaceFault, seed: u64, bounds: &Bounds<'_>) -> Hunted {
    let subjects = || {
        let right: Box<dyn Subject> = Box::new(InProcess::reference());
        Ok(vec![right, Box::new(FaultyWorkspaces::new(fault))])
    };
    let source = WorkspaceSource(Workspaces::new(&Settings::MIXED, &[fault.dialect()], seed));
    let (target, begun) = (Target::Workspace(fault), Instant::now());
    let mut hunted = pursue(target, &source, &subjects, bounds);
    let mut tried = hunted.cases;
    for _ in 0..MORE {
        let End::Caught(caught) = &hunted.end else { break };
        if is_small(&caught.size) || bounds.is_over(begun) {
            break;
        }
        let other = pursue_from(tried, target, &source, &subjects, &bounds.after(tried, begun));
        tried = other.cases;
        match other.end {
            End::Caught(other) if by_size(&other.size) < by_size(&caught.size) => hunted.end = End::Caught(other),
            End::Caught(_) | End::Missed(_) => {}
        }
    }
    hunted
}

fn is_small(size: &Size) -> bool {
    size.members <= SMALL.0 && size.steps <= SMALL.1
}

fn by_size(size: &Size) -> (bool, usize, usize, usize) {
    (!is_small(size), size.members, size.steps, size.bytes)
}
