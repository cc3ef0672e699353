//! Traces: what was asked and answered.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Applied, ApplyRequest, ApplyWalk, Exchange, Plan, PlanRequest, PlanWalk, StepTrace};
use planfuzz_core::value::Type;

use super::{Form, Members, ProviderAnswer, ProviderRequest};

impl Form for Exchange {
    fn to_form(&self, ty: &Type) -> Json {
        let request = ProviderRequest::of(self).to_form(ty);
        Json::object([("request", request), ("answer", ProviderAnswer::of(self).to_form(ty))])
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Exchange, JsonError> {
        let mut reader = ObjectReader::new(json, "an exchange: \"request\" and \"answer\"")?;
        let request = reader.required("request", |json| ProviderRequest::from_form(json, ty))?;
        let answer = reader.required("answer", |json| ProviderAnswer::from_form(&request, json, ty))?;
        reader.finish()?;
        // The answer was read as one to this request.
        Ok(match (request, answer) {
            (ProviderRequest::Validate(request), ProviderAnswer::Validate(answer)) => {
                Exchange::Validate(request, answer)
            }
            (ProviderRequest::Upgrade(request), ProviderAnswer::Upgrade(answer)) => Exchange::Upgrade(request, answer),
            (ProviderRequest::Read(request), ProviderAnswer::Read(answer)) => Exchange::Read(request, answer),
            (ProviderRequest::Plan(request), ProviderAnswer::Plan(answer)) => Exchange::Plan(request, answer),
            (ProviderRequest::Apply(request), ProviderAnswer::Apply(answer)) => Exchange::Apply(request, answer),
            (ProviderRequest::Import(request), ProviderAnswer::Import(answer)) => Exchange::Import(request, answer),
            (ProviderRequest::ReadData(request), ProviderAnswer::ReadData(answer)) => {
                Exchange::ReadData(request, answer)
            }
            (request, _) => return Err(json.unexpected(format!("the answer to {}", request.call()))),
        })
    }
}

impl Form for PlanWalk {
    fn to_form(&self, ty: &Type) -> Json {
        let PlanWalk { request, exchanges, plan } = self;
        let mut members = Members::default();
        members.put("request", request.to_form(ty));
        members.forms("exchanges", exchanges, ty);
        members.put("plan", plan.to_form(ty));
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<PlanWalk, JsonError> {
        let mut reader = ObjectReader::new(json, "a plan walk")?;
        let walk = PlanWalk {
            request: reader.required("request", |json| PlanRequest::from_form(json, ty))?,
            exchanges: reader.optional("exchanges", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            plan: reader.required("plan", |json| Plan::from_form(json, ty))?,
        };
        reader.finish()?;
        Ok(walk)
    }
}

impl Form for ApplyWalk {
    fn to_form(&self, ty: &Type) -> Json {
        let ApplyWalk { request, exchanges, applied } = self;
        let mut members = Members::default();
        members.put("request", request.to_form(ty));
        members.forms("exchanges", exchanges, ty);
        members.put("applied", applied.to_form(ty));
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ApplyWalk, JsonError> {
        let mut reader = ObjectReader::new(json, "an apply walk")?;
        let walk = ApplyWalk {
            request: reader.required("request", |json| ApplyRequest::from_form(json, ty))?,
            exchanges: reader.optional("exchanges", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            applied: reader.required("applied", |json| Applied::from_form(json, ty))?,
        };
        reader.finish()?;
        Ok(walk)
    }
}

impl Form for StepTrace {
    fn to_form(&self, ty: &Type) -> Json {
        let StepTrace { changed_outside, plan, apply } = self;
        let mut members = Members::default();
        members.flag("changed_outside", *changed_outside);
        members.put("plan", plan.to_form(ty));
        if let Some(apply) = apply {
            members.put("apply", apply.to_form(ty));
        }
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<StepTrace, JsonError> {
        let mut reader = ObjectReader::new(json, "a step of a life")?;
        let step = StepTrace {
            changed_outside: reader.flag("changed_outside")?,
            plan: reader.required("plan", |json| PlanWalk::from_form(json, ty))?,
            apply: reader.optional("apply", |json| ApplyWalk::from_form(json, ty))?,
        };
        reader.finish()?;
        Ok(step)
    }
}
