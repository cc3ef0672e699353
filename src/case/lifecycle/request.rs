//! Requests to a provider.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{
    ApplyChange, Exchange, ImportState, PlanChange, RawState, ReadData, ReadResource, UpgradeState, ValidateConfig,
};
use planfuzz_core::value::{Type, Value};

use super::options::read_text;
use super::value::{read_private, read_value, write_private, write_value};
use super::{Form, Members};

/// A call of a provider.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each is the call of that name")]
pub enum ProviderRequest {
    Validate(ValidateConfig),
    Upgrade(UpgradeState),
    Read(ReadResource),
    Plan(PlanChange),
    Apply(ApplyChange),
    Import(ImportState),
    ReadData(ReadData),
}

impl ProviderRequest {
    /// The names of the calls.
    pub const CALLS: [&'static str; 7] = ["validate", "upgrade", "read", "plan", "apply", "import", "read_data"];

    /// The request of an exchange.
    pub fn of(exchange: &Exchange) -> ProviderRequest {
        match exchange {
            Exchange::Validate(request, _) => ProviderRequest::Validate(request.clone()),
            Exchange::Upgrade(request, _) => ProviderRequest::Upgrade(request.clone()),
            Exchange::Read(request, _) => ProviderRequest::Read(request.clone()),
            Exchange::Plan(request, _) => ProviderRequest::Plan(request.clone()),
            Exchange::Apply(request, _) => ProviderRequest::Apply(request.clone()),
            Exchange::Import(request, _) => ProviderRequest::Import(request.clone()),
            Exchange::ReadData(request, _) => ProviderRequest::ReadData(request.clone()),
        }
    }

    /// The name of the call.
    pub fn call(&self) -> &'static str {
        match self {
            ProviderRequest::Validate(_) => "validate",
            ProviderRequest::Upgrade(_) => "upgrade",
            ProviderRequest::Read(_) => "read",
            ProviderRequest::Plan(_) => "plan",
            ProviderRequest::Apply(_) => "apply",
            ProviderRequest::Import(_) => "import",
            ProviderRequest::ReadData(_) => "read_data",
        }
    }
}

impl Form for ProviderRequest {
    fn to_form(&self, ty: &Type) -> Json {
        let value = |value: &Value| write_value(value, ty);
        let mut members = Members::default();
        members.text("call", self.call());
        match self {
            ProviderRequest::Validate(ValidateConfig { config }) | ProviderRequest::ReadData(ReadData { config }) => {
                members.put("config", value(config));
            }
            ProviderRequest::Upgrade(UpgradeState { version, state }) => {
                members.put("version", Json::int(*version));
                match state {
                    RawState::Value(state) => members.put("state", value(state)),
                    RawState::Json(raw) => members.put("raw", Json::clone(raw)),
                }
            }
            ProviderRequest::Read(ReadResource { current, private }) => {
                members.put("current", value(current));
                members.put("private", write_private(private));
            }
            ProviderRequest::Plan(PlanChange { prior, config, proposed, private }) => {
                members.put("prior", value(prior));
                members.put("config", value(config));
                members.put("proposed", value(proposed));
                members.put("private", write_private(private));
            }
            ProviderRequest::Apply(ApplyChange { prior, config, planned, private }) => {
                members.put("prior", value(prior));
                members.put("config", value(config));
                members.put("planned", value(planned));
                members.put("private", write_private(private));
            }
            ProviderRequest::Import(ImportState { id }) => members.text("id", id),
        }
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ProviderRequest, JsonError> {
        let mut reader = ObjectReader::new(json, "a request to a provider")?;
        let call = reader.required("call", read_call)?;
        let value = |json: &Json| read_value(json, ty);
        let request = match call {
            "validate" => ProviderRequest::Validate(ValidateConfig { config: reader.required("config", value)? }),
            "read_data" => ProviderRequest::ReadData(ReadData { config: reader.required("config", value)? }),
            "import" => ProviderRequest::Import(ImportState { id: reader.required("id", read_text)? }),
            "upgrade" => ProviderRequest::Upgrade(UpgradeState {
                version: reader.required("version", Json::expect_u64)?,
                state: match reader.take("raw") {
                    Some(raw) => RawState::Json(raw.clone().into()),
                    None => RawState::Value(reader.required("state", value)?),
                },
            }),
            "read" => ProviderRequest::Read(ReadResource {
                current: reader.required("current", value)?,
                private: read_private(&mut reader, "private")?,
            }),
            "plan" => ProviderRequest::Plan(PlanChange {
                prior: reader.required("prior", value)?,
                config: reader.required("config", value)?,
                proposed: reader.required("proposed", value)?,
                private: read_private(&mut reader, "private")?,
            }),
            _ => ProviderRequest::Apply(ApplyChange {
                prior: reader.required("prior", value)?,
                config: reader.required("config", value)?,
                planned: reader.required("planned", value)?,
                private: read_private(&mut reader, "private")?,
            }),
        };
        reader.finish()?;
        Ok(request)
    }
}

fn read_call(json: &Json) -> Result<&'static str, JsonError> {
    let name = json.expect_string()?;
    let found = ProviderRequest::CALLS.into_iter().find(|call| *call == name);
    found.ok_or_else(|| json.unexpected("a call: validate, upgrade, read, plan, apply, import or read_data"))
}
