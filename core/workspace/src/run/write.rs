//! Writes an observed call of an engine in the form of recorded runs.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::value::{Type, Value};
use planfuzz_language::check::Schemas;

use super::exchange::{Exchange, call_json, write_private};
use crate::call::{Answer, Call, Outcome, Request};
use crate::canonical::canonical;

impl Exchange {
    /// The exchange of a call and its answer; `start` and `finish` are their places in the common order of starts and finishes.
    pub fn of(
        call: &Call,
        answer: &Answer,
        (start, finish): (u64, u64),
        schemas: &Schemas,
        dialect: Dialect,
    ) -> Exchange {
        let json = call_json(call, schemas, dialect);
        let key = canonical(&json).to_compact();
        let Json::Object(mut members) = json else { unreachable!("a call is an object") };
        members.retain(|(name, value)| &**name != "type" || *value != Json::Null);
        members.push(("answer".into(), answer_json(call, answer, schemas, dialect)));
        members.push(("start".into(), Json::int(start)));
        members.push(("finish".into(), Json::int(finish)));
        Exchange { call: call.request.name().to_owned(), key, json: Json::Object(members), start, finish }
    }
}

fn answer_json(call: &Call, answer: &Answer, schemas: &Schemas, dialect: Dialect) -> Json {
    let Some(outcome) = &answer.outcome else { return Json::object([("failed", Json::Bool(true))]) };
    let provider = schemas.provider(&call.provider.to_string());
    let schema = call.type_name.as_ref().and_then(|name| {
        let types = &provider?.types;
        types.get(&(call.request.mode(), name.to_string()))
    });
    let ty = schema.map_or(Type::Dynamic, |schema| schema.implied_type(dialect));
    let value = |value: &Value| value.to_json(&ty);
    let mut members = match outcome {
        Outcome::Done => Vec::new(),
        Outcome::Value(one) => match call.request {
            Request::Upgrade { .. } => vec![("upgraded", value(one))],
            _ => vec![("state", value(one))],
        },
        Outcome::Object { value: one, private } => {
            let name = if matches!(call.request, Request::Open { .. }) { "result" } else { "state" };
            vec![(name, value(one)), ("private", write_private(private))]
        }
        Outcome::Planned { planned, requires_replace, private } => {
            let mut members = vec![("planned", value(planned)), ("private", write_private(private))];
            if !requires_replace.is_empty() {
                let paths = requires_replace.iter().map(|path| Json::string(&path.to_string())).collect();
                members.push(("requires_replace", Json::Array(paths)));
            }
            members
        }
        Outcome::Imported(imported) => {
            let one = |(one, private): &(Value, _)| {
                Json::object([("state", value(one)), ("private", write_private(private))])
            };
            vec![("imported", Json::Array(imported.iter().map(one).collect()))]
        }
    };
    if !answer.remarks.is_empty() {
        members.push(("diagnostics", Json::Array(answer.remarks.iter().map(remark_json).collect())));
    }
    Json::object(members)
}

fn remark_json(remark: &Remark) -> Json {
    let severity = if remark.severity == Severity::Warning { "warning" } else { "error" };
    Json::object([("severity", Json::string(severity)), ("summary", Json::string(&remark.summary))])
}
