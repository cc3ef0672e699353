//! Outcomes in the notation of formats.md: the `want` of a vector, and the content of lines.

use std::borrow::Cow;
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::value::{Type, Value};

use super::instance::canonical;
use super::outcome::Outcome;
use super::provider;
use crate::case::lifecycle::Form;
use crate::case::{Call, Op, SchemaCall, ValueCall, canonical_outcome, canonical_run};
use crate::scenario::Trace;

/// The declared type of an operation's value answers; `None` for an operation that answers otherwise.
fn declared_type(call: &Call, dialect: Dialect) -> Option<Type> {
    match call {
        Call::Merge(call) if !matches!(call.op(), Op::AssertPlanValid | Op::AssertObjectCompatible) => {
            Some(call.schema().implied_type(dialect))
        }
        Call::Value(ValueCall::MsgpackDecode { ty, .. } | ValueCall::Roundtrip { ty, .. }) => Some(ty.clone()),
        Call::Value(ValueCall::Length { .. }) => Some(Type::Number),
        Call::Value(ValueCall::Convert { .. }) => Some(Type::Dynamic),
        Call::Schema(SchemaCall::EmptyValue { schema } | SchemaCall::Coerce { schema, .. }) => {
            Some(schema.implied_type(dialect))
        }
        Call::Merge(_)
        | Call::Value(_)
        | Call::Schema(_)
        | Call::File(_)
        | Call::Instance(_)
        | Call::Scenario(_)
        | Call::Expression(_)
        | Call::Workspace(_)
        | Call::WorkspaceRun(_)
        | Call::Provider(_) => None,
    }
}

/// The name under which an operation lists paths.
fn paths_member(op: Op) -> &'static str {
    match op {
        Op::SensitivePaths | Op::WriteOnlyPaths => "paths",
        _ => "violations",
    }
}

/// The `want` of an outcome. A refusal is `{"panic": true}`, as in vectors; `None` for an outcome that is no answer.
pub fn want_of(call: &Call, outcome: &Outcome, dialect: Dialect) -> Option<Json> {
    Some(match outcome {
        Outcome::Value(value) => {
            let declared = declared_type(call, dialect).unwrap_or(Type::Dynamic);
            Json::object([("value", value.to_json(&declared))])
        }
        Outcome::Paths(paths) => {
            let paths = paths.iter().map(|path| Json::string(path)).collect();
            Json::object([(paths_member(call.op()), Json::Array(paths))])
        }
        Outcome::Want(want) => want.clone(),
        Outcome::Workspace(answer) => answer.to_json(),
        Outcome::Trace(trace) => trace.to_form(&call.schema()?.implied_type(dialect)),
        Outcome::Refused(_) => Json::object([("panic", Json::Bool(true))]),
        Outcome::Crashed { .. } | Outcome::OverBudget { .. } | Outcome::LeftOut(_) => return None,
    })
}

/// Two answers in one form: if one of them is a `want`, the other is converted to one.
pub fn in_one_form<'o>(
    call: &Call,
    (first, second): (&'o Outcome, &'o Outcome),
    dialect: Dialect,
) -> (Cow<'o, Outcome>, Cow<'o, Outcome>) {
    let form = |outcome: &'o Outcome, other: &Outcome| match (outcome, other) {
        (Outcome::Value(_) | Outcome::Paths(_), Outcome::Want(_)) => {
            want_of(call, outcome, dialect).map_or(Cow::Borrowed(outcome), |want| Cow::Owned(Outcome::Want(want)))
        }
        _ => Cow::Borrowed(outcome),
    };
    (form(first, second), form(second, first))
}

/// The `want` of an outcome as a vector records it: for a run, without what follows from the scenario.
pub fn record_of(call: &Call, outcome: &Outcome, dialect: Dialect) -> Option<Json> {
    match outcome {
        Outcome::Trace(trace) => Some(trace.to_record(&call.schema()?.implied_type(dialect))),
        outcome => want_of(call, outcome, dialect),
    }
}

/// The outcome that a `want` describes.
///
/// # Errors
/// A `want` that does not belong to the operation.
pub fn outcome_of(call: &Call, want: &Json, dialect: Dialect) -> Result<Outcome, JsonError> {
    let mut reader = ObjectReader::new(want, "an outcome")?;
    if reader.optional("panic", read_true)?.is_some() {
        reader.finish()?;
        return Ok(Outcome::Refused("the engine crashes here".to_owned()));
    }
    if let Call::Instance(call) = call {
        return canonical(call.op(), want, &call.schema().implied_type(dialect)).map(Outcome::Want);
    }
    if let Call::Scenario(scenario) = call {
        let trace = Trace::from_want(want, scenario, &scenario.schema.implied_type(dialect))?;
        return Ok(Outcome::Trace(Arc::new(trace)));
    }
    if let Call::Expression(_) = call {
        return canonical_outcome(want).map(Outcome::Want);
    }
    if let Call::WorkspaceRun(_) = call {
        return canonical_run(want).map(Outcome::Want);
    }
    if let Call::Provider(call) = call {
        return provider::read_want(call, want, dialect).map(Outcome::Want);
    }
    let outcome = match call.op() {
        Op::AssertPlanValid | Op::AssertObjectCompatible | Op::SensitivePaths | Op::WriteOnlyPaths => {
            let paths = reader.required(paths_member(call.op()), |json| json.read_items(read_path))?;
            Outcome::Paths(sorted(paths))
        }
        _ => match declared_type(call, dialect) {
            Some(_) if want.member("error").is_some() => return Ok(Outcome::Want(want.clone())),
            Some(ty) => Outcome::Value(reader.required("value", |json| Value::from_json(json, &ty))?),
            None => return Ok(Outcome::Want(want.clone())),
        },
    };
    reader.finish()?;
    Ok(outcome)
}

fn read_true(json: &Json) -> Result<(), JsonError> {
    match json {
        Json::Bool(true) => Ok(()),
        other => Err(other.unexpected("true")),
    }
}

fn read_path(json: &Json) -> Result<String, JsonError> {
    json.expect_string().map(str::to_owned)
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort_unstable();
    paths
}
