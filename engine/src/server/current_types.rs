//! The currently served types, shared by the services of all providers.

use std::sync::{Arc, Mutex};

use planfuzz_core::address::ResourceKind;
use tonic::Status;

use super::answers::Answers;
use super::call_log::lock;
use super::log::{AnswerError, Failure};
use super::registry::Registry;
use super::type_server::failed;
use crate::provider_address::ProviderAddress;

/// The currently served types.
#[derive(Default)]
pub(super) struct CurrentTypes {
    registry: Mutex<Arc<Registry>>,
    strays: Mutex<Vec<Failure>>,
}

impl CurrentTypes {
    /// Serves another registry and returns the one before.
    pub(super) fn replace(&self, registry: Registry) -> Arc<Registry> {
        std::mem::replace(&mut *lock(&self.registry), Arc::new(registry))
    }

    /// Takes the failed calls about types that are not served.
    pub(super) fn strays(&self) -> Vec<Failure> {
        std::mem::take(&mut *lock(&self.strays))
    }

    /// The served registry. The lock is not held while a call is answered.
    pub(super) fn registry(&self) -> Arc<Registry> {
        lock(&self.registry).clone()
    }

    /// Passes a call about a type to its server.
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
