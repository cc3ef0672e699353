//! Calls of providers: what is sent and what comes back, for every call of the plugin protocol that a workspace needs.
//!
//! A provider is a function of the request: the same request gets the same answer, whoever asks first, so that nothing depends on a
//! schedule.

use std::sync::Arc;

use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Remark;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Value, WrittenPath};

/// The providers of a workspace.
pub trait Providers {
    /// Asks one of them.
    fn call(&mut self, call: &Call) -> Answer;

    /// The same providers for several threads at a time, always or never; never where an answer, or what is noted of a call, depends on who
    /// asks first.
    fn shared(&self) -> Option<&dyn SharedProviders> {
        None
    }
}

/// Providers whose answers depend on the request alone, so that several threads may ask at a time.
pub trait SharedProviders: Sync {
    /// Asks one of them; the answer is that of [`Providers::call`].
    fn call_shared(&self, call: &Call) -> Answer;
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Whose provider.
    pub provider: ProviderSource,
    /// The configuration that the connection was configured with; nothing before that.
    pub configured: Option<Value>,
    /// The resource type; nothing where it is about the provider itself.
    pub type_name: Option<Text>,
    /// What is asked.
    pub request: Request,
}

/// What is asked. Values are unmarked.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the protocol's messages")]
pub enum Request {
    /// ValidateProviderConfig.
    ValidateProvider { config: Value },
    /// ConfigureProvider.
    Configure { config: Value },
    /// ValidateResourceConfig, ValidateDataResourceConfig, ValidateEphemeralResourceConfig.
    Validate { mode: ResourceMode, config: Value },
    /// UpgradeResourceState, of attributes as they are in a state file.
    Upgrade { version: u64, raw: Arc<Json> },
    /// ReadResource.
    Read { current: Value, private: Private },
    /// ReadDataSource.
    ReadData { config: Value },
    /// PlanResourceChange; all but the prior are null for a destruction.
    Plan { prior: Value, config: Value, proposed: Value, private: Private },
    /// ApplyResourceChange.
    Apply { prior: Value, config: Value, planned: Value, private: Private },
    /// ImportResourceState.
    Import { id: Text },
    /// MoveResourceState.
    Move { source_type: Text, source_provider: Text, source_version: u64, raw: Arc<Json>, private: Private },
    /// OpenEphemeralResource.
    Open { config: Value },
    /// CloseEphemeralResource.
    Close { private: Private },
}

/// What comes back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer; nothing where the call itself failed.
    pub outcome: Option<Outcome>,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// An answer, by what it holds.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the protocol's messages")]
pub enum Outcome {
    /// Nothing but remarks.
    Done,
    /// A value: of an upgrade or a data read.
    Value(Value),
    /// An object with private data: of a read, an apply, a move, an opening.
    Object { value: Value, private: Private },
    /// A planned object.
    Planned { planned: Value, requires_replace: Vec<WrittenPath>, private: Private },
    /// Imported objects.
    Imported(Vec<(Value, Private)>),
}

impl Request {
    /// The name of the call in recorded runs.
    pub fn name(&self) -> &'static str {
        match self {
            Request::ValidateProvider { .. } => "validate_provider",
            Request::Configure { .. } => "configure",
            Request::Validate { mode: ResourceMode::Managed, .. } => "validate",
            Request::Validate { mode: ResourceMode::Data, .. } => "validate_data",
            Request::Validate { mode: ResourceMode::Ephemeral, .. } => "validate_ephemeral",
            Request::Upgrade { .. } => "upgrade",
            Request::Read { .. } => "read",
            Request::ReadData { .. } => "read_data",
            Request::Plan { .. } => "plan",
            Request::Apply { .. } => "apply",
            Request::Import { .. } => "import",
            Request::Move { .. } => "move",
            Request::Open { .. } => "open",
            Request::Close { .. } => "close",
        }
    }

    /// The mode of the resource type that it is about.
    pub fn mode(&self) -> ResourceMode {
        match self {
            Request::Validate { mode, .. } => *mode,
            Request::ReadData { .. } => ResourceMode::Data,
            Request::Open { .. } | Request::Close { .. } => ResourceMode::Ephemeral,
            _ => ResourceMode::Managed,
        }
    }
}
