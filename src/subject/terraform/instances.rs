//! Recorded walks: one walk of an instance, whose provider replays its answers.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Applied, Plan, Presence};
use planfuzz_core::plans::Marked;
use planfuzz_core::value::{PathSet, Type};
use planfuzz_engine::{Expectation, Job, Protocol, WalkOutcome};

use super::{Driven, expectations};
use crate::case::InstanceCall;
use crate::subject::instance::{Recorded, apply_want, plan_want};
use crate::subject::{LeftOut, Outcome};

/// The outcomes of recorded walks, each with the index of its case.
pub(super) fn answer(engine: &mut Driven, calls: &[(usize, &InstanceCall)], dialect: Dialect) -> Vec<(usize, Outcome)> {
    let (mut plans, mut applies) = (Vec::new(), Vec::new());
    for (index, call) in calls {
        let ty = call.schema().implied_type(dialect);
        match call {
            InstanceCall::Plan { inputs, .. } => {
                let expectation =
                    |request: &_, provider| expectations::of_plan((call.schema(), dialect), request, provider);
                plans.push((*index, job(call, inputs.plan_request(), &ty, expectation), ty));
            }
            InstanceCall::Apply { inputs, planned, .. } => {
                let mut request = inputs.apply_request(planned, &ty);
                if let Presence::Configured(configured) = &mut request.presence
                    && configured.config.is_null()
                {
                    // It is not evaluated, but the file needs a value.
                    configured.config = Marked::new(call.schema().empty_value(dialect), &PathSet::EMPTY);
                }
                let expectation =
                    |request: &_, provider| expectations::of_apply((call.schema(), dialect), request, provider);
                applies.push((*index, job(call, request, &ty, expectation), ty));
            }
        }
    }
    let mut outcomes = Vec::with_capacity(calls.len());
    let (places, jobs) = split(plans);
    let plan_of = |plan: Plan, recorded: &Recorded, ty: &Type| plan_want(&plan, recorded.asked(), ty);
    for ((index, ty), walk_outcome) in places.into_iter().zip(engine.plan(&jobs)) {
        outcomes.push((index, outcome(walk_outcome, &ty, plan_of)));
    }
    let (places, jobs) = split(applies);
    let applied_of = |applied: Applied, recorded: &Recorded, ty: &Type| {
        apply_want(&applied.state, &applied.diagnostics, recorded.asked(), ty)
    };
    for ((index, ty), walk_outcome) in places.into_iter().zip(engine.apply(&jobs)) {
        outcomes.push((index, outcome(walk_outcome, &ty, applied_of)));
    }
    outcomes
}

fn job<R>(
    call: &InstanceCall,
    request: R,
    ty: &Type,
    expectation: impl FnOnce(&R, Recorded) -> Expectation,
) -> Job<R, Recorded> {
    let provider = Recorded::of(call, ty);
    let expectation = expectation(&request, provider.clone());
    // Nested attributes need version 6; otherwise the two versions behave alike.
    Job { schema: call.schema().clone(), protocol: Protocol::Six, request, provider, expectation }
}

#[allow(clippy::type_complexity, reason = "a list taken apart")]
fn split<R>(asked: Vec<(usize, Job<R, Recorded>, Type)>) -> (Vec<(usize, Type)>, Vec<Job<R, Recorded>>) {
    asked.into_iter().map(|(index, job, ty)| ((index, ty), job)).unzip()
}

fn outcome<T>(
    walk_outcome: WalkOutcome<T, Recorded>,
    ty: &Type,
    want: impl Fn(T, &Recorded, &Type) -> planfuzz_core::json::Json,
) -> Outcome {
    match walk_outcome {
        WalkOutcome::Answer { answer, provider, exchanges: _ } => Outcome::Want(want(answer, &provider, ty)),
        WalkOutcome::Crashed { site, message, exchanges: _ } => Outcome::Crashed { site, message, predicted: false },
        WalkOutcome::OverBudget { limit } => Outcome::OverBudget { limit },
        WalkOutcome::LeftOut(reason) => Outcome::LeftOut(LeftOut::Engine(reason)),
    }
}
