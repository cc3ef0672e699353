//! One walk of an instance with given answers of the provider, as recorded vectors of the lifecycle hold it (formats.md).

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader, Word};
use planfuzz_core::planner::{
    ApplyAnswer, ApplyRequest, Capabilities, Configured, IgnoreChanges, Lifecycle, Orphan, PlanAnswer, PlanOptions,
    PlanRequest, Presence,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private};
use planfuzz_core::value::{PathSet, Type, Value};

use super::Op;
use super::lifecycle::{
    Form, Members, read_ignore_changes, read_marked, read_name, read_own_value, read_paths, read_private,
    write_ignore_changes, write_paths, write_private, write_value,
};
use super::read::read_schema;

/// One walk of an instance with given answers of the provider.
#[derive(Clone, Debug)]
pub enum InstanceCall {
    /// `plan_instance`.
    Plan {
        /// The inputs that plan and apply share.
        inputs: InstanceInputs,
        /// The answers to plan requests, in order.
        answers: Vec<PlanAnswer>,
    },
    /// `apply_instance`.
    Apply {
        /// The inputs that plan and apply share.
        inputs: InstanceInputs,
        /// The change that is applied.
        planned: PlannedChange,
        /// The answers to plan and apply requests, in order.
        answers: Vec<RecordedAnswer>,
    },
}

/// The inputs that both kinds of walks have.
#[derive(Clone, Debug)]
pub struct InstanceInputs {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The stored current object.
    pub prior_state: Option<Object>,
    /// The configuration, if there is one and it was evaluated.
    pub config: Option<Marked>,
    /// The mode of the plan.
    pub mode: Mode,
    /// Whether the user asks for a replacement.
    pub replace: bool,
    /// `create_before_destroy`.
    pub create_before_destroy: bool,
    /// `ignore_changes`.
    pub ignore_changes: IgnoreChanges,
    /// Whether the provider plans deletions too.
    pub plan_destroy: bool,
}

/// A change in the form of vectors.
#[derive(Clone, Debug)]
pub struct PlannedChange {
    /// The action.
    pub action: Action,
    /// The reason for the action.
    pub reason: ActionReason,
    /// The object as it is.
    pub before: Marked,
    /// The object after the change.
    pub after: Marked,
    /// The planned private data.
    pub private: Private,
}

/// An answer in the form of vectors: its members determine the call.
#[derive(Clone, Debug)]
pub enum RecordedAnswer {
    /// To a plan request.
    Plan(PlanAnswer),
    /// To an apply request.
    Apply(ApplyAnswer),
}

impl InstanceCall {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            InstanceCall::Plan { .. } => Op::PlanInstance,
            InstanceCall::Apply { .. } => Op::ApplyInstance,
        }
    }

    /// The schema.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.inputs().schema
    }

    /// The inputs that both kinds of walks have.
    pub fn inputs(&self) -> &InstanceInputs {
        match self {
            InstanceCall::Plan { inputs, .. } | InstanceCall::Apply { inputs, .. } => inputs,
        }
    }

    /// The number of given answers.
    pub fn answer_count(&self) -> usize {
        match self {
            InstanceCall::Plan { answers, .. } => answers.len(),
            InstanceCall::Apply { answers, .. } => answers.len(),
        }
    }

    /// Reads the members of a vector beside its operation.
    ///
    /// # Errors
    /// Anything that formats.md does not allow, with the path of the member.
    pub(super) fn read(reader: &mut ObjectReader<'_>, op: Op, dialect: Dialect) -> Result<InstanceCall, JsonError> {
        let (schema, ty) = read_schema(reader, dialect)?;
        let inputs = InstanceInputs::read(reader, schema, &ty)?;
        if op == Op::PlanInstance {
            return Ok(InstanceCall::Plan {
                inputs,
                answers: reader.required("answers", |json| read_answers(json, &ty))?,
            });
        }
        let planned = reader.required("planned", |json| PlannedChange::from_form(json, &ty))?;
        let answers = reader.required("answers", |json| read_answers(json, &ty))?;
        Ok(InstanceCall::Apply { inputs, planned, answers })
    }

    /// The members of a vector beside its operation.
    pub(super) fn members(&self, dialect: Dialect) -> Vec<(&'static str, Json)> {
        let ty = self.schema().implied_type(dialect);
        let mut members = self.inputs().members(&ty);
        match self {
            InstanceCall::Plan { inputs: _, answers } => members.put("answers", answers.to_form(&ty)),
            InstanceCall::Apply { inputs: _, planned, answers } => {
                members.put("planned", planned.to_form(&ty));
                members.put("answers", answers.to_form(&ty));
            }
        }
        members.into_members()
    }
}

impl InstanceInputs {
    fn read(reader: &mut ObjectReader<'_>, schema: Arc<Schema>, ty: &Type) -> Result<InstanceInputs, JsonError> {
        let prior_state = reader.required("prior_state", |json| read_some(json, |json| Object::from_form(json, ty)))?;
        let sensitive = reader.required("config_sensitive", read_paths)?;
        let config = reader.required("config", |json| read_some(json, |json| Value::from_json(json, ty)))?;
        let inputs = reader.required("options", |json| {
            let mut options = ObjectReader::new(json, "the options of a walk")?;
            let inputs = InstanceInputs {
                schema,
                prior_state,
                config: config.map(|config| Marked::new(config, &sensitive)),
                mode: options.required("mode", read_name)?,
                replace: options.flag("replace")?,
                create_before_destroy: options.flag("create_before_destroy")?,
                ignore_changes: options.optional("ignore_changes", read_ignore_changes)?.unwrap_or_default(),
                plan_destroy: options.flag("plan_destroy")?,
            };
            options.finish()?;
            Ok(inputs)
        })?;
        Ok(inputs)
    }

    fn members(&self, ty: &Type) -> Members {
        let InstanceInputs {
            schema,
            prior_state,
            config,
            mode,
            replace,
            create_before_destroy,
            ignore_changes,
            plan_destroy,
        } = self;
        let mut members = Members::default();
        members.put("schema", schema.to_json());
        members.put("prior_state", prior_state.as_ref().map_or(Json::Null, |object| object.to_form(ty)));
        members.put("config", config.as_ref().map_or(Json::Null, |config| config.value().to_json(ty)));
        let sensitive = config.as_ref().map_or(Json::Array(Vec::new()), |config| write_paths(config.sensitive()));
        members.put("config_sensitive", sensitive);
        let mut options = Members::default();
        options.text("mode", mode.word());
        options.flag("replace", *replace);
        options.flag("create_before_destroy", *create_before_destroy);
        write_ignore_changes(&mut options, ignore_changes);
        options.flag("plan_destroy", *plan_destroy);
        members.put("options", options.into_json());
        members
    }

    /// The capabilities of the provider.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: self.plan_destroy }
    }

    fn state(&self) -> InstanceState {
        InstanceState { current: self.prior_state.clone(), ..InstanceState::ABSENT }
    }

    /// The plan options; without a refresh.
    fn options(&self) -> PlanOptions {
        PlanOptions { skip_refresh: true, replace: self.replace, ..PlanOptions::default() }
    }

    fn configured(&self, config: Marked) -> Presence {
        let lifecycle = Lifecycle {
            create_before_destroy: self.create_before_destroy,
            ignore_changes: self.ignore_changes.clone(),
            ..Lifecycle::default()
        };
        Presence::Configured(Box::new(Configured { lifecycle, ..Configured::alone(config) }))
    }

    /// The request for a plan.
    pub fn plan_request(&self) -> PlanRequest {
        let presence = match &self.config {
            Some(config) => self.configured(config.clone()),
            None => Presence::Orphan(Orphan::default()),
        };
        PlanRequest {
            kind: ResourceKind::Managed,
            mode: self.mode,
            options: self.options(),
            state: self.state(),
            presence,
        }
    }

    /// The request for an apply. A configuration that was never evaluated is null, because an apply of it does not read it.
    pub fn apply_request(&self, planned: &PlannedChange, ty: &Type) -> ApplyRequest {
        let presence = match &self.config {
            Some(config) => self.configured(config.clone()),
            None if planned.action == Action::Delete => Presence::Orphan(Orphan::default()),
            None => self.configured(Marked::null(ty.clone())),
        };
        let mut state = self.state();
        if let Some(current) = state.current.as_mut().filter(|_| planned.action != Action::Delete) {
            // L06: the plan took the object's flag from the configuration.
            current.create_before_destroy = self.create_before_destroy;
        }
        ApplyRequest {
            kind: ResourceKind::Managed,
            options: self.options(),
            state,
            changes: vec![planned.change()],
            presence,
        }
    }
}

impl PlannedChange {
    fn change(&self) -> ResourceInstanceChange {
        let PlannedChange { action, reason, before, after, private } = self.clone();
        ResourceInstanceChange {
            moved_from: None,
            deposed: None,
            change: Change { action, before, after, importing: None },
            reason,
            required_replace: PathSet::EMPTY,
            private,
        }
    }
}

impl Form for PlannedChange {
    fn to_form(&self, ty: &Type) -> Json {
        let PlannedChange { action, reason, before, after, private } = self;
        let mut members = Members::default();
        members.text("action", action.name());
        members.put("action_reason", write_reason(*reason));
        members.put("before", write_value(before.value(), ty));
        members.put("after", write_value(after.value(), ty));
        members.put("before_sensitive", write_paths(before.sensitive()));
        members.put("after_sensitive", write_paths(after.sensitive()));
        members.put("private", write_private(private));
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<PlannedChange, JsonError> {
        let mut reader = ObjectReader::new(json, "a planned change")?;
        let read = |json: &Json| read_own_value(json, ty);
        let change = PlannedChange {
            action: reader.required("action", read_name)?,
            reason: reader.required("action_reason", |json| read_some(json, read_name))?.unwrap_or_default(),
            before: read_marked(&mut reader, ("before", "before_sensitive"), read)?,
            after: read_marked(&mut reader, ("after", "after_sensitive"), read)?,
            private: read_private(&mut reader, "private")?,
        };
        reader.finish()?;
        Ok(change)
    }
}

/// The name of a reason; null where none is given.
pub(crate) fn write_reason(reason: ActionReason) -> Json {
    if reason == ActionReason::None { Json::Null } else { Json::string(reason.name()) }
}

impl Form for RecordedAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        match self {
            RecordedAnswer::Plan(answer) => answer.to_form(ty),
            RecordedAnswer::Apply(answer) => answer.to_form(ty),
        }
    }

    fn from_form(json: &Json, ty: &Type) -> Result<RecordedAnswer, JsonError> {
        match json.member("planned") {
            Some(_) => PlanAnswer::from_form(json, ty).map(RecordedAnswer::Plan),
            None => ApplyAnswer::from_form(json, ty).map(RecordedAnswer::Apply),
        }
    }
}

/// Reads recorded answers. Unknowns are read as Core reads them, without the refinements that a provider may send.
fn read_answers<T: Form>(json: &Json, ty: &Type) -> Result<Vec<T>, JsonError> {
    json.read_items(|answer| {
        let mut answer = answer.clone();
        if let Json::Object(members) = &mut answer {
            let values = members.iter_mut().filter(|(name, _)| matches!(&**name, "planned" | "state"));
            values.for_each(|(_, value)| read_plainly(value, ty));
        }
        T::from_form(&answer, ty)
    })
}

/// Removes the refinements from unknowns of the dynamic type, because Core has none there.
fn read_plainly(json: &mut Json, ty: &Type) {
    match (ty, json) {
        (Type::Dynamic, Json::Object(members)) if is_unknown(members) => {
            *members = vec![("$unknown".into(), Json::Bool(true))];
        }
        (Type::Dynamic, Json::Object(members)) => {
            let named = |name: &str| members.iter().position(|(probe, _)| **probe == *name);
            let ty = named("type").and_then(|at| Type::from_json(&members[at].1).ok());
            if let Some((ty, at)) = ty.zip(named("value")) {
                read_plainly(&mut members[at].1, &ty);
            }
        }
        (Type::List(element) | Type::Set(element), Json::Array(items)) => {
            items.iter_mut().for_each(|item| read_plainly(item, element));
        }
        (Type::Tuple(tuple), Json::Array(items)) => {
            items.iter_mut().zip(tuple.elements()).for_each(|(item, ty)| read_plainly(item, ty));
        }
        (Type::Map(element), Json::Object(members)) if !is_unknown(members) => {
            members.iter_mut().for_each(|(_, item)| read_plainly(item, element));
        }
        (Type::Object(object), Json::Object(members)) if !is_unknown(members) => {
            for (name, item) in members {
                let name = name.strip_prefix('$').filter(|rest| rest.starts_with('$')).unwrap_or(name);
                if let Some(ty) = object.attribute_type(name) {
                    read_plainly(item, ty);
                }
            }
        }
        _ => {}
    }
}

fn is_unknown(members: &[(Box<str>, Json)]) -> bool {
    matches!(members, [(name, _)] if **name == *"$unknown")
}

/// Reads a value, or `None` from null.
fn read_some<T>(json: &Json, read: impl FnOnce(&Json) -> Result<T, JsonError>) -> Result<Option<T>, JsonError> {
    match json {
        Json::Null => Ok(None),
        json => read(json).map(Some),
    }
}
