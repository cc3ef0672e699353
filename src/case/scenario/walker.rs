//! Planners as a life needs them.

use std::time::{Duration, Instant};

use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Prepared, Provider, Refusal};

use super::life::Halt;
use crate::guard::guard;

/// What one walk may take. A planner of this process cannot be stopped, so the limit is held against it afterwards.
const LIMIT: Duration = Duration::from_secs(10);

/// A planner, prepared for the schema and dialect of a scenario, whose failures are told apart.
pub trait Walker {
    /// A plan walk.
    ///
    /// # Errors
    /// A walk that came to no answer.
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Halt>;

    /// An apply walk.
    ///
    /// # Errors
    /// A walk that came to no answer.
    fn apply(&mut self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Halt>;
}

/// A planner of this process.
impl Walker for &dyn Prepared {
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Halt> {
        walk(|| Prepared::plan(*self, request, provider))
    }

    fn apply(&mut self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Halt> {
        walk(|| Prepared::apply(*self, request, provider))
    }
}

fn walk<T>(ask: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Halt> {
    let start = Instant::now();
    let answer = guard(ask)?.map_err(|refusal| Halt::Refused(refusal.to_string()))?;
    if start.elapsed() > LIMIT { Err(Halt::OverBudget { limit: LIMIT }) } else { Ok(answer) }
}
