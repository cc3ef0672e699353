//! The operations of provider-model.md, answered by the second writing of the pipelines.

use std::collections::BTreeSet;

use planfuzz_core::json::Json;
use planfuzz_core::provider::sdk::Mode;
use planfuzz_core::schema::Schema;
use planfuzz_naive::framework::{self, Provider};
use planfuzz_naive::schema::implied_type;
use planfuzz_naive::sdk;
use planfuzz_naive::value::{Ty, Val, write};

use super::outcome::Outcome;
use crate::case::{FrameworkProvider, Op, ProviderCall, SdkCall};

/// Whether there is a second writing of an operation.
pub(super) fn can(op: Op) -> bool {
    let is_of_framework = matches!(op, Op::FwPlan | Op::FwMarkUnknown | Op::FwModifier | Op::FwApply | Op::FwRead);
    is_of_framework || matches!(op, Op::SdkNormalize | Op::SdkEquivalent | Op::SdkSetUnknowns)
}

/// What the pipeline answers.
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
            ProviderCall::Sdk(call) => of_sdk(call),
            _ => unwritten(),
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

fn of_sdk(call: &SdkCall) -> Outcome {
    match call {
        SdkCall::Normalize { ty, dst, src, mode } => {
            let value = sdk::normalize(&Val::of(dst), &Val::of(src), *mode == Mode::Apply);
            Outcome::Want(Json::object([("value", write(&value, &Ty::of(ty)))]))
        }
        SdkCall::Equivalent { ty: _, a, b } => {
            let is_equivalent = sdk::are_equivalent(&Val::of(a), &Val::of(b));
            Outcome::Want(Json::object([("equivalent", Json::Bool(is_equivalent))]))
        }
        SdkCall::SetUnknowns { schema, value } => {
            let value = sdk::set_unknowns(&schema.block, &Val::of(value));
            Outcome::Want(Json::object([("value", write(&value, &type_of(schema)))]))
        }
        _ => unwritten(),
    }
}

fn unwritten() -> Outcome {
    Outcome::Refused("there is no second writing of this operation".to_owned())
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
