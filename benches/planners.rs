//! The planners on the workloads, each beside a deep clone of the configuration: the least that building a result as
//! large as the configuration costs.
//!
//! Inputs are fresh for every call (`Workload::fresh`), and neither making them nor dropping answers is timed. Sets of
//! more than 100 elements are left to the optimized planner: the reference is quadratic in them.
//!
//! Walks are timed with a provider whose answers exist before, so that only the planner's part is timed.

use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use planfuzz::workloads::{Timed, WalkWorkload, Workload};
use planfuzz_core::planner::Planner;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

fn operations(criterion: &mut Criterion) {
    for workload in Workload::all() {
        for op in Timed::ALL {
            operation(criterion, &workload, op);
        }
    }
}

fn operation(criterion: &mut Criterion, workload: &Workload, op: Timed) {
    let mut group = criterion.benchmark_group(format!("{}/{}", op.op(), workload.name));
    for planner in planners(workload) {
        let prepared = planner.prepare(&workload.merge.schema, workload.dialect());
        group.bench_function(planner.name(), |bencher| {
            let fresh = || workload.fresh(op);
            bencher.iter_batched_ref(fresh, |call| prepared.answer(call.request()), BatchSize::LargeInput);
        });
    }
    let config = &workload.merge.config;
    group.bench_function("deep_clone", |bencher| bencher.iter_with_large_drop(|| config.deep_clone()));
    group.finish();
}

fn walks(criterion: &mut Criterion) {
    for walk in WalkWorkload::all().expect("each walk does what it is timed for") {
        let mut group = criterion.benchmark_group(format!("{}/{}", walk.walk, walk.workload.name));
        for planner in planners(&walk.workload) {
            let prepared = planner.prepare(&walk.workload.merge.schema, walk.dialect());
            walk.check(&*prepared).expect("the walk does what it is timed for");
            group.bench_function(planner.name(), |bencher| {
                bencher.iter_batched_ref(|| walk.fresh(), |run| run.walk(&*prepared), BatchSize::LargeInput);
            });
        }
        group.finish();
    }
}

fn planners(workload: &Workload) -> Vec<&'static dyn Planner> {
    if workload.for_reference { vec![&Optimized, &Reference] } else { vec![&Optimized] }
}

/// The work that is done once for a schema.
fn preparation(criterion: &mut Criterion) {
    for workload in Workload::all().iter().filter(|workload| ["W1", "W2", "W6"].contains(&&*workload.name)) {
        let mut group = criterion.benchmark_group(format!("prepare/{}", workload.name));
        for planner in planners(workload) {
            let prepare = || planner.prepare(&workload.merge.schema, workload.dialect());
            group.bench_function(planner.name(), |bencher| bencher.iter_with_large_drop(prepare));
        }
        group.finish();
    }
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .without_plots()
}

criterion_group! { name = benches; config = short(); targets = operations, walks, preparation }
criterion_main!(benches);
