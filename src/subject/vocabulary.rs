//! The operations of values.md, schema.md and plan-files.md, answered by the code that all planners share.
//!
//! Every planner of this process answers these alike, so comparing two of them shows nothing; they are here for vectors,
//! for planners in other languages, and for planted faults.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::schema::{CoerceError, Schema};
use planfuzz_core::value::convert::{convert, unify};
use planfuzz_core::value::{
    Number, Path, Tri, Value, equals, includes, length, longest_common_subsequence, raw_equals,
};

use super::files;
use super::outcome::{LeftOut, Outcome};
use crate::case::{Call, SchemaCall, ValueCall};

/// Answers an operation of values.md, schema.md or plan-files.md. Operations of planners are refused; those of provider
/// pipelines, expressions and workspaces are left out.
pub fn answer_value_or_schema(call: &Call, dialect: Dialect) -> Outcome {
    match call {
        Call::Merge(_) | Call::Instance(_) | Call::Scenario(_) => {
            Outcome::Refused("an operation that a planner answers".to_owned())
        }
        Call::Provider(_) | Call::Expression(_) | Call::Workspace(_) | Call::WorkspaceRun(_) => {
            Outcome::LeftOut(LeftOut::UnknownOp)
        }
        Call::Value(call) => answer_value(call),
        Call::Schema(call) => answer_schema(call, dialect),
        Call::File(call) => files::answer(call, dialect),
    }
}

fn answer_value(call: &ValueCall) -> Outcome {
    match call {
        ValueCall::MsgpackEncode { ty, value } => match msgpack::encode(value.view(), ty) {
            Ok(bytes) => want("base64", Json::string(&BASE64.encode(bytes))),
            Err(_) => error(),
        },
        ValueCall::MsgpackDecode { ty, bytes } => match msgpack::decode(bytes, ty) {
            Ok(value) => Outcome::Value(value),
            Err(problem) if problem.is_engine_crash() => Outcome::Refused(problem.to_string()),
            Err(_) => error(),
        },
        ValueCall::ImpliedType { bytes } => match msgpack::implied_type(bytes) {
            Ok(ty) => want("type", ty.to_json()),
            Err(_) => error(),
        },
        ValueCall::Roundtrip { ty, value } => match Value::from_json(value, ty) {
            Ok(value) => Outcome::Value(value),
            Err(_) => error(),
        },
        ValueCall::RawEquals { ty: _, a, b } => want("result", Json::Bool(raw_equals(a.view(), b.view()))),
        ValueCall::Equals { ty: _, a, b } => want("result", tri(equals(a.view(), b.view()))),
        ValueCall::Includes { ty: _, a, b } => want("result", tri(includes(a.view(), b.view()))),
        ValueCall::Length { ty: _, value } => match length(value.view()) {
            Some(length) => Outcome::Value(length),
            None => Outcome::Refused("expected a value that has a length".to_owned()),
        },
        ValueCall::NumberText { text } => match Number::parse(text) {
            Ok(number) => {
                let members = [("text", number.text()), ("short", number.key_text())];
                Outcome::Want(Json::object(members.map(|(name, text)| (name, Json::string(&text)))))
            }
            Err(_) => error(),
        },
        ValueCall::Conforms { a, b } => want("result", Json::Bool(a.conforms_to(b))),
        ValueCall::Convert { ty: _, value, to } => match convert(value, to) {
            Ok(value) => Outcome::Value(value),
            Err(_) => error(),
        },
        ValueCall::Unify { types } => want("type", unify(types).map_or(Json::Null, |ty| ty.to_json())),
        ValueCall::Lcs { ty, a, b } => match longest_common_subsequence(a, b) {
            Ok(common) => want("value", Json::Array(common.iter().map(|value| value.to_json(ty)).collect())),
            Err(problem) => Outcome::Refused(problem.to_string()),
        },
    }
}

fn answer_schema(call: &SchemaCall, dialect: Dialect) -> Outcome {
    match call {
        SchemaCall::SchemaType { schema } => want("type", schema.implied_type(dialect).to_json()),
        SchemaCall::EmptyValue { schema } => Outcome::Value(schema.block.empty_value(dialect)),
        SchemaCall::ValidateSchema { schema } => {
            let valid = Schema::from_json(schema).is_ok_and(|schema| schema.problems(dialect).is_empty());
            want("valid", Json::Bool(valid))
        }
        SchemaCall::Coerce { schema, ty: _, value } => match schema.block.coerce(value, dialect) {
            Ok(value) => Outcome::Value(value),
            Err(CoerceError::Crash(crash)) => Outcome::Refused(crash.to_string()),
            Err(problem) => want("error", Json::string(&problem.path().to_string())),
        },
        SchemaCall::SensitivePaths { schema, value } => paths(schema.sensitive_paths(value.view(), dialect)),
        SchemaCall::WriteOnlyPaths { schema, value } => paths(schema.write_only_paths(value.view())),
    }
}

fn want(name: &str, json: Json) -> Outcome {
    Outcome::Want(Json::object([(name, json)]))
}

fn error() -> Outcome {
    want("error", Json::Bool(true))
}

fn tri(answer: Tri) -> Json {
    match answer {
        Tri::True => Json::Bool(true),
        Tri::False => Json::Bool(false),
        Tri::Unknown => Json::string("unknown"),
    }
}

fn paths<E: std::fmt::Display>(paths: Result<Vec<Path>, E>) -> Outcome {
    match paths {
        Ok(paths) => {
            let mut paths: Vec<String> = paths.iter().map(Path::to_string).collect();
            paths.sort_unstable();
            Outcome::Paths(paths)
        }
        Err(crash) => Outcome::Refused(crash.to_string()),
    }
}
