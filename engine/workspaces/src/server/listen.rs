//! Connections with numbers: an engine configures each of them on its own.

use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio_stream::Stream;
use tonic::transport::server::Connected;

/// A connection: its number, and the process that made it, if the system reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ConnectionId {
    number: u64,
    pub(super) process: Option<i32>,
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A connection.
pub(super) struct Connection {
    id: ConnectionId,
    stream: UnixStream,
}

/// The connections of a socket, as they come.
pub(super) struct Incoming(UnixListener);

impl Incoming {
    /// Listens. The caller must have entered a runtime.
    pub(super) fn bind(path: &Path) -> std::io::Result<Incoming> {
        UnixListener::bind(path).map(Incoming)
    }
}

impl Stream for Incoming {
    type Item = std::io::Result<Connection>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_accept(context).map(|accepted| {
            Some(accepted.map(|(stream, _)| {
                let process = stream.peer_cred().ok().and_then(|of| of.pid());
                let id = ConnectionId { number: NEXT.fetch_add(1, Ordering::Relaxed), process };
                Connection { id, stream }
            }))
        })
    }
}

impl Connected for Connection {
    type ConnectInfo = ConnectionId;

    fn connect_info(&self) -> ConnectionId {
        self.id
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
