//! The interface of a planner: its operations, its requests and its answers.
//!
//! A planner is prepared once for a schema and a dialect. It then answers any number of requests: the operations of the
//! merge, which return a value or a list of violations, and the plan and apply walks of a resource instance, which call a
//! provider themselves. Where the engine of the dialect crashes, a planner refuses (formats.md, `"panic": true`).

mod diagnostic;
mod facts;
mod provider;
mod trace;
mod walk;

use std::borrow::Cow;
use std::fmt;

pub use diagnostic::{Diagnostic, Severity, summary};
pub use facts::{
    Configured, Dependency, IgnoreChanges, KeyKind, Lifecycle, Link, Orphan, PlanOptions, Presence, PreventDestroy,
    Provisioner, Repetition, Trigger, TriggerChange,
};
pub use provider::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, RawState,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
pub use trace::{ApplyWalk, Exchange, PlanWalk, Recorder, StepTrace};
pub use walk::{Applied, ApplyRequest, Drift, Plan, PlanRequest};

use crate::dialect::Dialect;
use crate::schema::Schema;
use crate::value::{Path, Value};

/// Code that answers a case.
pub trait Planner: Send + Sync {
    /// The name of the planner in findings and options.
    fn name(&self) -> &str;

    /// Does once the work that depends on the schema and the dialect alone.
    ///
    /// The schema is valid by `validate_schema` in the dialect; for one that is not, a planner may answer anything but may
    /// not panic.
    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's>;
}

/// A planner that has read its schema. The values it gets conform to the implied type of the schema (V03, S30).
pub trait Prepared {
    /// ProposedNew (M01): the object that Core proposes to the provider.
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal>;

    /// The planned object of a data resource that is read later (M40).
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal>;

    /// The violations of plan validity (section 3 of merge-and-rules.md), in any order, repetitions kept.
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal>;

    /// The violations of apply-result compatibility (section 4), in any order, repetitions kept.
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal>;

    /// The normal form of an object from the legacy SDK (LN01).
    ///
    /// # Errors
    /// Refuses where the engine crashes or builds a broken value.
    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal>;

    /// The configuration with empty computed blocks made null (C01); the value itself in dialects without them.
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal>;

    /// One instance's part of a plan walk (lifecycle.md sections 2 to 18).
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal>;

    /// One instance's part of an apply walk (lifecycle.md section 20).
    ///
    /// # Errors
    /// Refuses where the engine crashes.
    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal>;

    /// Calls the operation that a request names.
    ///
    /// # Errors
    /// As for the operation.
    fn answer(&self, request: Request<'_>) -> Result<Answer, Refusal> {
        match request {
            Request::ProposedNew { prior, config } => self.proposed_new(prior, config).map(Answer::Value),
            Request::PlannedDataResource { config } => self.planned_data_resource(config).map(Answer::Value),
            Request::AssertPlanValid { prior, config, planned } => {
                self.assert_plan_valid(prior, config, planned).map(Answer::Violations)
            }
            Request::AssertObjectCompatible { planned, actual } => {
                self.assert_object_compatible(planned, actual).map(Answer::Violations)
            }
            Request::NormalizeLegacy { value } => self.normalize_legacy(value).map(Answer::Value),
            Request::PrepareComputedBlocks { value } => self.prepare_computed_blocks(value).map(Answer::Value),
        }
    }
}

/// One operation and its inputs.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// See [`Prepared::proposed_new`].
    ProposedNew {
        /// The prior state, or null.
        prior: &'a Value,
        /// The configuration, or null.
        config: &'a Value,
    },
    /// See [`Prepared::planned_data_resource`].
    PlannedDataResource {
        /// The configuration.
        config: &'a Value,
    },
    /// See [`Prepared::assert_plan_valid`].
    AssertPlanValid {
        /// The prior state, or null; wholly known.
        prior: &'a Value,
        /// The configuration, or null.
        config: &'a Value,
        /// The object that the provider planned.
        planned: &'a Value,
    },
    /// See [`Prepared::assert_object_compatible`].
    AssertObjectCompatible {
        /// The planned object.
        planned: &'a Value,
        /// The object after the apply.
        actual: &'a Value,
    },
    /// See [`Prepared::normalize_legacy`].
    NormalizeLegacy {
        /// The object from the provider.
        value: &'a Value,
    },
    /// See [`Prepared::prepare_computed_blocks`].
    PrepareComputedBlocks {
        /// The configuration.
        value: &'a Value,
    },
}

/// The answer of a planner.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A value.
    Value(Value),
    /// Violations, in any order.
    Violations(Vec<Violation>),
}

/// One broken rule of plan validity or apply compatibility.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The place, on which planners are compared.
    pub path: Path,
    /// The rule of the specification that is broken, for people; planners are not compared on it.
    pub rule: &'static str,
}

/// A planner's refusal of an input on which the engine of the dialect crashes.
#[derive(Clone, Debug, thiserror::Error)]
pub struct Refusal {
    /// The rule of the specification that describes the crash.
    pub rule: &'static str,
    /// Where in the object.
    pub path: Path,
    /// What was expected and what was found.
    pub message: Cow<'static, str>,
}

impl Violation {
    /// A violation of `rule` at `path`.
    pub fn new(path: Path, rule: &'static str) -> Violation {
        Violation { path, rule }
    }
}

impl Refusal {
    /// A refusal by `rule` at `path`.
    pub fn new(rule: &'static str, path: &Path, message: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { rule, path: path.clone(), message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused by {}", self.rule)?;
        if !self.path.is_root() {
            write!(f, " at {}", self.path)?;
        }
        write!(f, ": {}", self.message)
    }
}
