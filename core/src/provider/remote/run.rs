//! What a run remembers: remote objects and counters. All else follows from the model.

use super::objects::RemoteObjects;
use crate::provider::faults::Memory;

/// A run of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) objects: RemoteObjects,
    /// How many calls there were.
    pub(super) calls: u64,
    /// How often each failure of the model happened.
    pub(super) failed: Vec<u64>,
    /// What faults go by.
    pub(super) memory: Memory,
}
