//! What an engine is asked, and what comes of it.

use std::sync::Arc;
use std::time::Duration;

use planfuzz_core::planner::Exchange;
use planfuzz_core::schema::Schema;

use crate::provider_address::Protocol;

/// One instance's walk, `R` being a plan request or an apply request, and the provider that it asks.
///
/// A run that somebody else spoils is run again: the provider of each run is a copy of this one.
#[derive(Clone, Debug)]
pub struct Job<R, P> {
    /// The schema of the instance's resource type.
    pub schema: Arc<Schema>,
    /// What its provider speaks. Nested attributes need version 6.
    pub protocol: Protocol,
    /// The walk.
    pub request: R,
    /// The provider.
    pub provider: P,
    /// What is expected of it.
    pub expectation: Expectation,
}

/// What is expected of a walk. It decides which walks share a run, and nothing else: who expects wrongly only waits longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// That it comes to its end.
    #[default]
    Good,
    /// That the static validation refuses it, which stops everybody in its run: it is asked with its like.
    Refused,
    /// That the engine dies of it: it is asked alone.
    Fatal,
}

/// What came of a walk.
#[derive(Clone, Debug)]
pub enum WalkOutcome<T, P> {
    /// The engine answered.
    Answer {
        /// What it said.
        answer: T,
        /// What it asked the provider.
        exchanges: Vec<Exchange>,
        /// The provider as the walk left it.
        provider: P,
    },
    /// The engine died of this walk alone.
    Crashed {
        /// Where, without what changes from run to run.
        site: String,
        /// What it said.
        message: String,
        /// What it asked the provider before.
        exchanges: Vec<Exchange>,
    },
    /// The engine did not come to an end with this walk alone.
    OverBudget {
        /// The limit that was passed.
        limit: Duration,
    },
    /// The engine was not asked, or what it was asked was not the question.
    LeftOut(LeftOut),
}

/// Why an engine was not asked a walk. Each is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// The configuration language has no way to say it.
    #[error("the configuration cannot be written: {0}")]
    Unwritable(&'static str),
    /// The engine made another configuration of what was written.
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
    /// The provider said what the wire cannot carry.
    #[error("the provider's answer cannot be sent: {0}")]
    Unsendable(&'static str),
    /// What the engine asks or stores cannot be read.
    #[error("what the engine says cannot be read: {0}")]
    Unreadable(&'static str),
    /// The provider panicked.
    #[error("the provider panicked")]
    Panicked,
    /// The provider did not come to an end.
    #[error("the provider does not answer")]
    Hung,
    /// The engine says of a place in it what cannot be read as a place.
    #[error("the engine names a place that cannot be read")]
    Unplaced,
    /// The engine complains of a resource that stands beside it.
    #[error("the engine complains of what stands beside it")]
    Beside,
    /// The engine plans something else when it applies at once what it planned before.
    #[error("the engine plans something else when it plans and applies at once")]
    OtherPlan,
    /// The engine ends before it says anything of it.
    #[error("the engine says nothing of it")]
    Unanswered,
    /// The run was told to end before it was asked.
    #[error("interrupted")]
    Interrupted,
}
