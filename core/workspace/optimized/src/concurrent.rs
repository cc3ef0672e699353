//! The optimized planner with several workers.

use std::sync::Arc;

use planfuzz_workspace::{
    Applied, Diagnostic, Import, Plan, Planned, Providers, Saved, Workspace, WorkspacePlanner, Written,
};

use crate::walk::Calls;
use crate::worker_pool::{WorkerPool, Workers};
use crate::{Optimized, command, commands};

/// The name of the counter of blocks that were shared out.
pub const SHARED_OUT: &str = "blocks shared out";

/// The optimized planner of workspaces with several workers, whose threads it keeps from plan to plan.
///
/// Plans and refreshes share out the instances of large blocks, and neighbouring blocks that do not wait for one another; plans also share
/// out what is compiled and checked. Everything else is done by the calling thread. Its results are those of
/// [`Optimized`].
#[derive(Clone, Debug)]
pub struct Concurrent {
    workers: Arc<WorkerPool>,
}

impl Concurrent {
    /// A planner whose threads are started when a block is large enough.
    pub fn new(workers: Workers) -> Concurrent {
        Concurrent { workers: Arc::new(WorkerPool::new(workers)) }
    }
}

impl WorkspacePlanner for Concurrent {
    fn name(&self) -> &str {
        "concurrent"
    }

    /// A planner with the same threads, and new counters.
    fn begin(&self) -> Option<Box<dyn WorkspacePlanner + '_>> {
        Some(Box::new(Concurrent { workers: Arc::new(self.workers.begin()) }))
    }

    fn counted(&self) -> Vec<(&'static str, u64)> {
        vec![(SHARED_OUT, self.workers.shared_out())]
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        command::plan(workspace, Calls::new(providers).with(Some(&self.workers)))
    }

    fn apply(&self, workspace: &Workspace, plan: &Plan, providers: &mut dyn Providers) -> Applied {
        Optimized.apply(workspace, plan, providers)
    }

    fn refuses(&self, workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
        Optimized.refuses(workspace, plan, saved)
    }

    fn refresh(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Written {
        commands::refreshed(workspace, |workspace| {
            command::plan(workspace, Calls::new(providers).with(Some(&self.workers)))
        })
    }

    fn import(&self, workspace: &Workspace, asked: &Import, providers: &mut dyn Providers) -> Written {
        Optimized.import(workspace, asked, providers)
    }
}
