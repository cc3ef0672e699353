//! The pipeline of the classic SDK: answers to its operations, and their `want`s.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};
use planfuzz_pipelines::sdk::{
    ApplyRequest, Diff, Entry, Outcome, Plan, PlanRequest, SdkError, State, are_equivalent, field_diffs, normalize,
    set_unknowns,
};

use crate::case::SdkCall;

/// The answer of the pipeline. A crash of the SDK is answered like an error, as in the `want`s.
pub(super) fn answer(call: &SdkCall, dialect: Dialect) -> Json {
    let ty = call.declared_type(dialect);
    let answered = match call {
        SdkCall::Plan { pipeline, customize_diff, prior, config, proposed } => {
            let request = PlanRequest { prior, config, proposed };
            pipeline.plan(customize_diff, request).map(|plan| of_plan(&plan, &ty))
        }
        SdkCall::Apply { pipeline, prior, planned, config: _, extra, function } => {
            let request = ApplyRequest { prior, planned, extra };
            pipeline.apply(request, |_| function.clone()).map(|outcome| of_outcome(&outcome, &ty))
        }
        SdkCall::Read { pipeline, current, function } => match pipeline.read(current, || function.clone()) {
            Ok(outcome) if outcome.error => Ok(error()),
            outcome => outcome.map(|outcome| of_outcome(&outcome, &ty)),
        },
        SdkCall::CoreSchema { pipeline } => Ok(Json::object([("schema", pipeline.core_schema().to_json())])),
        SdkCall::ShimState { pipeline, value } => State::shim(pipeline.schema(), value.view()).map(|state| {
            let flat = state.flat().iter().map(|(path, text)| (path, Json::string(text)));
            Json::object([("flat", Json::object(flat))])
        }),
        SdkCall::Diff { pipeline, state, config } => {
            let none = State::default();
            let state = state.as_ref().unwrap_or(&none);
            field_diffs(pipeline.schema(), state, config, true).map(|diff| of_diff(&diff))
        }
        SdkCall::Normalize { ty, dst, src, mode } => Ok(of_value(&normalize(dst, src, *mode), ty)),
        SdkCall::Equivalent { ty: _, a, b } => Ok(Json::object([("equivalent", Json::Bool(are_equivalent(a, b)))])),
        SdkCall::SetUnknowns { schema, value } => Ok(of_value(&set_unknowns(&schema.block, value), &ty)),
    };
    answered.unwrap_or_else(|_: SdkError| error())
}

fn error() -> Json {
    Json::object([("error", Json::Bool(true))])
}

fn of_value(value: &Value, ty: &Type) -> Json {
    Json::object([("value", value.to_json(ty))])
}

fn of_plan(plan: &Plan, ty: &Type) -> Json {
    let mut paths: Vec<String> = plan.requires_replace.iter().map(ToString::to_string).collect();
    paths.sort_unstable();
    let paths = paths.iter().map(|path| Json::string(path)).collect();
    let mut members = vec![("planned", plan.planned.to_json(ty)), ("requires_replace", Json::Array(paths))];
    if !plan.extra.is_empty() {
        let extra = plan.extra.iter().map(|(path, text)| (path.as_str(), Json::string(text)));
        members.push(("extra", Json::object(extra)));
    }
    Json::object(members)
}

fn of_outcome(outcome: &Outcome, ty: &Type) -> Json {
    Json::object([("error", Json::Bool(outcome.error)), ("new_state", outcome.new_state.to_json(ty))])
}

fn of_diff(diff: &Diff) -> Json {
    let entry = |entry: &Entry| {
        let Entry { old, new, computed, removed, requires_new, extra: _ } = entry;
        let mut members = vec![("old", Json::string(old)), ("new", Json::string(new))];
        let flags = [("computed", *computed), ("removed", *removed), ("requires_new", *requires_new)];
        members.extend(flags.into_iter().filter(|(_, flag)| *flag).map(|(name, flag)| (name, Json::Bool(flag))));
        Json::object(members)
    };
    Json::object([("diff", Json::object(diff.iter().map(|(path, of)| (path, entry(of)))))])
}

/// A `want` in the notation of [`answer`]: values and schemas in their own notation, paths sorted.
///
/// # Errors
/// Members that answers of the operation do not have, and values that are not of its type.
pub(super) fn read_want(call: &SdkCall, want: &Json, dialect: Dialect) -> Result<Json, JsonError> {
    let ty = call.declared_type(dialect);
    let mut reader = ObjectReader::new(want, "an outcome")?;
    let failed = reader.optional("error", Json::expect_bool)?;
    if failed == Some(true) && reader.take("new_state").is_none() {
        reader.finish()?;
        return Ok(error());
    }
    let value = |json: &Json| Ok(Value::from_json(json, &ty)?.to_json(&ty));
    let members = match call {
        SdkCall::Plan { .. } => {
            let planned = reader.required("planned", value)?;
            let path = |json: &Json| json.expect_string().map(str::to_owned);
            let mut paths = reader.required("requires_replace", |json| json.read_items(path))?;
            paths.sort_unstable();
            let paths = paths.iter().map(|path| Json::string(path)).collect();
            let mut members = vec![("planned", planned), ("requires_replace", Json::Array(paths))];
            members.extend(reader.take("extra").map(|extra| ("extra", extra.clone())));
            members
        }
        SdkCall::Apply { .. } | SdkCall::Read { .. } => {
            let new_state = reader.required("new_state", value)?;
            vec![("error", Json::Bool(failed.unwrap_or(false))), ("new_state", new_state)]
        }
        SdkCall::CoreSchema { .. } => {
            vec![("schema", reader.required("schema", |json| Ok(Schema::from_json(json)?.to_json()))?)]
        }
        SdkCall::ShimState { .. } => vec![("flat", reader.required("flat", |json| Ok(json.clone()))?)],
        SdkCall::Diff { .. } => vec![("diff", reader.required("diff", |json| Ok(json.clone()))?)],
        SdkCall::Equivalent { .. } => {
            vec![("equivalent", Json::Bool(reader.required("equivalent", Json::expect_bool)?))]
        }
        SdkCall::Normalize { .. } | SdkCall::SetUnknowns { .. } => vec![("value", reader.required("value", value)?)],
    };
    reader.finish()?;
    Ok(Json::object(members))
}
