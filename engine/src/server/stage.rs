//! What is served now: what the services of all seats have in common.

use std::sync::{Arc, Mutex};

use planfuzz_core::planner::ResourceKind;
use tonic::Status;

use super::answers::Answers;
use super::book::lock;
use super::desk::failed;
use super::hall::Hall;
use super::log::{Failure, Trouble};
use crate::seat::Seat;

/// What is served now.
#[derive(Default)]
pub(super) struct Stage {
    hall: Mutex<Arc<Hall>>,
    strays: Mutex<Vec<Failure>>,
}

impl Stage {
    /// Serves another hall and gives back the one before.
    pub(super) fn replace(&self, hall: Hall) -> Arc<Hall> {
        std::mem::replace(&mut *lock(&self.hall), Arc::new(hall))
    }

    /// The calls about types that were not served.
    pub(super) fn strays(&self) -> Vec<Failure> {
        std::mem::take(&mut *lock(&self.strays))
    }

    /// What is served. The lock is not held while a call is answered.
    pub(super) fn hall(&self) -> Arc<Hall> {
        lock(&self.hall).clone()
    }

    /// Has the call about a type answered.
    pub(super) fn put<A>(
        &self,
        (seat, kind, method): (Seat, ResourceKind, &'static str),
        type_name: &str,
        call: impl FnOnce(&dyn Answers) -> Result<A, Status>,
    ) -> Result<A, Status> {
        match self.hall().find(seat, kind, type_name) {
            Some(answers) => call(answers),
            None => {
                let trouble = Trouble::NotServed(type_name.to_owned());
                let status = failed(type_name, &trouble);
                lock(&self.strays).push(Failure { method, trouble });
                Err(status)
            }
        }
    }
}
