//! The operations of provider-model.md, answered by the provider pipelines.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::value::{Type, Value};
use planfuzz_pipelines::framework::{
    Applied, ModifierRequest, PlanError, PlanRequest, Program, Returned, Unfit, modify,
};
use planfuzz_pipelines::rules::PlanRule;

use super::outcome::Outcome;
use super::sdk;
use crate::case::{FrameworkProvider, Op, ProviderCall};

/// The answer, or why the call makes no sense for this kind of provider.
///
/// # Errors
/// A provider that cannot be compiled, a value that is not of its schema.
pub(super) fn answer(call: &ProviderCall, dialect: Dialect) -> Result<Outcome, String> {
    let ty = call.declared_type(dialect);
    let json = match call {
        ProviderCall::FwPlan { provider, modify_plan, prior, config, proposed } => {
            let program = compile(provider, modify_plan.as_deref())?;
            match program.plan(PlanRequest { prior, config, proposed }) {
                Ok(planned) => {
                    let paths = planned.requires_replace.iter().map(|path| Json::string(&path.to_string())).collect();
                    let planned = planned.planned.to_json(&ty);
                    Json::object([("planned", planned), ("requires_replace", Json::Array(paths))])
                }
                Err(PlanError::Diagnostics(_)) => Json::object([("error", Json::Bool(true))]),
                Err(PlanError::Unfit(problem)) => return Err(problem.to_string()),
            }
        }
        ProviderCall::FwMarkUnknown { provider, config, proposed } => {
            let marked = compile(provider, None)?.mark_unknown(config, proposed).map_err(in_words)?;
            Json::object([("value", marked.to_json(&ty))])
        }
        ProviderCall::FwModifier { ty, modifier, config, plan, state, state_null, plan_null } => {
            let (state_null, plan_null) = (*state_null, *plan_null);
            let request = ModifierRequest { ty, config, plan, state, state_null, plan_null };
            let modified = modify(modifier, request).map_err(in_words)?;
            match modified.is_error {
                true => Json::object([("error", Json::Bool(true))]),
                false => Json::object([
                    ("plan", modified.plan.to_json(ty)),
                    ("requires_replace", Json::Bool(modified.requires_replace)),
                ]),
            }
        }
        ProviderCall::FwApply { provider, prior, planned, config, returned, provider_error } => {
            let returned = Returned { value: returned.as_ref(), is_error: *provider_error };
            let applied = compile(provider, None)?.apply(prior, planned, config, returned);
            of_state(&applied.map_err(in_words)?, &ty)
        }
        ProviderCall::FwRead { provider, current, returned, provider_error } => {
            let returned = Returned { value: returned.as_ref(), is_error: *provider_error };
            of_state(&compile(provider, None)?.read(current, returned).map_err(in_words)?, &ty)
        }
        ProviderCall::Sdk(call) => sdk::answer(call, dialect),
    };
    Ok(Outcome::Want(json))
}

fn compile(provider: &FrameworkProvider, plan: Option<&[PlanRule]>) -> Result<Program, String> {
    Program::new(&provider.schema, &provider.rules, &[], plan).map_err(|problem| problem.to_string())
}

fn in_words(problem: Unfit) -> String {
    problem.to_string()
}

fn of_state(applied: &Applied, ty: &Type) -> Json {
    let error = Json::Bool(!applied.errors.is_empty());
    Json::object([("error", error), ("new_state", applied.new_state.to_json(ty))])
}

/// A `want` in the notation of this subject: values in their own notation, paths sorted and without repetitions (F86).
///
/// # Errors
/// Members that answers of the operation do not have, and values that are not of its type.
pub(super) fn read_want(call: &ProviderCall, want: &Json, dialect: Dialect) -> Result<Json, JsonError> {
    if let ProviderCall::Sdk(call) = call {
        return sdk::read_want(call, want, dialect);
    }
    let ty = call.declared_type(dialect);
    let mut reader = ObjectReader::new(want, "an outcome")?;
    let error = reader.optional("error", Json::expect_bool)?;
    if error == Some(true) && !matches!(call.op(), Op::FwApply | Op::FwRead) {
        reader.finish()?;
        return Ok(Json::object([("error", Json::Bool(true))]));
    }
    let mut value = |name| reader.required(name, |json| Ok(Value::from_json(json, &ty)?.to_json(&ty)));
    let members = match call.op() {
        Op::FwMarkUnknown => vec![("value", value("value")?)],
        Op::FwModifier => {
            let plan = value("plan")?;
            let requires_replace = reader.required("requires_replace", Json::expect_bool)?;
            vec![("plan", plan), ("requires_replace", Json::Bool(requires_replace))]
        }
        Op::FwPlan => {
            let planned = value("planned")?;
            let mut paths = reader
                .required("requires_replace", |json| json.read_items(|json| json.expect_string().map(str::to_owned)))?;
            paths.sort_unstable();
            paths.dedup();
            let paths = paths.iter().map(|path| Json::string(path)).collect();
            vec![("planned", planned), ("requires_replace", Json::Array(paths))]
        }
        _ => {
            let new_state = value("new_state")?;
            vec![("error", Json::Bool(error.unwrap_or(false))), ("new_state", new_state)]
        }
    };
    reader.finish()?;
    Ok(Json::object(members))
}
