//! Conversion between plans and plan files.
//!
//! A file that is converted to a plan and back is the same file, but for details without meaning: the order of paths and of
//! names of variables, an address before moves that is the address, and the spelling of an address.

use super::change::FileChange;
use super::document::{self, EngineFields, PlanDocument};
use super::error::{ContentProblem, PlanFileError};
use super::{ConfigFile, Module, PlanFile};
use crate::address::{AbsResourceInstance, Notation, OutputAddress, ResourceMode, Target};
use crate::plans::{
    Backend, Deferred, DynamicValue, EncodedChanges, EncodedOutputChange, OfEngine, OutputChange, Plan,
    RelevantAttribute, Timestamp,
};

/// The content of a plan file besides the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosed {
    /// The version of the engine that made the plan: another one does not read it.
    pub terraform_version: String,
    /// The files of the configuration (PF05).
    pub config: Vec<ConfigFile>,
    /// The modules (PF06).
    pub manifest: Vec<Module>,
    /// The dependency locks (PF07).
    pub locks: Option<Vec<u8>>,
    /// OpenTofu 1.13: the schemas, as they stand (PF08).
    pub schemas: Option<Vec<u8>>,
}

impl PlanFile {
    /// The plan in the file.
    ///
    /// # Errors
    /// Invalid addresses, values and timestamps; the error says where.
    ///
    /// ```
    /// use planfuzz_core::dialect::Engine;
    /// use planfuzz_core::plans::file::{Enclosed, Module, PlanFile};
    /// use planfuzz_core::plans::{Backend, Plan, Timestamp};
    /// use planfuzz_core::state::file::Snapshot;
    ///
    /// let state = Snapshot::empty("1.11.4", "", 0);
    /// let mut plan = Plan::new(Engine::Terraform, Backend::local(), state.clone(), state);
    /// plan.timestamp = Some(Timestamp::parse("2025-01-02T03:04:05Z")?);
    /// let enclosed = Enclosed {
    ///     terraform_version: "1.11.4".to_owned(),
    ///     config: Vec::new(),
    ///     manifest: vec![Module::root()],
    ///     locks: Some(Vec::new()),
    ///     schemas: None,
    /// };
    /// let bytes = PlanFile::of_plan(&plan, enclosed)?.write()?;
    /// assert_eq!(PlanFile::read(&bytes, Engine::Terraform)?.to_plan()?, plan);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_plan(&self) -> Result<Plan, PlanFileError> {
        let document = &self.plan;
        let notation = Notation { engine: document.of_engine.engine() };
        let variables = document.variables.iter().map(|(name, bytes)| {
            let value = DynamicValue::from_msgpack(bytes).ok_or(ContentProblem::EmptyValue);
            Ok((name.clone(), value.map_err(|problem| problem.at(format!("variables[{name:?}]")))?))
        });
        let (of_engine, ephemeral_variables) = of_engine(&document.of_engine, notation)?;
        Ok(Plan {
            mode: document.mode,
            variables: variables.collect::<Result<_, PlanFileError>>()?,
            ephemeral_variables: ephemeral_variables.iter().cloned().collect(),
            changes: changes(document, notation)?,
            drift: each("resource_drift", &document.drift, |it| it.to_change(notation))?,
            targets: each("target_addrs", &document.targets, |it| Ok(notation.target(it)?))?,
            force_replace: each("force_replace_addrs", &document.force_replace, |it| managed(it, notation))?,
            backend: backend(&document.backend).map_err(|problem| problem.at("backend"))?,
            prior_state: self.state.clone(),
            previous_run_state: self.previous.clone(),
            errored: document.errored,
            checks: document.checks.clone(),
            relevant_attributes: each("relevant_attributes", &document.relevant_attributes, |it| {
                Ok(RelevantAttribute { resource: resource(&it.resource, notation)?, attribute: it.attribute.clone() })
            })?,
            timestamp: timestamp(&document.timestamp).map_err(|problem| problem.at("timestamp"))?,
            of_engine,
        })
    }

    /// The content of the file besides the plan.
    pub fn into_enclosed(self) -> Enclosed {
        let PlanFile { plan, state: _, previous: _, config, manifest, locks, schemas } = self;
        Enclosed { terraform_version: plan.terraform_version, config, manifest, locks, schemas }
    }

    /// The file of a plan. Outputs of modules other than the root are left out, and marks of variables: no file has them (PL62).
    ///
    /// # Errors
    /// Changes with values that files do not have for their action; the error says where.
    pub fn of_plan(plan: &Plan, enclosed: Enclosed) -> Result<PlanFile, PlanFileError> {
        let Enclosed { terraform_version, config, manifest, locks, schemas } = enclosed;
        let resources: Vec<_> = plan.changes.resources().collect();
        let outputs: Vec<_> = plan.changes.root_output_values().collect();
        let texts = |targets: &[Target]| targets.iter().map(Target::to_string).collect();
        let document = PlanDocument {
            mode: plan.mode,
            terraform_version,
            timestamp: plan.timestamp.as_ref().map(Timestamp::to_string).unwrap_or_default(),
            errored: plan.errored,
            variables: plan.variables.iter().map(|(name, value)| (name.clone(), value.as_msgpack().to_vec())).collect(),
            changes: each("resource_changes", &resources, |it| FileChange::of_change(it))?,
            drift: each("resource_drift", &plan.drift, FileChange::of_change)?,
            outputs: each("output_changes", &outputs, |it| file_output(it))?,
            targets: texts(&plan.targets),
            force_replace: plan.force_replace.iter().map(AbsResourceInstance::to_string).collect(),
            backend: document::Backend {
                type_name: plan.backend.type_name().to_owned(),
                config: plan.backend.config().as_msgpack().to_vec(),
                workspace: plan.backend.workspace().to_owned(),
            },
            relevant_attributes: plan.relevant_attributes.iter().map(file_relevant).collect(),
            checks: plan.checks.clone(),
            of_engine: engine_fields(plan)?,
        };
        let (state, previous) = (plan.prior_state.clone(), plan.previous_run_state.clone());
        Ok(PlanFile { plan: document, state, previous, config, manifest, locks, schemas })
    }
}

/// Converts the items of a list; errors say which one.
fn each<T, U>(
    list: &str,
    items: &[T],
    turn: impl Fn(&T) -> Result<U, ContentProblem>,
) -> Result<Vec<U>, PlanFileError> {
    let items = items.iter().enumerate();
    items.map(|(index, item)| turn(item).map_err(|problem| problem.at(format!("{list}[{index}]")))).collect()
}

fn changes(document: &PlanDocument, notation: Notation) -> Result<EncodedChanges, PlanFileError> {
    let mut changes = EncodedChanges::new();
    let resources = each("resource_changes", &document.changes, |it| it.to_change(notation))?;
    resources.into_iter().for_each(|change| changes.append_resource(change));
    let outputs = each("output_changes", &document.outputs, output)?;
    outputs.into_iter().for_each(|output| changes.append_output(output));
    Ok(changes)
}

fn output(output: &document::OutputChange) -> Result<EncodedOutputChange, ContentProblem> {
    let addr = OutputAddress::of_root(&output.name);
    Ok(OutputChange::new(addr, output.values.to_change()?, output.sensitive)?)
}

fn file_output(output: &EncodedOutputChange) -> Result<document::OutputChange, ContentProblem> {
    let values = super::Values::of_change(output.change())?;
    Ok(document::OutputChange { name: output.addr().name.clone(), values, sensitive: output.sensitive() })
}

fn managed(text: &str, notation: Notation) -> Result<AbsResourceInstance, ContentProblem> {
    let addr = notation.instance(text)?;
    match addr.resource.mode {
        ResourceMode::Managed => Ok(addr),
        _ => Err(ContentProblem::AddressOf { of: "a managed resource instance", found: text.to_owned() }),
    }
}

fn resource(text: &str, notation: Notation) -> Result<Target, ContentProblem> {
    match notation.target(text)? {
        Target::Module(module) => Err(ContentProblem::AddressOf { of: "a resource", found: module.to_string() }),
        resource => Ok(resource),
    }
}

fn file_relevant(relevant: &RelevantAttribute) -> document::RelevantAttribute {
    document::RelevantAttribute { resource: relevant.resource.to_string(), attribute: relevant.attribute.clone() }
}

fn backend(backend: &document::Backend) -> Result<Backend, ContentProblem> {
    let config = DynamicValue::from_msgpack(&backend.config);
    let config = config.ok_or(ContentProblem::Absent("the configuration of the backend"))?;
    let backend = Backend::new(&backend.type_name, config, &backend.workspace);
    backend.ok_or(ContentProblem::Absent("the type of the backend"))
}

/// `None` for the empty text: the first engines of version 1 wrote no timestamp.
fn timestamp(text: &str) -> Result<Option<Timestamp>, ContentProblem> {
    Ok(if text.is_empty() { None } else { Some(Timestamp::parse(text)?) })
}

/// The fields that only one engine has, and the names of ephemeral variables, which both have.
fn of_engine(fields: &EngineFields, notation: Notation) -> Result<(OfEngine, &[String]), PlanFileError> {
    Ok(match fields {
        EngineFields::Terraform { applyable, complete, deferred, apply_time_variables, function_results } => {
            let deferred = each("deferred_changes", deferred, |(reason, change)| {
                Ok(Deferred { reason: *reason, change: change.to_deferred(notation)? })
            })?;
            let (applyable, complete) = (*applyable, *complete);
            let (function_results, variable_marks) = (function_results.clone(), Default::default());
            let of_engine = OfEngine::Terraform { applyable, complete, deferred, function_results, variable_marks };
            (of_engine, apply_time_variables)
        }
        EngineFields::OpenTofu { excludes, ephemeral_variables, execution_graph, destroying } => {
            let excludes = each("exclude_addrs", excludes, |it| Ok(notation.target(it)?))?;
            let (execution_graph, destroying) = (execution_graph.clone(), *destroying);
            (OfEngine::OpenTofu { excludes, execution_graph, destroying }, ephemeral_variables)
        }
    })
}

fn engine_fields(plan: &Plan) -> Result<EngineFields, PlanFileError> {
    let ephemeral = plan.ephemeral_variables.iter().cloned().collect();
    Ok(match &plan.of_engine {
        OfEngine::Terraform { applyable, complete, deferred, function_results, variable_marks: _ } => {
            EngineFields::Terraform {
                applyable: *applyable,
                complete: *complete,
                deferred: each("deferred_changes", deferred, |it| Ok((it.reason, FileChange::of_change(&it.change)?)))?,
                apply_time_variables: ephemeral,
                function_results: function_results.clone(),
            }
        }
        OfEngine::OpenTofu { excludes, execution_graph, destroying } => EngineFields::OpenTofu {
            excludes: excludes.iter().map(Target::to_string).collect(),
            ephemeral_variables: ephemeral,
            execution_graph: execution_graph.clone(),
            destroying: *destroying,
        },
    })
}

#[cfg(test)]
mod tests;
