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
    pub const QUICK: Effort = Effort { rounds: 5, turn: Duration::from_millis(1), chunks: 60, largest: false };
    /// To see that everything runs.
    pub const ONCE: Effort = Effort { rounds: 1, turn: Duration::ZERO, chunks: 1, largest: false };

    /// Whether a workload is measured.
    pub fn takes(self, workload: &Workload) -> bool {
        self.largest || !workload.name.ends_with("-4000")
    }
}

/// What a batch takes at least, where it can: so much longer than reading the clock that the clock does not show.
const BATCH: Duration = Duration::from_micros(20);

/// Runs in a batch at most. Inputs and answers of a batch are there at once; few of them stay in the allocator's hands,
/// where many would be fetched from the system and given back every time.
const MOST_RUNS: u32 = 128;

/// Batches in a turn at most.
const MOST_BATCHES: u32 = 4096;

/// Who takes turns: runs itself so many times and says how long the runs took.
pub type Contestant<'a> = Box<dyn FnMut(u32) -> Duration + 'a>;

/// The median nanoseconds of one run of each contestant.
pub fn medians(mut contestants: Vec<Contestant<'_>>, effort: Effort) -> Vec<f64> {
    let turns: Vec<Turn> = contestants.iter_mut().map(|contestant| Turn::fitting(contestant, effort.turn)).collect();
    let mut figures = vec![Vec::with_capacity(effort.rounds); contestants.len()];
    for round in 0..effort.rounds {
        for place in 0..contestants.len() {
            let place = if round % 2 == 0 { place } else { contestants.len() - 1 - place };
            figures[place].push(turns[place].take(&mut contestants[place]));
        }
    }
    figures.into_iter().map(median).collect()
}

/// What a contestant does when it is its turn.
struct Turn {
    batches: u32,
    runs: u32,
}

impl Turn {
    /// The turn that takes about `time`; the runs that find it out also warm the contestant up.
    fn fitting(contestant: &mut Contestant<'_>, time: Duration) -> Turn {
        let mut runs = 1;
        loop {
            contestant(runs);
            let batch = contestant(runs).max(Duration::from_nanos(1));
            if batch >= BATCH || runs >= MOST_RUNS {
                let batches = (time.as_secs_f64() / batch.as_secs_f64()) as u32;
                return Turn { batches: batches.clamp(1, MOST_BATCHES), runs };
            }
            runs *= 2;
        }
    }

    /// The mean nanoseconds of a run. The first batch does not count: its allocations sort out what the contestant
    /// before it gave back.
    fn take(&self, contestant: &mut Contestant<'_>) -> f64 {
        contestant(self.runs);
        let time: Duration = (0..self.batches).map(|_| contestant(self.runs)).sum();
        time.as_secs_f64() * 1e9 / (f64::from(self.batches) * f64::from(self.runs))
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
