//! msgpack on the prior states of the workloads, beside a deep clone of the same value.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use planfuzz::workloads::Workload;
use planfuzz_core::msgpack;

/// The command's: other benches take the system's, as an engine would.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn codec(criterion: &mut Criterion) {
    for workload in Workload::all() {
        let (prior, ty) = (&workload.merge.prior, workload.merge.prior.ty());
        let bytes = msgpack::encode(prior.view(), ty).expect("a state can be written");
        let mut group = criterion.benchmark_group(format!("msgpack/{}", workload.name));
        group.bench_function("encode", |bencher| bencher.iter_with_large_drop(|| msgpack::encode(prior.view(), ty)));
        group.bench_function("decode", |bencher| bencher.iter_with_large_drop(|| msgpack::decode(&bytes, ty)));
        group.bench_function("deep_clone", |bencher| bencher.iter_with_large_drop(|| prior.deep_clone()));
        group.finish();
    }
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .without_plots()
}

criterion_group! { name = benches; config = short(); targets = codec }
criterion_main!(benches);
