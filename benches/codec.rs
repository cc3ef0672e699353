//! msgpack on the prior states of the workloads, beside a deep clone of the same value.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion, criterion_group, criterion_main};
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
        group.bench_function("encode", |bencher| time(bencher, || msgpack::encode(prior.view(), ty)));
        group.bench_function("decode", |bencher| time(bencher, || msgpack::decode(&bytes, ty)));
        group.bench_function("deep_clone", |bencher| time(bencher, || prior.deep_clone()));
        group.finish();
    }
}

/// How many results are kept until the clock stands still.
const KEPT: u64 = 16;

/// Times `make` without dropping what it makes. Few results are kept at a time, so that memory is used again: fetching it from the
/// system takes longer than most of what is timed.
fn time<T>(bencher: &mut Bencher<'_>, make: impl Fn() -> T) {
    bencher.iter_custom(|iterations| {
        let mut taken = Duration::ZERO;
        let mut results = Vec::with_capacity(KEPT as usize);
        for from in (0..iterations).step_by(KEPT as usize) {
            let start = Instant::now();
            (from..iterations.min(from + KEPT)).for_each(|_| results.push(black_box(make())));
            taken += start.elapsed();
            results.clear();
        }
        taken
    });
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
