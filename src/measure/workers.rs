//! The gain of several workers: the same plans by one worker and by several, in turns.
//!
//! Time is wall-clock time, providers included, because that is what workers share; the least of some rounds counts.
//! Figures mean something only on an idle machine.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_optimized::{Concurrent, Optimized, Untraced, Workers};

use super::workspaces::{PlanOp, SizedShape, refusal};

/// How long the same plan takes one worker, and several.
#[derive(Clone, Debug)]
pub struct Gain {
    /// Which plan: `create`, `no_change`, `one_changed`.
    pub op: &'static str,
    /// Nanoseconds for each instance, of one worker.
    pub one: f64,
    /// The same, of several.
    pub many: f64,
}

impl Gain {
    /// How many times as fast several workers are as one.
    pub fn times(&self) -> f64 {
        self.one / self.many
    }
}

impl SizedShape {
    /// What so many workers gain in each plan of the workload, with a trace of the calls or without.
    ///
    /// # Errors
    /// A plan that is refused, or is another than that of one worker.
    pub fn of_workers(self, traced: bool, workers: NonZeroUsize, rounds: usize) -> Result<Vec<Gain>, String> {
        let workers = Workers::new(workers);
        match traced {
            true => self.of_both([&Optimized, &Concurrent::new(workers)], rounds),
            false => self.of_both([&Untraced::default(), &Untraced::concurrent(workers)], rounds),
        }
    }

    fn of_both(self, planners: [&dyn WorkspacePlanner; 2], rounds: usize) -> Result<Vec<Gain>, String> {
        let stored = self.stored()?;
        let mut gains = Vec::new();
        for op in [PlanOp::Create, PlanOp::NoChange, PlanOp::OneChanged] {
            let (asked, providers) = self.asked(op, Some(&stored))?;
            let mut least = [Duration::MAX; 2];
            for _ in 0..rounds.max(1) {
                let mut changes = [0; 2];
                for ((planner, least), changes) in planners.into_iter().zip(&mut least).zip(&mut changes) {
                    let begun = Instant::now();
                    let planned = planner.plan(&asked, &mut &providers);
                    *least = begun.elapsed().min(*least);
                    *changes = planned.plan.as_ref().ok_or_else(|| refusal(&planned))?.changes.len();
                }
                if changes[0] != changes[1] {
                    return Err(format!(
                        "{}: {} changes by one worker, {} by several",
                        op.name(),
                        changes[0],
                        changes[1]
                    ));
                }
            }
            let [one, many] = least.map(|time| time.as_secs_f64() * 1e9 / self.instances.max(1) as f64);
            gains.push(Gain { op: op.name(), one, many });
        }
        Ok(gains)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_workspace_cases::shapes::Shape;

    #[test]
    fn every_shape_is_planned_by_several_workers() {
        for (shape, name) in Shape::ALL {
            let workload = SizedShape { shape, instances: 150 };
            for traced in [true, false] {
                let gains = workload.of_workers(traced, NonZeroUsize::new(2).expect("a number"), 1).expect(name);
                assert_eq!(gains.len(), 3, "{name}");
                assert!(gains.iter().all(|gain| gain.one > 0.0 && gain.many > 0.0), "{name}: {gains:?}");
            }
        }
    }
}
