//! A finding as a file: a run with all its questions and answers, and the promise that it breaks. It can be shown and judged again without
//! the provider.

mod identity;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Exchange, ImportAnswer, ImportState, PlanAnswer, PlanChange, RawState, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Path, Text, Type, Value, WrittenPath};
use planfuzz_engine::plugin::{CallError, IdentitySchema, ProviderDiagnostic};

use crate::hidden::Hidden;
use crate::judge::{Breach, judge};
use crate::play::play;
use crate::promise;
use crate::responder::{Entry, Recorded};
use crate::script::{Act, Script};
use crate::shrink::has;

/// The version of the file format.
const FORM: i64 = 1;

/// A saved finding.
#[derive(Clone, Debug)]
pub struct Case {
    /// The engine version that Core is.
    pub dialect: Dialect,
    /// Whether the provider wants to be asked to plan destructions.
    pub plan_destroy: bool,
    /// The run.
    pub(crate) script: Script,
    /// The broken promise.
    pub(crate) breach: Breach,
    /// The questions and answers.
    pub(crate) call_log: Vec<Entry>,
}

/// Why a document is not such a case.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// It has another form.
    #[error(transparent)]
    Form(#[from] JsonError),
    /// A member has an impossible value.
    #[error("expected {expected}, found {found:?}")]
    Meaningless {
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
}

impl Case {
    /// The resource type.
    pub fn type_name(&self) -> &str {
        &self.script.type_name
    }

    /// The key by which findings are grouped: the type, the promise and the place.
    pub fn bucket(&self) -> (String, &'static str, String) {
        (self.script.type_name.clone(), self.breach.promise, self.breach.place.clone())
    }

    /// The broken promise in a line.
    pub fn purpose(&self) -> String {
        let Breach { promise, place, message, .. } = &self.breach;
        let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
        format!("{} breaks {promise}{at}: {message}", self.script.type_name)
    }

    /// Plays the run with the recorded answers; returns whether it breaks the promise.
    ///
    /// # Errors
    /// The planner asks something else today than is recorded.
    pub fn replay(&self) -> Result<bool, CaseError> {
        let mut recorded = Recorded::new(&self.call_log);
        let played = play(&self.script, &mut recorded, self.dialect, self.plan_destroy);
        if recorded.strayed {
            return Err(meaningless("the questions that are recorded", "another one"));
        }
        Ok(has(&judge(&self.script, &played, self.dialect).breaches, &self.breach))
    }

    /// Writes the case.
    pub fn to_json(&self) -> Json {
        let ty = self.script.schema.implied_type(self.dialect);
        let broken = Json::object([
            ("promise", Json::string(self.breach.promise)),
            ("statement", Json::string(promise::statement(self.breach.promise))),
            ("place", Json::string(&self.breach.place)),
            ("message", Json::string(&self.breach.message)),
            ("tolerated", Json::Bool(self.breach.tolerated)),
        ]);
        let identity = self.script.identity.as_deref();
        let mut members = vec![
            ("provider_case", Json::int(FORM)),
            ("purpose", Json::string(&self.purpose())),
            ("dialect", Json::string(&self.dialect.to_string())),
            ("type", Json::string(&self.script.type_name)),
            ("plan_destroy", Json::Bool(self.plan_destroy)),
            ("broken", broken),
            ("configs", Json::Array(self.script.configs.iter().map(|it| it.to_json(&ty)).collect())),
            ("acts", Json::Array(self.script.acts.iter().map(act_json).collect())),
            ("exchanges", Json::Array(self.call_log.iter().map(|entry| entry_json(entry, &ty, identity)).collect())),
            ("schema", self.script.schema.to_json()),
        ];
        members.extend(identity.map(|of| ("identity_schema", identity::schema_json(of))));
        Json::object(members)
    }

    /// Reads a case.
    ///
    /// # Errors
    /// The document has another form.
    pub fn from_json(json: &Json) -> Result<Case, CaseError> {
        let mut reader = ObjectReader::new(json, "a case of a provider")?;
        let form = reader.required("provider_case", Json::expect_i64)?;
        if form != FORM {
            return Err(meaningless("form 1", &form.to_string()));
        }
        let dialect = reader.required("dialect", Json::expect_string)?;
        let dialect: Dialect = dialect.parse().map_err(|_| meaningless("a dialect", dialect))?;
        let schema = reader.required("schema", Schema::from_json)?;
        let ty = schema.implied_type(dialect);
        let identity = reader.optional("identity_schema", identity::schema)?;
        let script = Script {
            type_name: reader.required("type", Json::expect_string)?.to_owned(),
            configs: reader.required("configs", |it| it.read_items(|it| Value::from_json(it, &ty)))?,
            acts: reader.required("acts", |it| it.read_items(act))?,
            schema: schema.into(),
            identity: identity.map(Into::into),
        };
        let case = Case {
            dialect,
            plan_destroy: reader.flag("plan_destroy")?,
            breach: reader.required("broken", breach)?,
            call_log: reader
                .required("exchanges", |it| it.read_items(|it| entry(it, &ty, script.identity.as_deref())))?,
            script,
        };
        reader.take("purpose");
        reader.finish()?;
        Ok(case)
    }
}

fn meaningless(expected: &'static str, found: &str) -> CaseError {
    CaseError::Meaningless { expected, found: found.to_owned() }
}

fn breach(json: &Json) -> Result<Breach, JsonError> {
    let mut reader = ObjectReader::new(json, "what is broken")?;
    let name = reader.required("promise", Json::expect_string)?;
    let own = promise::PROMISES.iter().map(|it| it.id);
    let all = own.chain(planfuzz_rules::INVARIANTS.iter().map(|it| it.id));
    let promise = { all }.find(|id| *id == name).ok_or_else(|| json.unexpected("a promise that is known"))?;
    reader.take("statement");
    let breach = Breach {
        promise,
        place: reader.required("place", Json::expect_string)?.to_owned(),
        message: reader.required("message", Json::expect_string)?.to_owned(),
        tolerated: reader.flag("tolerated")?,
    };
    reader.finish()?;
    Ok(breach)
}

fn act_json(act: &Act) -> Json {
    let mut members = vec![("act", Json::string(act.name()))];
    if let Some(config) = act.config() {
        members.push(("config", Json::int(config as u64)));
    }
    if let Act::Open(_, hidden) = act {
        let paths = hidden.paths.iter().map(|path| Json::string(&path.to_string())).collect();
        members.push(("unknown", Json::Array(paths)));
        if hidden.refined {
            members.push(("refined", Json::Bool(true)));
        }
    }
    Json::object(members)
}

fn act(json: &Json) -> Result<Act, JsonError> {
    let mut reader = ObjectReader::new(json, "an act")?;
    let name = reader.required("act", Json::expect_string)?;
    let config = reader.optional("config", Json::expect_u64)?;
    let config = usize::try_from(config.unwrap_or_default()).unwrap_or(usize::MAX);
    let path = |it: &Json| Path::parse(it.expect_string()?).map_err(|error| it.unexpected(error.to_string()));
    let paths = reader.optional("unknown", |it| it.read_items(path))?.unwrap_or_default();
    let hidden = Hidden { paths, refined: reader.flag("refined")? };
    reader.finish()?;
    Ok(match name {
        "open" => Act::Open(config, hidden),
        "plan" => Act::Plan(config),
        "settle" => Act::Settle,
        "apply" => Act::Apply(config),
        "replace" => Act::Replace(config),
        "refresh" => Act::Refresh,
        "import" => Act::Import(config),
        "import_identity" => Act::ImportIdentity(config),
        "plan_destroy" => Act::PlanDestroy,
        "destroy" => Act::Destroy,
        _ => return Err(json.unexpected("an act that is known")),
    })
}

fn bytes_json(private: &Private) -> Json {
    Json::string(&STANDARD.encode(private.as_bytes()))
}

fn bytes(json: &Json) -> Result<Private, JsonError> {
    let text = json.expect_string()?;
    STANDARD.decode(text).map(|bytes| Private::from(&*bytes)).map_err(|_| json.unexpected("base64"))
}

fn entry_json(entry: &Entry, ty: &Type, identity: Option<&IdentitySchema>) -> Json {
    let value = |of: &Value| of.to_json(ty);
    let mut members = vec![("call", Json::string(entry.exchange.name()))];
    match &entry.exchange {
        Exchange::Validate(asked, _) => members.push(("config", value(&asked.config))),
        Exchange::Upgrade(asked, answer) => {
            members.push(("version", Json::int(asked.version)));
            members.push(match &asked.state {
                RawState::Value(stored) => ("stored", value(stored)),
                RawState::Json(json) => ("stored_json", Json::clone(json)),
            });
            members.push(("upgraded", value(&answer.upgraded)));
        }
        Exchange::Read(asked, answer) => {
            members.push(("current", value(&asked.current)));
            members.push(("private", bytes_json(&asked.private)));
            members.push(("new_state", value(&answer.new_state)));
            members.push(("answered_private", bytes_json(&answer.private)));
            members.push(("deferred", Json::Bool(answer.deferred)));
        }
        Exchange::Plan(asked, answer) => {
            members.extend([("prior", value(&asked.prior)), ("config", value(&asked.config))]);
            members.extend([("proposed", value(&asked.proposed)), ("private", bytes_json(&asked.private))]);
            members.push(("planned", value(&answer.planned)));
            let paths = answer.requires_replace.iter().map(|path| Json::string(&path.to_string()));
            members.push(("requires_replace", Json::Array(paths.collect())));
            members.push(("answered_private", bytes_json(&answer.private)));
            members.push(("legacy_type_system", Json::Bool(answer.legacy_type_system)));
            members.push(("deferred", Json::Bool(answer.deferred)));
        }
        Exchange::Apply(asked, answer) => {
            members.extend([("prior", value(&asked.prior)), ("config", value(&asked.config))]);
            members.extend([("planned", value(&asked.planned)), ("private", bytes_json(&asked.private))]);
            members.extend(answer.new_state.as_ref().map(|it| ("new_state", value(it))));
            members.push(("answered_private", bytes_json(&answer.private)));
            members.push(("legacy_type_system", Json::Bool(answer.legacy_type_system)));
        }
        Exchange::Import(asked, answer) => {
            members.push(("id", Json::string(&asked.id)));
            let object = |(of, private): &(Value, Private)| {
                Json::object([("value", value(of)), ("private", bytes_json(private))])
            };
            members.push(("imported", Json::Array(answer.imported.iter().map(object).collect())));
        }
        Exchange::ReadData(asked, answer) => {
            members.extend([("config", value(&asked.config)), ("state", value(&answer.state))]);
        }
    }
    members.push(("diagnostics", Json::Array(entry.diagnostics.iter().map(diagnostic_json).collect())));
    members.extend(identity::members(entry, identity));
    if let Some(trouble) = &entry.trouble {
        members.push(("no_answer", Json::string(&trouble.to_string())));
    }
    Json::object(members)
}

fn diagnostic_json(diagnostic: &ProviderDiagnostic) -> Json {
    let severity = if diagnostic.is_error() { "error" } else { "warning" };
    Json::object([
        ("severity", Json::string(severity)),
        ("summary", Json::string(&diagnostic.summary)),
        ("detail", Json::string(&diagnostic.detail)),
        ("path", Json::string(&diagnostic.path.to_string())),
    ])
}

fn read_diagnostic(json: &Json) -> Result<ProviderDiagnostic, JsonError> {
    let mut reader = ObjectReader::new(json, "a diagnostic")?;
    let diagnostic = ProviderDiagnostic {
        severity: match reader.required("severity", Json::expect_string)? {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => return Err(json.unexpected("error or warning")),
        },
        summary: reader.required("summary", Json::expect_string)?.to_owned(),
        detail: reader.required("detail", Json::expect_string)?.to_owned(),
        path: reader.required("path", path)?,
    };
    reader.finish()?;
    Ok(diagnostic)
}

fn path(json: &Json) -> Result<WrittenPath, JsonError> {
    WrittenPath::parse(json.expect_string()?).map_err(|error| json.unexpected(error.to_string()))
}

fn entry(json: &Json, ty: &Type, of: Option<&IdentitySchema>) -> Result<Entry, JsonError> {
    let mut reader = ObjectReader::new(json, "an exchange")?;
    // The first cases of this form have the other name.
    let name = if json.member("said").is_some() { "said" } else { "diagnostics" };
    let diagnostics = reader.required(name, |it| it.read_items(read_diagnostic))?;
    let no_answer = reader.optional("no_answer", Json::expect_string)?;
    let trouble = no_answer.map(|text| CallError::Status { code: "Recorded".into(), message: text.to_owned() });
    let mut remarks: Vec<Remark> =
        diagnostics.iter().map(|it| Remark { severity: it.severity, summary: Text::new(&it.summary) }).collect();
    if trouble.is_some() {
        let summary = planfuzz_core::planner::summary::NO_ANSWER.into();
        remarks.push(Remark { severity: Severity::Error, summary });
    }
    let exchange = exchange(&mut reader, json, ty, remarks)?;
    let (identity, answered_identity) = identity::read(&mut reader, of)?;
    reader.finish()?;
    Ok(Entry { exchange, diagnostics, trouble, identity, answered_identity })
}

fn exchange(
    reader: &mut ObjectReader<'_>,
    json: &Json,
    ty: &Type,
    remarks: Vec<Remark>,
) -> Result<Exchange, JsonError> {
    let value = |it: &Json| Value::from_json(it, ty);
    Ok(match reader.required("call", Json::expect_string)? {
        "validate" => {
            Exchange::Validate(ValidateConfig { config: reader.required("config", value)? }, ValidateAnswer { remarks })
        }
        "upgrade" => {
            let version = reader.required("version", Json::expect_u64)?;
            let state = match reader.take("stored_json") {
                Some(json) => RawState::Json(json.clone().into()),
                None => RawState::Value(reader.required("stored", value)?),
            };
            let upgraded = reader.required("upgraded", value)?;
            Exchange::Upgrade(UpgradeState { version, state }, UpgradeAnswer { upgraded, remarks })
        }
        "read" => Exchange::Read(
            ReadResource { current: reader.required("current", value)?, private: reader.required("private", bytes)? },
            ReadAnswer {
                new_state: reader.required("new_state", value)?,
                private: reader.required("answered_private", bytes)?,
                deferred: reader.flag("deferred")?,
                remarks,
            },
        ),
        "plan" => planned(reader, ty, remarks)?,
        "apply" => applied(reader, ty, remarks)?,
        "import" => imported(reader, ty, remarks)?,
        "read_data" => Exchange::ReadData(
            ReadData { config: reader.required("config", value)? },
            ReadDataAnswer { state: reader.required("state", value)?, remarks },
        ),
        _ => return Err(json.unexpected("a call that is known")),
    })
}

fn planned(reader: &mut ObjectReader<'_>, ty: &Type, remarks: Vec<Remark>) -> Result<Exchange, JsonError> {
    let value = |it: &Json| Value::from_json(it, ty);
    Ok(Exchange::Plan(
        PlanChange {
            prior: reader.required("prior", value)?,
            config: reader.required("config", value)?,
            proposed: reader.required("proposed", value)?,
            private: reader.required("private", bytes)?,
        },
        PlanAnswer {
            planned: reader.required("planned", value)?,
            requires_replace: reader.required("requires_replace", |it| it.read_items(path))?,
            private: reader.required("answered_private", bytes)?,
            legacy_type_system: reader.flag("legacy_type_system")?,
            deferred: reader.flag("deferred")?,
            remarks,
        },
    ))
}

fn applied(reader: &mut ObjectReader<'_>, ty: &Type, remarks: Vec<Remark>) -> Result<Exchange, JsonError> {
    let value = |it: &Json| Value::from_json(it, ty);
    Ok(Exchange::Apply(
        ApplyChange {
            prior: reader.required("prior", value)?,
            config: reader.required("config", value)?,
            planned: reader.required("planned", value)?,
            private: reader.required("private", bytes)?,
        },
        ApplyAnswer {
            new_state: reader.optional("new_state", value)?,
            private: reader.required("answered_private", bytes)?,
            legacy_type_system: reader.flag("legacy_type_system")?,
            remarks,
        },
    ))
}

fn imported(reader: &mut ObjectReader<'_>, ty: &Type, remarks: Vec<Remark>) -> Result<Exchange, JsonError> {
    let id = Text::new(reader.required("id", Json::expect_string)?);
    let object = |it: &Json| {
        let mut reader = ObjectReader::new(it, "an imported object")?;
        let value = |it: &Json| Value::from_json(it, ty);
        let imported = (reader.required("value", value)?, reader.required("private", bytes)?);
        reader.finish()?;
        Ok(imported)
    };
    let imported = reader.required("imported", |it| it.read_items(object))?;
    Ok(Exchange::Import(ImportState { id }, ImportAnswer { imported, remarks }))
}
