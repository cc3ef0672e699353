//! The parts of a campaign's work on one case: making it, asking both planners, comparing, checking the rules on
//! answers.
//!
//! The cases are those of one seed, taken in turn, so a figure is a mean over many different ones.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use planfuzz::case::Case;
use planfuzz::compare::{Answers, Judge, Summary};
use planfuzz::generate::{Cases, Generator, Settings};
use planfuzz::subject::{InProcess, Outcome, Subject};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

/// The allocator of the command: other benches use the system's, as an engine would.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SEED: u64 = 1;

/// Cases at a time, as a campaign takes them.
const CHUNK: u64 = 64;

fn subjects() -> [InProcess; 2] {
    [InProcess::new(Reference), InProcess::new(Optimized)]
}

fn judge_all(judge: &Judge, subjects: &[InProcess], cases: &[Case], outcomes: &[Vec<Vec<Outcome>>]) -> Summary {
    let mut summary = Summary::default();
    for (index, case) in cases.iter().enumerate() {
        let answers = subjects.iter().zip(outcomes);
        let answers = answers.map(|(subject, of)| Answers::of(subject, &of[index]));
        judge.judge(case, &answers.collect::<Vec<_>>(), &mut summary);
    }
    summary
}

/// Each figure is for a chunk of 64 cases.
fn cases(criterion: &mut Criterion) {
    let presets = [("tiny", Settings::TINY), ("small", Settings::SMALL), ("medium", Settings::MEDIUM)];
    for (name, settings) in presets {
        let mut group = criterion.benchmark_group(format!("64_cases/{name}"));
        let mut source = Cases::new(Generator::new(settings.clone()), SEED);
        let mut subjects = subjects();
        let (with_rules, without_rules) = judges();
        let mut next = 0;
        let mut chunk = move || {
            next += CHUNK;
            (next - CHUNK..next).map(|number| source.case(number)).collect::<Vec<Case>>()
        };
        let cases = chunk();
        let outcomes: Vec<_> = subjects.iter_mut().map(|subject| subject.answer(&cases)).collect();
        group.bench_function("generate", |bencher| bencher.iter_with_large_drop(&mut chunk));
        for subject in &mut subjects {
            let name = format!("answer_{}", subject.name());
            group.bench_function(name, |bencher| bencher.iter_with_large_drop(|| subject.answer(&cases)));
        }
        for (name, judge) in [("judge_without_rules", &without_rules), ("judge_with_rules", &with_rules)] {
            group.bench_function(name, |bencher| bencher.iter(|| judge_all(judge, &subjects, &cases, &outcomes)));
        }
        group.bench_function("whole_way", |bencher| {
            bencher.iter(|| {
                let cases = chunk();
                let outcomes: Vec<_> = subjects.iter_mut().map(|subject| subject.answer(&cases)).collect();
                judge_all(&with_rules, &subjects, &cases, &outcomes)
            });
        });
        group.finish();
    }
}

fn judges() -> (Judge, Judge) {
    (Judge::default(), Judge { without_rules: true, ..Judge::default() })
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .without_plots()
}

criterion_group! { name = benches; config = short(); targets = cases }
criterion_main!(benches);
