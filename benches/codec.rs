//! msgpack on the prior states of the workloads, beside a deep clone of the same value; a state file as a whole and in streams, beside
//! a pass over its JSON that keeps nothing.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};
use planfuzz::workloads::Workload;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::state::file::{Snapshot, StateWriter};
use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;

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

/// How many objects the state file has: some megabytes.
const OBJECTS: usize = 5_000;

fn state_file(criterion: &mut Criterion) {
    let snapshot = snapshot();
    let text = snapshot.to_indented();
    let mut group = criterion.benchmark_group("state_file");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("json_pass", |bencher| {
        bencher.iter(|| serde_json::from_str::<serde::de::IgnoredAny>(black_box(&text)).is_ok());
    });
    group.bench_function("json_tree", |bencher| bencher.iter_with_large_drop(|| Json::parse(&text)));
    group.bench_function("read", |bencher| bencher.iter_with_large_drop(|| Snapshot::read(text.as_bytes())));
    group.bench_function("read_in_parts", |bencher| {
        bencher.iter(|| {
            let mut parts = 0;
            let rest = Snapshot::read_in_parts(text.as_bytes(), &mut |_| {
                parts += 1;
                Ok(())
            });
            (parts, rest.is_ok())
        });
    });
    group.bench_function("write", |bencher| bencher.iter_with_large_drop(|| snapshot.to_indented()));
    group.bench_function("write_in_parts", |bencher| {
        bencher.iter(|| {
            let mut writer = StateWriter::new(std::io::sink(), &snapshot)?;
            snapshot.resources.iter().try_for_each(|resource| writer.resource(resource))?;
            writer.finish(snapshot.check_results.as_ref())
        });
    });
    group.finish();
}

/// The state of modules of ten objects each, after everything was created.
fn snapshot() -> Snapshot {
    let (empty, providers) = workspace(&Shape::Modules.files(OBJECTS, false), None).expect("a workspace");
    let planned = Optimized.plan(&empty, &mut &providers);
    let state = Optimized.apply(&empty, planned.plan.as_ref().expect("a plan"), &mut &providers).state;
    let json = state.to_json(&empty.schemas, empty.dialect).expect("a state file");
    Snapshot::read(json.to_compact().as_bytes()).expect("a state file")
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

criterion_group! { name = benches; config = short(); targets = codec, state_file }
criterion_main!(benches);
