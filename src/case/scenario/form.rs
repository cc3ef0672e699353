//! Scenarios in JSON (formats.md, "Scenarios").

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::Presence;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_pipelines::model::{Model, Style};
use planfuzz_pipelines::sdk;

use super::{Command, Outside, Scenario, Step, StepOptions, type_at};
use crate::case::lifecycle::{Form, Members, form, read_name, read_path};

/// The members that can hold the schema, depending on the style of the model.
pub const SCHEMA_MEMBERS: [&str; 2] = ["schema", "sdk_schema"];

impl Scenario {
    /// The members of a case except its operation.
    pub fn members(&self, dialect: Dialect) -> Vec<(&'static str, Json)> {
        let Scenario { schema, kind, model, state, remote, steps } = self;
        let ty = schema.implied_type(dialect);
        let mut members = Members::default();
        match &model.style {
            Style::Framework { .. } => members.put("schema", schema.to_json()),
            Style::Sdk { schema, .. } => members.put("sdk_schema", schema.to_json()),
        }
        members.name_of("kind", *kind);
        members.put("model", model.to_json());
        members.form("state", state, &ty);
        if *remote != Scenario::stored_objects(state) {
            members.put("remote", Json::Array(remote.iter().map(|object| object.to_json(&ty)).collect()));
        }
        let before = std::iter::once(None).chain(steps.iter().map(Some));
        let steps = steps.iter().zip(before).map(|(step, before)| write_step(step, before, &ty));
        members.put("steps", Json::Array(steps.collect()));
        members.into_members()
    }

    /// Reads the members of a case except its operation.
    ///
    /// # Errors
    /// Anything that formats.md does not allow, with the path of the member.
    pub fn read(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<Scenario, JsonError> {
        let (schema, model) = read_provider(reader)?;
        let ty = schema.implied_type(dialect);
        let kind = reader.optional("kind", read_name::<ResourceKind>)?.unwrap_or_default();
        let state = reader.optional("state", |json| read_state(json, kind, &ty))?.unwrap_or_default();
        let remote = reader.optional("remote", |json| json.read_items(|item| read_object(item, &ty)))?;
        let remote = remote.unwrap_or_else(|| Scenario::stored_objects(&state));
        let steps = reader.required("steps", |json| read_steps(json, &ty))?;
        Ok(Scenario { schema, kind, model: Arc::new(model), state, remote, steps })
    }
}

/// The schema that Core sees, and the model.
fn read_provider(reader: &mut ObjectReader<'_>) -> Result<(Arc<Schema>, Model), JsonError> {
    match reader.optional("sdk_schema", sdk::Schema::from_json)?.map(Arc::new) {
        Some(schema) => {
            let model = reader.required("model", |json| Model::from_sdk_json(json, schema.clone()))?;
            Ok((Arc::new(schema.core_schema()), model))
        }
        None => {
            let schema = Arc::new(reader.required("schema", Schema::from_json)?);
            let model = reader.required("model", |json| Model::from_json(json, schema.clone()))?;
            Ok((schema, model))
        }
    }
}

fn write_step(step: &Step, before: Option<&Step>, ty: &Type) -> Json {
    let Step { outside, command, options, presence, at_apply } = step;
    let mut members = Members::default();
    members.forms("outside", outside, ty);
    members.put("command", command.to_form(ty));
    members.form("options", options, ty);
    if before.is_none_or(|before| before.presence != *presence) {
        members.put("presence", presence.to_form(ty));
    }
    if let Some(at_apply) = at_apply {
        members.put("at_apply", at_apply.to_form(ty));
    }
    members.into_json()
}

fn read_steps(json: &Json, ty: &Type) -> Result<Vec<Step>, JsonError> {
    let mut before: Option<Arc<Presence>> = None;
    json.read_items(|json| {
        let step = read_step(json, before.as_ref(), ty)?;
        before = Some(step.presence.clone());
        Ok(step)
    })
}

fn read_step(json: &Json, before: Option<&Arc<Presence>>, ty: &Type) -> Result<Step, JsonError> {
    let mut reader = ObjectReader::new(json, "a step: \"command\" and \"presence\"")?;
    let read_presence = |json: &Json| read_presence(json, ty).map(Arc::new);
    let presence = match before {
        Some(before) => reader.optional("presence", read_presence)?.unwrap_or_else(|| before.clone()),
        None => reader.required("presence", read_presence)?,
    };
    let step = Step {
        outside: reader.optional("outside", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
        command: reader.required("command", |json| Command::from_form(json, ty))?,
        options: reader.optional("options", |json| StepOptions::from_form(json, ty))?.unwrap_or_default(),
        presence,
        at_apply: reader.optional("at_apply", read_presence)?,
    };
    reader.finish()?;
    Ok(step)
}

impl Form for Outside {
    fn to_form(&self, ty: &Type) -> Json {
        match self {
            Outside::Vanish => Json::string("vanish"),
            Outside::Taint => Json::string("taint"),
            Outside::Untaint => Json::string("untaint"),
            Outside::Appear(value) => Json::object([("appear", value.to_json(ty))]),
            Outside::Drift { path, value } => {
                let at = type_at(ty, path).unwrap_or(value.ty());
                Json::object([("drift", Json::object([(path.to_string().as_str(), value.to_json(at))]))])
            }
        }
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Outside, JsonError> {
        let expected = "\"vanish\", \"taint\", \"untaint\", {\"appear\": …} or {\"drift\": {PATH: …}}";
        match json {
            Json::String(name) => match &**name {
                "vanish" => Ok(Outside::Vanish),
                "taint" => Ok(Outside::Taint),
                "untaint" => Ok(Outside::Untaint),
                _ => Err(json.unexpected(expected)),
            },
            _ => {
                let mut reader = ObjectReader::new(json, expected)?;
                let outside = match reader.optional("appear", |json| read_object(json, ty))? {
                    Some(value) => Outside::Appear(value),
                    None => reader.required("drift", |json| read_drift(json, ty))?,
                };
                reader.finish()?;
                Ok(outside)
            }
        }
    }
}

/// Reads the stored objects: present, without unknowns, and none deposed of a data resource.
fn read_state(json: &Json, kind: ResourceKind, ty: &Type) -> Result<InstanceState, JsonError> {
    let state = InstanceState::from_form(json, ty)?;
    if Scenario::stored_objects(&state).iter().any(|object| object.is_null() || !object.is_wholly_known()) {
        return Err(json.unexpected("stored objects without unknowns"));
    }
    if kind == ResourceKind::Data && !state.deposed.is_empty() {
        return Err(json.unexpected("a data resource, which has no deposed objects"));
    }
    Ok(state)
}

/// Reads a presence: a configuration is neither null nor unknown; without one the instance is an orphan or removed.
fn read_presence(json: &Json, ty: &Type) -> Result<Presence, JsonError> {
    let presence = Presence::from_form(json, ty)?;
    match &presence {
        Presence::Configured(configured) if !configured.config.value().view().is_present() => {
            Err(json.unexpected("a configuration that is an object, or \"orphan\" or \"removed\""))
        }
        _ => Ok(presence),
    }
}

/// Reads a remote object: present and without unknowns.
fn read_object(json: &Json, ty: &Type) -> Result<Value, JsonError> {
    let value = Value::from_json(json, ty)?;
    if value.is_null() || !value.is_wholly_known() {
        return Err(json.unexpected("an object without unknowns"));
    }
    Ok(value)
}

fn read_drift(json: &Json, ty: &Type) -> Result<Outside, JsonError> {
    let [(path, value)] = json.expect_object()? else {
        return Err(json.unexpected("one path and the value that is there then"));
    };
    let read = || {
        let written = read_path(&Json::string(path))?;
        let at = type_at(ty, &written).ok_or_else(|| {
            Json::string(path).unexpected("a path that the schema has, outside of sets and of dynamic values")
        })?;
        let value = Value::from_json(value, at)?;
        match value.is_wholly_known() {
            true => Ok(Outside::Drift { path: written, value }),
            false => Err(json.unexpected("a value without unknowns")),
        }
    };
    read().map_err(|error: JsonError| error.inside_member(path))
}

impl Form for Command {
    fn to_form(&self, _: &Type) -> Json {
        Json::string(match self {
            Command::Plan => "plan",
            Command::Apply => "apply",
            Command::Refresh => "refresh",
            Command::Destroy => "destroy",
            Command::Import { id } => return Json::object([("import", Json::string(id))]),
        })
    }

    fn from_form(json: &Json, _: &Type) -> Result<Command, JsonError> {
        let expected = "\"plan\", \"apply\", \"refresh\", \"destroy\" or {\"import\": id}";
        match json {
            Json::String(name) => match &**name {
                "plan" => Ok(Command::Plan),
                "apply" => Ok(Command::Apply),
                "refresh" => Ok(Command::Refresh),
                "destroy" => Ok(Command::Destroy),
                _ => Err(json.unexpected(expected)),
            },
            _ => {
                let mut reader = ObjectReader::new(json, expected)?;
                let id = reader.required("import", |json| json.expect_string().map(Text::new))?;
                reader.finish()?;
                Ok(Command::Import { id })
            }
        }
    }
}

form! { StepOptions, "options":
    skip_refresh,
    replace,
    moved_from,
    forget,
}
