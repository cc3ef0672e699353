//! The provider end of a socket: the case's providers answer each call, and it is logged.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::check::Schemas;
use planfuzz_workspace::{Answer, Call, Request};
use planfuzz_workspace_cases::model::{RemoteEvents, Simulated};
use tonic::Status;

use super::Seen;
use super::listen::ConnectionId;
use super::signal::Signal;
use crate::served::Served;

/// The delay of a late answer: meanwhile an engine gets to everything that does not wait for it.
const LATE: Duration = Duration::from_millis(300);

/// The data that all providers share.
pub(super) struct Shared {
    pub(super) served: Mutex<Arc<Served>>,
    pub(super) log: Mutex<Log>,
    /// The longest delay of an answer, in microseconds.
    pub(super) delays: AtomicU64,
    /// Attributes of stored objects that are upgraded late.
    pub(super) late: Mutex<Vec<Json>>,
    /// The signal that is to be sent.
    pub(super) signal: Signal,
}

/// The logged calls.
#[derive(Default)]
pub(super) struct Log {
    pub(super) clock: u64,
    pub(super) seen: Vec<Seen>,
}

/// A provider.
pub(super) struct StubProvider {
    pub(super) source: ProviderSource,
    shared: Arc<Shared>,
    /// The configuration of each connection.
    configured: Mutex<HashMap<ConnectionId, Value>>,
}

impl Default for Shared {
    fn default() -> Shared {
        let (schemas, models, events) = (Schemas::default(), BTreeMap::new(), RemoteEvents::default());
        let nothing = Simulated::new(schemas, Dialect::TERRAFORM_1_11, models, events);
        Shared {
            served: Mutex::new(Arc::new(Served::simulated(nothing))),
            log: Mutex::default(),
            delays: AtomicU64::new(0),
            late: Mutex::default(),
            signal: Signal::default(),
        }
    }
}

impl StubProvider {
    pub(super) fn new(source: ProviderSource, shared: Arc<Shared>) -> StubProvider {
        StubProvider { source, shared, configured: Mutex::default() }
    }

    /// The currently served providers.
    pub(super) fn served(&self) -> Arc<Served> {
        Arc::clone(&lock(&self.shared.served))
    }

    /// The type of a resource type's objects; the type of the configuration if the name is empty.
    pub(super) fn ty(&self, type_name: &str, mode: ResourceMode) -> Result<Type, Status> {
        let served = self.served();
        let provider = served.schemas.provider(&self.source.to_string());
        let schema = match type_name {
            "" => provider.map(|provider| &provider.config),
            name => provider.and_then(|provider| provider.types.get(&(mode, name.to_owned()))),
        };
        let ty = schema.map(|schema| schema.implied_type(served.dialect));
        ty.ok_or_else(|| Status::internal(format!("{type_name:?} is not served")))
    }

    /// Notes that a request has come; returns its place in the order.
    pub(super) fn start(&self) -> u64 {
        let mut log = lock(&self.shared.log);
        log.clock += 1;
        log.clock
    }

    /// Notes that the engine has called the provider to stop.
    pub(super) fn stopped(&self) {
        self.shared.signal.stopped();
    }

    fn is_late(&self, request: &Request) -> bool {
        matches!(request, Request::Upgrade { raw, .. } if lock(&self.shared.late).contains(raw))
    }

    /// Answers a request that came at `start`. A call without an answer returns an error.
    pub(super) async fn answer(
        &self,
        start: u64,
        connection: Option<ConnectionId>,
        type_name: &str,
        request: Request,
    ) -> Result<Answer, Status> {
        let served = self.served();
        let is_about_configuration = matches!(request, Request::ValidateProvider { .. } | Request::Configure { .. });
        let configured = connection
            .filter(|_| !is_about_configuration)
            .and_then(|connection| lock(&self.configured).get(&connection).cloned());
        if let (Request::Configure { config }, Some(connection)) = (&request, connection) {
            lock(&self.configured).insert(connection, config.clone());
        }
        let type_name = (!type_name.is_empty()).then(|| Text::new(type_name));
        let call = Call { provider: self.source.clone(), configured, type_name, request };
        self.shared.signal.send(&call.request, connection).await;
        let answer = served.answer(&call);
        if self.is_late(&call.request) {
            tokio::time::sleep(LATE).await;
        }
        let bound = self.shared.delays.load(Ordering::Relaxed);
        if bound > 0 {
            let drawn = start.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            tokio::time::sleep(Duration::from_micros(drawn % bound)).await;
        }
        let is_lost = answer.outcome.is_none();
        let mut log = lock(&self.shared.log);
        log.clock += 1;
        let finish = log.clock;
        log.seen.push(Seen { call, answer: answer.clone(), start, finish });
        drop(log);
        match is_lost {
            true => Err(Status::internal("asked to give no answer")),
            false => Ok(answer),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
