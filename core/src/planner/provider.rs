//! The calls of the plugin protocol that a planner makes to a provider, as far as one resource instance needs them.
//!
//! A value in an answer may be of any type: the planner has to check that it conforms to the schema.

use std::sync::Arc;

use crate::json::Json;
use crate::state::Private;
use crate::value::{Text, Value, WrittenPath};

use super::diagnostic::Severity;

/// A provider for one resource type: a model, a recorded trace, or a process behind a line protocol.
pub trait Provider {
    /// The optional calls that it supports.
    fn capabilities(&self) -> Capabilities;

    /// ValidateResourceConfig or ValidateDataResourceConfig.
    fn validate(&mut self, request: ValidateConfig) -> ValidateAnswer;

    /// UpgradeResourceState.
    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer;

    /// ReadResource.
    fn read(&mut self, request: ReadResource) -> ReadAnswer;

    /// PlanResourceChange.
    fn plan(&mut self, request: PlanChange) -> PlanAnswer;

    /// ApplyResourceChange.
    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer;

    /// ImportResourceState.
    fn import(&mut self, request: ImportState) -> ImportAnswer;

    /// ReadDataSource.
    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer;
}

/// The capabilities that a provider declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether Core asks it to plan destructions (L120).
    pub plan_destroy: bool,
}

/// An error or a warning in an answer of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Error or warning.
    pub severity: Severity,
    /// The summary.
    pub summary: Text,
}

impl Remark {
    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// ValidateResourceConfig (L01, L02).
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateConfig {
    /// The configuration, unmarked.
    pub config: Value,
}

/// The answer to [`ValidateConfig`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValidateAnswer {
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// UpgradeResourceState (L05).
#[derive(Clone, Debug, PartialEq)]
pub struct UpgradeState {
    /// The schema version of the stored object.
    pub version: u64,
    /// The stored object.
    pub state: RawState,
}

/// A stored object as it is sent to be upgraded.
#[derive(Clone, Debug, PartialEq)]
pub enum RawState {
    /// Saved by this suite under the schema of the case: its value.
    Value(Value),
    /// Saved by any program: attributes in the JSON of state files, without those that the schema no longer has where
    /// the versions agree (L05).
    Json(Arc<Json>),
}

/// The answer to [`UpgradeState`].
#[derive(Clone, Debug, PartialEq)]
pub struct UpgradeAnswer {
    /// The object at the schema's version.
    pub upgraded: Value,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// ReadResource (section 5).
#[derive(Clone, Debug, PartialEq)]
pub struct ReadResource {
    /// The last known object, unmarked.
    pub current: Value,
    /// Its private data.
    pub private: Private,
}

/// The answer to [`ReadResource`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReadAnswer {
    /// The object as the provider finds it; null if it is gone.
    pub new_state: Value,
    /// Its private data.
    pub private: Private,
    /// Whether the provider defers its answer.
    pub deferred: bool,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// PlanResourceChange (L37, L47, L120).
#[derive(Clone, Debug, PartialEq)]
pub struct PlanChange {
    /// The object before the change, unmarked; null for a creation.
    pub prior: Value,
    /// The configuration, unmarked; null for a destruction.
    pub config: Value,
    /// The object that Core proposes.
    pub proposed: Value,
    /// The private data of the prior object, or of the first answer.
    pub private: Private,
}

/// The answer to [`PlanChange`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlanAnswer {
    /// The planned object.
    pub planned: Value,
    /// The paths whose change forces a replacement, as the provider gave them.
    pub requires_replace: Vec<WrittenPath>,
    /// The private data that the provider gets back in the apply.
    pub private: Private,
    /// Whether the answer is of the legacy type system (section 7).
    pub legacy_type_system: bool,
    /// Whether the provider defers its answer (L56a).
    pub deferred: bool,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// ApplyResourceChange (section 20.2).
#[derive(Clone, Debug, PartialEq)]
pub struct ApplyChange {
    /// The object before the change, unmarked; null for a creation.
    pub prior: Value,
    /// The configuration, unmarked; null for a destruction.
    pub config: Value,
    /// The planned object, unmarked; null for a destruction.
    pub planned: Value,
    /// The planned private data.
    pub private: Private,
}

/// The answer to [`ApplyChange`].
#[derive(Clone, Debug, PartialEq)]
pub struct ApplyAnswer {
    /// The object as it is now, null if there is none; `None` where the call itself failed (A26).
    pub new_state: Option<Value>,
    /// Its private data.
    pub private: Private,
    /// Whether the answer is of the legacy type system.
    pub legacy_type_system: bool,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// ImportResourceState (L20).
#[derive(Clone, Debug, PartialEq)]
pub struct ImportState {
    /// The id that the user gave.
    pub id: Text,
}

/// The answer to [`ImportState`].
#[derive(Clone, Debug, PartialEq)]
pub struct ImportAnswer {
    /// The objects found, each with its private data; of the type of the case.
    pub imported: Vec<(Value, Private)>,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}

/// ReadDataSource (L144).
#[derive(Clone, Debug, PartialEq)]
pub struct ReadData {
    /// The configuration, unmarked and wholly known.
    pub config: Value,
}

/// The answer to [`ReadData`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReadDataAnswer {
    /// The object that was read.
    pub state: Value,
    /// Errors and warnings.
    pub remarks: Vec<Remark>,
}
