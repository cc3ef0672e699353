//! Calls of providers: what is sent and what comes back, for every call of the plugin protocol that a workspace needs.
//!
//! A provider is a function of the request: equal requests get equal answers, in any order of calls, so that no result depends on a schedule.

use std::sync::Arc;

use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Remark;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Value, WrittenPath};

/// The providers of a workspace.
pub trait Providers {
    /// Calls the provider that `call` names.
    fn call(&mut self, call: &Call) -> Answer;

    /// These providers for several threads at a time. `None` if an answer, or the record of a call, depends on the order of calls. Every
    /// call returns the same.
    fn shared(&self) -> Option<&dyn SharedProviders> {
        None
    }
}

/// Providers whose answers depend on the request alone, so that several threads may call them at a time.
pub trait SharedProviders: Sync {
    /// Calls the provider that `call` names; the answer is that of [`Providers::call`].
    fn call_shared(&self, call: &Call) -> Answer;
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The source of the called provider.
    pub provider: ProviderSource,
    /// The configuration that the connection was configured with; `None` before that.
    pub configured: Option<Value>,
    /// The resource type; `None` if the call is about the provider itself.
    pub type_name: Option<Text>,
    /// The request.
    pub request: Request,
}

/// A request. Values are unmarked.
#[derive(Clone, Debug, PartialEq)]
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

/// The answer of a provider.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The content; `None` if the call itself failed.
    pub outcome: Option<Outcome>,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// The content of an answer.
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
