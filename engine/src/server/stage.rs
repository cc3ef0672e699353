//! What is served now: what the services of all providers have in common.

use std::sync::{Arc, Mutex};

use planfuzz_core::address::ResourceKind;
use tonic::Status;

use super::answers::Answers;
use super::call_log::lock;
use super::log::{AnswerError, Failure};
use super::registry::Registry;
use super::type_server::failed;
use crate::provider_address::ProviderAddress;

/// What is served now.
#[derive(Default)]
pub(super) struct Stage {
    registry: Mutex<Arc<Registry>>,
    strays: Mutex<Vec<Failure>>,
}

impl Stage {
    /// Serves another registry and gives back the one before.
    pub(super) fn replace(&self, registry: Registry) -> Arc<Registry> {
        std::mem::replace(&mut *lock(&self.registry), Arc::new(registry))
    }

    /// The calls about types that were not served.
    pub(super) fn strays(&self) -> Vec<Failure> {
        std::mem::take(&mut *lock(&self.strays))
    }

    /// What is served. The lock is not held while a call is answered.
    pub(super) fn registry(&self) -> Arc<Registry> {
        lock(&self.registry).clone()
    }

    /// Has the call about a type answered.
    pub(super) fn put<A>(
        &self,
        (provider_address, kind, method): (ProviderAddress, ResourceKind, &'static str),
        type_name: &str,
        call: impl FnOnce(&dyn Answers) -> Result<A, Status>,
    ) -> Result<A, Status> {
        match self.registry().find(provider_address, kind, type_name) {
            Some(answers) => call(answers),
            None => {
                let error = AnswerError::NotServed(type_name.to_owned());
                let status = failed(type_name, &error);
                lock(&self.strays).push(Failure { method, error });
                Err(status)
            }
        }
    }
}
