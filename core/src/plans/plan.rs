//! Plans (PL62 to PL66).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::Hash;

use super::addressed::EncodedAddressedChange;
use super::changes::EncodedChanges;
use super::dynamic_value::DynamicValue;
use super::file::{CheckResult, DeferredReason, FunctionResult};
use super::mode::Mode;
use super::timestamp::Timestamp;
use crate::address::{AbsResourceInstance, ProviderConfig, ResourceKind, Target};
use crate::dialect::Engine;
use crate::json::Json;
use crate::state::file::{Snapshot, StoredObject, StoredResource};
use crate::value::{PathSet, WrittenPath};

/// A plan (PL62), its values encoded.
///
/// Fields that only version 0.15 had are left out. The planned state of OpenTofu, which no file has, is computed from the
/// changes: [`Changes::planned_state`](super::Changes::planned_state).
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The mode of the plan.
    pub mode: Mode,
    /// The values of root variables that the caller set, written against the dynamic type.
    pub variables: BTreeMap<String, DynamicValue>,
    /// The names of ephemeral variables that have to be set again when the plan is applied.
    pub ephemeral_variables: BTreeSet<String>,
    /// The planned changes. A file has the outputs of the root module alone.
    pub changes: EncodedChanges,
    /// The changes outside of the engine.
    pub drift: Vec<EncodedAddressedChange>,
    /// The parts to which the plan is restricted.
    pub targets: Vec<Target>,
    /// Managed resource instances that are to be replaced. Engines leave it empty in files.
    pub force_replace: Vec<AbsResourceInstance>,
    /// Where the state is.
    pub backend: Backend,
    /// The refreshed state.
    pub prior_state: Snapshot,
    /// The state of the previous run.
    pub previous_run_state: Snapshot,
    /// Whether there were errors.
    pub errored: bool,
    /// The results of checks.
    pub checks: Vec<CheckResult>,
    /// Attributes that explain changes.
    pub relevant_attributes: Vec<RelevantAttribute>,
    /// The time of the plan; `None` in plans of the first engines of version 1.
    pub timestamp: Option<Timestamp>,
    /// The fields that only one engine has.
    pub of_engine: OfEngine,
}

/// The fields that only the plans of one engine have.
#[derive(Clone, Debug, PartialEq)]
pub enum OfEngine {
    /// Terraform.
    Terraform {
        /// Whether there is anything to apply (L157).
        applyable: bool,
        /// Whether nothing was deferred or left out by targets.
        complete: bool,
        /// Changes deferred to another plan.
        deferred: Vec<Deferred>,
        /// The results of provider functions.
        function_results: Vec<FunctionResult>,
        /// The sensitive parts of the values of variables. No file has them.
        variable_marks: BTreeMap<String, PathSet>,
    },
    /// OpenTofu.
    OpenTofu {
        /// The parts that the plan excludes.
        excludes: Vec<Target>,
        /// The graph to execute, in a format that is not stable.
        execution_graph: Vec<u8>,
        /// Since 1.13: whether the plan destroys.
        destroying: bool,
    },
}

/// The location of the state (PL66). Neither the type nor the configuration is ever empty: engines refuse to write such a
/// plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    type_name: String,
    config: DynamicValue,
    workspace: String,
}

/// A change deferred to another plan (Terraform).
#[derive(Clone, Debug, PartialEq)]
pub struct Deferred {
    /// The reason.
    pub reason: DeferredReason,
    /// The change.
    pub change: EncodedAddressedChange<DeferredAddress>,
}

/// The address of a deferred change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeferredAddress {
    /// An instance.
    Instance(AbsResourceInstance),
    /// Instances whose keys are not known yet, as text: `module.a[*].t.n[*]`.
    Pattern(String),
}

impl fmt::Display for DeferredAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeferredAddress::Instance(addr) => AbsResourceInstance::fmt(addr, out),
            DeferredAddress::Pattern(text) => out.write_str(text),
        }
    }
}

/// An attribute that explains a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelevantAttribute {
    /// The resource, or an instance of it.
    pub resource: Target,
    /// The attribute.
    pub attribute: WrittenPath,
}

/// A quality of a plan as people see it (PL65), by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quality {
    /// There were errors.
    Errored = 0,
    /// There is nothing to apply; in Terraform only without errors.
    NoChanges = 1,
    /// OpenTofu: it was restricted to a part.
    Targeted = 2,
}

impl Plan {
    /// A plan of an engine without changes, which therefore cannot be applied.
    ///
    /// ```
    /// use planfuzz_core::dialect::Engine;
    /// use planfuzz_core::plans::{Backend, Plan, Quality};
    /// use planfuzz_core::state::file::Snapshot;
    ///
    /// let state = Snapshot::empty("1.11.4", "", 0);
    /// let plan = Plan::new(Engine::Terraform, Backend::local(), state.clone(), state);
    /// assert!(!plan.can_apply());
    /// assert_eq!(plan.qualities(), [Quality::NoChanges]);
    /// ```
    pub fn new(engine: Engine, backend: Backend, prior_state: Snapshot, previous_run_state: Snapshot) -> Plan {
        Plan {
            mode: Mode::Normal,
            variables: BTreeMap::new(),
            ephemeral_variables: BTreeSet::new(),
            changes: EncodedChanges::new(),
            drift: Vec::new(),
            targets: Vec::new(),
            force_replace: Vec::new(),
            backend,
            prior_state,
            previous_run_state,
            errored: false,
            checks: Vec::new(),
            relevant_attributes: Vec::new(),
            timestamp: None,
            of_engine: OfEngine::new(engine),
        }
    }

    /// The engine of the plan.
    pub fn engine(&self) -> Engine {
        self.of_engine.engine()
    }

    /// PL63: the provider configurations of all changes of resource instances, each once, by the bytes of their texts.
    pub fn provider_addrs(&self) -> Vec<&ProviderConfig> {
        let all: HashSet<&ProviderConfig> = self.changes.resources().map(|change| &change.provider).collect();
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_cached_key(|provider| provider.to_string());
        all
    }

    /// PL64: whether the plan can be applied. A Terraform plan has a flag for it; an OpenTofu plan can be applied if it [has
    /// a purpose](Plan::has_purpose).
    pub fn can_apply(&self) -> bool {
        match &self.of_engine {
            OfEngine::Terraform { applyable, .. } => *applyable,
            OfEngine::OpenTofu { .. } => self.has_purpose(),
        }
    }

    /// Whether there were no errors, and either a change, or a refresh-only plan that records a difference between the
    /// states: managed objects, in Terraform root outputs too. Terraform calls such a plan applyable (L157).
    pub fn has_purpose(&self) -> bool {
        !self.errored && (!self.changes.is_empty() || self.mode == Mode::RefreshOnly && self.has_taken_in())
    }

    fn has_taken_in(&self) -> bool {
        let (prior, previous) = (&self.prior_state, &self.previous_run_state);
        let outputs = |state| match self.engine() {
            Engine::Terraform => root_outputs(state),
            Engine::OpenTofu => BTreeMap::new(),
        };
        managed_objects(prior) != managed_objects(previous) || outputs(prior) != outputs(previous)
    }

    /// PL65: the qualities of the plan as people see them, by number.
    pub fn qualities(&self) -> Vec<Quality> {
        let (unchanged, targeted) = match &self.of_engine {
            OfEngine::Terraform { applyable, .. } => (!self.errored && !applyable, false),
            OfEngine::OpenTofu { excludes, .. } => {
                (!self.can_apply(), !self.targets.is_empty() || !excludes.is_empty())
            }
        };
        let all = [(Quality::Errored, self.errored), (Quality::NoChanges, unchanged), (Quality::Targeted, targeted)];
        all.into_iter().filter(|(_, is_so)| *is_so).map(|(quality, _)| quality).collect()
    }
}

impl OfEngine {
    fn new(engine: Engine) -> OfEngine {
        match engine {
            Engine::Terraform => OfEngine::Terraform {
                applyable: false,
                complete: true,
                deferred: Vec::new(),
                function_results: Vec::new(),
                variable_marks: BTreeMap::new(),
            },
            Engine::OpenTofu => {
                OfEngine::OpenTofu { excludes: Vec::new(), execution_graph: Vec::new(), destroying: false }
            }
        }
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        match self {
            OfEngine::Terraform { .. } => Engine::Terraform,
            OfEngine::OpenTofu { .. } => Engine::OpenTofu,
        }
    }
}

impl Backend {
    /// A backend of a type with a configuration, written against the type that its schema implies; `None` if the type is
    /// empty.
    pub fn new(type_name: &str, config: DynamicValue, workspace: &str) -> Option<Backend> {
        let [type_name, workspace] = [type_name, workspace].map(str::to_owned);
        (!type_name.is_empty()).then_some(Backend { type_name, config, workspace })
    }

    /// The backend with the state beside the configuration, the default.
    pub fn local() -> Backend {
        let super::file::Backend { type_name, config, workspace } = super::file::Backend::local();
        let config = DynamicValue::from_msgpack(&config).unwrap_or_else(DynamicValue::null);
        Backend { type_name, config, workspace }
    }

    /// The type.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// The configuration.
    pub fn config(&self) -> &DynamicValue {
        &self.config
    }

    /// The workspace.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }
}

/// The managed objects of a state by their addresses. The order of paths and dependencies does not count.
fn managed_objects(state: &Snapshot) -> HashMap<impl Eq + Hash, impl PartialEq> {
    let managed = state.resources.iter().filter(|resource| resource.kind == ResourceKind::Managed);
    let objects = managed.flat_map(|resource| {
        let StoredResource { module, kind: _, type_name, name, provider, objects } = resource;
        objects.iter().map(move |object| {
            let StoredObject { key, deposed, provider: own_provider, status, schema_version, attributes, .. } = object;
            let StoredObject { sensitive, identity, private, dependencies, depends_on, .. } = object;
            let place = (module, type_name, name, key, deposed);
            let value = (schema_version, attributes, sensitive.iter().collect::<BTreeSet<_>>(), identity, private);
            let needs: [BTreeSet<&String>; 2] = [dependencies.iter().collect(), depends_on.iter().collect()];
            let flags = (status, object.create_before_destroy, object.skip_destroy);
            (place, (provider, own_provider, value, needs, flags))
        })
    });
    objects.collect()
}

/// The root outputs of a state by name.
fn root_outputs(state: &Snapshot) -> BTreeMap<&str, &Json> {
    state.outputs.iter().map(|(name, output)| (&**name, output)).collect()
}

#[cfg(test)]
mod tests;
