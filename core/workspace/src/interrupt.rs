//! A signal that ends an apply early (U70).
//!
//! Problem: when a signal comes depends on the schedule, and what an apply leaves depends on when it comes. Idea: what matters is which
//! calls that apply something, or read a data resource, were answered before it and which were under way, so those are named, by
//! the nodes that make them. Guarantee: with both lists, what an interrupted apply does is the same whatever its schedule.

use std::collections::BTreeSet;

use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::record;
use planfuzz_core::value::Text;

/// The summary of the error for a visit that a signal ended (U70).
pub const HALTED: &str = "execution halted";

/// The remarks that take the place of an answer if the signal came before the call was made (U70).
pub fn halted() -> Vec<Remark> {
    vec![Remark { severity: Severity::Error, summary: Text::new(HALTED) }]
}

/// When a signal comes in an apply: between calls, which are named by their nodes (`w_thing.a`, `w_thing.a (destroy)`).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interrupt {
    /// Nodes whose calls were answered before it.
    pub finished: BTreeSet<String>,
    /// Nodes whose calls were under way: they are awaited.
    pub under_way: BTreeSet<String>,
}

/// Where a signal ends a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltPoint {
    /// The visit was over before the signal.
    Never,
    /// The visit ends before it applies anything.
    Before,
    /// The apply call is awaited and its result stored; then the visit ends.
    After,
}

record!(Interrupt, "an interrupt": finished or BTreeSet::new(), under_way or BTreeSet::new());

impl Interrupt {
    /// Where it ends the visit of a node that comes to its call.
    pub fn halts(&self, node: &str) -> HaltPoint {
        match (self.under_way.contains(node), self.finished.contains(node)) {
            (true, _) => HaltPoint::After,
            (false, true) => HaltPoint::Never,
            (false, false) => HaltPoint::Before,
        }
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Field;

    use super::*;

    #[test]
    fn u70_an_interrupt_reads_back_as_it_was_written() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        for (finished, under_way) in [(set(&[]), set(&[])), (set(&["t.a"]), set(&["t.b (destroy)", "t.c[0]"]))] {
            let interrupt = Interrupt { finished, under_way };
            assert_eq!(Interrupt::read(&interrupt.write()).expect("an interrupt"), interrupt);
        }
    }

    #[test]
    fn u70_a_node_that_had_not_begun_ends_before_its_call() {
        let set = |name: &str| BTreeSet::from([name.to_owned()]);
        let interrupt = Interrupt { finished: set("t.a"), under_way: set("t.b") };
        let halts = ["t.a", "t.b", "t.c"].map(|node| interrupt.halts(node));
        assert_eq!(halts, [HaltPoint::Never, HaltPoint::After, HaltPoint::Before]);
    }
}
