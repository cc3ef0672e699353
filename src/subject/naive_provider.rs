//! The operations of provider-model.md, answered by the second implementation of the pipelines.

use std::collections::BTreeSet;

use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_naive::framework::{self, Provider};
use planfuzz_naive::schema::implied_type;
use planfuzz_naive::sdk;
use planfuzz_naive::value::{Ty, Val, write};
use planfuzz_pipelines::sdk::{Mode, Pipeline};

use super::outcome::Outcome;
use crate::case::{FrameworkProvider, ProviderCall, SdkCall};

/// The answer of the pipeline.
pub(super) fn answer(call: &ProviderCall) -> Outcome {
    let Some(provider) = call.provider() else {
        return match call {
            ProviderCall::FwModifier { ty, modifier, config, plan, state, state_null, plan_null } => {
                let sides = [config, state, plan].map(Val::of);
                let ty = Ty::of(ty);
                match framework::modifier(modifier, &ty, sides.each_ref(), *state_null, *plan_null) {
                    Ok((plan, asks)) => {
                        let plan = ("plan", write(&plan, &ty));
                        Outcome::Want(Json::object([plan, ("requires_replace", Json::Bool(asks))]))
                    }
                    Err(framework::Failed) => error(),
                }
            }
            ProviderCall::Sdk(call) => of_sdk(call).unwrap_or_else(|sdk::Crash| error()),
            _ => error(),
        };
    };
    let FrameworkProvider { schema, rules } = provider;
    let provider = Provider { block: &schema.block, rules };
    if !provider.is_expressible() {
        return Outcome::Refused("the framework has no such schema".to_owned());
    }
    let ty = type_of(schema);
    match call {
        ProviderCall::FwPlan { modify_plan, prior, config, proposed, .. } => {
            let [prior, config, proposed] = [prior, config, proposed].map(Val::of);
            match provider.plan(modify_plan.as_deref(), &prior, &config, &proposed) {
                Ok((planned, replace)) => {
                    let planned = ("planned", write(&planned, &ty));
                    Outcome::Want(Json::object([planned, ("requires_replace", paths(&replace))]))
                }
                Err(framework::Failed) => error(),
            }
        }
        ProviderCall::FwMarkUnknown { config, proposed, .. } => {
            let marked = provider.marked(&Val::of(config), &Val::of(proposed));
            Outcome::Want(Json::object([("value", write(&marked, &ty))]))
        }
        ProviderCall::FwApply { prior, planned, returned, provider_error, .. } => {
            let returned = returned.as_ref().map(Val::of);
            of_state(provider.apply(&Val::of(prior), &Val::of(planned), returned.as_ref(), *provider_error), &ty)
        }
        ProviderCall::FwRead { current, returned, provider_error, .. } => {
            let returned = returned.as_ref().map(Val::of);
            of_state(provider.read(&Val::of(current), returned.as_ref(), *provider_error), &ty)
        }
        ProviderCall::FwModifier { .. } | ProviderCall::Sdk(_) => error(),
    }
}

fn of_sdk(call: &SdkCall) -> Result<Outcome, sdk::Crash> {
    let members = match call {
        SdkCall::Plan { pipeline, customize_diff, prior, config, proposed } => {
            let provider = of_fields(pipeline);
            let [prior, config, proposed] = [prior, config, proposed].map(Val::of);
            let plan = provider.plan(customize_diff, &prior, &config, &proposed)?;
            let planned = ("planned", write(&plan.planned, &provider.ty()));
            let mut members = vec![planned, ("requires_replace", paths(&plan.replace))];
            if !plan.extra.is_empty() {
                members
                    .push(("extra", Json::object(plan.extra.iter().map(|(path, text)| (&**path, Json::string(text))))));
            }
            members
        }
        SdkCall::Apply { pipeline, prior, planned, config: _, extra, function } => {
            let provider = of_fields(pipeline);
            let new = provider.apply(&Val::of(prior), &Val::of(planned), extra, function)?;
            return Ok(of_state(new, &provider.ty()));
        }
        SdkCall::Read { pipeline, current, function } => {
            let provider = of_fields(pipeline);
            return Ok(match provider.read(&Val::of(current), function)? {
                Some(new) => of_state((false, new), &provider.ty()),
                None => error(),
            });
        }
        SdkCall::CoreSchema { pipeline } => {
            let schema = Schema { version: 0, block: of_fields(pipeline).core_block() };
            vec![("schema", schema.to_json())]
        }
        SdkCall::ShimState { pipeline, value } => {
            let flat = of_fields(pipeline).shim(&Val::of(value))?;
            vec![("flat", Json::object(flat.iter().map(|(path, text)| (&**path, Json::string(text)))))]
        }
        SdkCall::Diff { pipeline, state, config } => {
            let flat = state.iter().flat_map(|state| state.flat().iter());
            let diff = of_fields(pipeline).diff(state.as_ref().map_or("", |state| state.id()), flat, config)?;
            vec![("diff", Json::object(diff.iter().map(|(path, entry)| (&**path, of_entry(entry)))))]
        }
        SdkCall::Normalize { ty, dst, src, mode } => {
            let value = sdk::normalize(&Val::of(dst), &Val::of(src), *mode == Mode::Apply);
            vec![("value", write(&value, &Ty::of(ty)))]
        }
        SdkCall::Equivalent { ty: _, a, b } => {
            let is_equivalent = sdk::are_equivalent(&Val::of(a), &Val::of(b));
            vec![("equivalent", Json::Bool(is_equivalent))]
        }
        SdkCall::SetUnknowns { schema, value } => {
            let value = sdk::set_unknowns(&schema.block, &Val::of(value));
            vec![("value", write(&value, &type_of(schema)))]
        }
    };
    Ok(Outcome::Want(Json::object(members)))
}

fn of_fields(pipeline: &Pipeline) -> sdk::Provider<'_> {
    sdk::Provider { fields: pipeline.schema().fields() }
}

fn of_entry(entry: &sdk::Entry) -> Json {
    let mut members = vec![("old", Json::string(&entry.old)), ("new", Json::string(&entry.new))];
    let flags = [("computed", entry.computed), ("removed", entry.removed), ("requires_new", entry.requires_new)];
    members.extend(flags.into_iter().filter(|(_, flag)| *flag).map(|(name, flag)| (name, Json::Bool(flag))));
    Json::object(members)
}

/// None of the schemas of the framework has a type that depends on the dialect (F01).
fn type_of(schema: &Schema) -> Ty {
    implied_type(&schema.block, planfuzz_core::dialect::Dialect::default())
}

fn of_state((is_error, state): (bool, Val), ty: &Ty) -> Outcome {
    Outcome::Want(Json::object([("error", Json::Bool(is_error)), ("new_state", write(&state, ty))]))
}

fn paths(paths: &BTreeSet<String>) -> Json {
    Json::Array(paths.iter().map(|path| Json::string(path)).collect())
}

fn error() -> Outcome {
    Outcome::Want(Json::object([("error", Json::Bool(true))]))
}
