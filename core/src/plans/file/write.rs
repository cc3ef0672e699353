//! Writing plan files.

use std::borrow::Cow;

use prost::Message;

use super::change::{FileChange, Importing, Sides, Values, sides};
use super::codes::Numbered;
use super::document::{CheckResult, EngineFields, OutputChange, PlanDocument, RelevantAttribute};
use super::error::{ContentProblem, PlanFileError};
use super::{CONFIG, LOCKS, MANIFEST, Module, PLAN, PREVIOUS, PlanFile, SCHEMAS, STATE, container, path, proto};
use crate::dialect::Engine;
use crate::json::Json;
use crate::state::file::Snapshot;

impl PlanFile {
    /// Writes the file, members in the order of PF01 to PF08.
    ///
    /// # Errors
    /// Content that the engine's files cannot hold, and a name twice among the files of a module.
    pub fn write(&self) -> Result<Vec<u8>, PlanFileError> {
        let engine = self.plan.of_engine.engine();
        let plan = self.plan.write()?;
        let [state, previous] = [&self.state, &self.previous].map(|state| state_text(state, engine));
        let members = [(PLAN, &plan[..]), (STATE, state.as_bytes()), (PREVIOUS, previous.as_bytes())];
        let members = members.map(|(name, contents)| (name.to_owned(), Cow::Borrowed(contents)));
        container::pack(members.into_iter().chain(around(self)))
    }
}

/// The members besides plan and states, in their order.
pub(super) fn around(file: &PlanFile) -> impl Iterator<Item = (String, Cow<'_, [u8]>)> {
    let mut manifest = manifest(&file.manifest).to_indented();
    manifest.truncate(manifest.trim_end().len());
    let config = file.config.iter();
    let config = config.map(|of| (format!("{CONFIG}{}/{}", of.module, of.name), Cow::Borrowed(&of.contents[..])));
    let rest = [
        (MANIFEST, Some(Cow::Owned(manifest.into_bytes()))),
        (LOCKS, file.locks.as_deref().map(Cow::Borrowed)),
        (SCHEMAS, file.schemas.as_deref().map(Cow::Borrowed)),
    ];
    let rest = rest.into_iter().filter_map(|(name, contents)| Some((name.to_owned(), contents?)));
    config.chain(rest)
}

/// ST08.
fn state_text(state: &Snapshot, engine: Engine) -> String {
    match engine {
        Engine::Terraform => state.to_indented(),
        Engine::OpenTofu => state.to_compact(),
    }
}

/// PF06.
fn manifest(modules: &[Module]) -> Json {
    let mut sorted: Vec<&Module> = modules.iter().collect();
    sorted.sort_by_key(|module| &module.key);
    let module = |module: &Module| {
        let member = |name, text: &Option<String>| text.as_deref().map(|text| (name, Json::string(text)));
        let source = member("Source", &module.source);
        let version = member("Version", &module.version);
        let key = Some(("Key", Json::string(&module.key)));
        let dir = Some(("Dir", Json::string(&module.dir)));
        Json::object([key, source, version, dir].into_iter().flatten())
    };
    Json::Array(sorted.into_iter().map(module).collect())
}

impl PlanDocument {
    /// Writes the member `tfplan`.
    ///
    /// # Errors
    /// Content that the engine's files cannot hold.
    pub fn write(&self) -> Result<Vec<u8>, PlanFileError> {
        Ok(message(self)?.encode_to_vec())
    }
}

pub(super) fn message(plan: &PlanDocument) -> Result<proto::Plan, PlanFileError> {
    let engine = plan.of_engine.engine();
    let variable =
        |(name, value): (&String, &Vec<u8>)| proto::Variable { name: name.clone(), value: Some(dynamic(value)) };
    let mut message = proto::Plan {
        version: 3,
        variables: plan.variables.iter().map(variable).collect(),
        resource_changes: each("resource_changes", &plan.changes, |it| change(it, engine))?,
        output_changes: each("output_changes", &plan.outputs, |it| output(it, engine))?,
        target_addrs: plan.targets.clone(),
        backend: Some(proto::Backend {
            r#type: plan.backend.type_name.clone(),
            config: Some(dynamic(&plan.backend.config)),
            workspace: plan.backend.workspace.clone(),
        }),
        terraform_version: plan.terraform_version.clone(),
        relevant_attributes: each("relevant_attributes", &plan.relevant_attributes, relevant)?,
        force_replace_addrs: plan.force_replace.clone(),
        ui_mode: plan.mode.code(engine).map_err(|problem| problem.at("ui_mode"))?,
        resource_drift: each("resource_drift", &plan.drift, |it| change(it, engine))?,
        check_results: each("check_results", &plan.checks, |it| checks(it, engine))?,
        errored: plan.errored,
        timestamp: plan.timestamp.clone(),
        ..proto::Plan::default()
    };
    engine_fields(&plan.of_engine, &mut message)?;
    Ok(message)
}

/// Writes the items of a list; errors say which one.
fn each<T, U>(
    list: &str,
    items: &[T],
    write: impl Fn(&T) -> Result<U, ContentProblem>,
) -> Result<Vec<U>, PlanFileError> {
    let items = items.iter().enumerate();
    items.map(|(index, item)| write(item).map_err(|problem| problem.at(format!("{list}[{index}]")))).collect()
}

fn dynamic(msgpack: &[u8]) -> proto::DynamicValue {
    proto::DynamicValue { msgpack: msgpack.to_vec() }
}

fn engine_fields(fields: &EngineFields, message: &mut proto::Plan) -> Result<(), PlanFileError> {
    match fields {
        EngineFields::Terraform { applyable, complete, deferred, apply_time_variables, function_results } => {
            message.applyable = *applyable;
            message.complete = *complete;
            message.deferred_changes = each("deferred_changes", deferred, |(reason, deferred)| {
                let deferral = proto::Deferred { reason: reason.code(Engine::Terraform)? };
                let change = change(deferred, Engine::Terraform)?;
                Ok(proto::DeferredChange { deferred: Some(deferral), change: Some(change) })
            })?;
            message.apply_time_variables.clone_from(apply_time_variables);
            let results = function_results.iter().map(|result| {
                let result = proto::ProviderFunctionResult { key: result.key.clone(), result: result.result.clone() };
                result.encode_to_vec()
            });
            message.function_results_or_ephemeral_variables = results.collect();
        }
        EngineFields::OpenTofu { excludes, ephemeral_variables, execution_graph, destroying } => {
            message.exclude_addrs.clone_from(excludes);
            let names = ephemeral_variables.iter().map(|name| name.clone().into_bytes());
            message.function_results_or_ephemeral_variables = names.collect();
            message.temp_execution_graph.clone_from(execution_graph);
            message.destroying = *destroying;
        }
    }
    Ok(())
}

pub(super) fn relevant(relevant: &RelevantAttribute) -> Result<proto::RelevantAttribute, ContentProblem> {
    let attr = Some(path::write(&relevant.attribute)?);
    Ok(proto::RelevantAttribute { resource: relevant.resource.clone(), attr })
}

pub(super) fn change(change: &FileChange, engine: Engine) -> Result<proto::ResourceInstanceChange, ContentProblem> {
    if change.addr.is_empty() {
        return Err(ContentProblem::Absent("an address"));
    }
    let moved = change.prev_run_addr.as_ref().filter(|before| **before != change.addr);
    Ok(proto::ResourceInstanceChange {
        deposed_key: change.deposed.as_ref().map(|key| key.as_str().to_owned()).unwrap_or_default(),
        provider: change.provider.clone(),
        change: Some(values(&change.values, engine)?),
        private: change.private.as_bytes().to_vec(),
        required_replace: path::write_all(&change.required_replace)?,
        action_reason: change.reason.code(engine)?,
        addr: change.addr.clone(),
        prev_run_addr: moved.cloned().unwrap_or_default(),
    })
}

/// PF30.
fn values(values: &Values, engine: Engine) -> Result<proto::Change, ContentProblem> {
    let Values { before, after, before_identity, after_identity, .. } = values;
    let value = |side: &Option<Vec<u8>>| match side.as_deref() {
        None => Err(ContentProblem::Absent("a value that the action has")),
        Some([]) => Err(ContentProblem::EmptyValue),
        Some(bytes) => Ok(dynamic(bytes)),
    };
    let written = match sides(values.action) {
        Sides::Same | Sides::Before => vec![value(before)?],
        Sides::After => vec![value(after)?],
        Sides::Both => vec![value(before)?, value(after)?],
    };
    if engine == Engine::Terraform && (before_identity.is_some() || after_identity.is_some()) {
        return Err(ContentProblem::OtherEngine("identities"));
    }
    Ok(proto::Change {
        action: values.action.code(engine)?,
        values: written,
        before_sensitive_paths: path::write_all(&values.before_sensitive)?,
        after_sensitive_paths: path::write_all(&values.after_sensitive)?,
        importing: values.importing.iter().map(|it| importing(it, engine)).collect::<Result<_, _>>()?,
        generated_config: values.generated_config.clone(),
        before_identity: before_identity.as_deref().map(dynamic),
        after_identity: after_identity.as_deref().map(dynamic),
    })
}

fn importing(importing: &Importing, engine: Engine) -> Result<Vec<u8>, ContentProblem> {
    match (importing, engine) {
        // Both engines give the id the same number.
        (Importing::Id(id), _) => Ok(proto::ImportingById { id: id.clone(), unknown: false }.encode_to_vec()),
        (Importing::Unknown, Engine::Terraform) => {
            Ok(proto::ImportingById { id: String::new(), unknown: true }.encode_to_vec())
        }
        (Importing::Identity { id, identity }, Engine::OpenTofu) => {
            Ok(proto::ImportingByIdentity { id: id.clone(), identity: Some(dynamic(identity)) }.encode_to_vec())
        }
        (Importing::Unknown, Engine::OpenTofu) => Err(ContentProblem::OtherEngine("an unknown id")),
        (Importing::Identity { .. }, Engine::Terraform) => Err(ContentProblem::OtherEngine("an identity")),
    }
}

fn output(output: &OutputChange, engine: Engine) -> Result<proto::OutputChange, ContentProblem> {
    let change = Some(values(&output.values, engine)?);
    Ok(proto::OutputChange { name: output.name.clone(), change, sensitive: output.sensitive })
}

pub(super) fn checks(result: &CheckResult, engine: Engine) -> Result<proto::CheckResults, ContentProblem> {
    let objects = result.objects.iter().map(|object| {
        Ok(proto::CheckObject {
            object_addr: object.address.clone(),
            status: object.status.code(engine)?,
            failure_messages: object.failures.clone(),
        })
    });
    Ok(proto::CheckResults {
        kind: result.kind.code(engine)?,
        config_addr: result.address.clone(),
        status: result.status.code(engine)?,
        objects: objects.collect::<Result<_, ContentProblem>>()?,
    })
}
