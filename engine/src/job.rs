//! The question to an engine about one walk ([`Job`]), and its outcome ([`WalkOutcome`]).

use std::sync::Arc;
use std::time::Duration;

use planfuzz_core::planner::Exchange;
use planfuzz_core::schema::Schema;

use crate::provider_address::Protocol;

/// One instance's walk, `R` being a plan request or an apply request, with the instance's provider.
///
/// If another job spoils the run, this one runs again: each run gets a copy of the provider.
#[derive(Clone, Debug)]
pub struct Job<R, P> {
    /// The schema of the instance's resource type.
    pub schema: Arc<Schema>,
    /// The provider's protocol. Nested attributes need version 6.
    pub protocol: Protocol,
    /// The walk.
    pub request: R,
    /// The provider.
    pub provider: P,
    /// The expected outcome.
    pub expectation: Expectation,
}

/// The expected outcome of a walk. It only decides which walks share a run: a wrong expectation costs time, nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// The walk finishes.
    #[default]
    Good,
    /// The static validation refuses it, which stops every walk in its run: it runs together with others of this kind.
    Refused,
    /// The engine crashes: it runs alone.
    Fatal,
}

/// The outcome of a walk.
#[derive(Clone, Debug)]
pub enum WalkOutcome<T, P> {
    /// The engine answered.
    Answer {
        /// The answer.
        answer: T,
        /// The calls to the provider.
        exchanges: Vec<Exchange>,
        /// The provider as the walk left it.
        provider: P,
    },
    /// The engine crashed on this walk alone.
    Crashed {
        /// The crash site, without parts that change from run to run.
        site: String,
        /// The message of the crash.
        message: String,
        /// The calls to the provider before the crash.
        exchanges: Vec<Exchange>,
    },
    /// The engine did not finish a run of this walk alone.
    OverBudget {
        /// The limit that was exceeded.
        limit: Duration,
    },
    /// The engine was not asked, or it was asked another question.
    LeftOut(LeftOut),
}

/// Why a walk has no answer. Each reason is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// The configuration language cannot express it.
    #[error("the configuration cannot be written: {0}")]
    Unwritable(&'static str),
    /// The engine reads another configuration than the one that was meant.
    #[error("the engine reads another configuration from what can be written")]
    OtherConfiguration,
    /// A state file cannot hold it.
    #[error("the state cannot be written: {0}")]
    Unstorable(&'static str),
    /// A plan file cannot hold it.
    #[error("the plan cannot be written: {0}")]
    Unplannable(&'static str),
    /// The schema is one that the engine or the protocol refuses.
    #[error("the schema cannot be served: {0}")]
    Unservable(&'static str),
    /// The provider's answer has no wire form.
    #[error("the provider's answer cannot be sent: {0}")]
    Unsendable(&'static str),
    /// A request or stored object of the engine cannot be read.
    #[error("what the engine sent or wrote cannot be read: {0}")]
    Unreadable(&'static str),
    /// The provider panicked.
    #[error("the provider panicked")]
    Panicked,
    /// The provider does not answer.
    #[error("the provider does not answer")]
    Hung,
    /// The engine names a place in the object that cannot be parsed.
    #[error("the engine names a place that cannot be read")]
    Unplaced,
    /// The engine reports a problem of a resource beside the instance.
    #[error("the engine complains of what stands beside it")]
    Beside,
    /// A plan that is applied at once differs from the plan before.
    #[error("the engine plans something else when it plans and applies at once")]
    OtherPlan,
    /// The engine ends without an answer about it.
    #[error("the engine reports nothing of it")]
    Unanswered,
    /// The run was stopped before it was asked.
    #[error("interrupted")]
    Interrupted,
}
