//! Schedules runs, so that a run is the same however many processes play.
//!
//! Each type has runs of its own, numbered, in generations. All runs of a generation begin with the same knowledge. When all of them are
//! over, their lessons are applied in the order of their numbers, and only then the next generation begins. So a run is a function of the
//! seed, its number and the provider; the number of processes only decides which runs are played at the same time.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::generate::Knowledge;
use crate::lock::lock;
use crate::worker::RunResult;

/// The most runs of a generation. The first ones have fewer: there is most to learn then.
const MOST: u64 = 16;

/// A run to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The number of the type.
    pub(crate) line: usize,
    /// The number of the run among those of all types.
    pub(crate) number: u64,
    /// Whether it may create objects.
    pub(crate) applies: bool,
}

/// All runs of a type.
struct Line {
    knowledge: Arc<Knowledge>,
    /// How many runs there are at most.
    most: u64,
    /// How many runs earlier generations have, and how many they and this one have together.
    begun: u64,
    end: u64,
    /// The next run.
    next: u64,
    /// The finished runs of this generation.
    over: BTreeMap<u64, RunResult>,
    /// How many runs of this generation may create objects.
    room: u64,
}

/// The schedule of a campaign.
pub(crate) struct Schedule {
    lines: Mutex<(Vec<Line>, usize)>,
    changed: Condvar,
}

impl Schedule {
    /// The schedule of types with their knowledge, for so many runs in all. `room` has for each type how many runs may create objects.
    pub(crate) fn new(known: Vec<Knowledge>, most_runs: u64, room: &[u64]) -> Schedule {
        let types = known.len() as u64;
        let line = |(number, (knowledge, room)): (u64, (Knowledge, &u64))| {
            let most = most_runs.saturating_sub(number).div_ceil(types);
            let end = most.min(1);
            Line { knowledge: Arc::new(knowledge), most, begun: 0, end, next: 0, over: BTreeMap::new(), room: *room }
        };
        let lines = (0..).zip(known.into_iter().zip(room)).map(line).collect();
        Schedule { lines: Mutex::new((lines, 0)), changed: Condvar::new() }
    }

    /// The next run, with its knowledge; `None` if all are over, or `is_over` returns true.
    pub(crate) fn take(&self, is_over: impl Fn() -> bool) -> Option<(Turn, Arc<Knowledge>)> {
        let mut guard = lock(&self.lines);
        loop {
            if is_over() {
                return None;
            }
            let (lines, cursor) = &mut *guard;
            let count = lines.len();
            let ready = (0..count).map(|step| (*cursor + step) % count).find(|at| lines[*at].next < lines[*at].end);
            if let Some(at) = ready {
                *cursor = at + 1;
                let line = &mut lines[at];
                let number = line.next * count as u64 + at as u64;
                let applies = line.next - line.begun < line.room;
                line.next += 1;
                return Some((Turn { line: at, number, applies }, Arc::clone(&line.knowledge)));
            }
            if lines.iter().all(|line| line.end == line.most) {
                return None;
            }
            let waited = self.changed.wait_timeout(guard, Duration::from_millis(50));
            guard = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds a finished run. If it is the last of its generation, returns all of them in order: the caller commits them and then calls
    /// [`Schedule::go_on`].
    pub(crate) fn over(&self, turn: &Turn, result: RunResult) -> Option<Vec<RunResult>> {
        let mut guard = lock(&self.lines);
        let count = guard.0.len() as u64;
        let line = &mut guard.0[turn.line];
        line.over.insert(turn.number / count, result);
        let is_last = line.over.len() as u64 == line.end - line.begun;
        is_last.then(|| std::mem::take(&mut line.over).into_values().collect())
    }

    /// Begins the next generation of a type, with its new knowledge.
    pub(crate) fn go_on(&self, line: usize, learn: impl FnOnce(&mut Knowledge), room: u64) {
        let mut guard = lock(&self.lines);
        let line = &mut guard.0[line];
        learn(Arc::make_mut(&mut line.knowledge));
        line.room = room;
        line.begun = line.end;
        line.end = line.most.min(line.end + line.end.clamp(1, MOST));
        drop(guard);
        self.changed.notify_all();
    }

    /// The runs of incomplete generations, by type, in order.
    pub(crate) fn rest(&self) -> Vec<Vec<RunResult>> {
        let mut guard = lock(&self.lines);
        guard.0.iter_mut().map(|line| std::mem::take(&mut line.over).into_values().collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::schema::Block;

    use super::*;

    fn result() -> RunResult {
        RunResult::default()
    }

    #[test]
    fn a_generation_begins_when_the_last_is_over() {
        let known = || Knowledge::of(&Block::default());
        let schedule = Schedule::new(vec![known(), known()], 9, &[2, 0]);
        let take = || schedule.take(|| false).map(|(turn, _)| turn);
        let numbers = |turns: &[Turn]| turns.iter().map(|turn| turn.number).collect::<Vec<_>>();
        let first: Vec<Turn> = (0..2).filter_map(|_| take()).collect();
        assert_eq!(numbers(&first), [0, 1]);
        assert!(schedule.take(|| true).is_none(), "time is over");
        for turn in &first {
            assert_eq!(schedule.over(turn, result()).map(|runs| runs.len()), Some(1));
            schedule.go_on(turn.line, |_| (), 1);
        }
        let second: Vec<Turn> = (0..2).filter_map(|_| take()).collect();
        assert_eq!(numbers(&second), [2, 3]);
        for turn in &second {
            schedule.over(turn, result());
            schedule.go_on(turn.line, |_| (), 1);
        }
        // Now two of each type; one of them may create.
        let third: Vec<Turn> = (0..4).filter_map(|_| take()).collect();
        assert_eq!(numbers(&third), [4, 5, 6, 7]);
        assert_eq!(third.iter().map(|turn| turn.applies).collect::<Vec<_>>(), [true, true, false, false]);
        assert!(schedule.over(&third[2], result()).is_none());
        assert_eq!(schedule.over(&third[0], result()).map(|runs| runs.len()), Some(2));
        schedule.over(&third[1], result());
        // An incomplete generation is not lost at the end.
        assert_eq!(schedule.rest().iter().map(Vec::len).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn no_more_runs_are_played_than_there_are() {
        let schedule = Schedule::new(vec![Knowledge::of(&Block::default())], 40, &[0]);
        let mut numbers = Vec::new();
        while let Some((turn, _)) = schedule.take(|| false) {
            numbers.push(turn.number);
            if schedule.over(&turn, result()).is_some() {
                schedule.go_on(turn.line, |_| (), 0);
            }
        }
        assert_eq!(numbers, (0..40).collect::<Vec<_>>());
    }
}
