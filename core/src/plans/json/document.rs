//! A plan as `show -json` says it.

use super::members::UnknownMembers;
use super::place::{InstanceAddress, PathItems};
use super::state::{StateJson, StateValues};
use crate::json::Json;
use crate::plans::{Action, ActionReason};

/// What `show -json` was asked for.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A plan.
    Plan(Box<PlanJson>),
    /// A state.
    State(StateJson),
}

/// Which of the two forms of a plan this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanForm {
    /// That of `show -json`.
    Show,
    /// That which engines keep of remote runs: what the plan is drawn from, with the schemas, without state and configuration.
    Rendered,
}

/// A plan (JS01).
#[derive(Clone, Debug)]
pub struct PlanJson {
    /// Which form this is.
    pub form: PlanForm,
    /// The version of the format, as it stands.
    pub format_version: String,
    /// The version of the engine, where it is told.
    pub terraform_version: Option<String>,
    /// The root variables, by name.
    pub variables: Vec<(String, PlanVariable)>,
    /// What is planned to be (JS40).
    pub planned_values: Option<StateValues>,
    /// What changed outside.
    pub resource_drift: Vec<ResourceChangeJson>,
    /// The changes of resource instances.
    pub resource_changes: Vec<ResourceChangeJson>,
    /// Changes put off to another plan.
    pub deferred_changes: Vec<DeferredChangeJson>,
    /// The changes of root outputs, by name.
    pub output_changes: Vec<(String, OutputChangeJson)>,
    /// The refreshed state (JS50).
    pub prior_state: Option<StateJson>,
    /// The configuration, as it stands.
    pub configuration: Option<Json>,
    /// What outside changes may explain.
    pub relevant_attributes: Vec<RelevantAttributeJson>,
    /// What came of checks, as it stands.
    pub checks: Option<Json>,
    /// When the plan was made.
    pub timestamp: Option<String>,
    /// Whether there is anything to apply (L157).
    pub applyable: Option<bool>,
    /// Whether nothing was deferred or left out.
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
    /// Where it was, if it moved.
    pub previous_address: Option<InstanceAddress>,
    /// The provider's source; in format 0.1 of Terraform 0.12 its name alone.
    pub provider_name: String,
    /// The key of a deposed object; nothing for the current one.
    pub deposed: Option<String>,
    /// What changes.
    pub change: ChangeJson,
    /// Why.
    pub reason: Reason,
}

/// Why a change has its action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A reason that is known here; maybe none is given.
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

/// A change put off to another plan (Terraform).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredChangeJson {
    /// Why, as it stands.
    pub reason: String,
    /// What would change, as far as is known.
    pub change: ResourceChangeJson,
}

/// An action, its values, and what is unknown and sensitive in them (JS20).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeJson {
    /// What is done.
    pub action: Action,
    /// The value as it is; nothing where the document leaves it out.
    pub before: Option<Json>,
    /// The known parts of the value as it is to be; nothing where it is wholly unknown.
    pub after: Option<Json>,
    /// What is unknown in it (JS22).
    pub after_unknown: Option<Json>,
    /// What is sensitive in the value as it is (JS23).
    pub before_sensitive: Option<Json>,
    /// What is sensitive in the value as it is to be (JS23).
    pub after_sensitive: Option<Json>,
    /// The paths that make this a replacement (JS24).
    pub replace_paths: Vec<PathItems>,
    /// What is imported first, if anything.
    pub importing: Option<ImportingJson>,
    /// The configuration made for what is imported.
    pub generated_config: Option<String>,
    /// The identity before, as it stands.
    pub before_identity: Option<Json>,
    /// The identity after, as it stands.
    pub after_identity: Option<Json>,
}

/// The change of a root output (section 4.4).
pub type OutputChangeJson = ChangeJson;

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportingJson {
    /// By which id.
    pub id: Option<String>,
    /// Whether the id is not known yet.
    pub unknown: bool,
    /// By which identity, as it stands.
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
