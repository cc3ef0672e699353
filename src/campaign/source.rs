//! Where the cases of a campaign come from.

use std::sync::Mutex;

use crate::case::Case;

/// Cases by number.
pub trait Source: Sync {
    /// A new reader for one worker.
    fn open(&self) -> Box<dyn Reader + '_>;
}

/// One worker's access to the cases.
pub trait Reader {
    /// The cases numbered `from` to `from + count`; fewer if the source ends.
    fn cases(&mut self, from: u64, count: u64) -> Vec<Case>;
}

/// A source that is read once, in order: cases are numbered in the order in which workers ask.
pub struct Stream<I>(Mutex<I>);

impl<I: Iterator<Item = Case> + Send> Stream<I> {
    /// A source of what `cases` yields.
    pub fn new(cases: I) -> Stream<I> {
        Stream(Mutex::new(cases))
    }
}

impl<I: Iterator<Item = Case> + Send> Source for Stream<I> {
    fn open(&self) -> Box<dyn Reader + '_> {
        Box::new(&self.0)
    }
}

impl<I: Iterator<Item = Case>> Reader for &Mutex<I> {
    fn cases(&mut self, _: u64, count: u64) -> Vec<Case> {
        // A worker that panicked in the iterator ends the run, so the cases that others still take do not matter.
        let mut cases = self.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        cases.by_ref().take(usize::try_from(count).unwrap_or(usize::MAX)).collect()
    }
}

/// Generators read by the number of a case.
macro_rules! readers {
    ($($name:ident)*) => {$(
        impl Reader for crate::generate::$name {
            fn cases(&mut self, from: u64, count: u64) -> Vec<Case> {
                (from..from.saturating_add(count)).map(|number| self.case(number)).collect()
            }
        }
    )*};
}

readers!(Cases FileCalls Mix Scenarios SchemaCalls StepCalls ValueCalls Workspaces);
