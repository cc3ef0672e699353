//! The table of walks: plan and apply of one instance, without the provider's part.

use std::hint::black_box;
use std::time::Instant;

use planfuzz::measure::Contestant;
use planfuzz::workloads::WalkWorkload;
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::rows::{nanoseconds, times_as};
use super::timing::{Effort, medians};

/// Measures every walk and prints the table.
pub fn print(effort: Effort) {
    let walks = WalkWorkload::all().expect("each walk does what it is timed for");
    println!(
        "| workload | walk | optimized | merge alone | walk / merge | reference | walk / merge | reference / optimized |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for walk in walks.iter().filter(|walk| effort.takes(&walk.workload)) {
        row(walk, effort);
    }
    println!("\nTimes in ns. The merge alone is what the same planner does for the same values outside of a walk.\n");
}

fn row(walk: &WalkWorkload, effort: Effort) {
    let prepare = |planner: &dyn Planner| {
        let prepared = planner.prepare(&walk.workload.merge.schema, walk.dialect());
        walk.check(&*prepared).expect("the walk does what it is timed for");
        prepared
    };
    let optimized = prepare(&Optimized);
    let reference = walk.workload.for_reference.then(|| prepare(&Reference));
    let mut contestants = vec![in_walk(walk, &*optimized), alone(walk, &*optimized)];
    if let Some(reference) = &reference {
        contestants.extend([in_walk(walk, &**reference), alone(walk, &**reference)]);
    }
    let figures = medians(contestants, effort);
    let (own, others) = ((figures[0], figures[1]), figures.get(2).copied().zip(figures.get(3).copied()));
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        walk.workload.name,
        walk.walk,
        nanoseconds(own.0),
        nanoseconds(own.1),
        times_as(Some(own.0 / own.1)),
        others.map_or(String::new(), |(walk, _)| nanoseconds(walk)),
        times_as(others.map(|(walk, merge)| walk / merge)),
        times_as(others.map(|(walk, _)| walk / own.0)),
    );
}

/// Times walks alone: questions and scripts exist before the clock starts; after it stops each script is checked to have
/// been played to its end, and everything is dropped.
fn in_walk<'a>(walk: &'a WalkWorkload, planner: &'a dyn Prepared) -> Contestant<'a> {
    Box::new(move |runs| {
        let mut runs: Vec<_> = (0..runs).map(|_| walk.fresh()).collect();
        let mut outcomes = Vec::with_capacity(runs.len());
        let start = Instant::now();
        outcomes.extend(runs.iter_mut().map(|run| black_box(run).walk(planner)));
        let time = start.elapsed();
        black_box(outcomes);
        for run in runs {
            run.finish().expect("the script is played to its end");
        }
        time
    })
}

fn alone<'a>(walk: &'a WalkWorkload, planner: &'a dyn Prepared) -> Contestant<'a> {
    Box::new(move |runs| {
        let calls: Vec<_> = (0..runs).flat_map(|_| walk.merge_alone()).collect();
        let mut answers = Vec::with_capacity(calls.len());
        let start = Instant::now();
        answers.extend(calls.iter().map(|call| planner.answer(black_box(call.request()))));
        let time = start.elapsed();
        black_box(answers);
        time
    })
}
