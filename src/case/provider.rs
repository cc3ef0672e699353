//! The operations of the provider pipelines and their inputs (provider-model.md, section 1).

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};
use planfuzz_pipelines::expression::Scope;
use planfuzz_pipelines::rules::{Mod, PlanRule, Rules, plan_rules_from_json, plan_rules_to_json};

use super::op::Op;
use super::read::read_schema;
use super::sdk::SdkCall;

/// Stands for the new state of a provider that set none (F102).
const KEEP: &str = "$keep";

type Members = Vec<(&'static str, Json)>;

/// A provider written with the plugin framework: the parts of its model that plan, apply and read need.
#[derive(Clone, Debug)]
pub struct FrameworkProvider {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The behaviour of attributes and blocks.
    pub rules: Rules,
}

/// An operation of provider-model.md and its inputs, by the names of the vector formats.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the members are those of the vector formats, where each is described")]
pub enum ProviderCall {
    FwPlan {
        provider: FrameworkProvider,
        /// Resource-level plan modification, if there is any (F80).
        modify_plan: Option<Vec<PlanRule>>,
        prior: Value,
        config: Value,
        proposed: Value,
    },
    FwMarkUnknown {
        provider: FrameworkProvider,
        config: Value,
        proposed: Value,
    },
    FwModifier {
        ty: Type,
        modifier: Mod,
        config: Value,
        plan: Value,
        state: Value,
        state_null: bool,
        plan_null: bool,
    },
    FwApply {
        provider: FrameworkProvider,
        prior: Value,
        planned: Value,
        config: Value,
        /// `None` if the provider's code sets no new state.
        returned: Option<Value>,
        provider_error: bool,
    },
    FwRead {
        provider: FrameworkProvider,
        current: Value,
        /// As for an apply.
        returned: Option<Value>,
        provider_error: bool,
    },
    /// An operation of the classic SDK's pipeline.
    Sdk(SdkCall),
}

impl ProviderCall {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            ProviderCall::FwPlan { .. } => Op::FwPlan,
            ProviderCall::FwMarkUnknown { .. } => Op::FwMarkUnknown,
            ProviderCall::FwModifier { .. } => Op::FwModifier,
            ProviderCall::FwApply { .. } => Op::FwApply,
            ProviderCall::FwRead { .. } => Op::FwRead,
            ProviderCall::Sdk(call) => call.op(),
        }
    }

    /// The provider, for an operation on a whole resource.
    pub fn provider(&self) -> Option<&FrameworkProvider> {
        match self {
            ProviderCall::FwPlan { provider, .. }
            | ProviderCall::FwMarkUnknown { provider, .. }
            | ProviderCall::FwApply { provider, .. }
            | ProviderCall::FwRead { provider, .. } => Some(provider),
            ProviderCall::FwModifier { .. } | ProviderCall::Sdk(_) => None,
        }
    }

    /// The input values, by name; the first is the one that the answer changes.
    pub fn values(&self) -> Vec<(&'static str, &Value)> {
        match self {
            ProviderCall::FwPlan { prior, config, proposed, .. } => {
                vec![("prior", prior), ("config", config), ("proposed", proposed)]
            }
            ProviderCall::FwMarkUnknown { config, proposed, .. } => vec![("proposed", proposed), ("config", config)],
            ProviderCall::FwModifier { config, plan, state, .. } => {
                vec![("plan", plan), ("config", config), ("state", state)]
            }
            ProviderCall::FwApply { prior, planned, config, returned, .. } => {
                let mut values = vec![("prior", prior), ("planned", planned), ("config", config)];
                values.extend(returned.iter().map(|value| ("returned", value)));
                values
            }
            ProviderCall::Sdk(_) => Vec::new(),
            ProviderCall::FwRead { current, returned, .. } => {
                let mut values = vec![("current", current)];
                values.extend(returned.iter().map(|value| ("returned", value)));
                values
            }
        }
    }

    /// The type that values of inputs and answers are written with.
    pub fn declared_type(&self, dialect: Dialect) -> Type {
        match self {
            ProviderCall::FwPlan { provider, .. }
            | ProviderCall::FwMarkUnknown { provider, .. }
            | ProviderCall::FwApply { provider, .. }
            | ProviderCall::FwRead { provider, .. } => provider.schema.implied_type(dialect),
            ProviderCall::FwModifier { ty, .. } => ty.clone(),
            ProviderCall::Sdk(call) => call.declared_type(dialect),
        }
    }

    /// Reads the inputs of an operation.
    ///
    /// # Errors
    /// An input that is missing or does not conform to what the operation takes, with its path.
    pub(super) fn read(reader: &mut ObjectReader<'_>, op: Op, dialect: Dialect) -> Result<ProviderCall, JsonError> {
        if op == Op::FwModifier {
            return read_modifier_call(reader);
        }
        if !matches!(op, Op::FwPlan | Op::FwMarkUnknown | Op::FwApply | Op::FwRead) {
            return SdkCall::read(reader, op, dialect).map(ProviderCall::Sdk);
        }
        let (provider, ty) = FrameworkProvider::read(reader, dialect)?;
        let modify_plan = match op {
            Op::FwPlan => reader.optional("modify_plan", |json| plan_rules_from_json(json, &provider.schema.block))?,
            _ => None,
        };
        let mut value = |name| reader.required(name, |json| read_object_or_null(json, &ty));
        Ok(match op {
            Op::FwPlan => {
                let (prior, config, proposed) = (value("prior")?, value("config")?, value("proposed")?);
                ProviderCall::FwPlan { provider, modify_plan, prior, config, proposed }
            }
            Op::FwMarkUnknown => {
                ProviderCall::FwMarkUnknown { provider, config: value("config")?, proposed: value("proposed")? }
            }
            Op::FwApply => {
                let (prior, planned, config) = (value("prior")?, value("planned")?, value("config")?);
                let (returned, provider_error) = read_returned(reader, &ty)?;
                ProviderCall::FwApply { provider, prior, planned, config, returned, provider_error }
            }
            _ => {
                let current = value("current")?;
                let (returned, provider_error) = read_returned(reader, &ty)?;
                ProviderCall::FwRead { provider, current, returned, provider_error }
            }
        })
    }

    /// The inputs as members.
    pub(super) fn members(&self, dialect: Dialect) -> Members {
        let ty = self.declared_type(dialect);
        let value = |value: &Value| value.to_json(&ty);
        let returned = |of: &Option<Value>| of.as_ref().map_or_else(|| Json::string(KEEP), value);
        match self {
            ProviderCall::FwPlan { provider, modify_plan, prior, config, proposed } => {
                let mut members = provider.members();
                let rules = modify_plan.iter().map(|rules| plan_rules_to_json(rules, &provider.schema.block));
                members.extend(rules.map(|rules| ("modify_plan", rules)));
                members.extend([("prior", value(prior)), ("config", value(config)), ("proposed", value(proposed))]);
                members
            }
            ProviderCall::FwMarkUnknown { provider, config, proposed } => {
                let mut members = provider.members();
                members.extend([("config", value(config)), ("proposed", value(proposed))]);
                members
            }
            ProviderCall::FwModifier { ty, modifier, config, plan, state, state_null, plan_null } => vec![
                ("type", ty.to_json()),
                ("modifier", modifier.to_json(&Scope::of_attribute(ty.clone()))),
                ("config", value(config)),
                ("state", value(state)),
                ("plan", value(plan)),
                ("state_null", Json::Bool(*state_null)),
                ("plan_null", Json::Bool(*plan_null)),
            ],
            ProviderCall::FwApply { provider, prior, planned, config, returned: of, provider_error } => {
                let mut members = provider.members();
                members.extend([("prior", value(prior)), ("planned", value(planned)), ("config", value(config))]);
                members.extend([("returned", returned(of)), ("provider_error", Json::Bool(*provider_error))]);
                members
            }
            ProviderCall::FwRead { provider, current, returned: of, provider_error } => {
                let mut members = provider.members();
                members.push(("current", value(current)));
                members.extend([("returned", returned(of)), ("provider_error", Json::Bool(*provider_error))]);
                members
            }
            ProviderCall::Sdk(call) => call.members(dialect),
        }
    }
}

impl FrameworkProvider {
    fn read(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<(FrameworkProvider, Type), JsonError> {
        let (schema, ty) = read_schema(reader, dialect)?;
        let rules = reader.optional("rules", |json| Rules::from_json(json, &schema.block))?.unwrap_or_default();
        Ok((FrameworkProvider { schema, rules }, ty))
    }

    fn members(&self) -> Members {
        let FrameworkProvider { schema, rules } = self;
        let mut members = vec![("schema", schema.to_json())];
        if !rules.is_empty() {
            members.push(("rules", rules.to_json(&schema.block)));
        }
        members
    }
}

fn read_modifier_call(reader: &mut ObjectReader<'_>) -> Result<ProviderCall, JsonError> {
    let ty = reader.required("type", Type::from_json)?;
    let modifier = reader.required("modifier", |json| Mod::from_json(json, &ty))?;
    let of = ty.clone();
    let mut value = |name| reader.required(name, |json| Value::from_json(json, &of));
    let (config, state, plan) = (value("config")?, value("state")?, value("plan")?);
    let (state_null, plan_null) = (reader.flag("state_null")?, reader.flag("plan_null")?);
    Ok(ProviderCall::FwModifier { ty, modifier, config, plan, state, state_null, plan_null })
}

/// Reads an input of a step: an object or null, because no engine sends an object that is unknown as a whole.
fn read_object_or_null(json: &Json, ty: &Type) -> Result<Value, JsonError> {
    let value = Value::from_json(json, ty)?;
    if value.is_unknown() { Err(json.unexpected("an object or null, not an unknown value")) } else { Ok(value) }
}

fn read_returned(reader: &mut ObjectReader<'_>, ty: &Type) -> Result<(Option<Value>, bool), JsonError> {
    let returned = reader.required("returned", |json| match json {
        Json::String(word) if **word == *KEEP => Ok(None),
        other => Value::from_json(other, ty).map(Some),
    })?;
    Ok((returned, reader.flag("provider_error")?))
}
