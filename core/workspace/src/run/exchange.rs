//! An exchange of a recorded run: a call with its answer, and their places in the common order of starts and finishes.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value, WrittenPath};
use planfuzz_language::check::Schemas;

use crate::call::{Answer, Call, Outcome, Request};
use crate::canonical::canonical;

/// The summary of a call that had no answer; it is the engine's own.
pub(crate) const NO_ANSWER: &str = "Plugin error";

/// A call with its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The name of the call.
    pub call: String,
    /// What it is about, in canonical text: two calls are equal if their texts are.
    pub key: String,
    /// The exchange as it is recorded.
    pub json: Json,
    /// When the request came.
    pub start: u64,
    /// When the answer went out.
    pub finish: u64,
}

impl Exchange {
    /// Reads an exchange.
    ///
    /// # Errors
    /// A member that is missing or invalid.
    pub fn read(json: &Json, schemas: &Schemas, dialect: Dialect) -> Result<Exchange, JsonError> {
        let member = |name: &str| json.member(name).unwrap_or(&Json::Null);
        let call = member("call").expect_string()?.to_owned();
        let types = Types::of(json, &call, schemas, dialect)?;
        let request: Vec<(&str, Json)> = member("request")
            .expect_object()?
            .iter()
            .map(|(name, value)| Ok((&**name, types.normal(name, value)?)))
            .collect::<Result<_, JsonError>>()?;
        let configured = match member("configured") {
            Json::Null => Json::Null,
            value => Value::from_json(value, &types.config)?.to_json(&types.config),
        };
        let key = Json::object([
            ("call", Json::string(&call)),
            ("provider", member("provider").clone()),
            ("type", member("type").clone()),
            ("configured", configured),
            ("request", Json::object(request)),
        ]);
        let (start, finish) = (member("start").expect_u64()?, member("finish").expect_u64()?);
        Ok(Exchange { call, key: canonical(&key).to_compact(), json: json.clone(), start, finish })
    }

    /// Whether another has the same answer.
    pub(super) fn has_answer_of(&self, other: &Exchange) -> bool {
        self.json.member("answer") == other.json.member("answer")
    }

    /// The answer, to a call of that key.
    ///
    /// # Errors
    /// An invalid member of the answer.
    pub fn answer(&self, schemas: &Schemas, dialect: Dialect) -> Result<Answer, JsonError> {
        let types = Types::of(&self.json, &self.call, schemas, dialect)?;
        let Some(answer) = self.json.member("answer") else {
            return Ok(Answer { outcome: Some(Outcome::Done), remarks: Vec::new() });
        };
        let mut remarks = Vec::new();
        for remark in answer.member("diagnostics").map_or(Ok(&[][..]), Json::expect_array)? {
            let severity = match remark.member("severity").unwrap_or(&Json::Null).expect_string()? {
                "warning" => Severity::Warning,
                _ => Severity::Error,
            };
            let summary = remark.member("summary").unwrap_or(&Json::Null).expect_string()?;
            remarks.push(Remark { severity, summary: Text::new(summary) });
        }
        if answer.member("failed") == Some(&Json::Bool(true)) {
            remarks.push(Remark { severity: Severity::Error, summary: Text::new(NO_ANSWER) });
            return Ok(Answer { outcome: None, remarks });
        }
        let value = |name: &str| Value::from_json(answer.member(name).unwrap_or(&Json::Null), &types.object);
        let private = || read_private(answer.member("private").unwrap_or(&Json::Null));
        let outcome = match self.call.as_str() {
            "upgrade" => Outcome::Value(value("upgraded")?),
            "read_data" => Outcome::Value(value("state")?),
            "read" | "apply" | "move" => Outcome::Object { value: value("state")?, private: private()? },
            "open" => Outcome::Object { value: value("result")?, private: private()? },
            "plan" => {
                let paths = answer.member("requires_replace").map_or(Ok(&[][..]), Json::expect_array)?;
                let paths = paths.iter().map(|path| {
                    let text = path.expect_string()?;
                    WrittenPath::parse(text).map_err(|_| path.unexpected("a path"))
                });
                let requires_replace = paths.collect::<Result<_, JsonError>>()?;
                Outcome::Planned { planned: value("planned")?, requires_replace, private: private()? }
            }
            "import" => {
                let imported = answer.member("imported").map_or(Ok(&[][..]), Json::expect_array)?;
                let read = imported.iter().map(|one| {
                    let state = Value::from_json(one.member("state").unwrap_or(&Json::Null), &types.object)?;
                    Ok((state, read_private(one.member("private").unwrap_or(&Json::Null))?))
                });
                Outcome::Imported(read.collect::<Result<_, JsonError>>()?)
            }
            _ => Outcome::Done,
        };
        Ok(Answer { outcome: Some(outcome), remarks })
    }
}

/// The types that values of an exchange have.
struct Types {
    object: Type,
    config: Type,
}

impl Types {
    fn of(json: &Json, call: &str, schemas: &Schemas, dialect: Dialect) -> Result<Types, JsonError> {
        let name = json.member("provider").unwrap_or(&Json::Null).expect_string()?;
        let provider = schemas.sources().find(|source| source.rsplit('/').next() == Some(name));
        let Some(provider) = provider.and_then(|source| schemas.provider(source)) else {
            return Err(json.unexpected(format!("a provider that has a schema, not {name:?}")));
        };
        let config = provider.config.implied_type(dialect);
        let type_name = match json.member("type") {
            None | Some(Json::Null) => return Ok(Types { object: config.clone(), config }),
            Some(name) => name.expect_string()?,
        };
        let schema = provider.types.get(&(mode(call), type_name.to_owned()));
        let object = schema.map(|schema: &Schema| schema.implied_type(dialect));
        let object = object.ok_or_else(|| json.unexpected(format!("a type that has a schema, not {type_name:?}")))?;
        Ok(Types { object, config })
    }

    /// A member of a request in normal form.
    fn normal(&self, name: &str, json: &Json) -> Result<Json, JsonError> {
        match name {
            "config" | "current" | "prior" | "proposed" | "planned" => {
                Ok(Value::from_json(json, &self.object)?.to_json(&self.object))
            }
            _ => Ok(json.clone()),
        }
    }
}

fn mode(call: &str) -> ResourceMode {
    match call {
        "validate_data" | "read_data" => ResourceMode::Data,
        "validate_ephemeral" | "open" | "close" => ResourceMode::Ephemeral,
        _ => ResourceMode::Managed,
    }
}

fn read_private(json: &Json) -> Result<Private, JsonError> {
    match json {
        Json::Null => Ok(Private::NONE),
        text => {
            let bytes = BASE64_STANDARD.decode(text.expect_string()?).map_err(|_| text.unexpected("base64"))?;
            Ok(Private::from(bytes.as_slice()))
        }
    }
}

pub(super) fn write_private(private: &Private) -> Json {
    match private.is_none() {
        true => Json::Null,
        false => Json::String(BASE64_STANDARD.encode(private.as_bytes()).into()),
    }
}

/// The canonical text of a call, by which calls are compared.
pub fn key_of(call: &Call, schemas: &Schemas, dialect: Dialect) -> String {
    canonical(&call_json(call, schemas, dialect)).to_compact()
}

/// The type of the objects of a call, or of the provider configuration if the call is about no objects.
pub(super) fn type_of(call: &Call, schemas: &Schemas, dialect: Dialect) -> Type {
    let provider = schemas.provider(&call.provider.to_string());
    let schema = provider.and_then(|provider| match &call.type_name {
        None => Some(&provider.config),
        Some(name) => provider.types.get(&(call.request.mode(), name.to_string())),
    });
    schema.map_or(Type::Dynamic, |schema| schema.implied_type(dialect))
}

/// A call in the form of recorded runs.
pub(super) fn call_json(call: &Call, schemas: &Schemas, dialect: Dialect) -> Json {
    let provider = schemas.provider(&call.provider.to_string());
    let config = provider.map_or(Type::Dynamic, |provider| provider.config.implied_type(dialect));
    let object = type_of(call, schemas, dialect);
    let value = |value: &Value| value.to_json(&object);
    let request = match &call.request {
        Request::ValidateProvider { config }
        | Request::Configure { config }
        | Request::Validate { config, .. }
        | Request::ReadData { config }
        | Request::Open { config } => vec![("config", value(config))],
        Request::Upgrade { version, raw } => vec![("version", Json::int(*version)), ("raw", Json::clone(raw))],
        Request::Read { current, private } => vec![("current", value(current)), ("private", write_private(private))],
        Request::Plan { prior, config, proposed, private } => vec![
            ("prior", value(prior)),
            ("config", value(config)),
            ("proposed", value(proposed)),
            ("private", write_private(private)),
        ],
        Request::Apply { prior, config, planned, private } => vec![
            ("prior", value(prior)),
            ("config", value(config)),
            ("planned", value(planned)),
            ("private", write_private(private)),
        ],
        Request::Import { id } => vec![("id", Json::string(id))],
        Request::Move { source_type, source_provider, source_version, raw, private } => vec![
            ("source_type", Json::string(source_type)),
            ("source_provider", Json::string(source_provider)),
            ("source_version", Json::int(*source_version)),
            ("raw", Json::clone(raw)),
            ("private", write_private(private)),
        ],
        Request::Close { private } => vec![("private", write_private(private))],
    };
    let type_name = call.type_name.as_ref().map_or(Json::Null, |name| Json::string(name));
    Json::object([
        ("call", Json::string(call.request.name())),
        ("provider", Json::string(&call.provider.type_name)),
        ("type", type_name),
        ("configured", call.configured.as_ref().map_or(Json::Null, |value| value.to_json(&config))),
        ("request", Json::object(request)),
    ])
}
