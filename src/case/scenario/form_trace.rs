//! Runs of scenarios in JSON (formats.md, "Scenarios").

use std::time::Duration;

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::PlanWalk;
use planfuzz_core::value::Type;

use super::trace::{NoAnswer, Stopped, Trace, Walk};
use crate::case::lifecycle::{Form, Members};

impl Form for Trace {
    fn to_form(&self, ty: &Type) -> Json {
        let Trace { steps, stopped } = self;
        let mut members = Members::default();
        members.put("steps", steps.to_form(ty));
        if let Some(stopped) = stopped {
            members.put("stopped", stopped.to_form(ty));
        }
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Trace, JsonError> {
        let mut reader = ObjectReader::new(json, "a trace: \"steps\"")?;
        let trace = Trace {
            steps: reader.required("steps", |json| Vec::from_form(json, ty))?,
            stopped: reader.optional("stopped", |json| Stopped::from_form(json, ty))?.map(Box::new),
        };
        reader.finish()?;
        Ok(trace)
    }
}

impl Form for Stopped {
    fn to_form(&self, ty: &Type) -> Json {
        let Stopped { walk, plan, exchanges, halt } = self;
        let mut members = Members::default();
        members.text("walk", walk.name());
        if let Some(plan) = plan {
            members.put("plan", plan.to_form(ty));
        }
        members.forms("exchanges", exchanges, ty);
        put_halt(&mut members, halt);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Stopped, JsonError> {
        let mut reader = ObjectReader::new(json, "the end of a trace")?;
        let stopped = Stopped {
            walk: reader.required("walk", read_walk)?,
            plan: reader.optional("plan", |json| PlanWalk::from_form(json, ty))?,
            exchanges: reader.optional("exchanges", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            halt: read_halt(&mut reader)?,
        };
        reader.finish()?;
        Ok(stopped)
    }
}

pub(super) fn put_halt(members: &mut Members, halt: &NoAnswer) {
    match halt {
        NoAnswer::Refused(message) => members.text("refused", message),
        NoAnswer::LeftOut(reason) => members.text("left_out", reason),
        NoAnswer::Crashed { site, message } => {
            members.put("crashed", Json::object([("site", Json::string(site)), ("message", Json::string(message))]));
        }
        NoAnswer::OverBudget { limit } => {
            let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            members.put("over_budget_ms", Json::int(limit));
        }
    }
}

pub(super) fn read_walk(json: &Json) -> Result<Walk, JsonError> {
    match json.expect_string()? {
        "plan" => Ok(Walk::Plan),
        "apply" => Ok(Walk::Apply),
        _ => Err(json.unexpected("plan or apply")),
    }
}

pub(super) fn read_halt(reader: &mut ObjectReader<'_>) -> Result<NoAnswer, JsonError> {
    if let Some(message) = reader.optional("refused", Json::expect_string)? {
        return Ok(NoAnswer::Refused(message.to_owned()));
    }
    if let Some(reason) = reader.optional("left_out", Json::expect_string)? {
        return Ok(NoAnswer::LeftOut(reason.to_owned()));
    }
    if let Some(limit) = reader.optional("over_budget_ms", Json::expect_u64)? {
        return Ok(NoAnswer::OverBudget { limit: Duration::from_millis(limit) });
    }
    reader.required("crashed", |json| {
        let mut reader = ObjectReader::new(json, "a crash: \"site\" and \"message\"")?;
        let site = reader.required("site", Json::expect_string)?.to_owned();
        let message = reader.required("message", Json::expect_string)?.to_owned();
        reader.finish()?;
        Ok(NoAnswer::Crashed { site, message })
    })
}
