//! The checks on values that share parts: a plan shares what it keeps with the proposal, and so with the configuration
//! and the prior state, and the result of the apply shares what was known with the plan.

use planfuzz::case::MergeCall;
use planfuzz::measure::{on_made, times};
use planfuzz::workloads::{Timed, Workload};
use planfuzz_core::planner::{Planner, Prepared, Request};
use planfuzz_core::value::{Node, Value, ValueRef, raw_equals};
use planfuzz_optimized::Optimized;

use super::rows::{nanoseconds, times_as};
use super::timing::{Effort, medians};

/// Measures the checks and prints the table.
pub fn print(workloads: &[Workload], effort: Effort) {
    println!("| workload | operation | optimized | deep clone | of deep clone |");
    println!("| --- | --- | ---: | ---: | ---: |");
    for workload in workloads {
        for op in [Timed::AssertPlanValid, Timed::AssertObjectCompatible] {
            let optimized = Optimized.prepare(&workload.merge.schema, workload.dialect());
            let make = || related(workload, op, &*optimized);
            let contestants = vec![on_made(make, &*optimized), times(|| workload.merge.config.deep_clone())];
            let figures = medians(contestants, effort);
            println!(
                "| {} | {} | {} | {} | {} |",
                workload.name,
                op.op(),
                nanoseconds(figures[0]),
                nanoseconds(figures[1]),
                times_as(Some(figures[0] / figures[1])),
            );
        }
    }
    println!("\nTimes in ns; what the values have in common is shared.\n");
}

/// A check whose values share parts with one another, but none with those of any other run.
fn related(workload: &Workload, op: Timed, planner: &dyn Prepared) -> MergeCall {
    let schema = workload.merge.schema.clone();
    match workload.fresh(op) {
        MergeCall::AssertPlanValid { schema: _, prior, config, planned } => {
            let proposed = planner.proposed_new(&prior, &config).expect("workloads are right");
            let planned = sharing(&planned, &proposed);
            MergeCall::of_request(
                &schema,
                Request::AssertPlanValid { prior: &prior, config: &config, planned: &planned },
            )
        }
        MergeCall::AssertObjectCompatible { schema: _, planned, actual } => {
            let actual = sharing(&actual, &planned);
            MergeCall::of_request(&schema, Request::AssertObjectCompatible { planned: &planned, actual: &actual })
        }
        other => other,
    }
}

/// A value that shares the parts of `source` wherever the two are equal.
fn sharing(value: &Value, source: &Value) -> Value {
    Value::from_parts(value.ty().clone(), shared(value.view(), source.view()))
}

fn shared(value: ValueRef<'_>, source: ValueRef<'_>) -> Node {
    if raw_equals(value, source) {
        return source.node().clone();
    }
    let (parts, others) = (value.children(), source.children().collect::<Vec<_>>());
    let parts = parts.enumerate().map(|(place, (_, part))| {
        // In a set, the few different elements shift the others by a place.
        let near = others.iter().skip(place.saturating_sub(1)).take(3).map(|(_, other)| *other);
        let equal = near.into_iter().find(|other| raw_equals(part, *other));
        match (equal, others.get(place)) {
            (Some(equal), _) => equal.node().clone(),
            (None, Some((_, other))) => shared(part, *other),
            (None, None) => part.node().clone(),
        }
    });
    match value.node() {
        Node::Seq(_) => Node::seq(parts.collect()),
        Node::Map(map) => {
            let entries = map.keys().iter().cloned().zip(parts).collect();
            Node::Map(triomphe::Arc::new(planfuzz_core::value::MapNode::from_sorted(entries)))
        }
        leaf => leaf.clone(),
    }
}
