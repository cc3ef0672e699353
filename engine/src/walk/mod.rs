//! Walks put to an engine, many in one run of the binary.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Provider};

use crate::job::{Came, Job, LeftOut};

/// How an engine is driven.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// What one run may take beside what it takes for each walk.
    pub limit: Duration,
    /// Set from outside when all is to end.
    pub stop: Option<&'static AtomicBool>,
}

/// A binary and what it needs to be asked.
#[derive(Debug)]
pub struct Engine {
    options: EngineOptions,
}

impl Engine {
    /// The plan walks of many instances; an answer for each, in their order.
    pub fn plan<P: Provider + Clone + Send + 'static>(&mut self, jobs: &[Job<PlanRequest, P>]) -> Vec<Came<Plan, P>> {
        let _ = &self.options;
        jobs.iter().map(|_| Came::LeftOut(LeftOut::Interrupted)).collect()
    }

    /// The apply walks of many instances; an answer for each, in their order.
    pub fn apply<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<ApplyRequest, P>],
    ) -> Vec<Came<Applied, P>> {
        let _ = &self.options;
        jobs.iter().map(|_| Came::LeftOut(LeftOut::Interrupted)).collect()
    }
}
