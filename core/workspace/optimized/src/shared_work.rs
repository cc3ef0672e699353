//! Work in parts that several workers do, and that one thread takes in, in the order of the parts.
//!
//! Problem: results have to stand in the order in which one worker would find them, and a slow part must not keep the others waiting. Idea:
//! workers take the next part from a board and leave its result there; the calling thread takes results in as soon as they have their turn,
//! and does parts itself while there is nothing to take in. Guarantee: what is taken in, and in which order, does not depend on the workers;
//! a part that panics does so in the calling thread.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::switches::Switches;
use crate::worker_pool::Cut;

/// Parts that were done, until they are taken in.
struct Board<'a, T> {
    parts: &'a [Range<u64>],
    /// Their places in the order in which they are handed out.
    order: &'a [usize],
    /// How many were handed out.
    handed: AtomicUsize,
    /// The result of each part; the inner `None` for one that panicked.
    results: Mutex<Vec<Option<Option<T>>>>,
    more: Condvar,
}

impl Cut<'_> {
    /// Does all parts, and takes them in in their order.
    pub fn share_out<T: Send>(&self, make: &(dyn Fn(Range<u64>) -> T + Sync), take_in: &mut dyn FnMut(T)) {
        let (parts, order) = (&self.parts[..], &self.order[..]);
        let results = Mutex::new(parts.iter().map(|_| None).collect());
        let board = Board { parts, order, handed: AtomicUsize::new(0), results, more: Condvar::new() };
        let switches = Switches::here();
        let work = || {
            switches.within(|| {
                while let Some(place) = board.next() {
                    board.make(place, make);
                }
            })
        };
        self.pool.in_place_scope(|scope| {
            (0..self.pool.current_num_threads()).for_each(|_| scope.spawn(|_| work()));
            for (at, &next) in order.iter().enumerate() {
                let wanted = if fault!(MergedAsTheyCome) { next } else { at };
                while !board.is_there(wanted)
                    && let Some(place) = board.next()
                {
                    board.make(place, make);
                }
                // A part that panicked is done again by the calling thread, so that the panic happens in that thread.
                let part = board.wait_for(wanted);
                take_in(part.unwrap_or_else(|| make(parts[wanted].clone())));
            }
        });
    }
}

impl<T> Board<'_, T> {
    /// The next part that was not handed out yet.
    fn next(&self) -> Option<usize> {
        self.order.get(self.handed.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Does a part, and stores its result.
    fn make(&self, place: usize, make: &(dyn Fn(Range<u64>) -> T + Sync)) {
        // After a panic, nothing that the part has changed is used.
        let part = catch_unwind(AssertUnwindSafe(|| make(self.parts[place].clone()))).ok();
        self.locked()[place] = Some(part);
        self.more.notify_one();
    }

    /// The result of a part, once it is there.
    fn wait_for(&self, place: usize) -> Option<T> {
        let mut results = self.locked();
        loop {
            match results[place].take() {
                Some(part) => return part,
                None => results = self.more.wait(results).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn is_there(&self, place: usize) -> bool {
        self.locked()[place].is_some()
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Option<Option<T>>>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Mutex;

    use super::*;
    use crate::worker_pool::{WorkerPool, Workers};

    fn pool(count: usize, order: u64) -> WorkerPool {
        WorkerPool::new(Workers::eager(NonZeroUsize::new(count).expect("a number"), order))
    }

    #[test]
    fn parts_are_done_once_and_taken_in_in_their_order() {
        for (count, order) in [(2, 1), (3, 5), (8, 9)] {
            let pool = pool(count, order);
            let cut = pool.cut(50).expect("work for several");
            let (done, mut taken) = (Mutex::new(Vec::new()), Vec::new());
            let make = |part: Range<u64>| {
                done.lock().expect("no panic").push(part.start);
                part.start * 2
            };
            cut.share_out(&make, &mut |part| taken.push(part));
            let mut done = done.into_inner().expect("no panic");
            done.sort_unstable();
            assert_eq!(done, (0..50).collect::<Vec<_>>());
            assert_eq!(taken, (0..50).map(|start| start * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_part_that_panics_panics_in_the_calling_thread_after_those_before_it() {
        let pool = pool(3, 7);
        let cut = pool.cut(20).expect("work for several");
        let taken = Mutex::new(Vec::new());
        let make = |part: Range<u64>| {
            assert!(part.start != 11, "no such part");
            part.start
        };
        let fell = catch_unwind(AssertUnwindSafe(|| {
            cut.share_out(&make, &mut |part| taken.lock().expect("no panic").push(part));
        }));
        assert_eq!(fell.expect_err("a panic").downcast_ref::<&str>().copied(), Some("no such part"));
        assert_eq!(taken.into_inner().expect("no panic"), (0..11).collect::<Vec<_>>());
    }

    #[test]
    fn two_things_are_done_beside_one_another() {
        assert_eq!(pool(2, 1).both(|| 1, || 2), (1, Some(2)));
    }
}
