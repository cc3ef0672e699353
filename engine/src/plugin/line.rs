//! One connection to a provider: sends a message and waits for the answer, within limits.

use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use prost::Message;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;
use tonic::client::Grpc;
use tonic::codegen::http::Uri;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

use super::address::Address;
use super::tls;
use crate::provider_address::Protocol;

/// A connection, and the thread's own runtime for it.
#[derive(Debug)]
pub(super) struct Line {
    runtime: Runtime,
    grpc: Grpc<Channel>,
    protocol: Protocol,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Cut {
    /// The time is over.
    Late,
    /// The answer is larger than allowed.
    TooLarge,
    /// The call or the connection failed.
    Failed(Status),
}

/// The name of a call in each version of the protocol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) five: &'static str,
    pub(super) six: &'static str,
}

macro_rules! calls {
    ($($name:ident $five:literal $six:literal)*) => {
        impl Call {
            $(pub(super) const $name: Call = Call {
                five: concat!("/tfplugin5.Provider/", $five),
                six: concat!("/tfplugin6.Provider/", $six),
            };)*
        }
    };
}

calls! {
    SCHEMA "GetSchema" "GetProviderSchema"
    IDENTITIES "GetResourceIdentitySchemas" "GetResourceIdentitySchemas"
    UPGRADE_IDENTITY "UpgradeResourceIdentity" "UpgradeResourceIdentity"
    PREPARE "PrepareProviderConfig" "ValidateProviderConfig"
    CONFIGURE "Configure" "ConfigureProvider"
    VALIDATE "ValidateResourceTypeConfig" "ValidateResourceConfig"
    VALIDATE_DATA "ValidateDataSourceConfig" "ValidateDataResourceConfig"
    VALIDATE_EPHEMERAL "ValidateEphemeralResourceConfig" "ValidateEphemeralResourceConfig"
    UPGRADE "UpgradeResourceState" "UpgradeResourceState"
    READ "ReadResource" "ReadResource"
    PLAN "PlanResourceChange" "PlanResourceChange"
    APPLY "ApplyResourceChange" "ApplyResourceChange"
    IMPORT "ImportResourceState" "ImportResourceState"
    READ_DATA "ReadDataSource" "ReadDataSource"
    OPEN "OpenEphemeralResource" "OpenEphemeralResource"
    RENEW "RenewEphemeralResource" "RenewEphemeralResource"
    CLOSE "CloseEphemeralResource" "CloseEphemeralResource"
}

impl Line {
    /// Connects. `answer` limits the size of an answer.
    ///
    /// # Errors
    /// The connection failed, for a reason in words.
    pub(super) fn open(
        address: &Address,
        protocol: Protocol,
        tls: Option<Arc<ClientConfig>>,
        answer: usize,
        limit: Duration,
    ) -> Result<Line, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(words)?;
        let connect = async {
            match tls {
                None => Endpoint::from_shared(address.uri()).map_err(words)?.connect().await.map_err(words),
                Some(tls) => connect_with(tls, address).await.map_err(words),
            }
        };
        let connected = runtime.block_on(async { tokio::time::timeout(limit, connect).await });
        let channel = connected.map_err(|_| format!("no connection within {limit:?}"))??;
        let grpc = Grpc::new(channel).max_decoding_message_size(answer).max_encoding_message_size(usize::MAX);
        Ok(Line { runtime, grpc, protocol })
    }

    /// Its protocol.
    pub(super) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Sends a question and waits for the answer.
    ///
    /// # Errors
    /// There is no answer.
    pub(super) fn call<Q, A>(&mut self, call: Call, question: Q, limit: Duration) -> Result<A, Cut>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        let path = PathAndQuery::from_static(match self.protocol {
            Protocol::Five => call.five,
            Protocol::Six => call.six,
        });
        let grpc = &mut self.grpc;
        let asked = async {
            grpc.ready().await.map_err(|problem| Status::unavailable(words(problem)))?;
            grpc.unary(Request::new(question), path, ProstCodec::<Q, A>::default()).await
        };
        match self.runtime.block_on(async { tokio::time::timeout(limit, asked).await }) {
            Err(_) => Err(Cut::Late),
            Ok(Ok(answer)) => Ok(answer.into_inner()),
            Ok(Err(status))
                if status.code() == Code::OutOfRange && status.message().contains("decoded message length") =>
            {
                Err(Cut::TooLarge)
            }
            Ok(Err(status)) => Err(Cut::Failed(status)),
        }
    }
}

/// A connection over TLS. The library's own TLS works only with authorities.
async fn connect_with(tls: Arc<ClientConfig>, address: &Address) -> Result<Channel, tonic::transport::Error> {
    let (connector, address) = (TlsConnector::from(tls), address.clone());
    let service = tower::service_fn(move |_: Uri| {
        let (connector, address) = (connector.clone(), address.clone());
        async move {
            let name = ServerName::try_from(tls::NAME).map_err(std::io::Error::other)?;
            let stream = connector.connect(name, stream(&address).await?).await?;
            Ok::<_, std::io::Error>(TokioIo::new(stream))
        }
    });
    // The service has the address; this URI is only sent as the authority of each request.
    Endpoint::from_static("http://localhost").connect_with_connector(service).await
}

/// The byte stream of a connection.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

async fn stream(address: &Address) -> std::io::Result<Box<dyn Stream>> {
    match address {
        Address::Tcp(at) => {
            let stream = tokio::net::TcpStream::connect(at).await?;
            // Otherwise the end of each question waits until the other side acknowledges its beginning: 40 ms per call.
            stream.set_nodelay(true)?;
            Ok(Box::new(stream))
        }
        #[cfg(unix)]
        Address::Unix(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
        #[cfg(not(unix))]
        Address::Unix(_) => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

/// An error with its causes: the message of a connection error alone only says that it failed.
pub(super) fn words(problem: impl std::error::Error) -> String {
    let mut text = problem.to_string();
    let mut cause = problem.source();
    while let Some(next) = cause {
        let more = next.to_string();
        if !text.contains(&more) {
            text += ": ";
            text += &more;
        }
        cause = next.source();
    }
    text
}
