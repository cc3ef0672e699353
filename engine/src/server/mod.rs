//! The providers of a batch: one service behind a socket for each [`ProviderAddress`], in threads of their own.
//!
//! An engine connects anew for each of its runs; the served types, a [`ServedTypes`], change from run to run. Each call goes to the core
//! [`Provider`](planfuzz_core::planner::Provider) of the resource type that it names, and is logged.

mod answers;
mod call_log;
mod current_types;
mod error;
mod listen;
mod log;
mod registry;
mod served_types;
mod service;
mod stored;
mod stub_server;
mod type_server;

pub use error::ServerError;
pub use log::{AnswerError, Entry, Failure, Log};
pub use served_types::{Served, ServedTypes};

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use planfuzz_core::json::Json;
use tokio::runtime::{Builder, Runtime};
use tonic::transport::server::Router;

use crate::provider_address::{Protocol, ProviderAddress};
use crate::wire::messages::{tfplugin5, tfplugin6};
use current_types::CurrentTypes;
use listen::{Address, listen};
use registry::Registry;
use service::{Five, Six};

/// A running server. It ends when it is dropped.
pub struct Server {
    current_types: Arc<CurrentTypes>,
    addresses: Vec<(ProviderAddress, Address)>,
    /// Last, so that it outlives nothing.
    runtime: Option<Runtime>,
}

/// The calls to a server since types were served.
#[derive(Clone, Debug, Default)]
pub struct Finished {
    /// For each [`Served`], in their order.
    pub logs: Vec<Log>,
    /// Calls about types that are not served: from an engine that outlived its run, or by a bug of the suite.
    pub strays: Vec<Failure>,
}

impl Server {
    /// Starts a server that serves nothing, with its sockets in `dir`.
    ///
    /// # Errors
    /// The system gives no threads or sockets, or the path of the directory is too long.
    pub fn start(dir: &Path) -> Result<Server, ServerError> {
        /// Providers answer at once; with a second thread a slow one does not block the others.
        const THREADS: usize = 2;
        /// Values and types are walked by recursion, to a bounded depth.
        const STACK: usize = 8 << 20;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("plugin-server")
            .thread_stack_size(STACK)
            .enable_io()
            .build()
            .map_err(ServerError::Threads)?;
        let current_types = Arc::new(CurrentTypes::default());
        let mut addresses = Vec::new();
        for provider_address in ProviderAddress::ALL {
            let (address, incoming) = {
                let _entered = runtime.enter();
                listen(dir, provider_address)?
            };
            // It ends with the runtime: after an error of one connection it goes on accepting.
            runtime.spawn(router(provider_address, current_types.clone()).serve_with_incoming(incoming));
            addresses.push((provider_address, address));
        }
        Ok(Server { current_types, addresses, runtime: Some(runtime) })
    }

    /// The value of `TF_REATTACH_PROVIDERS`, which tells an engine where the providers are.
    pub fn reattach(&self) -> String {
        let entry = |(provider_address, address): &(ProviderAddress, Address)| {
            let version = match provider_address.protocol {
                Protocol::Five => 5,
                Protocol::Six => 6,
            };
            let at = [("Network", Json::string(address.network)), ("String", Json::string(&address.text))];
            let members = [
                ("Protocol", Json::string("grpc")),
                ("ProtocolVersion", Json::int(version)),
                ("Pid", Json::int(std::process::id())),
                // Otherwise the engine ignores the version, and kills the process in the end.
                ("Test", Json::Bool(true)),
                ("Addr", Json::object(at)),
            ];
            (provider_address.source().into_boxed_str(), Json::object(members))
        };
        Json::Object(self.addresses.iter().map(entry).collect()).to_compact()
    }

    /// Serves these types, and no others. Drops the log of earlier ones if [`finish`](Server::finish) did not fetch it.
    ///
    /// # Errors
    /// Two types have the same name, or a schema cannot be served; then nothing changes.
    pub fn serve(&self, served_types: ServedTypes) -> Result<(), ServerError> {
        self.current_types.replace(Registry::of(served_types)?);
        self.current_types.strays();
        Ok(())
    }

    /// Stops serving, and returns the logs. Waits for a call that is being answered, though not forever: if a [`Log`] reports that its
    /// provider is [hung](Log::is_hung), a thread of this server is lost with it.
    pub fn finish(&self) -> Finished {
        /// How long to wait for a call that the engine has given up.
        const LAST_CALL: Duration = Duration::from_millis(500);
        let registry = self.current_types.replace(Registry::default());
        Finished { logs: registry.close(Instant::now() + LAST_CALL), strays: self.current_types.strays() }
    }
}

impl Drop for Server {
    /// Does not wait for a provider that hangs.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}

/// The service of a provider. Messages have no size limit: their content was made or read here.
fn router(provider_address: ProviderAddress, current_types: Arc<CurrentTypes>) -> Router {
    let mut server = tonic::transport::Server::builder();
    match provider_address.protocol {
        Protocol::Five => server.add_service(
            tfplugin5::provider_server::ProviderServer::new(Five { provider_address, current_types })
                .max_decoding_message_size(usize::MAX)
                .max_encoding_message_size(usize::MAX),
        ),
        Protocol::Six => server.add_service(
            tfplugin6::provider_server::ProviderServer::new(Six { provider_address, current_types })
                .max_decoding_message_size(usize::MAX)
                .max_encoding_message_size(usize::MAX),
        ),
    }
}

#[cfg(test)]
mod tests;
