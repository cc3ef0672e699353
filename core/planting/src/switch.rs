//! The switches of planted mistakes: on in one thread, so that several can be hunted in parallel.

use std::cell::Cell;

/// A planted mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Its number: unique over all crates, and not 0.
    pub number: usize,
    /// Its name.
    pub name: &'static str,
    /// The rule that it breaks.
    pub rule: &'static str,
    /// The operation that shows it, by its name in cases.
    pub shows: &'static str,
    /// A description of the mistake.
    pub description: &'static str,
    /// The source that it is in.
    pub file: &'static str,
}

thread_local! {
    static HERE: Cell<usize> = const { Cell::new(0) };
}

impl Planted {
    /// Switches it on in this thread until the returned guard is dropped.
    #[must_use]
    pub fn here(&self) -> Here {
        Here { before: HERE.replace(self.number) }
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

/// Whether the mistake of a number is switched on in this thread.
#[inline]
pub fn is(number: usize) -> bool {
    HERE.get() == number
}
