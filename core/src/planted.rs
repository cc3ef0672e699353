//! Mistakes in what all planners share, planted on purpose (docs/kills.md): builds with the feature `faults` have all of them, each
//! behind the question whether it is switched on.
//!
//! They are in no source: `core/planted/` lists which expression is exchanged for which, and the build script puts them in. At most one is on in
//! a thread: in that one alone, so that many are hunted at a time, or everywhere.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A planted mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Its name.
    pub name: &'static str,
    /// The rule that it breaks.
    pub rule: &'static str,
    /// The operation that shows it, by its name in cases.
    pub shows: &'static str,
    /// What it does wrong.
    pub says: &'static str,
    /// The source that it is in.
    pub file: &'static str,
}

/// All of them; the number of one is its place, counted from 1.
static LIST: &[Planted] = include!(concat!(env!("OUT_DIR"), "/planted/list.rs"));

thread_local! {
    static HERE: Cell<usize> = const { Cell::new(0) };
}

static EVERYWHERE: AtomicUsize = AtomicUsize::new(0);

impl Planted {
    /// All of them.
    pub fn all() -> &'static [Planted] {
        LIST
    }

    /// The mistake of a name.
    pub fn named(name: &str) -> Option<&'static Planted> {
        LIST.iter().find(|planted| planted.name == name)
    }

    fn number(&self) -> usize {
        1 + LIST.iter().position(|planted| planted == self).unwrap_or(usize::MAX - 1)
    }

    /// Switches it on in this thread, until what is given back is dropped.
    #[must_use]
    pub fn here(&self) -> Here {
        Here { before: HERE.replace(self.number()) }
    }

    /// Switches it on in every thread, for good.
    pub fn everywhere(&self) {
        EVERYWHERE.store(self.number(), Ordering::Relaxed);
    }
}

/// A mistake that is switched on in this thread.
#[derive(Debug)]
pub struct Here {
    before: usize,
}

impl Drop for Here {
    fn drop(&mut self) {
        HERE.set(self.before);
    }
}

/// Whether mistake number `id` is switched on.
#[inline]
pub(crate) fn is(id: usize) -> bool {
    HERE.get() == id || EVERYWHERE.load(Ordering::Relaxed) == id
}
