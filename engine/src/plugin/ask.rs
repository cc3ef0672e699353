//! Sends the questions of core's trait `Provider` as messages, and converts the answers to core's types.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Exchange, ImportAnswer, ImportState, PlanAnswer, PlanChange, RawState, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Value, WrittenPath, WrittenStep};

use super::category::Category;
use super::error::CallError;
use super::identity::{self, IdentitySchema};
use super::launch::Plugin;
use super::line::Call;
use crate::provider_address::Protocol;
use crate::wire::Carrier;
use crate::wire::messages::plugin::attribute_path::step::Selector;
use crate::wire::messages::plugin::{self, AttributePath, ClientCapabilities, Diagnostic, DynamicValue, diagnostic};

/// A diagnostic of a provider beside its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderDiagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The summary.
    pub summary: String,
    /// The detail.
    pub detail: String,
    /// The attribute; the root if it names none.
    pub path: WrittenPath,
}

/// A type, and how its values are encoded.
#[derive(Debug)]
pub struct Kind {
    category: Category,
    name: String,
    carrier: Carrier,
    identity: Option<IdentitySchema>,
}

/// A question about a resource type.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each is the call of that name")]
pub enum Question {
    Validate(ValidateConfig),
    Upgrade(UpgradeState),
    Read(ReadResource),
    Plan(PlanChange),
    Apply(ApplyChange),
    Import(ImportState),
    ReadData(ReadData),
}

/// A question and its answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Both, in core's types.
    pub exchange: Exchange,
    /// The diagnostics beside the answer, in full.
    pub diagnostics: Vec<ProviderDiagnostic>,
    /// The identity in the answer, if there is one.
    pub identity: Option<Value>,
}

impl Kind {
    /// The type at an address ([`Category::address`]), of that schema.
    pub fn new(address: &str, schema: &Schema, dialect: Dialect) -> Kind {
        let (category, name) = Category::of_address(address);
        Kind { category, name: name.to_owned(), carrier: Carrier::new(schema, dialect), identity: None }
    }

    /// The type with this identity schema.
    pub fn identified(self, identity: Option<IdentitySchema>) -> Kind {
        Kind { identity, ..self }
    }

    /// Its identity schema, if it has one.
    pub fn identity(&self) -> Option<&IdentitySchema> {
        self.identity.as_ref()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn encode(&self, value: &Value) -> Result<Option<DynamicValue>, CallError> {
        self.carrier.encode(value).map(Some).map_err(CallError::Unsendable)
    }

    /// Decodes a value of an answer, which may be msgpack or JSON.
    fn decode(&self, place: &'static str, message: Option<&DynamicValue>) -> Result<Value, CallError> {
        let unreadable = |problem: String| CallError::Undecodable { place, problem };
        let Some(message) = message else { return Ok(Value::null(self.carrier.ty().clone())) };
        let ty = self.carrier.ty();
        let value = if !message.msgpack.is_empty() {
            msgpack::decode(&message.msgpack, ty).map_err(|error| unreadable(error.to_string()))?
        } else if !message.json.is_empty() {
            let text = std::str::from_utf8(&message.json).map_err(|error| unreadable(error.to_string()))?;
            let json = Json::parse(text).map_err(|error| unreadable(error.to_string()))?;
            Value::from_stored_json(&json, ty).map_err(|error| unreadable(error.to_string()))?
        } else {
            Value::null(ty.clone())
        };
        Ok(value)
    }
}

impl Plugin {
    /// Validates the provider's own configuration and configures the provider with it: this process and every later one.
    ///
    /// # Errors
    /// One of the two calls got no answer.
    pub fn configure(
        &mut self,
        schema: &Schema,
        config: &Value,
        dialect: Dialect,
    ) -> Result<Vec<ProviderDiagnostic>, CallError> {
        let kind = Kind::new("", schema, dialect);
        let config = kind.encode(config)?;
        let request = plugin::PrepareProviderConfigRequest { config: config.clone() };
        let (prepared, mut all) = match self.protocol() {
            Protocol::Five => {
                let answer: plugin::PrepareProviderConfigAnswer = self.call(Call::PREPARE, request)?;
                (answer.prepared_config.or(config), read_diagnostics(answer.diagnostics))
            }
            Protocol::Six => {
                let answer: plugin::ValidateProviderConfigAnswer = self.call(Call::PREPARE, request)?;
                (config, read_diagnostics(answer.diagnostics))
            }
        };
        if all.iter().any(ProviderDiagnostic::is_error) {
            return Ok(all);
        }
        let request = plugin::ConfigureRequest {
            terraform_version: Dialect::RELEASE.to_owned(),
            config: prepared,
            client_capabilities: capabilities(),
        };
        let answer: plugin::ConfigureAnswer = self.call(Call::CONFIGURE, request.clone())?;
        self.keep_configured(request);
        all.extend(read_diagnostics(answer.diagnostics));
        Ok(all)
    }

    /// Asks a question about a resource type, with the identity of the object if it is known.
    ///
    /// # Errors
    /// There is no answer, or it cannot be read.
    pub fn ask(&mut self, of: &Kind, question: Question, identity: Option<&Value>) -> Result<Reply, CallError> {
        match question {
            Question::Validate(asked) => self.validate(of, asked),
            Question::Upgrade(asked) => self.upgrade(of, asked, identity),
            Question::Read(asked) => self.read(of, asked, identity),
            Question::Plan(asked) => self.plan(of, asked, identity),
            Question::Apply(asked) => self.apply(of, asked, identity),
            Question::Import(asked) => self.import(of, asked, identity),
            Question::ReadData(asked) => self.read_data(of, asked),
        }
    }

    fn validate(&mut self, of: &Kind, asked: ValidateConfig) -> Result<Reply, CallError> {
        let (type_name, config) = (of.name.clone(), of.encode(&asked.config)?);
        let answer: plugin::ValidateAnswer = match of.category {
            Category::Resource => {
                let request = plugin::ValidateRequest { type_name, config, client_capabilities: capabilities() };
                self.call(Call::VALIDATE, request)?
            }
            Category::Data => {
                let request = plugin::ReadDataRequest { type_name, config, provider_meta: None };
                self.call(Call::VALIDATE_DATA, request)?
            }
            Category::Ephemeral => {
                let request = plugin::ValidateEphemeralRequest { type_name, config };
                self.call(Call::VALIDATE_EPHEMERAL, request)?
            }
        };
        let diagnostics = read_diagnostics(answer.diagnostics);
        let answer = ValidateAnswer { remarks: remarks(&diagnostics) };
        Ok(Reply { exchange: Exchange::Validate(asked, answer), diagnostics, identity: None })
    }

    fn upgrade(&mut self, of: &Kind, asked: UpgradeState, identity: Option<&Value>) -> Result<Reply, CallError> {
        let json = match &asked.state {
            RawState::Json(json) => json.clone(),
            RawState::Value(value) => value
                .view()
                .to_stored_json(of.carrier.ty())
                .map_err(|_| CallError::Unsendable("a stored value that state files cannot hold"))?
                .into(),
        };
        let version =
            i64::try_from(asked.version).map_err(|_| CallError::Unsendable("a version of more than 63 bits"))?;
        let raw_state = Some(plugin::RawState { json: json.to_compact().into_bytes(), ..Default::default() });
        let request = plugin::UpgradeRequest { type_name: of.name.clone(), version, raw_state };
        let answer: plugin::UpgradeAnswer = self.call(Call::UPGRADE, request)?;
        let mut diagnostics = read_diagnostics(answer.diagnostics);
        // Engines upgrade the object and its identity when they read a state.
        let identity = match identity {
            Some(identity) => {
                let (upgraded, beside) = self.upgrade_identity(of, identity)?;
                diagnostics.extend(beside);
                upgraded
            }
            None => None,
        };
        let upgraded = of.decode("upgraded state", answer.upgraded_state.as_ref())?;
        let answer = UpgradeAnswer { upgraded, remarks: remarks(&diagnostics) };
        Ok(Reply { exchange: Exchange::Upgrade(asked, answer), diagnostics, identity })
    }

    fn read(&mut self, of: &Kind, asked: ReadResource, identity: Option<&Value>) -> Result<Reply, CallError> {
        let request = plugin::ReadRequest {
            type_name: of.name.clone(),
            current_state: of.encode(&asked.current)?,
            private: asked.private.as_bytes().to_vec(),
            provider_meta: self.meta(),
            client_capabilities: capabilities(),
            current_identity: identity::message(of, identity)?,
        };
        let answer: plugin::ReadAnswer = self.call(Call::READ, request)?;
        let identity = identity::read(of, answer.new_identity.as_ref())?;
        let diagnostics = read_diagnostics(answer.diagnostics);
        let answer = ReadAnswer {
            new_state: of.decode("new state", answer.new_state.as_ref())?,
            private: Private::from(&*answer.private),
            deferred: answer.deferred.is_some(),
            remarks: remarks(&diagnostics),
        };
        Ok(Reply { exchange: Exchange::Read(asked, answer), diagnostics, identity })
    }

    fn plan(&mut self, of: &Kind, asked: PlanChange, identity: Option<&Value>) -> Result<Reply, CallError> {
        let request = plugin::PlanRequest {
            type_name: of.name.clone(),
            prior_state: of.encode(&asked.prior)?,
            proposed_new_state: of.encode(&asked.proposed)?,
            config: of.encode(&asked.config)?,
            prior_private: asked.private.as_bytes().to_vec(),
            provider_meta: self.meta(),
            client_capabilities: capabilities(),
            prior_identity: identity::message(of, identity)?,
        };
        let answer: plugin::PlanAnswer = self.call(Call::PLAN, request)?;
        let identity = identity::read(of, answer.planned_identity.as_ref())?;
        let diagnostics = read_diagnostics(answer.diagnostics);
        let answer = PlanAnswer {
            planned: of.decode("planned state", answer.planned_state.as_ref())?,
            requires_replace: answer.requires_replace.iter().map(path).collect(),
            private: Private::from(&*answer.planned_private),
            legacy_type_system: answer.legacy_type_system,
            deferred: answer.deferred.is_some(),
            remarks: remarks(&diagnostics),
        };
        Ok(Reply { exchange: Exchange::Plan(asked, answer), diagnostics, identity })
    }

    fn apply(&mut self, of: &Kind, asked: ApplyChange, identity: Option<&Value>) -> Result<Reply, CallError> {
        let request = plugin::ApplyRequest {
            type_name: of.name.clone(),
            prior_state: of.encode(&asked.prior)?,
            planned_state: of.encode(&asked.planned)?,
            config: of.encode(&asked.config)?,
            planned_private: asked.private.as_bytes().to_vec(),
            provider_meta: self.meta(),
            planned_identity: identity::message(of, identity)?,
        };
        let answer: plugin::ApplyAnswer = self.call(Call::APPLY, request)?;
        let identity = identity::read(of, answer.new_identity.as_ref())?;
        let diagnostics = read_diagnostics(answer.diagnostics);
        let answer = ApplyAnswer {
            new_state: Some(of.decode("new state", answer.new_state.as_ref())?),
            private: Private::from(&*answer.private),
            legacy_type_system: answer.legacy_type_system,
            remarks: remarks(&diagnostics),
        };
        Ok(Reply { exchange: Exchange::Apply(asked, answer), diagnostics, identity })
    }

    /// Imports by identity if there is one, else by id.
    fn import(&mut self, of: &Kind, asked: ImportState, identity: Option<&Value>) -> Result<Reply, CallError> {
        let request = plugin::ImportRequest {
            type_name: of.name.clone(),
            id: if identity.is_some() { String::new() } else { asked.id.to_string() },
            client_capabilities: capabilities(),
            identity: identity::message(of, identity)?,
        };
        let answer: plugin::ImportAnswer = self.call(Call::IMPORT, request)?;
        let diagnostics = read_diagnostics(answer.diagnostics);
        // Objects of other types belong to other instances.
        let own: Vec<_> = answer.imported_resources.iter().filter(|it| it.type_name == of.name).collect();
        let identity = own.first().map_or(Ok(None), |it| identity::read(of, it.identity.as_ref()))?;
        let imported = own
            .into_iter()
            .map(|it| Ok((of.decode("imported state", it.state.as_ref())?, Private::from(&*it.private))))
            .collect::<Result<_, CallError>>()?;
        let answer = ImportAnswer { imported, remarks: remarks(&diagnostics) };
        Ok(Reply { exchange: Exchange::Import(asked, answer), diagnostics, identity })
    }

    fn read_data(&mut self, of: &Kind, asked: ReadData) -> Result<Reply, CallError> {
        if of.category == Category::Ephemeral {
            return self.open(of, asked);
        }
        let request = plugin::ReadDataRequest {
            type_name: of.name.clone(),
            config: of.encode(&asked.config)?,
            provider_meta: self.meta(),
        };
        let answer: plugin::ReadDataAnswer = self.call(Call::READ_DATA, request)?;
        let diagnostics = read_diagnostics(answer.diagnostics);
        let state = of.decode("state", answer.state.as_ref())?;
        let answer = ReadDataAnswer { state, remarks: remarks(&diagnostics) };
        Ok(Reply { exchange: Exchange::ReadData(asked, answer), diagnostics, identity: None })
    }

    /// Opens an ephemeral resource, renews it if its answer asks for that, and closes it. To core that is a read: a configuration becomes
    /// an object.
    fn open(&mut self, of: &Kind, asked: ReadData) -> Result<Reply, CallError> {
        let type_name = of.name.clone();
        let config = of.encode(&asked.config)?;
        let request = plugin::OpenRequest { type_name: type_name.clone(), config, client_capabilities: capabilities() };
        let answer: plugin::OpenAnswer = self.call(Call::OPEN, request)?;
        let mut all = read_diagnostics(answer.diagnostics);
        let state = of.decode("result", answer.result.as_ref());
        if !all.iter().any(ProviderDiagnostic::is_error) {
            let mut private = answer.private;
            if answer.renew_at.is_some() {
                let request = plugin::RenewRequest { type_name: type_name.clone(), private: private.clone() };
                let answer: plugin::RenewAnswer = self.call(Call::RENEW, request)?;
                all.extend(read_diagnostics(answer.diagnostics));
                // An empty answer keeps the private data.
                private = if answer.private.is_empty() { private } else { answer.private };
            }
            let answer: plugin::CloseAnswer = self.call(Call::CLOSE, plugin::CloseRequest { type_name, private })?;
            all.extend(read_diagnostics(answer.diagnostics));
        }
        let answer = ReadDataAnswer { state: state?, remarks: remarks(&all) };
        Ok(Reply { exchange: Exchange::ReadData(asked, answer), diagnostics: all, identity: None })
    }
}

impl ProviderDiagnostic {
    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The client capabilities of an engine's plan.
fn capabilities() -> Option<ClientCapabilities> {
    Some(ClientCapabilities { deferral_allowed: false, write_only_attributes_allowed: true })
}

/// Converts diagnostics. An unknown severity counts as an error, as for engines.
pub(super) fn read_diagnostics(messages: Vec<Diagnostic>) -> Vec<ProviderDiagnostic> {
    let one = |it: Diagnostic| ProviderDiagnostic {
        severity: match it.severity() {
            diagnostic::Severity::Warning => Severity::Warning,
            diagnostic::Severity::Error | diagnostic::Severity::Invalid => Severity::Error,
        },
        path: it.attribute.as_ref().map(path).unwrap_or_default(),
        summary: it.summary,
        detail: it.detail,
    };
    messages.into_iter().map(one).collect()
}

fn remarks(diagnostics: &[ProviderDiagnostic]) -> Vec<Remark> {
    diagnostics.iter().map(|it| Remark { severity: it.severity, summary: Text::new(&it.summary) }).collect()
}

/// Converts a path. A step without a selector is left out, and so is a negative index, which is no element.
fn path(message: &AttributePath) -> WrittenPath {
    let steps = message.steps.iter().filter_map(|step| match step.selector.as_ref()? {
        Selector::AttributeName(name) => Some(WrittenStep::Attribute(Text::new(name))),
        Selector::ElementKeyString(key) => Some(WrittenStep::Key(Text::new(key))),
        Selector::ElementKeyInt(index) => Some(WrittenStep::Index(u64::try_from(*index).unwrap_or(u64::MAX))),
    });
    steps.collect()
}
