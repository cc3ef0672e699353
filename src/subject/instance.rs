//! Walks with recorded answers: a planner, and a provider that replays them (formats.md, "Lifecycle vectors").

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, Diagnostic, ImportAnswer, ImportState, Plan, PlanAnswer, PlanChange,
    Prepared, Provider, RawState, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Refusal, Remark, Severity,
    UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::ResourceInstanceChange;
use planfuzz_core::state::{InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{Type, Value};

use super::outcome::Outcome;
use crate::case::lifecycle::{
    Form, Members, ProviderRequest, read_own_value, read_path, read_paths, write_paths, write_private, write_value,
};
use crate::case::{InstanceCall, Op, RecordedAnswer, write_reason};

/// Asks a planner for one walk, with the recorded answers of the provider.
///
/// # Errors
/// Refuses where the planner does.
pub(super) fn answer_instance(
    prepared: &dyn Prepared,
    call: &InstanceCall,
    dialect: Dialect,
) -> Result<Outcome, Refusal> {
    let ty = call.schema().implied_type(dialect);
    let mut provider = Recorded::of(call, &ty);
    let want = match call {
        InstanceCall::Plan { inputs, .. } => {
            let plan = prepared.plan(&inputs.plan_request(), &mut provider)?;
            plan_want(&plan, &provider.asked, &ty)
        }
        InstanceCall::Apply { inputs, planned, .. } => {
            let applied = prepared.apply(&inputs.apply_request(planned, &ty), &mut provider)?;
            apply_want(&applied.state, &applied.diagnostics, &provider.asked, &ty)
        }
    };
    Ok(Outcome::Want(want))
}

/// A provider that replays recorded answers in order. Validations succeed and upgrades change nothing: they are not
/// recorded. Every other call is kept, so that a call too many, or a wrong one, shows.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    capabilities: Capabilities,
    answers: std::vec::IntoIter<RecordedAnswer>,
    asked: Vec<ProviderRequest>,
    ty: Type,
}

impl Recorded {
    /// The provider of a recorded walk; `ty` is the implied type of its schema.
    pub(super) fn of(call: &InstanceCall, ty: &Type) -> Recorded {
        let answers = match call {
            InstanceCall::Plan { answers, .. } => answers.iter().cloned().map(RecordedAnswer::Plan).collect(),
            InstanceCall::Apply { answers, .. } => answers.clone(),
        };
        let capabilities = call.inputs().capabilities();
        Recorded { capabilities, answers: answers.into_iter(), asked: Vec::new(), ty: ty.clone() }
    }

    /// The calls so far, without validations and upgrades.
    #[cfg(feature = "engine")]
    pub(super) fn asked(&self) -> &[ProviderRequest] {
        &self.asked
    }

    fn null(&self) -> Value {
        Value::null(self.ty.clone())
    }
}

/// The remark in answers to calls for which none was recorded.
fn nothing_recorded() -> Vec<Remark> {
    vec![Remark { severity: Severity::Error, summary: "no answer to this call was recorded".into() }]
}

impl Provider for Recorded {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer::default()
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        match request.state {
            RawState::Value(upgraded) => UpgradeAnswer { upgraded, remarks: Vec::new() },
            RawState::Json(json) => match Value::from_json(&json, &self.ty) {
                Ok(upgraded) => UpgradeAnswer { upgraded, remarks: Vec::new() },
                Err(_) => UpgradeAnswer { upgraded: self.null(), remarks: nothing_recorded() },
            },
        }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let new_state = request.current.clone();
        self.asked.push(ProviderRequest::Read(request));
        ReadAnswer { new_state, private: Private::NONE, deferred: false, remarks: nothing_recorded() }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        self.asked.push(ProviderRequest::Plan(request));
        match self.answers.next() {
            Some(RecordedAnswer::Plan(answer)) => answer,
            _ => PlanAnswer {
                planned: self.null(),
                requires_replace: Vec::new(),
                private: Private::NONE,
                legacy_type_system: false,
                deferred: false,
                remarks: nothing_recorded(),
            },
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        self.asked.push(ProviderRequest::Apply(request));
        match self.answers.next() {
            Some(RecordedAnswer::Apply(answer)) => answer,
            _ => ApplyAnswer {
                new_state: None,
                private: Private::NONE,
                legacy_type_system: false,
                remarks: nothing_recorded(),
            },
        }
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        self.asked.push(ProviderRequest::Import(request));
        ImportAnswer { imported: Vec::new(), remarks: nothing_recorded() }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        self.asked.push(ProviderRequest::ReadData(request));
        ReadDataAnswer { state: self.null(), remarks: nothing_recorded() }
    }
}

pub(super) fn plan_want(plan: &Plan, asked: &[ProviderRequest], ty: &Type) -> Json {
    let mut members = Members::default();
    members.put("requests", write_requests(asked, ty));
    members.put("errors", write_errors(&plan.diagnostics));
    let change = plan.changes.iter().find(|change| change.deposed.is_none());
    if let (false, Some(change)) = (plan.is_errored(), change) {
        put_change(&mut members, change, ty);
    }
    members.into_json()
}

fn put_change(members: &mut Members, change: &ResourceInstanceChange, ty: &Type) {
    let ResourceInstanceChange { change: of, reason, required_replace, private, .. } = change;
    members.text("action", of.action.name());
    members.put("action_reason", write_reason(*reason));
    members.put("before", write_null_plainly(of.before.value(), ty));
    members.put("after", write_null_plainly(of.after.value(), ty));
    members.put("replace_paths", write_paths(required_replace));
    members.put("before_sensitive", write_paths(of.before.sensitive()));
    members.put("after_sensitive", write_paths(of.after.sensitive()));
    members.put("private", write_private(private));
}

/// Writes a value. Vectors do not distinguish the null of the schema's type from the untyped one.
fn write_null_plainly(value: &Value, ty: &Type) -> Json {
    if value.is_null() { Json::Null } else { write_value(value, ty) }
}

pub(super) fn apply_want(
    state: &InstanceState,
    diagnostics: &[Diagnostic],
    asked: &[ProviderRequest],
    ty: &Type,
) -> Json {
    let mut members = Members::default();
    members.put("requests", write_requests(asked, ty));
    members.put("errors", write_errors(diagnostics));
    members.put("state", state.current.as_ref().map_or(Json::Null, |object| write_object(object, ty)));
    members.put("deposed", Json::Array(state.deposed.values().map(|object| write_object(object, ty)).collect()));
    members.into_json()
}

fn write_requests(asked: &[ProviderRequest], ty: &Type) -> Json {
    Json::Array(asked.iter().map(|request| request.to_form(ty)).collect())
}

fn write_errors(diagnostics: &[Diagnostic]) -> Json {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    sorted_errors(errors.map(|error| (error.path.to_string(), &*error.summary)).collect())
}

/// Errors with their paths in the notation used here: engines write keys without quotes.
fn canonical_errors(json: &Json) -> Result<Json, JsonError> {
    let errors = json.read_items(|json| {
        let mut reader = ObjectReader::new(json, "an error: \"summary\" and \"path\"")?;
        let summary = reader.required("summary", Json::expect_string)?.to_owned();
        let path = reader.required("path", read_path)?.to_string();
        reader.finish()?;
        Ok((path, summary))
    })?;
    Ok(sorted_errors(errors.iter().map(|(path, summary)| (path.clone(), summary.as_str())).collect()))
}

/// Errors by path, then by summary, with repetitions.
fn sorted_errors(mut errors: Vec<(String, &str)>) -> Json {
    errors.sort_unstable();
    let write = |(path, summary): &(String, &str)| {
        Json::object([("summary", Json::string(summary)), ("path", Json::string(path))])
    };
    Json::Array(errors.iter().map(write).collect())
}

/// A stored object with all members that vectors record of it.
fn write_object(object: &Object, ty: &Type) -> Json {
    let value = match &object.stored {
        Stored::Value(value) => write_value(value, ty),
        Stored::Raw { attributes, .. } => Json::clone(attributes),
    };
    Json::object([
        ("value", value),
        ("tainted", Json::Bool(object.status == Status::Tainted)),
        ("private", write_private(&object.private)),
        ("create_before_destroy", Json::Bool(object.create_before_destroy)),
        ("sensitive", write_paths(&object.sensitive)),
    ])
}

/// The outcome of a walk in the notation used here: equal values are written alike.
///
/// # Errors
/// A `want` that does not belong to the operation.
pub(super) fn canonical(op: Op, want: &Json, ty: &Type) -> Result<Json, JsonError> {
    let mut reader = ObjectReader::new(want, "the outcome of a walk")?;
    let mut members = Members::default();
    let requests = reader.required("requests", |json| Vec::from_form(json, ty))?;
    members.put("requests", write_requests(&requests, ty));
    members.put("errors", reader.required("errors", canonical_errors)?);
    let object = |json: &Json| match json {
        Json::Null => Ok(Json::Null),
        json => Object::from_form(json, ty).map(|object| write_object(&object, ty)),
    };
    if op == Op::ApplyInstance {
        members.put("state", reader.required("state", object)?);
        members.put("deposed", Json::Array(reader.required("deposed", |json| json.read_items(object))?));
    } else if reader.take("action").is_some() {
        let mut copy = |name: &'static str, read: &dyn Fn(&Json) -> Result<Json, JsonError>| {
            reader.required(name, read).map(|json| members.put(name, json))
        };
        let value = |json: &Json| read_own_value(json, ty).map(|value| write_null_plainly(&value, ty));
        let paths = |json: &Json| read_paths(json).map(|paths| write_paths(&paths));
        copy("action", &|json| Ok(json.clone()))?;
        copy("action_reason", &|json| Ok(json.clone()))?;
        copy("before", &value)?;
        copy("after", &value)?;
        copy("replace_paths", &paths)?;
        copy("before_sensitive", &paths)?;
        copy("after_sensitive", &paths)?;
        copy("private", &|json| Ok(json.clone()))?;
    }
    reader.finish()?;
    Ok(members.into_json())
}
