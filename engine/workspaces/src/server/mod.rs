//! The providers of a run behind sockets, one for each provider; the case's providers answer every call, and it is logged.

mod listen;
mod service;
mod signal;
mod stub_provider;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use planfuzz_core::address::ProviderSource;
use planfuzz_core::json::Json;
use planfuzz_engine::proto::tfplugin6::provider_server::ProviderServer;
use planfuzz_workspace::{Answer, Call};
use tokio::runtime::{Builder, Runtime};

use crate::served::Served;
use listen::Incoming;
use stub_provider::StubProvider;

/// A logged call.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The request.
    pub call: Call,
    /// The answer.
    pub answer: Answer,
    /// The place of the request in the common order of starts and finishes.
    pub start: u64,
    /// The place of the answer in that order.
    pub finish: u64,
}

/// A running server. It ends when it is dropped.
pub struct Server {
    providers: Vec<(String, Arc<StubProvider>)>,
    shared: Arc<stub_provider::Shared>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Starts a server for providers of these whole addresses, with its sockets in `dir`.
    ///
    /// # Errors
    /// The system gives no threads or sockets.
    pub fn start(dir: &Path, sources: &[&str]) -> std::io::Result<Server> {
        /// Values are walked by recursion, to a bounded depth.
        const STACK: usize = 8 << 20;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("workspace-providers")
            .thread_stack_size(STACK)
            .enable_io()
            .enable_time()
            .build()?;
        let shared = Arc::new(stub_provider::Shared::default());
        let mut providers = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            let address = dir.join(format!("{index}.sock"));
            let parsed = ProviderSource::parse(source).ok_or_else(|| std::io::Error::other("no provider address"))?;
            let provider = Arc::new(StubProvider::new(parsed, Arc::clone(&shared)));
            let incoming = {
                let _entered = runtime.enter();
                Incoming::bind(&address)?
            };
            let service = ProviderServer::from_arc(Arc::clone(&provider))
                .max_decoding_message_size(usize::MAX)
                .max_encoding_message_size(usize::MAX);
            let router = tonic::transport::Server::builder().add_service(service);
            runtime.spawn(router.serve_with_incoming(incoming));
            providers.push((address.to_string_lossy().into_owned(), provider));
        }
        Ok(Server { providers, shared, runtime: Some(runtime) })
    }

    /// The value of `TF_REATTACH_PROVIDERS`, which tells an engine where the providers are.
    pub fn reattach(&self) -> String {
        let entry = |(address, provider): &(String, Arc<StubProvider>)| {
            let at = [("Network", Json::string("unix")), ("String", Json::string(address))];
            let members = [
                ("Protocol", Json::string("grpc")),
                ("ProtocolVersion", Json::int(6)),
                ("Pid", Json::int(std::process::id())),
                ("Test", Json::Bool(true)),
                ("Addr", Json::object(at)),
            ];
            (provider.source.to_string().into_boxed_str(), Json::object(members))
        };
        Json::Object(self.providers.iter().map(entry).collect()).to_compact()
    }

    /// Serves these providers from now on. `delays` is the longest delay of an answer; each delay is drawn by the order of calls, so that
    /// schedules differ.
    pub fn serve(&self, providers: Served, delays: Duration) {
        *self.shared.served.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(providers);
        self.shared.delays.store(u64::try_from(delays.as_micros()).unwrap_or(0), Ordering::Relaxed);
        self.take();
    }

    /// Sets the attributes of stored objects that are upgraded late.
    pub fn be_late(&self, attributes: Vec<Json>) {
        *self.shared.late.lock().unwrap_or_else(PoisonError::into_inner) = attributes;
    }

    /// Switches to the calls of the apply.
    pub fn begin_apply(&self) {
        self.shared.served.lock().unwrap_or_else(PoisonError::into_inner).begin_apply();
    }

    /// Sends a signal to the engine in the first apply call after so many calls that apply or read data.
    pub fn interrupt_after(&self, calls: usize) {
        self.shared.signal.await_calls(calls);
    }

    /// How many providers got a stop call, if the signal was sent; resets the signal.
    pub fn take_stops(&self) -> Option<usize> {
        self.shared.signal.take_stops()
    }

    /// The calls since the last time, in the order of their starts.
    pub fn take(&self) -> Vec<Seen> {
        let mut log = self.shared.log.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = std::mem::take(&mut log.seen);
        log.clock = 0;
        drop(log);
        seen.sort_by_key(|one| one.start);
        seen
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}
