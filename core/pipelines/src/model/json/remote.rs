//! The remote system as it is written (sections 3.5 and 5 of provider-model.md).

use crate::expression::{Cond, Operation, Scope, read_cond, write_cond};
use crate::form::{named, text_array, texts};
use crate::model::{Done, Failure, Fault, FaultName, RemoteCall, Respond, When};
use crate::path::SchemaPath;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::schema::Block;

type Members = Vec<(&'static str, Json)>;

pub(super) fn read_respond(json: &Json) -> Result<Respond, JsonError> {
    let mut reader = ObjectReader::new(json, "the remote system: \"respond\"")?;
    let read = |json: &Json| named(json, &[Respond::Plan, Respond::Remote], Respond::name);
    let respond = reader.optional("respond", read)?;
    reader.finish()?;
    Ok(respond.unwrap_or_default())
}

pub(super) fn read_failure(json: &Json, scope: &Scope) -> Result<Failure, JsonError> {
    let mut reader = ObjectReader::new(json, "a failure: \"on\", \"times\", \"when\" and \"done\"")?;
    let failure = Failure {
        on: reader.required("on", |json| named(json, &RemoteCall::ALL, RemoteCall::name))?,
        times: reader.optional("times", Json::expect_u64)?.unwrap_or(1),
        when: reader.optional("when", |json| read_cond(json, scope))?.unwrap_or(Cond::Bool(true)),
        done: reader.optional("done", read_done)?.unwrap_or_default(),
    };
    reader.finish()?;
    Ok(failure)
}

fn read_done(json: &Json) -> Result<Done, JsonError> {
    match json {
        Json::String(word) if **word == *"none" => Ok(Done::None),
        Json::String(word) if **word == *"all" => Ok(Done::All),
        Json::Array(_) => texts(json).map(Done::Names),
        other => Err(other.unexpected("\"none\", \"all\" or an array of names")),
    }
}

pub(super) fn write_failure(failure: &Failure, scope: &Scope) -> Json {
    let Failure { on, times, when, done } = failure;
    let mut members: Members = vec![("on", Json::string(on.name())), ("times", Json::int(*times))];
    if *when != Cond::Bool(true) {
        members.push(("when", write_cond(when, scope)));
    }
    match done {
        Done::None => {}
        Done::All => members.push(("done", Json::string("all"))),
        Done::Names(names) => members.push(("done", text_array(names))),
    }
    Json::object(members)
}

pub(super) fn read_fault(json: &Json, root: &Block) -> Result<Fault, JsonError> {
    let mut reader = ObjectReader::new(json, "a fault: \"fault\", \"at\" and \"when\"")?;
    let fault = Fault {
        name: reader.required("fault", |json| named(json, FaultName::ALL, FaultName::name))?,
        at: reader.optional("at", |json| {
            let path = SchemaPath::parse(json.expect_string()?);
            match path.find(root) {
                Some(_) => Ok(path),
                None => Err(json.unexpected("a schema path of an attribute or block")),
            }
        })?,
        when: reader.optional("when", read_when)?.unwrap_or_default(),
    };
    reader.finish()?;
    Ok(fault)
}

fn read_when(json: &Json) -> Result<When, JsonError> {
    let mut reader = ObjectReader::new(json, "when: \"op\" and \"nth\"")?;
    let when = When {
        op: reader.optional("op", |json| named(json, &Operation::ALL, Operation::name))?,
        nth: reader.optional("nth", Json::expect_u64)?,
    };
    reader.finish()?;
    Ok(when)
}

pub(super) fn write_fault(fault: &Fault) -> Json {
    let Fault { name, at, when: When { op, nth } } = fault;
    let mut members: Members = vec![("fault", Json::string(name.name()))];
    members.extend(at.iter().map(|path| ("at", Json::string(&path.to_string()))));
    let mut when: Members = Vec::new();
    when.extend(op.iter().map(|op| ("op", Json::string(op.name()))));
    when.extend(nth.iter().map(|nth| ("nth", Json::int(*nth))));
    if !when.is_empty() {
        members.push(("when", Json::object(when)));
    }
    Json::object(members)
}
