//! Traces: the requests and the answers.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{ApplyWalk, Exchange, PlanWalk, StepTrace};
use planfuzz_core::value::Type;

use super::{Form, ProviderAnswer, ProviderRequest, form};

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
        // The answer was read as an answer to this request.
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

form! { PlanWalk, "a plan walk":
    request,
    exchanges,
    plan,
}

form! { ApplyWalk, "an apply walk":
    request,
    exchanges,
    applied,
}

form! { StepTrace, "a step of a trace":
    changed_outside,
    plan,
    apply,
}
