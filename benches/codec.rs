//! msgpack on the prior states of the workloads, beside a deep clone of the same value; a state file as a whole and in streams, beside
//! a pass over its JSON that keeps nothing; a plan file likewise, beside unpacking it.

use std::hint::black_box;
use std::io::Cursor;
use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};
use planfuzz::workloads::Workload;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::plans::file::{FileChange, List, Module, Part, PlanDocument, PlanFile, Values};
use planfuzz_core::plans::{Action, ActionReason};
use planfuzz_core::state::Private;
use planfuzz_core::state::file::{Part as StatePart, Snapshot, StateWriter, StoredResource};
use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;

/// The allocator of the command: other benches use the system's, as an engine would.
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

fn plan_file(criterion: &mut Criterion) {
    let file = planned(snapshot());
    let bytes = file.write().expect("a plan file");
    let inflated = || {
        let mut archive = zip::ZipArchive::new(Cursor::new(&bytes))?;
        (0..archive.len()).try_fold(0, |sum, index| {
            let mut member = archive.by_index(index)?;
            Ok::<u64, zip::result::ZipError>(sum + std::io::copy(&mut member, &mut std::io::sink())?)
        })
    };
    let mut group = criterion.benchmark_group("plan_file");
    group.throughput(Throughput::Bytes(inflated().expect("an archive")));
    group.bench_function("inflate", |bencher| bencher.iter(inflated));
    group.bench_function("read", |bencher| {
        bencher.iter_with_large_drop(|| PlanFile::read(&bytes, Engine::Terraform));
    });
    group.bench_function("read_in_parts", |bencher| {
        bencher.iter(|| {
            let mut parts = 0;
            let rest = PlanFile::read_in_parts(Cursor::new(&bytes), Engine::Terraform, &mut |_, _| {
                parts += 1;
                Ok(())
            });
            (parts, rest.is_ok())
        });
    });
    group.bench_function("write", |bencher| bencher.iter_with_large_drop(|| file.write()));
    group.bench_function("write_in_parts", |bencher| {
        bencher.iter_with_large_drop(|| {
            file.write_in_parts(Cursor::new(Vec::new()), &mut |list, put| match list {
                List::Changes => file.plan.changes.iter().try_for_each(|change| put(Part::Change(change.clone()))),
                List::State | List::Previous => file.state.resources.iter().try_for_each(|resource| {
                    let of = StoredResource { objects: Vec::new(), ..resource.clone() };
                    let mut objects = resource.objects.iter();
                    objects.try_for_each(|object| put(Part::State(StatePart::Object(&of, object.clone()))))
                }),
                List::Relevant | List::Drift | List::Checks => Ok(()),
            })
        });
    });
    group.finish();
}

/// A plan that updates everything in a state.
fn planned(state: Snapshot) -> PlanFile {
    let workload = Workload::all().swap_remove(0);
    let prior = &workload.merge.prior;
    let value = msgpack::encode(prior.view(), prior.ty()).expect("a state can be written");
    let of = |resource: &StoredResource| {
        let addr = format!("{}.{}.{}", resource.module, resource.type_name, resource.name);
        resource.objects.iter().enumerate().map(move |(index, _)| format!("{addr}[{index}]")).collect::<Vec<_>>()
    };
    let change = |addr: String| FileChange {
        addr,
        prev_run_addr: None,
        deposed: None,
        provider: "provider[\"registry.terraform.io/hashicorp/w\"]".into(),
        values: Values::new(Action::Update, Some(value.clone()), Some(value.clone())),
        private: Private::from(b"".as_slice()),
        required_replace: Vec::new(),
        reason: ActionReason::None,
    };
    let mut plan = PlanDocument::new(Engine::Terraform, "1.11.4", "2025-01-02T03:04:05Z");
    plan.changes = state.resources.iter().flat_map(of).map(change).collect();
    let (config, manifest) = (Vec::new(), vec![Module::root()]);
    PlanFile { plan, previous: state.clone(), state, config, manifest, locks: None, schemas: None }
}

/// The state of modules of ten objects each, after everything was created.
fn snapshot() -> Snapshot {
    let (empty, providers) = workspace(&Shape::Modules.files(OBJECTS, false), None).expect("a workspace");
    let planned = Optimized.plan(&empty, &mut &providers);
    let state = Optimized.apply(&empty, planned.plan.as_ref().expect("a plan"), &mut &providers).state;
    let json = state.to_json(&empty.schemas, empty.dialect).expect("a state file");
    Snapshot::read(json.to_compact().as_bytes()).expect("a state file")
}

/// How many results are kept until the clock is stopped.
const KEPT: u64 = 16;

/// Times `make` without dropping its results. Few results are kept at a time, so that memory is reused: fetching it from the system
/// takes longer than most of what is timed.
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

criterion_group! { name = benches; config = short(); targets = codec, state_file, plan_file }
criterion_main!(benches);
