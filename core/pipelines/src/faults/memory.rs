//! The state of faults: counts of calls by kind, and earlier plans.

use crate::expression::Operation;
use crate::model::When;

use super::second::Plans;

/// The state that a run keeps for the faults of its model. Without faults it stays empty.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    counts: [[u64; 3]; Kind::COUNT],
    /// The number of creations and updates, successful or not.
    pub(super) applied: u64,
    pub(super) plans: Plans,
}

/// Kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Validate,
    Upgrade,
    Read,
    Plan,
    Apply,
    Import,
    ReadData,
}

/// The number of a call within its kind, and its operation on the resource, if it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    /// Its number among all of its kind, from 1.
    pub(super) of_kind: u64,
    operation: Option<Operation>,
    of_operation: u64,
}

impl Kind {
    const COUNT: usize = 7;
}

impl Memory {
    /// Counts a call.
    pub(super) fn count(&mut self, kind: Kind, operation: Option<Operation>) -> Count {
        let counts = &mut self.counts[kind as usize];
        let of_operation = &mut counts[operation.map_or(0, |operation| operation as usize)];
        *of_operation += 1;
        let of_operation = *of_operation;
        Count { of_kind: counts.iter().sum(), operation, of_operation }
    }
}

impl Count {
    /// Whether `when` selects this call. Calls without an operation on the resource, such as reads, match no operation.
    pub(super) fn is_when(self, when: When) -> bool {
        match (when.op, when.nth) {
            (None, None) => true,
            (None, Some(nth)) => self.of_kind == nth,
            (op, nth) => op == self.operation && nth.is_none_or(|nth| self.of_operation == nth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_kind_and_by_operation() {
        let mut memory = Memory::default();
        let when = |op, nth| When { op, nth };
        let create = memory.count(Kind::Plan, Some(Operation::Create));
        let update = memory.count(Kind::Plan, Some(Operation::Update));
        let again = memory.count(Kind::Plan, Some(Operation::Update));
        let read = memory.count(Kind::Read, None);
        assert!([create, update, again, read].iter().all(|count| count.is_when(when(None, None))));
        assert!(update.is_when(when(None, Some(2))) && update.is_when(when(Some(Operation::Update), Some(1))));
        assert!(again.is_when(when(None, Some(3))) && again.is_when(when(Some(Operation::Update), Some(2))));
        assert!(
            !create.is_when(when(Some(Operation::Update), None)) && !read.is_when(when(Some(Operation::Create), None))
        );
        assert!(read.is_when(when(None, Some(1))));
    }
}
