//! The optimized planner without the trace of its calls.
//!
//! Problem: the suite judges calls and their order, but whoever asks only what changes pays for a record of every request and answer, which
//! takes more room than the plan. Idea: no call is kept, nor the graphs that order them. Guarantee: plans, states and diagnostics are those
//! of [`Optimized`](crate::Optimized), and so are the calls that providers get; only the trace is empty.

use planfuzz_workspace::{
    Applied, Diagnostic, Import, Plan, Planned, Providers, Saved, Workspace, WorkspacePlanner, Written,
};

use crate::concurrent::SHARED_OUT;
use crate::walk::{Calls, Record};
use crate::worker_pool::{WorkerPool, Workers};
use crate::{applying, command, commands, import_command};

/// The optimized planner of workspaces that keeps no trace; with one worker, or with several.
#[derive(Debug, Default)]
pub struct Untraced {
    workers: Option<WorkerPool>,
}

impl Untraced {
    /// A planner with several workers, who share out the instances of large blocks.
    pub fn concurrent(workers: Workers) -> Untraced {
        Untraced { workers: Some(WorkerPool::new(workers)) }
    }

    fn calls<'p>(&'p self, providers: &'p mut dyn Providers) -> Calls<'p> {
        Calls::new(providers).recording(Record::Nothing).with(self.workers.as_ref())
    }
}

impl WorkspacePlanner for Untraced {
    fn name(&self) -> &str {
        "untraced"
    }

    fn counted(&self) -> Vec<(&'static str, u64)> {
        self.workers.iter().map(|workers| (SHARED_OUT, workers.shared_out())).collect()
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        command::plan(workspace, self.calls(providers))
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        applying::apply(workspace, plan, self.calls(providers))
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        commands::refuses(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refreshed(workspace, |workspace| command::plan(workspace, self.calls(providers)))
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        import_command::import(workspace, asked, self.calls(providers))
    }
}
