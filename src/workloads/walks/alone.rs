//! The merge and its checks alone: what a walk asks of its own planner, without the walk around it.

use super::TimedWalk;
use super::script::stored;
use crate::case::MergeCall;
use crate::workloads::Workload;
use planfuzz_core::value::Value;

/// The merge operations that a walk performs, on the values that its scripted provider returns.
///
/// A value that occurs in two calls of one list is shared, as it is within a walk.
pub(super) fn calls(workload: &Workload, walk: TimedWalk) -> Vec<MergeCall> {
    let merge = &workload.merge;
    let schema = || merge.schema.clone();
    let fresh = Value::deep_clone;
    let config = fresh(&merge.config);
    let null = Value::null(config.ty().clone());
    let prior = stored(workload, walk).map_or(null.clone(), fresh);
    let planned = match walk {
        TimedWalk::Create => fresh(&workload.creation),
        TimedWalk::NoOp | TimedWalk::Destroy => fresh(&merge.actual),
        TimedWalk::Update | TimedWalk::Replace | TimedWalk::ApplyUpdate => fresh(&merge.planned),
    };
    let propose =
        |prior: &Value| MergeCall::ProposedNew { schema: schema(), prior: prior.clone(), config: config.clone() };
    let mut calls = vec![propose(&prior)];
    if walk == TimedWalk::Replace {
        calls.push(propose(&null));
    }
    if walk == TimedWalk::ApplyUpdate {
        let compatible =
            |planned: Value, actual| MergeCall::AssertObjectCompatible { schema: schema(), planned, actual };
        calls.push(compatible(fresh(&merge.planned), planned.clone()));
        calls.push(compatible(planned.clone(), fresh(&merge.actual)));
    }
    calls.push(MergeCall::AssertPlanValid { schema: schema(), prior, config, planned });
    calls
}
