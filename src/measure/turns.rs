//! Contestants that take turns.

use std::time::{Duration, Instant};

/// The least time of a batch, where possible: long enough that the cost of reading the clock is negligible.
const BATCH: Duration = Duration::from_micros(20);

/// Runs in a batch at most. All inputs and answers of a batch are alive at once; the allocator keeps the memory of a
/// few of them, but would return that of many to the system every time.
const MOST_RUNS: u32 = 128;

/// Batches in a turn at most.
const MOST_BATCHES: u32 = 4096;

/// How many times its timed part a turn may last in all, with untimed work such as making inputs.
const MOST_BESIDE: u32 = 8;

/// The duration from which a run needs no warm-up: the state of allocator and caches hardly affects it.
const LONG: Duration = Duration::from_millis(1);

/// A contestant: runs its work so many times and returns how long the runs took.
pub type Contestant<'a> = Box<dyn FnMut(u32) -> Duration + 'a>;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The turns of each contestant.
    pub rounds: usize,
    /// The time of a turn, about, if a run is shorter.
    pub turn: Duration,
}

impl Pace {
    /// The pace at which so many contestants need about `time` for these rounds.
    pub fn within(time: Duration, rounds: usize, contestants: usize) -> Pace {
        let turns = u32::try_from(rounds.saturating_mul(contestants)).unwrap_or(u32::MAX);
        Pace { rounds, turn: time / turns.max(1) }
    }
}

/// What a contestant needed: nanoseconds of one run, the mean of each round.
#[derive(Clone, Debug)]
pub struct Figures {
    rounds: Vec<f64>,
    runs: u64,
}

impl Figures {
    /// The median of the rounds; 0 where there was none.
    pub fn median(&self) -> f64 {
        self.rounds.get(self.rounds.len() / 2).copied().unwrap_or_default()
    }

    /// The time that one round in a hundred exceeds; 0 where there was none.
    pub fn p99(&self) -> f64 {
        self.rounds.get(self.rounds.len() * 99 / 100).copied().unwrap_or_default()
    }

    /// How many runs count.
    pub fn runs(&self) -> u64 {
        self.runs
    }
}

/// Gives each contestant a turn in every round, in alternating order, so that disturbances of the machine affect all
/// alike.
pub fn take_turns(mut contestants: Vec<Contestant<'_>>, pace: Pace) -> Vec<Figures> {
    let turns: Vec<Turn> = contestants.iter_mut().map(|contestant| Turn::fitting(contestant, pace.turn)).collect();
    let mut rounds = vec![Vec::with_capacity(pace.rounds); contestants.len()];
    for round in 0..pace.rounds {
        for place in 0..contestants.len() {
            let place = if round % 2 == 0 { place } else { contestants.len() - 1 - place };
            rounds[place].push(turns[place].take(&mut contestants[place]));
        }
    }
    rounds.into_iter().zip(turns).map(|(rounds, turn)| turn.figures(rounds)).collect()
}

/// The runs that a contestant makes in a turn.
struct Turn {
    batches: u32,
    runs: u32,
    is_long: bool,
}

impl Turn {
    /// The turn that takes about `time`; the calibrating runs also warm the contestant up.
    fn fitting(contestant: &mut Contestant<'_>, time: Duration) -> Turn {
        let mut runs = 1;
        loop {
            let first = contestant(runs);
            let is_long = first >= LONG;
            let start = Instant::now();
            let batch = if is_long { first } else { contestant(runs).max(Duration::from_nanos(1)) };
            let whole = start.elapsed();
            if batch >= BATCH || runs >= MOST_RUNS || whole >= LONG {
                let fitting =
                    |time: Duration, batch: Duration| (time.as_secs_f64() / batch.as_secs_f64().max(1e-9)) as u32;
                let batches = fitting(time, batch).min(fitting(time * MOST_BESIDE, whole));
                return Turn { batches: batches.clamp(1, MOST_BATCHES), runs, is_long };
            }
            runs *= 2;
        }
    }

    /// The mean nanoseconds of a run. The first batch does not count: it warms the allocator up after the contestant
    /// before.
    fn take(&self, contestant: &mut Contestant<'_>) -> f64 {
        if !self.is_long {
            contestant(self.runs);
        }
        let time: Duration = (0..self.batches).map(|_| contestant(self.runs)).sum();
        time.as_secs_f64() * 1e9 / (f64::from(self.batches) * f64::from(self.runs))
    }

    fn figures(self, mut rounds: Vec<f64>) -> Figures {
        rounds.sort_by(f64::total_cmp);
        let runs = rounds.len() as u64 * u64::from(self.batches) * u64::from(self.runs);
        Figures { rounds, runs }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn everybody_has_a_turn_in_every_round_in_alternating_order() {
        let order = RefCell::new(Vec::new());
        let contestant = |name: char, time: u64| -> Contestant<'_> {
            let order = &order;
            Box::new(move |runs| {
                order.borrow_mut().push(name);
                Duration::from_micros(time) * runs
            })
        };
        let pace = Pace { rounds: 4, turn: Duration::from_micros(90) };
        let figures = take_turns(vec![contestant('a', 30), contestant('b', 90)], pace);
        let mut order = order.into_inner();
        order.dedup();
        // Both are calibrated first; then a goes first in every other round, so that each ends one and begins the next.
        assert_eq!(order.iter().collect::<String>(), "abababa");
        assert_eq!((figures[0].median().round(), figures[1].median().round()), (30_000.0, 90_000.0));
        assert_eq!((figures[0].runs(), figures[1].runs()), (12, 4));
    }

    #[test]
    fn runs_too_short_for_the_clock_are_batched() {
        let mut longest = 0;
        let contestant: Contestant<'_> = Box::new(|runs| {
            longest = longest.max(runs);
            Duration::from_nanos(100) * runs
        });
        let figures = take_turns(vec![contestant], Pace { rounds: 1, turn: Duration::ZERO });
        assert_eq!((figures[0].median().round(), figures[0].runs(), longest), (100.0, 128, 128));
    }

    #[test]
    fn no_contestants_and_zero_times_are_accepted() {
        let pace = Pace::within(Duration::from_secs(1), 0, 0);
        assert_eq!(pace.turn, Duration::from_secs(1));
        assert!(take_turns(Vec::new(), pace).is_empty());
        let idle: Contestant<'_> = Box::new(|_| Duration::ZERO);
        let figures = take_turns(vec![idle], pace);
        assert_eq!((figures[0].median(), figures[0].p99()), (0.0, 0.0));
    }
}
