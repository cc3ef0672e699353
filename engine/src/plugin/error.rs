//! Errors of provider binaries, each a sentence.

use std::time::Duration;

use super::address::ReattachError;
use crate::process::{Death, RunsError};

/// Why a provider cannot be started or connected to.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no directory to run in.
    #[error("cannot make a place to run in: {0}")]
    Place(#[from] RunsError),
    /// A thread or a runtime cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// This side's certificate cannot be made.
    #[error("cannot make a certificate: {0}")]
    Identity(String),
    /// The program ended before its handshake.
    #[error("{program} ended before its handshake: {death}{log}")]
    Died {
        /// The program.
        program: String,
        /// How it ended.
        death: Death,
        /// The end of its log, if it has one.
        log: String,
    },
    /// The program printed no handshake in time.
    #[error("{program} made no handshake within {limit:?}{log}")]
    Silent {
        /// The program.
        program: String,
        /// The time it had.
        limit: Duration,
        /// The end of its log, if it has one.
        log: String,
    },
    /// Its handshake is invalid or not supported.
    #[error("{program}: {problem}")]
    Handshake {
        /// The program.
        program: String,
        /// What is wrong with it.
        problem: HandshakeError,
    },
    /// The connection failed.
    #[error("cannot connect to {program} at {address}: {problem}")]
    Connect {
        /// The program.
        program: String,
        /// The address in its handshake.
        address: String,
        /// Why.
        problem: String,
    },
    /// The entry of a running provider is invalid.
    #[error(transparent)]
    Reattach(#[from] ReattachError),
}

/// Why a line is not a handshake.
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
    /// A certificate that is invalid, or was not requested.
    #[error("{0}")]
    Certificate(&'static str),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Its values have no wire form; it was not sent.
    #[error("cannot be asked: {0}")]
    Unsendable(&'static str),
    /// The provider died during the question, or was killed for exceeding a limit.
    #[error("{death}{log}")]
    Died {
        /// How it died.
        death: Death,
        /// The end of its log, if it has one.
        log: String,
    },
    /// There was no answer in time. The provider is ended.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// The answer exceeds the limit.
    #[error("an answer of more than {0} bytes")]
    TooLarge(usize),
    /// The call failed, and the provider still runs.
    #[error("the call failed with {code}: {message}")]
    Status {
        /// The name of the code.
        code: String,
        /// The message.
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
    /// The provider died, and does not start again.
    #[error("it does not start again: {0}")]
    Gone(String),
    /// The suite was stopped.
    #[error("ended")]
    Ended,
}

/// The last lines of a log, for the end of a message.
pub(super) fn end_of_log(log: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let shortened = |line: &&str| line.chars().take(300).collect::<String>();
    match last.is_empty() {
        true => String::new(),
        false => format!("; its log ends with:\n{}", last.iter().map(shortened).collect::<Vec<_>>().join("\n")),
    }
}
