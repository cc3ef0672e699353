//! The state of a run: remote objects and counters. Everything else follows from the model.

use std::collections::BTreeMap;

use super::objects::RemoteObjects;
use super::token::{Giver, ObjectId, Token};
use crate::faults::Memory;
use planfuzz_core::state::Private;

/// A run of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) objects: RemoteObjects,
    /// The number of private data that each kind of call gave about each object.
    given: BTreeMap<(Option<ObjectId>, Giver), u64>,
    /// How often each failure of the model happened.
    pub(super) failed: Vec<u64>,
    /// The state of faults.
    pub(super) memory: Memory,
}

impl Run {
    /// The private data of an answer.
    pub(super) fn private(&mut self, object: Option<ObjectId>, giver: Giver, extra: &str) -> Private {
        let number = self.given.entry((object, giver)).or_default();
        *number += 1;
        Token::write(object, giver, *number, extra)
    }
}
