//! The size to which each fault of the lifecycle is shrunk at most.

use planfuzz::subject::faults::Fault;

/// The most nodes of a shrunk scenario.
pub fn nodes(_: Fault) -> usize {
    1000
}

/// The most members of its schema.
pub fn members(_: Fault) -> usize {
    3
}

/// The most steps.
pub fn steps(_: Fault) -> usize {
    2
}
