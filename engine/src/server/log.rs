//! The log of calls and answers.

use planfuzz_core::planner::Exchange;

use crate::job::LeftOut;

/// The calls of a run to one [`Served`](super::Served) and its helpers.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// In the order answered.
    pub entries: Vec<Entry>,
}

/// One call.
#[derive(Clone, Debug)]
pub enum Entry {
    /// The provider was asked and answered.
    Asked(Exchange),
    /// An upgrade of the same object at the same version again: answered as before, without asking. Core asks at each
    /// read (L05).
    Repeated(Exchange),
    /// The engine did not get an answer of the provider.
    Failed(Failure),
}

/// A call that the engine got no answer to.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{method}: {error}")]
pub struct Failure {
    /// The call.
    pub method: &'static str,
    /// The problem.
    pub error: AnswerError,
}

/// Why an engine got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The request could not be read.
    #[error("the request cannot be read: {0}")]
    Undecodable(String),
    /// The answer, which precedes this in the log, cannot be sent.
    #[error("the provider's answer cannot be sent: {0}")]
    Unsendable(&'static str),
    /// The provider panicked.
    #[error("the provider panicked: {0}")]
    Panicked(String),
    /// The provider panicked in an earlier call.
    #[error("the provider panicked in an earlier call")]
    Dead,
    /// The provider does not answer.
    #[error("the provider does not answer")]
    Hung,
    /// The type is not served.
    #[error("the type {0:?} is not served")]
    NotServed(String),
}

impl Log {
    /// The log of a provider that hangs.
    pub(super) fn of_hung() -> Log {
        Log { entries: vec![Entry::Failed(Failure { method: "a call", error: AnswerError::Hung })] }
    }

    /// Whether the provider hangs.
    pub fn is_hung(&self) -> bool {
        self.failures().any(|failure| failure.error == AnswerError::Hung)
    }

    /// The exchanges, including repetitions.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Asked(exchange) | Entry::Repeated(exchange) => Some(exchange),
            Entry::Failed(_) => None,
        })
    }

    /// The calls that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Failed(failure) => Some(failure),
            Entry::Asked(_) | Entry::Repeated(_) => None,
        })
    }

    /// Why the walk was not the one asked for, if an answer could not be sent.
    pub fn left_out(&self) -> Option<LeftOut> {
        self.failures().find_map(|failure| match failure.error {
            AnswerError::Unsendable(what) => Some(LeftOut::Unsendable(what)),
            _ => None,
        })
    }
}
