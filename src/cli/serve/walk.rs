//! Walks of a resource instance, asked over the line (formats.md, "Asking the provider").

use std::sync::mpsc::SyncSender;

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{ApplyRequest, Capabilities, PlanRequest, Prepared, Refusal};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Type;

use super::provider::LineProvider;
use super::{Lines, Server};
use crate::case::lifecycle::Form;
use crate::subject::guard;

/// A walk, by its name on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Plan,
    Apply,
}

impl Op {
    pub(super) const ALL: [Op; 2] = [Op::Plan, Op::Apply];

    pub(super) fn name(self) -> &'static str {
        match self {
            Op::Plan => "plan",
            Op::Apply => "apply",
        }
    }

    /// The walk that a request asks for, if any.
    pub(super) fn of(request: &Json) -> Option<Op> {
        let name = request.member("op")?.expect_string().ok()?;
        Op::ALL.into_iter().find(|op| op.name() == name)
    }
}

impl Server {
    /// Answers a walk: its result, or why there is none.
    pub(super) fn walk(
        &self,
        op: Op,
        json: &Json,
        lines: &mut dyn Lines,
        answers: &SyncSender<String>,
    ) -> Result<Result<Json, String>, JsonError> {
        let mut reader = ObjectReader::new(json, "the request of a walk")?;
        let id = reader.take("id").cloned().unwrap_or(Json::Null);
        reader.take("op");
        let schema = reader.required("schema", Schema::from_json)?;
        let capabilities = Capabilities { plan_destroy: reader.flag("plan_destroy")? };
        let ty = schema.implied_type(self.dialect);
        let request = reader.required("request", |json| Request::read(op, json, &ty))?;
        reader.finish()?;
        let Some(planner) = self.subject.planner() else {
            return Ok(Err("expected a subject that is a planner".to_owned()));
        };
        let mut provider = LineProvider { id: &id, ty: &ty, capabilities, lines, answers, broken: None };
        let outcome = guard(|| request.put_to(&*planner.prepare(&schema, self.dialect), &mut provider));
        if let Some(problem) = provider.broken {
            return Ok(Err(problem));
        }
        Ok(match outcome {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(refusal)) => Err(refusal.to_string()),
            Err(panic) => Err(format!("panicked at {}: {}", panic.site, panic.message)),
        })
    }
}

enum Request {
    Plan(Box<PlanRequest>),
    Apply(Box<ApplyRequest>),
}

impl Request {
    fn read(op: Op, json: &Json, ty: &Type) -> Result<Request, JsonError> {
        match op {
            Op::Plan => PlanRequest::from_form(json, ty).map(|request| Request::Plan(Box::new(request))),
            Op::Apply => ApplyRequest::from_form(json, ty).map(|request| Request::Apply(Box::new(request))),
        }
    }

    fn put_to(&self, prepared: &dyn Prepared, provider: &mut LineProvider<'_>) -> Result<Json, Refusal> {
        let ty = provider.ty;
        match self {
            Request::Plan(request) => prepared.plan(request, provider).map(|plan| plan.to_form(ty)),
            Request::Apply(request) => prepared.apply(request, provider).map(|applied| applied.to_form(ty)),
        }
    }
}
