//! The planners of workspaces on every shape, in two sizes: an operation whose time grows more than tenfold from the smaller to the
//! larger grows faster than its input.
//!
//! Making a workspace is not timed, and neither is dropping a plan; the answers of the simulated providers are. The reference plans
//! the smaller size alone. `planfuzz measure --workspace SHAPE` goes to larger sizes, and leaves the providers out.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use planfuzz::measure::{PlanOp, SizedShape};
use planfuzz_workspace::{Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::shapes::Shape;
use planfuzz_workspace_optimized::Optimized;
use planfuzz_workspace_reference::Reference;

/// How many instances: ten times as many in the second size.
const SIZES: [usize; 2] = [100, 1_000];

fn plans(criterion: &mut Criterion) {
    for (shape, name) in Shape::ALL {
        for instances in SIZES {
            let planners: &[&dyn WorkspacePlanner] =
                if instances == SIZES[0] { &[&Optimized, &Reference] } else { &[&Optimized] };
            let workload = SizedShape { shape, instances };
            let stored = workload.stored().expect("every shape can be created");
            for (op, op_name) in PlanOp::ALL {
                let asked = workload.asked(op, Some(&stored)).expect("every shape is a workspace");
                operation(criterion, (op_name, name), instances, planners, &asked);
            }
        }
    }
}

fn operation(
    criterion: &mut Criterion,
    (op, shape): (&str, &str),
    size: usize,
    planners: &[&dyn WorkspacePlanner],
    (workspace, providers): &(Workspace, Simulated),
) {
    let mut group = criterion.benchmark_group(format!("{op}/{shape}"));
    group.throughput(Throughput::Elements(size as u64));
    for planner in planners {
        let plan = || planner.plan(workspace, &mut &*providers);
        assert!(!plan().is_errored(), "{op} of {shape} is planned");
        group.bench_function(BenchmarkId::new(planner.name(), size), |bencher| bencher.iter_with_large_drop(plan));
    }
    group.finish();
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .without_plots()
}

criterion_group! { name = benches; config = short(); targets = plans }
criterion_main!(benches);
