//! The amounts to measure.

use std::time::Duration;

use planfuzz::measure::{Contestant, Figures, Pace, take_turns};
use planfuzz::workloads::Workload;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    pace: Pace,
    /// Chunks of 64 cases in each row of the table of cases.
    pub chunks: u64,
    largest: bool,
}

impl Effort {
    /// For a table that is kept: a few minutes.
    pub const FULL: Effort =
        Effort { pace: Pace { rounds: 21, turn: Duration::from_millis(5) }, chunks: 60, largest: true };
    /// For a glance.
    pub const QUICK: Effort =
        Effort { pace: Pace { rounds: 5, turn: Duration::from_millis(1) }, chunks: 60, largest: false };
    /// To see that everything runs.
    pub const ONCE: Effort = Effort { pace: Pace { rounds: 1, turn: Duration::ZERO }, chunks: 1, largest: false };

    /// Whether a workload is measured.
    pub fn takes(self, workload: &Workload) -> bool {
        self.largest || !workload.name.ends_with("-4000")
    }

    /// Whether workspaces of so many instances are measured.
    pub fn takes_instances(self, instances: usize) -> bool {
        self.largest || instances <= if self.pace.rounds > 1 { 1_000 } else { 100 }
    }

    /// Whether the largest workloads are measured.
    pub fn takes_largest(self) -> bool {
        self.largest
    }

    /// The same with few rounds, for workloads that take long.
    pub fn in_few_rounds(self) -> Effort {
        Effort { pace: Pace { rounds: self.pace.rounds.min(7), ..self.pace }, ..self }
    }
}

/// The median nanoseconds of one run of each contestant.
pub fn medians(contestants: Vec<Contestant<'_>>, effort: Effort) -> Vec<f64> {
    take_turns(contestants, effort.pace).iter().map(Figures::median).collect()
}
