//! What can go wrong with a provider, a sentence each.

use std::time::Duration;

use super::address::ReattachError;
use crate::process::{Death, RunsError};

/// Why there is no provider to ask.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No directory to run in.
    #[error("cannot make a place to run in: {0}")]
    Place(#[from] RunsError),
    /// No thread, or no runtime.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// No certificate of this end.
    #[error("cannot make a certificate: {0}")]
    Identity(String),
    /// It ended before it said where it listens.
    #[error("{program} ended before its handshake: {death}{log}")]
    Died {
        /// The program.
        program: String,
        /// How.
        death: Death,
        /// The end of its log, if it has one.
        log: String,
    },
    /// It said nothing in time.
    #[error("{program} made no handshake within {limit:?}{log}")]
    Silent {
        /// The program.
        program: String,
        /// The time it had.
        limit: Duration,
        /// The end of its log, if it has one.
        log: String,
    },
    /// What it said is no handshake, or none that can be used.
    #[error("{program}: {problem}")]
    Handshake {
        /// The program.
        program: String,
        /// What is wrong with it.
        problem: HandshakeError,
    },
    /// It cannot be connected to.
    #[error("cannot connect to {program} at {address}: {problem}")]
    Connect {
        /// The program.
        program: String,
        /// Where it said that it listens.
        address: String,
        /// Why.
        problem: String,
    },
    /// The address of a provider that runs already is none.
    #[error(transparent)]
    Reattach(#[from] ReattachError),
}

/// Why a line is no handshake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// It has another form.
    #[error("expected a handshake like 1|6|unix|/path|grpc| as the first line, found {0:?}")]
    Form(String),
    /// Another version of the plugin library's own protocol.
    #[error("expected version 1 of the plugin library's protocol, found {0:?}")]
    Core(String),
    /// Another version of the provider protocol.
    #[error("expected version 5 or 6 of the provider protocol, found {0:?}")]
    Protocol(String),
    /// Neither kind of socket.
    #[error("expected a unix or tcp address, found {0:?}")]
    Network(String),
    /// The protocol before gRPC.
    #[error("expected gRPC, found {0:?}")]
    Transport(String),
    /// A certificate that is none, or that nobody asked for.
    #[error("{0}")]
    Certificate(&'static str),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The question cannot be put: its values have no wire form. Nothing was asked.
    #[error("cannot be asked: {0}")]
    Unsendable(&'static str),
    /// The provider died of it, or was killed for what it took.
    #[error("{death}{log}")]
    Died {
        /// How.
        death: Death,
        /// The end of its log, if it has one.
        log: String,
    },
    /// No answer in time. The provider is ended.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// The answer is larger than answers may be.
    #[error("an answer of more than {0} bytes")]
    TooLarge(usize),
    /// The call failed, and the provider lives.
    #[error("the call failed with {code}: {message}")]
    Status {
        /// The name of the code.
        code: String,
        /// What it says.
        message: String,
    },
    /// A value of the answer is no value of the schema.
    #[error("the answer's {place} cannot be read: {problem}")]
    Undecodable {
        /// Which value.
        place: &'static str,
        /// Why.
        problem: String,
    },
    /// It died, and does not start again.
    #[error("it does not start again: {0}")]
    Gone(String),
    /// The suite was told to end.
    #[error("ended")]
    Ended,
}

/// A log for the end of a message: its last lines.
pub(super) fn told(log: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let shortened = |line: &&str| line.chars().take(300).collect::<String>();
    match last.is_empty() {
        true => String::new(),
        false => format!("; its log ends with:\n{}", last.iter().map(shortened).collect::<Vec<_>>().join("\n")),
    }
}
