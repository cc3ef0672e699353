//! Contestants that take turns.

use std::time::Duration;

use planfuzz::workloads::Workload;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Rounds in each row.
    pub rounds: usize,
    /// What one contestant's turn takes about, if a run of it is shorter.
    pub turn: Duration,
    /// Chunks of 64 cases in each row of the table of cases.
    pub chunks: u64,
    largest: bool,
}

impl Effort {
    /// For a table that is kept: a few minutes.
    pub const FULL: Effort = Effort { rounds: 21, turn: Duration::from_millis(5), chunks: 60, largest: true };
    /// For a glance.
    pub const QUICK: Effort = Effort { rounds: 5, turn: Duration::from_millis(1), chunks: 5, largest: false };
    /// To see that everything runs.
    pub const ONCE: Effort = Effort { rounds: 1, turn: Duration::ZERO, chunks: 1, largest: false };

    /// Whether a workload is measured.
    pub fn takes(self, workload: &Workload) -> bool {
        self.largest || !workload.name.ends_with("-4000")
    }
}

/// Runs of a contestant at a time at most: their inputs are all there at once.
const MOST_RUNS: u32 = 256;

/// Who takes turns: runs itself so many times and says how long the runs took.
pub type Contestant<'a> = Box<dyn FnMut(u32) -> Duration + 'a>;

/// The median nanoseconds of one run of each contestant.
pub fn medians(mut contestants: Vec<Contestant<'_>>, effort: Effort) -> Vec<f64> {
    let runs: Vec<u32> = contestants.iter_mut().map(|contestant| fitting(contestant, effort.turn)).collect();
    let mut figures = vec![Vec::with_capacity(effort.rounds); contestants.len()];
    for round in 0..effort.rounds {
        for place in 0..contestants.len() {
            let place = if round % 2 == 0 { place } else { contestants.len() - 1 - place };
            let time = contestants[place](runs[place]);
            figures[place].push(time.as_secs_f64() * 1e9 / f64::from(runs[place]));
        }
    }
    figures.into_iter().map(median).collect()
}

/// How many runs fit into a turn; the runs that find it out also warm the contestant up.
fn fitting(contestant: &mut Contestant<'_>, turn: Duration) -> u32 {
    let mut runs = 1;
    loop {
        let time = contestant(runs);
        if time >= turn || runs >= MOST_RUNS {
            return runs;
        }
        runs *= 2;
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
