//! The document of a plan in the member `tfplan` (section 2.1 of plan-files.md).

use std::collections::BTreeMap;

use super::change::{FileChange, Values};
use super::codes::{CheckKind, CheckStatus, DeferredReason};
use crate::dialect::Engine;
use crate::plans::Mode;
use crate::value::WrittenPath;

/// The member `tfplan` (PF02).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanDocument {
    /// The mode of the plan.
    pub mode: Mode,
    /// The version of the engine that made the plan: another one does not read it.
    pub terraform_version: String,
    /// The time of the plan: RFC 3339, whole seconds.
    pub timestamp: String,
    /// Whether there were errors; such a plan cannot be applied (PF12).
    pub errored: bool,
    /// The root variables that were set, as msgpack of the dynamic type.
    pub variables: BTreeMap<String, Vec<u8>>,
    /// The changes, in the order they were recorded.
    pub changes: Vec<FileChange>,
    /// The changes outside of the engine.
    pub drift: Vec<FileChange>,
    /// The changes of root outputs.
    pub outputs: Vec<OutputChange>,
    /// The parts to which the plan is restricted.
    pub targets: Vec<String>,
    /// The instances to be replaced. Terraform since 1.1 and OpenTofu leave it empty.
    pub force_replace: Vec<String>,
    /// The location of the state.
    pub backend: Backend,
    /// Attributes by which changes outside may explain changes of the plan.
    pub relevant_attributes: Vec<RelevantAttribute>,
    /// The results of checks.
    pub checks: Vec<CheckResult>,
    /// The fields that only one engine has.
    pub of_engine: EngineFields,
}

impl PlanDocument {
    /// A plan of an engine's version without changes, which can be applied as soon as it has some (PF13): in the normal mode, with
    /// the state beside the configuration. The timestamp is RFC 3339 with whole seconds.
    pub fn new(engine: Engine, version: &str, timestamp: &str) -> PlanDocument {
        PlanDocument {
            mode: Mode::Normal,
            terraform_version: version.to_owned(),
            timestamp: timestamp.to_owned(),
            errored: false,
            variables: BTreeMap::new(),
            changes: Vec::new(),
            drift: Vec::new(),
            outputs: Vec::new(),
            targets: Vec::new(),
            force_replace: Vec::new(),
            backend: Backend::local(),
            relevant_attributes: Vec::new(),
            checks: Vec::new(),
            of_engine: EngineFields::applyable(engine),
        }
    }
}

/// The fields that only one engine has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineFields {
    /// Terraform.
    Terraform {
        /// Whether there is anything to apply (L157).
        applyable: bool,
        /// Whether nothing was deferred or left out by targets.
        complete: bool,
        /// Changes deferred to another plan.
        deferred: Vec<(DeferredReason, FileChange)>,
        /// Names of ephemeral variables that were set.
        apply_time_variables: Vec<String>,
        /// The results of provider functions.
        function_results: Vec<FunctionResult>,
    },
    /// OpenTofu.
    OpenTofu {
        /// The parts that the plan excludes.
        excludes: Vec<String>,
        /// Names of ephemeral variables.
        ephemeral_variables: Vec<String>,
        /// The graph to execute, in a format that is not stable.
        execution_graph: Vec<u8>,
        /// Since 1.13: whether the plan destroys.
        destroying: bool,
    },
}

impl EngineFields {
    /// The engine that has these fields.
    pub fn engine(&self) -> Engine {
        match self {
            EngineFields::Terraform { .. } => Engine::Terraform,
            EngineFields::OpenTofu { .. } => Engine::OpenTofu,
        }
    }

    /// The fields of a plan that can be applied as a whole.
    pub fn applyable(engine: Engine) -> EngineFields {
        match engine {
            Engine::Terraform => EngineFields::Terraform {
                applyable: true,
                complete: true,
                deferred: Vec::new(),
                apply_time_variables: Vec::new(),
                function_results: Vec::new(),
            },
            Engine::OpenTofu => EngineFields::OpenTofu {
                excludes: Vec::new(),
                ephemeral_variables: Vec::new(),
                execution_graph: Vec::new(),
                destroying: false,
            },
        }
    }
}

/// The location of the state (PF20).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The type.
    pub type_name: String,
    /// The configuration, as msgpack of the type that the backend's schema implies.
    pub config: Vec<u8>,
    /// The workspace.
    pub workspace: String,
}

impl Backend {
    /// The backend with the state beside the configuration, the default.
    pub fn local() -> Backend {
        // {"path": null, "workspace_dir": null}
        let config = b"\x82\xa4path\xc0\xadworkspace_dir\xc0".to_vec();
        Backend { type_name: "local".to_owned(), config, workspace: "default".to_owned() }
    }
}

/// A change of a root output (PL60).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputChange {
    /// The name.
    pub name: String,
    /// The change, its values against the dynamic type.
    pub values: Values,
    /// Whether one of the two values is sensitive.
    pub sensitive: bool,
}

/// An attribute that explains a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelevantAttribute {
    /// The address of the resource.
    pub resource: String,
    /// The attribute.
    pub attribute: WrittenPath,
}

/// The result of the checks of one object of the configuration (section 2.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// The kind of object.
    pub kind: CheckKind,
    /// Its address in the configuration.
    pub address: String,
    /// The status of all instances together.
    pub status: CheckStatus,
    /// The results of its instances.
    pub objects: Vec<CheckObject>,
}

/// The result of the checks of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckObject {
    /// Its address.
    pub address: String,
    /// The status.
    pub status: CheckStatus,
    /// The messages of the checks that failed.
    pub failures: Vec<String>,
}

/// The result of a provider function, as hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionResult {
    /// Of function and arguments.
    pub key: Vec<u8>,
    /// Of the result.
    pub result: Vec<u8>,
}
