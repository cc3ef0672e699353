//! Shrinks whole workspaces with the shrinker of their cases.
//!
//! That shrinker knows the contents of workspace files: it removes steps, files, blocks and arguments, and replaces references by
//! plain values.

use std::sync::Arc;

use planfuzz_workspace_reference::Reference;

use super::Shrunk;
use crate::case::{Call, Case, Task};

/// Makes a case of a workspace smaller while `holds` stays true of it, calling it at most `budget` times.
pub(super) fn shrink(
    case: &Case,
    budget: u64,
    is_over: &dyn Fn() -> bool,
    holds: &mut dyn FnMut(&Case) -> bool,
) -> Shrunk {
    let Task::Call(Call::Workspace(workspace)) = &case.task else {
        return Shrunk { case: case.clone(), calls: 0 };
    };
    let of = |workspace: &planfuzz_workspace_cases::Case| Case {
        purpose: case.purpose.clone(),
        dialect: workspace.dialect,
        task: Task::Call(Call::Workspace(Arc::new(workspace.clone()))),
    };
    let mut calls = 0;
    let mut shows = |candidate: &planfuzz_workspace_cases::Case| {
        if is_over() {
            return false;
        }
        calls += 1;
        holds(&of(candidate))
    };
    let attempts = usize::try_from(budget).unwrap_or(usize::MAX);
    let small = planfuzz_workspace_cases::shrink::shrink(workspace, attempts, &Reference, &mut shows);
    Shrunk { case: of(&small), calls }
}
