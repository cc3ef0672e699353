//! Errors of the server.

use std::io;
use std::path::PathBuf;

use crate::job::LeftOut;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The system has no more threads.
    #[error("cannot start the threads of the provider server: {0}")]
    Threads(#[source] io::Error),
    /// A socket cannot be created.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The path of a socket is longer than systems allow.
    #[error("expected a directory whose sockets have names of less than 100 bytes, found {0:?}")]
    LongPath(PathBuf),
    /// Two types have the same name.
    #[error("the type {0:?} is to be served twice")]
    TwiceServed(String),
    /// A schema cannot be served, and this was not checked before.
    #[error("the type {type_name:?} cannot be served: {left_out}")]
    Unservable {
        /// The type.
        type_name: String,
        /// Why.
        #[source]
        left_out: LeftOut,
    },
}
