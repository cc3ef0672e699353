//! The second implementation of what all planners share, as a subject.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_naive::file;
use planfuzz_naive::msgpack::{self, Fault};
use planfuzz_naive::schema::{self, Mark, Unfit};
use planfuzz_naive::value::{self, Num, Ty, Val};

use super::Subject;
use super::files;
use super::naive_provider;
use super::outcome::{LeftOut, Outcome};
use crate::case::{Call, Case, FileCall, Op, SchemaCall, Task, ValueCall};
use crate::guard::guard;

/// The second implementation of what all planners share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Subject for Naive {
    fn name(&self) -> &str {
        "naive"
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        op.is_shared()
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        cases.iter().map(answer_case).collect()
    }
}

fn answer_case(case: &Case) -> Vec<Outcome> {
    match &case.task {
        Task::Call(Call::Value(call)) => vec![guard(|| of_value(call)).unwrap_or_else(Outcome::from)],
        Task::Call(Call::Provider(call)) => {
            vec![guard(|| naive_provider::answer(call)).unwrap_or_else(Outcome::from)]
        }
        Task::Call(Call::Schema(call)) => vec![guard(|| of_schema(call, case.dialect)).unwrap_or_else(Outcome::from)],
        Task::Call(Call::File(call)) => vec![guard(|| of_file(call, case.dialect)).unwrap_or_else(Outcome::from)],
        _ => vec![Outcome::LeftOut(LeftOut::NotAsked); case.ops().len()],
    }
}

fn of_value(call: &ValueCall) -> Outcome {
    match call {
        ValueCall::MsgpackEncode { ty, value } => match msgpack::encode(&Val::of(value), &Ty::of(ty)) {
            Some(bytes) => want("base64", Json::string(&BASE64.encode(bytes))),
            None => error(),
        },
        ValueCall::MsgpackDecode { ty, bytes } => match msgpack::decode(bytes, &Ty::of(ty)) {
            Ok(value) => written(&value, &Ty::of(ty)),
            Err(Fault::Error) => error(),
            Err(Fault::Crash) => crash(),
        },
        ValueCall::ImpliedType { bytes } => match msgpack::implied_type(bytes) {
            Some(ty) => want("type", ty.to_json()),
            None => error(),
        },
        ValueCall::Roundtrip { ty, value } => match value::read(value, &Ty::of(ty)) {
            Some(value) => written(&value, &Ty::of(ty)),
            None => error(),
        },
        ValueCall::RawEquals { ty: _, a, b } => want("result", Json::Bool(value::raw_equals(&Val::of(a), &Val::of(b)))),
        ValueCall::Equals { ty: _, a, b } => want("result", tri(value::equals(&Val::of(a), &Val::of(b)))),
        ValueCall::Includes { ty: _, a, b } => want("result", tri(value::includes(&Val::of(a), &Val::of(b)))),
        ValueCall::Length { ty: _, value } => match value::length(&Val::of(value)) {
            Some(length) => written(&length, &Ty::Number),
            None => crash(),
        },
        ValueCall::NumberText { text } => match Num::parse(text) {
            Some(number) => Outcome::Want(Json::object([
                ("text", Json::string(&number.text())),
                ("short", Json::string(&number.key_text())),
            ])),
            None => error(),
        },
        ValueCall::Conforms { a, b } => want("result", Json::Bool(Ty::of(a).conforms(&Ty::of(b)))),
        ValueCall::Convert { ty: _, value, to } => match value::convert(&Val::of(value), &Ty::of(to)) {
            Ok(value) => written(&value, &Ty::Dynamic),
            Err(_) => error(),
        },
        ValueCall::Unify { types } => {
            let types: Vec<Ty> = types.iter().map(Ty::of).collect();
            want("type", value::unify(&types).map_or(Json::Null, |ty| ty.to_json()))
        }
        ValueCall::Lcs { ty, a, b } => {
            let all = |values: &[Value]| values.iter().map(Val::of).collect::<Vec<Val>>();
            let common = value::lcs(&all(a), &all(b));
            want("value", Json::Array(common.iter().map(|value| value::write(value, &Ty::of(ty))).collect()))
        }
    }
}

fn of_schema(call: &SchemaCall, dialect: Dialect) -> Outcome {
    let implied = |schema: &Schema| schema::implied_type(&schema.block, dialect);
    match call {
        SchemaCall::SchemaType { schema } => want("type", implied(schema).to_json()),
        SchemaCall::EmptyValue { schema } => written(&schema::empty_value(&schema.block, dialect), &implied(schema)),
        SchemaCall::ValidateSchema { schema } => want("valid", Json::Bool(schema::is_valid(schema, dialect))),
        SchemaCall::Coerce { schema, ty: _, value } => match schema::coerce(&schema.block, &Val::of(value), dialect) {
            Ok(value) => written(&value, &implied(schema)),
            Err(Unfit::At(path)) => want("error", Json::string(&path)),
            Err(Unfit::Crash) => crash(),
        },
        SchemaCall::SensitivePaths { schema, value } => paths(Mark::Sensitive, schema, value, dialect),
        SchemaCall::WriteOnlyPaths { schema, value } => paths(Mark::WriteOnly, schema, value, dialect),
    }
}

fn of_file(call: &FileCall, dialect: Dialect) -> Outcome {
    let engine = dialect.engine();
    let read_again = match call {
        FileCall::Plan { bytes } => file::read_plan(bytes, engine).map(|tree| {
            let written = file::write_plan(&tree, engine).map(|bytes| BASE64.encode(bytes));
            (tree, written)
        }),
        FileCall::State { text } => file::read_state(text.as_bytes()).map(|tree| {
            let written = file::write_state(&tree, engine);
            (tree, written)
        }),
    };
    read_again.map_or_else(error, |(tree, written)| files::want(tree, written.as_deref()))
}

fn paths(mark: Mark, schema: &Schema, value: &Value, dialect: Dialect) -> Outcome {
    match schema::marked_paths(mark, &schema.block, &Val::of(value), dialect) {
        Some(paths) => want("paths", Json::Array(paths.iter().map(|path| Json::string(path)).collect())),
        None => crash(),
    }
}

fn written(value: &Val, declared: &Ty) -> Outcome {
    want("value", value::write(value, declared))
}

fn want(name: &str, json: Json) -> Outcome {
    Outcome::Want(Json::object([(name, json)]))
}

fn error() -> Outcome {
    want("error", Json::Bool(true))
}

fn crash() -> Outcome {
    Outcome::Refused("the engine crashes here".to_owned())
}

fn tri(answer: Option<bool>) -> Json {
    answer.map_or_else(|| Json::string("unknown"), Json::Bool)
}

#[cfg(test)]
mod tests {
    use planfuzz_core::value::Type;

    use super::*;

    #[test]
    fn types_are_written_alike() {
        for text in [
            r#"["object",{"é":["list","number"],"a":"dynamic"},["a"]]"#,
            r#"["tuple",[["set","bool"],["map","string"]]]"#,
        ] {
            let ty = Type::from_json(&Json::parse(text).expect("a document")).expect("a type");
            assert_eq!(Ty::of(&ty).to_json(), ty.to_json());
        }
    }
}
