//! The addresses at which engines find the server.

use std::path::Path;

use super::error::ServerError;
use crate::provider_address::ProviderAddress;

/// The address of a provider as `TF_REATTACH_PROVIDERS` has it.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) network: &'static str,
    pub(super) text: String,
}

#[cfg(unix)]
pub(super) type Incoming = tokio_stream::wrappers::UnixListenerStream;

#[cfg(not(unix))]
pub(super) type Incoming = tokio_stream::wrappers::TcpListenerStream;

/// Listens on a socket in `dir`. The caller must have entered a runtime.
#[cfg(unix)]
pub(super) fn listen(dir: &Path, provider_address: ProviderAddress) -> Result<(Address, Incoming), ServerError> {
    /// Systems allow 104 bytes or more, including the zero at the end.
    const LIMIT: usize = 100;
    let path = dir.join(format!("{}.sock", provider_address.name()));
    let text = match path.to_str() {
        Some(text) if text.len() < LIMIT => text.to_owned(),
        _ => return Err(ServerError::LongPath(path)),
    };
    let listener =
        tokio::net::UnixListener::bind(&path).map_err(|error| ServerError::Listen { address: text.clone(), error })?;
    Ok((Address { network: "unix", text }, Incoming::new(listener)))
}

/// Listens on a port of this machine. The caller must have entered a runtime.
#[cfg(not(unix))]
pub(super) fn listen(_: &Path, _: ProviderAddress) -> Result<(Address, Incoming), ServerError> {
    use std::net::{Ipv4Addr, TcpListener};
    let listener = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let text = listener.local_addr()?.to_string();
        Ok((text, tokio::net::TcpListener::from_std(listener)?))
    };
    let (text, listener) =
        listener().map_err(|error| ServerError::Listen { address: Ipv4Addr::LOCALHOST.to_string(), error })?;
    Ok((Address { network: "tcp", text }, Incoming::new(listener)))
}
