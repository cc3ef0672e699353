//! A plan as `show -json` prints it.

use super::members::UnknownMembers;
use super::place::{InstanceAddress, PathItems};
use super::state::{StateJson, StateValues};
use crate::json::Json;
use crate::plans::{Action, ActionReason};

/// A document of `show -json`.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A plan.
    Plan(Box<PlanJson>),
    /// A state.
    State(StateJson),
}

/// The form of a plan document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanForm {
    /// The output of `show -json`.
    Show,
    /// The form that engines keep of remote runs, to draw the plan from: with the schemas, without state and configuration.
    Rendered,
}

/// A plan (JS01).
#[derive(Clone, Debug)]
pub struct PlanJson {
    /// Which form this is.
    pub form: PlanForm,
    /// The version of the format, as it stands.
    pub format_version: String,
    /// The version of the engine, where it is given.
    pub terraform_version: Option<String>,
    /// The root variables, by name.
    pub variables: Vec<(String, PlanVariable)>,
    /// The planned values (JS40).
    pub planned_values: Option<StateValues>,
    /// The changes outside of the engine.
    pub resource_drift: Vec<ResourceChangeJson>,
    /// The changes of resource instances.
    pub resource_changes: Vec<ResourceChangeJson>,
    /// Changes deferred to another plan.
    pub deferred_changes: Vec<DeferredChangeJson>,
    /// The changes of root outputs, by name.
    pub output_changes: Vec<(String, OutputChangeJson)>,
    /// The refreshed state (JS50).
    pub prior_state: Option<StateJson>,
    /// The configuration, as it stands.
    pub configuration: Option<Json>,
    /// Attributes by which changes outside may explain changes of the plan.
    pub relevant_attributes: Vec<RelevantAttributeJson>,
    /// The results of checks, as they stand.
    pub checks: Option<Json>,
    /// The time of the plan.
    pub timestamp: Option<String>,
    /// Whether there is anything to apply (L157).
    pub applyable: Option<bool>,
    /// Whether nothing was deferred or excluded.
    pub complete: Option<bool>,
    /// Whether there were errors.
    pub errored: Option<bool>,
    /// The schemas, as they stand, where the form has them; see [`PlanJson::schemas`].
    pub provider_schemas: Option<Json>,
    /// The version of their format, likewise.
    pub provider_format_version: Option<String>,
    /// Members that this reader does not know.
    pub unknown_members: UnknownMembers,
}

/// A root variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanVariable {
    /// Its value; an ephemeral one has none.
    pub value: Option<Json>,
}

/// A change of an object of a resource instance (JS10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceChangeJson {
    /// The instance.
    pub address: InstanceAddress,
    /// The address before moves, if it was moved.
    pub previous_address: Option<InstanceAddress>,
    /// The provider's source; in format 0.1 of Terraform 0.12 its name alone.
    pub provider_name: String,
    /// The key of a deposed object; `None` for the current one.
    pub deposed: Option<String>,
    /// The change.
    pub change: ChangeJson,
    /// The reason.
    pub reason: Reason,
}

/// The reason for the action of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A known reason, or none.
    Known(ActionReason),
    /// A reason of a newer version.
    Other(String),
}

impl Reason {
    /// The reason, as far as it is known.
    pub fn known(&self) -> ActionReason {
        match self {
            Reason::Known(reason) => *reason,
            Reason::Other(_) => ActionReason::None,
        }
    }
}

/// A change deferred to another plan (Terraform).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredChangeJson {
    /// The reason, as it stands.
    pub reason: String,
    /// The change, as far as it is known.
    pub change: ResourceChangeJson,
}

/// An action, its values, and what is unknown and sensitive in them (JS20).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeJson {
    /// The action.
    pub action: Action,
    /// The value before the change; `None` where the document leaves it out.
    pub before: Option<Json>,
    /// The known parts of the value after the change; `None` where it is wholly unknown.
    pub after: Option<Json>,
    /// The unknown parts of it (JS22).
    pub after_unknown: Option<Json>,
    /// The sensitive parts of the value before (JS23).
    pub before_sensitive: Option<Json>,
    /// The sensitive parts of the value after (JS23).
    pub after_sensitive: Option<Json>,
    /// The paths that make this a replacement (JS24).
    pub replace_paths: Vec<PathItems>,
    /// The import that precedes the change, if there is one.
    pub importing: Option<ImportingJson>,
    /// The configuration generated for an import.
    pub generated_config: Option<String>,
    /// The identity before, as it stands.
    pub before_identity: Option<Json>,
    /// The identity after, as it stands.
    pub after_identity: Option<Json>,
}

/// The change of a root output (section 4.4).
pub type OutputChangeJson = ChangeJson;

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportingJson {
    /// The id.
    pub id: Option<String>,
    /// Whether the id is not known yet.
    pub unknown: bool,
    /// The identity, as it stands.
    pub identity: Option<Json>,
}

/// An attribute that explains a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelevantAttributeJson {
    /// The address of the resource, as it stands.
    pub resource: String,
    /// The attribute.
    pub attribute: PathItems,
}
