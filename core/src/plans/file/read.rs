//! Reading plan files.

use prost::Message;

use super::change::{FileChange, Importing, Sides, Values, sides};
use super::codes::Numbered;
use super::container::{self, Member};
use super::document::{
    Backend, CheckObject, CheckResult, EngineFields, FunctionResult, OutputChange, PlanDocument, RelevantAttribute,
};
use super::error::{Bound, ContentProblem, PlanFileError};
use super::{
    CONFIG, ConfigFile, LOCKS, MANIFEST, MAX_MESSAGE_BYTES, Module, PLAN, PREVIOUS, PlanFile, SCHEMAS, STATE, path,
    proto, scan,
};
use crate::dialect::Engine;
use crate::json::{Json, JsonError, ObjectReader};
use crate::state::file::Snapshot;
use crate::state::{DeposedKey, Private};

impl PlanFile {
    /// Reads the plan file of an engine.
    ///
    /// # Errors
    /// Bytes that are no plan file of the engine, and exceeded bounds; the first problem met.
    pub fn read(bytes: &[u8], engine: Engine) -> Result<PlanFile, PlanFileError> {
        let mut members = Members::default();
        container::unpack(bytes)?.into_iter().try_for_each(|member| members.sort(member))?;
        let plan = required(members.plan.take(), PLAN)?;
        // Before the message: a file without this member is of another version (PF04).
        let previous = state(members.previous.take(), PREVIOUS)?;
        let plan = PlanDocument::read(&plan, engine)?;
        let state = state(members.state.take(), STATE)?;
        members.around(plan, state, previous)
    }
}

/// The members of a file by their purpose.
#[derive(Default)]
pub(super) struct Members {
    plan: Option<Vec<u8>>,
    state: Option<Vec<u8>>,
    previous: Option<Vec<u8>>,
    config: Vec<ConfigFile>,
    manifest: Option<Vec<u8>>,
    locks: Option<Vec<u8>>,
    schemas: Option<Vec<u8>>,
}

impl Members {
    pub(super) fn sort(&mut self, (name, contents): Member) -> Result<(), PlanFileError> {
        match name.as_str() {
            PLAN => self.plan = Some(contents),
            STATE => self.state = Some(contents),
            PREVIOUS => self.previous = Some(contents),
            MANIFEST => self.manifest = Some(contents),
            LOCKS => self.locks = Some(contents),
            SCHEMAS => self.schemas = Some(contents),
            other => match other.strip_prefix(CONFIG).and_then(|rest| rest.split_once('/')) {
                Some((module, name)) => {
                    self.config.push(ConfigFile { module: module.to_owned(), name: name.to_owned(), contents });
                }
                None => return Err(PlanFileError::UnknownMember { name: other.chars().take(60).collect() }),
            },
        }
        Ok(())
    }

    /// The file of a plan, its states and these members.
    pub(super) fn around(
        self,
        plan: PlanDocument,
        state: Snapshot,
        previous: Snapshot,
    ) -> Result<PlanFile, PlanFileError> {
        let manifest = required(self.manifest, MANIFEST)?;
        let manifest = manifest_of(&manifest).map_err(|error| PlanFileError::Manifest { error })?;
        let Members { config, locks, schemas, .. } = self;
        Ok(PlanFile { plan, state, previous, config, manifest, locks, schemas })
    }
}

fn required(member: Option<Vec<u8>>, name: &'static str) -> Result<Vec<u8>, PlanFileError> {
    member.ok_or(PlanFileError::Missing { name })
}

fn state(member: Option<Vec<u8>>, name: &'static str) -> Result<Snapshot, PlanFileError> {
    Snapshot::read(&required(member, name)?).map_err(|error| PlanFileError::State { name, error })
}

fn manifest_of(bytes: &[u8]) -> Result<Vec<Module>, JsonError> {
    Json::parse_bytes(bytes)?.read_items(|json| {
        let text = |json: &Json| json.expect_string().map(str::to_owned);
        let mut members = ObjectReader::new(json, "a module")?;
        let module = Module {
            key: members.required("Key", text)?,
            source: members.optional("Source", text)?,
            version: members.optional("Version", text)?,
            dir: members.required("Dir", text)?,
        };
        members.finish().map(|()| module)
    })
}

impl PlanDocument {
    /// Reads the member `tfplan` of an engine's plan file.
    ///
    /// # Errors
    /// Bytes that are no such message, and a message that takes too much memory.
    pub fn read(bytes: &[u8], engine: Engine) -> Result<PlanDocument, PlanFileError> {
        if !scan::fits(bytes, MAX_MESSAGE_BYTES) {
            return Err(PlanFileError::TooMuch { bound: Bound::Message });
        }
        document(proto::Plan::decode(bytes)?, engine)
    }
}

fn document(mut plan: proto::Plan, engine: Engine) -> Result<PlanDocument, PlanFileError> {
    if plan.version != 3 {
        return Err(ContentProblem::Version(plan.version).at("version"));
    }
    let of_engine = engine_fields(&mut plan, engine)?;
    let variables = plan.variables.into_iter().map(|of| (of.name, of.value.unwrap_or_default().msgpack));
    Ok(PlanDocument {
        mode: Numbered::of(plan.ui_mode, engine).map_err(|problem| problem.at("ui_mode"))?,
        terraform_version: plan.terraform_version,
        timestamp: plan.timestamp,
        errored: plan.errored,
        variables: variables.collect(),
        changes: each("resource_changes", plan.resource_changes, |it| change(it, engine))?,
        drift: each("resource_drift", plan.resource_drift, |it| change(it, engine))?,
        outputs: each("output_changes", plan.output_changes, |it| output(it, engine))?,
        targets: plan.target_addrs,
        force_replace: plan.force_replace_addrs,
        backend: backend(plan.backend).map_err(|problem| problem.at("backend"))?,
        relevant_attributes: each("relevant_attributes", plan.relevant_attributes, relevant)?,
        checks: each("check_results", plan.check_results, |it| checks(it, engine))?,
        of_engine,
    })
}

/// Reads the items of a list; errors say which one.
fn each<T, U>(
    list: &str,
    items: Vec<T>,
    read: impl Fn(T) -> Result<U, ContentProblem>,
) -> Result<Vec<U>, PlanFileError> {
    let items = items.into_iter().enumerate();
    items.map(|(index, item)| read(item).map_err(|problem| problem.at(format!("{list}[{index}]")))).collect()
}

/// Takes the fields that only one engine has out of the message; those of the other engine must be absent.
fn engine_fields(plan: &mut proto::Plan, engine: Engine) -> Result<EngineFields, PlanFileError> {
    let shared = std::mem::take(&mut plan.function_results_or_ephemeral_variables);
    let foreign = |name: &'static str| ContentProblem::OtherEngine(name).at("plan");
    match engine {
        Engine::Terraform => {
            if !plan.exclude_addrs.is_empty() {
                return Err(foreign("exclude_addrs"));
            }
            if !plan.temp_execution_graph.is_empty() || plan.destroying {
                return Err(foreign("temp_execution_graph or destroying"));
            }
            Ok(EngineFields::Terraform {
                applyable: plan.applyable,
                complete: plan.complete,
                deferred: each("deferred_changes", std::mem::take(&mut plan.deferred_changes), |it| {
                    let reason = it.deferred.ok_or(ContentProblem::Absent("a reason to defer"))?.reason;
                    let deferred = it.change.ok_or(ContentProblem::Absent("a deferred change"))?;
                    Ok((Numbered::of(reason, engine)?, change(deferred, engine)?))
                })?,
                apply_time_variables: std::mem::take(&mut plan.apply_time_variables),
                function_results: each("provider_function_results", shared, |bytes| {
                    let proto::ProviderFunctionResult { key, result } = part(&bytes, "a result of a function")?;
                    Ok(FunctionResult { key, result })
                })?,
            })
        }
        Engine::OpenTofu => {
            if plan.applyable || plan.complete || !plan.deferred_changes.is_empty() {
                return Err(foreign("applyable, complete or deferred_changes"));
            }
            if !plan.apply_time_variables.is_empty() {
                return Err(foreign("apply_time_variables"));
            }
            Ok(EngineFields::OpenTofu {
                excludes: std::mem::take(&mut plan.exclude_addrs),
                ephemeral_variables: each("ephemeral_variables", shared, |bytes| {
                    let part = |error: &dyn std::fmt::Display| ContentProblem::Part {
                        of: "the name of a variable",
                        message: error.to_string(),
                    };
                    String::from_utf8(bytes).map_err(|error| part(&error))
                })?,
                execution_graph: std::mem::take(&mut plan.temp_execution_graph),
                destroying: plan.destroying,
            })
        }
    }
}

fn part<M: Message + Default>(bytes: &[u8], of: &'static str) -> Result<M, ContentProblem> {
    M::decode(bytes).map_err(|error| ContentProblem::Part { of, message: error.to_string() })
}

pub(super) fn change(change: proto::ResourceInstanceChange, engine: Engine) -> Result<FileChange, ContentProblem> {
    if change.addr.is_empty() {
        return Err(ContentProblem::Absent("an address"));
    }
    Ok(FileChange {
        addr: change.addr,
        prev_run_addr: (!change.prev_run_addr.is_empty()).then_some(change.prev_run_addr),
        deposed: deposed(change.deposed_key)?,
        provider: change.provider,
        values: values(change.change, engine)?,
        private: Private::from(change.private.as_slice()),
        required_replace: path::read_all(&change.required_replace)?,
        reason: Numbered::of(change.action_reason, engine)?,
    })
}

fn deposed(key: String) -> Result<Option<DeposedKey>, ContentProblem> {
    match key.as_str() {
        "" => Ok(None),
        text => DeposedKey::new(text).map(Some).ok_or(ContentProblem::Deposed(key)),
    }
}

/// PF30 to PF32.
fn values(change: Option<proto::Change>, engine: Engine) -> Result<Values, ContentProblem> {
    let change = change.ok_or(ContentProblem::Absent("a change"))?;
    let action = Numbered::of(change.action, engine)?;
    let found = change.values.len();
    let mut values = change.values.into_iter().map(|value| value.msgpack);
    let mut next = |expected| match values.next() {
        None => Err(ContentProblem::Values { expected, found }),
        Some(bytes) if bytes.is_empty() => Err(ContentProblem::EmptyValue),
        Some(bytes) => Ok(bytes),
    };
    let (before, after) = match sides(action) {
        Sides::Same => {
            let same = next(1)?;
            (Some(same.clone()), Some(same))
        }
        Sides::Before => (Some(next(1)?), None),
        Sides::After => (None, Some(next(1)?)),
        Sides::Both => (Some(next(2)?), Some(next(2)?)),
    };
    if engine == Engine::Terraform && (change.before_identity.is_some() || change.after_identity.is_some()) {
        return Err(ContentProblem::OtherEngine("identities"));
    }
    Ok(Values {
        action,
        before,
        after,
        before_sensitive: path::read_all(&change.before_sensitive_paths)?,
        after_sensitive: path::read_all(&change.after_sensitive_paths)?,
        importing: match change.importing.as_slice() {
            [] => None,
            pieces => Some(importing(&pieces.concat(), engine)?),
        },
        generated_config: change.generated_config,
        before_identity: change.before_identity.map(|value| value.msgpack),
        after_identity: change.after_identity.map(|value| value.msgpack),
    })
}

fn importing(bytes: &[u8], engine: Engine) -> Result<Importing, ContentProblem> {
    const WHAT: &str = "what is imported";
    match engine {
        Engine::Terraform => Ok(match part(bytes, WHAT)? {
            proto::ImportingById { unknown: true, .. } => Importing::Unknown,
            proto::ImportingById { id, unknown: false } => Importing::Id(id),
        }),
        Engine::OpenTofu => Ok(match part(bytes, WHAT)? {
            proto::ImportingByIdentity { id, identity: None } => Importing::Id(id),
            proto::ImportingByIdentity { id, identity: Some(value) } => {
                Importing::Identity { id, identity: value.msgpack }
            }
        }),
    }
}

fn output(output: proto::OutputChange, engine: Engine) -> Result<OutputChange, ContentProblem> {
    let values = values(output.change, engine)?;
    Ok(OutputChange { name: output.name, values, sensitive: output.sensitive })
}

fn backend(backend: Option<proto::Backend>) -> Result<Backend, ContentProblem> {
    let proto::Backend { r#type, config, workspace } = backend.ok_or(ContentProblem::Absent("a backend"))?;
    let config = config.ok_or(ContentProblem::Absent("the configuration of the backend"))?.msgpack;
    Ok(Backend { type_name: r#type, config, workspace })
}

pub(super) fn relevant(relevant: proto::RelevantAttribute) -> Result<RelevantAttribute, ContentProblem> {
    let attribute = relevant.attr.as_ref().map(path::read).transpose()?.unwrap_or_default();
    Ok(RelevantAttribute { resource: relevant.resource, attribute })
}

pub(super) fn checks(results: proto::CheckResults, engine: Engine) -> Result<CheckResult, ContentProblem> {
    let objects = results.objects.into_iter().map(|object| {
        Ok(CheckObject {
            address: object.object_addr,
            status: Numbered::of(object.status, engine)?,
            failures: object.failure_messages,
        })
    });
    Ok(CheckResult {
        kind: Numbered::of(results.kind, engine)?,
        address: results.config_addr,
        status: Numbered::of(results.status, engine)?,
        objects: objects.collect::<Result<_, ContentProblem>>()?,
    })
}
