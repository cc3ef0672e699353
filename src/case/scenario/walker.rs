//! The interface through which a scenario is played with a planner.

use std::time::{Duration, Instant};

use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Prepared, Provider, Refusal};

use super::trace::NoAnswer;
use crate::guard::guard;

/// The time limit of one walk. A planner of this process cannot be stopped, so the limit is checked afterwards.
const LIMIT: Duration = Duration::from_secs(10);

/// A planner, prepared for the schema and dialect of a scenario, that reports why a walk got no answer.
pub trait Walker {
    /// A plan walk.
    ///
    /// # Errors
    /// A walk that got no answer.
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, NoAnswer>;

    /// An apply walk.
    ///
    /// # Errors
    /// A walk that got no answer.
    fn apply(&mut self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, NoAnswer>;
}

/// A planner of this process.
impl Walker for &dyn Prepared {
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, NoAnswer> {
        walk(|| Prepared::plan(*self, request, provider))
    }

    fn apply(&mut self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, NoAnswer> {
        walk(|| Prepared::apply(*self, request, provider))
    }
}

fn walk<T>(ask: impl FnOnce() -> Result<T, Refusal>) -> Result<T, NoAnswer> {
    let start = Instant::now();
    let answer = guard(ask)?.map_err(|refusal| NoAnswer::Refused(refusal.to_string()))?;
    if start.elapsed() > LIMIT { Err(NoAnswer::OverBudget { limit: LIMIT }) } else { Ok(answer) }
}
