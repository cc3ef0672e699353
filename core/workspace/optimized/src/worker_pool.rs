//! Workers that plan the instances of a block in parallel: their number, their pool, and the size of the parts.
//!
//! Problem: threads cost time to start and to wake, and a small workspace has no work to share. Idea: a pool is made when the first block
//! is large enough, and kept; work is cut into a few parts for each worker, which an idle one takes from a busy one. Guarantee: none of
//! these numbers changes the plan, the calls, or their order (`batch`).

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::switches::Switches;

/// How instances are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    /// The number of threads that plan; with one, only the calling thread plans.
    pub count: NonZeroUsize,
    /// The least number of instances of a block that is shared out.
    pub least: u64,
    /// The number of instances in a part; `None` if it follows from the number of instances.
    pub part: Option<NonZeroUsize>,
    /// Seed of the order in which the parts are handed out; `None` for the order of the instances.
    pub shuffled: Option<u64>,
}

/// Below this the pool takes longer to wake than it saves.
const LEAST: u64 = 128;
/// The number of parts for each worker, so that a late one still finds work.
const PARTS_EACH: u64 = 8;
/// The bounds of a part: each takes a copy of the slots of its module instances.
const PART: [u64; 2] = [16, 256];
/// The stack of a worker: expressions and values may be as deep as on the main thread.
const STACK: usize = 8 << 20;

impl Workers {
    /// This many workers, for workspaces that are large enough.
    pub fn new(count: NonZeroUsize) -> Workers {
        Workers { count, least: LEAST, part: None, shuffled: None }
    }

    /// Workers for attacks on the planner: they share out blocks of two instances or more, one instance at a time, in an order that follows
    /// from a seed.
    pub fn eager(count: NonZeroUsize, order: u64) -> Workers {
        Workers { count, least: 2, part: Some(NonZeroUsize::MIN), shuffled: Some(order) }
    }

    /// The parts of this many instances, in the order of the instances.
    fn parts(&self, instances: u64) -> Vec<Range<u64>> {
        let of_all = || (instances / (self.count.get() as u64 * PARTS_EACH)).clamp(PART[0], PART[1]);
        let size = self.part.map_or_else(of_all, |part| part.get() as u64);
        (0..instances.div_ceil(size)).map(|part| part * size..instances.min((part + 1) * size)).collect()
    }
}

/// Workers with their pool.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    workers: Workers,
    pool: Arc<OnceLock<Option<ThreadPool>>>,
    shared_out: AtomicU64,
}

/// Work that was cut into parts, and the pool that does it.
pub(crate) struct Cut<'c> {
    pub(crate) pool: &'c ThreadPool,
    /// The parts, in the order of the instances.
    pub(crate) parts: Vec<Range<u64>>,
    /// The places of the parts, in the order in which they are handed out.
    pub(crate) order: Vec<usize>,
}

impl WorkerPool {
    /// Workers whose threads are started when they are first needed.
    pub(crate) fn new(workers: Workers) -> WorkerPool {
        WorkerPool { workers, pool: Arc::default(), shared_out: AtomicU64::new(0) }
    }

    /// The same threads, with nothing shared out yet.
    pub(crate) fn begin(&self) -> WorkerPool {
        WorkerPool { workers: self.workers, pool: Arc::clone(&self.pool), shared_out: AtomicU64::new(0) }
    }

    /// Notes that blocks were shared out.
    pub(crate) fn note(&self, blocks: usize) {
        self.shared_out.fetch_add(blocks as u64, Ordering::Relaxed);
    }

    /// How many blocks were shared out.
    pub(crate) fn shared_out(&self) -> u64 {
        self.shared_out.load(Ordering::Relaxed)
    }

    /// Drops a value in a worker, if there are workers, so that the caller need not wait.
    pub(crate) fn drop_beside<T: Send + 'static>(&self, done: T) {
        if let Some(Some(pool)) = self.pool.get() {
            pool.spawn(move || drop(done));
        }
    }

    /// What `here` returns, and what `beside` returns if another worker did it meanwhile.
    pub(crate) fn both<A, B: Send>(
        &self,
        here: impl FnOnce() -> A,
        beside: impl FnOnce() -> B + Send,
    ) -> (A, Option<B>) {
        let Some(pool) = self.pool() else { return (here(), None) };
        let (mut other, switches) = (None, Switches::here());
        let one = pool.in_place_scope(|scope| {
            scope.spawn(|_| other = Some(switches.within(beside)));
            here()
        });
        (one, other)
    }

    /// The pool, made when it is first needed. The calling thread is a worker too; if the system gives no threads, it does everything.
    fn pool(&self) -> Option<&ThreadPool> {
        let threads = self.workers.count.get() - 1;
        let build = || ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build().ok();
        self.pool.get_or_init(build).as_ref()
    }

    /// Whether this many instances, or blocks, are shared out.
    pub(crate) fn share(&self, instances: u64) -> bool {
        self.workers.count > NonZeroUsize::MIN && instances >= self.workers.least.max(2)
    }

    /// Cuts this many instances into parts; `None` if one worker plans them.
    pub(crate) fn cut(&self, instances: u64) -> Option<Cut<'_>> {
        let workers = &self.workers;
        if !self.share(instances) {
            return None;
        }
        let pool = self.pool()?;
        let parts = workers.parts(instances);
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if let Some(seed) = workers.shuffled {
            shuffle(&mut order, seed);
        }
        Some(Cut { pool, parts, order })
    }
}

/// Shuffles a list in an order that follows from a seed.
fn shuffle(list: &mut [usize], seed: u64) {
    let mut state = seed | 1;
    for last in (1..list.len()).rev() {
        // A linear congruential generator (Knuth), whose high bits are the better ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(last, (state >> 33) as usize % (last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(count: usize) -> Workers {
        Workers::new(NonZeroUsize::new(count).expect("a number"))
    }

    #[test]
    fn parts_are_all_instances_once_in_their_order() {
        for (count, instances) in [(1, 0), (2, 1), (2, 128), (3, 1_000), (8, 250_000)] {
            for part in [None, NonZeroUsize::new(1), NonZeroUsize::new(7)] {
                let workers = Workers { part, ..workers(count) };
                let all: Vec<u64> = workers.parts(instances).into_iter().flatten().collect();
                assert!(all.into_iter().eq(0..instances), "{count} workers, {instances} instances, {part:?}");
            }
        }
    }

    #[test]
    fn a_shuffled_order_has_every_part_once() {
        let mut order: Vec<usize> = (0..50).collect();
        shuffle(&mut order, 7);
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..50));
    }

    #[test]
    fn small_work_and_one_worker_have_no_pool() {
        let pool = WorkerPool::new(workers(2));
        assert!(pool.cut(LEAST - 1).is_none() && pool.pool.get().is_none());
        assert!(pool.cut(LEAST).is_some());
        assert!(WorkerPool::new(workers(1)).cut(1 << 20).is_none());
    }
}
