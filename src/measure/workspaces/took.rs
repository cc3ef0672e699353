//! The time and the memory that one run of a planner takes.
//!
//! Time is processor time of this thread, less what the providers need to answer the same calls; the least of some rounds counts, since
//! disturbance only makes a round longer. Memory is the peak of the process, less what it had before; it means something only in a process
//! that returns to the system at once what it frees. Calls of a planner that lists none are those of the optimized planner, which makes the
//! same.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use planfuzz_workspace::{Applied, Made, Plan, Planned, Providers, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_optimized::{Optimized, Untraced};

/// A result, the time it took, and the memory.
pub(super) struct Took<T> {
    pub result: T,
    pub time: Duration,
    pub bytes: Option<u64>,
    pub calls: usize,
}

/// A planner that is measured.
#[derive(Clone, Copy)]
pub enum Measured<'p> {
    /// One that lists its calls.
    Traced(&'p dyn WorkspacePlanner),
    /// The optimized planner without its trace.
    Untraced(&'p Untraced),
}

impl<'p> Measured<'p> {
    fn planner(self) -> &'p dyn WorkspacePlanner {
        match self {
            Measured::Traced(planner) => planner,
            Measured::Untraced(planner) => planner,
        }
    }

    /// The calls that the planner makes but does not list; `run` is what makes them.
    fn unlisted(self, run: impl Fn(&Optimized) -> Vec<Made>) -> Option<Vec<Made>> {
        match self {
            Measured::Traced(_) => None,
            Measured::Untraced(_) => Some(run(&Optimized)),
        }
    }

    pub(super) fn plan(self, (asked, of): (&Workspace, &Simulated), rounds: usize) -> Took<Planned> {
        let unlisted = self.unlisted(|planner| planner.plan(asked, &mut &*of).trace.calls);
        timed(of, unlisted, rounds, |providers| self.planner().plan(asked, providers))
    }

    pub(super) fn apply(self, (asked, of): (&Workspace, &Simulated), plan: &Plan) -> Took<Applied> {
        let unlisted = self.unlisted(|planner| planner.apply(asked, plan, &mut &*of).trace.calls);
        timed(of, unlisted, 1, |providers| self.planner().apply(asked, plan, providers))
    }
}

/// An answer of a planner that may list its calls.
trait Traced {
    fn calls(&self) -> &[Made];
}

impl Traced for Planned {
    fn calls(&self) -> &[Made] {
        &self.trace.calls
    }
}

impl Traced for Applied {
    fn calls(&self) -> &[Made] {
        &self.trace.calls
    }
}

/// Times `run`. Reading a clock for each call would cost as much as some planners, so the providers' part is measured
/// by answering the same calls again.
fn timed<T: Traced>(
    of: &Simulated,
    unlisted: Option<Vec<Made>>,
    rounds: usize,
    mut run: impl FnMut(&mut dyn Providers) -> T,
) -> Took<T> {
    let before = begin();
    let mut least = [Duration::MAX; 2];
    let mut once = || {
        let begun = ThreadTime::now();
        let result = run(&mut &*of);
        let whole = begun.elapsed();
        let made = unlisted.as_deref().unwrap_or_else(|| result.calls());
        let begun = ThreadTime::now();
        made.iter().for_each(|made| drop(black_box(of.answer(&made.call))));
        for (least, time) in least.iter_mut().zip([whole, begun.elapsed()]) {
            *least = time.min(*least);
        }
        result
    };
    let result = once();
    let bytes = before.zip(of_status("VmHWM:")).map(|(before, most)| most.saturating_sub(before));
    (1..rounds).for_each(|_| drop(once()));
    let calls = unlisted.as_deref().unwrap_or_else(|| result.calls()).len();
    Took { time: least[0].saturating_sub(least[1]), bytes, calls, result }
}

/// Resets the memory peak; returns the present memory.
fn begin() -> Option<u64> {
    // Where the system has no such file, the peak counts from the start of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    of_status("VmRSS:")
}

fn of_status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}
