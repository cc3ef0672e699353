//! The contest over one question, and who can take part in one.

use std::hint::black_box;
use std::time::{Duration, Instant};

use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::corpus::Item;
use super::turns::{Contestant, Pace, take_turns};
use crate::case::MergeCall;

/// Rounds of a contest: few, because what is read are medians over many contests.
const ROUNDS: usize = 5;

/// What the contestants needed for one question: medians, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The reference planner.
    pub reference: f64,
    /// The optimized planner.
    pub optimized: f64,
    /// A deep clone of the configuration.
    pub clone: f64,
}

/// Lets the planners and a deep clone take turns on one question, for about `time`.
pub fn contest(item: &Item, time: Duration) -> Times {
    let prepare = |planner: &dyn Planner| planner.prepare(item.call.schema(), item.dialect);
    let (reference, optimized) = (prepare(&Reference), prepare(&Optimized));
    let contestants = vec![
        on_fresh(item.call.fresh(), &*reference),
        on_fresh(item.call.fresh(), &*optimized),
        times(|| item.config.deep_clone()),
    ];
    let pace = Pace::within(time, ROUNDS, contestants.len());
    let figures = take_turns(contestants, pace);
    let median = |place: usize| figures.get(place).map_or(0.0, super::Figures::median);
    Times { reference: median(0), optimized: median(1), clone: median(2) }
}

/// A planner that gets fresh inputs for every run. Answers alone are timed: inputs are there before the clock starts,
/// and answers are dropped after it stops.
pub fn on_fresh<'a>(call: MergeCall, planner: &'a dyn Prepared) -> Contestant<'a> {
    on_made(move || call.fresh(), planner)
}

/// A planner that gets inputs made by `make` for every run, before the clock starts.
pub fn on_made<'a>(make: impl Fn() -> MergeCall + 'a, planner: &'a dyn Prepared) -> Contestant<'a> {
    Box::new(move |runs| {
        let calls: Vec<MergeCall> = (0..runs).map(|_| make()).collect();
        timed(runs, calls.iter().map(|call| planner.answer(black_box(call.request()))))
    })
}

/// A planner that gets the same inputs in every run.
pub fn on_same<'a>(call: MergeCall, planner: &'a dyn Prepared) -> Contestant<'a> {
    Box::new(move |runs| timed(runs, (0..runs).map(|_| planner.answer(black_box(call.request())))))
}

/// Any work whose results are dropped when the clock has stopped.
pub fn times<'a, T>(work: impl Fn() -> T + 'a) -> Contestant<'a> {
    Box::new(move |runs| timed(runs, (0..runs).map(|_| work())))
}

fn timed<T>(runs: u32, results: impl Iterator<Item = T>) -> Duration {
    let mut kept = Vec::with_capacity(runs as usize);
    let start = Instant::now();
    kept.extend(results);
    let time = start.elapsed();
    black_box(kept);
    time
}
