//! Apply walks: what a planner is asked and answers.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Applied, ApplyRequest, PlanOptions, Presence};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::Type;

use super::names::read_or_default;
use super::{Form, Members};

impl Form for ApplyRequest {
    fn to_form(&self, ty: &Type) -> Json {
        let ApplyRequest { kind, options, state, changes, presence } = self;
        let mut members = Members::default();
        members.name_of("kind", *kind);
        members.form("options", options, ty);
        members.form("state", state, ty);
        members.forms("changes", changes, ty);
        members.put("presence", presence.to_form(ty));
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ApplyRequest, JsonError> {
        let mut reader = ObjectReader::new(json, "an apply request")?;
        let request = ApplyRequest {
            kind: read_or_default(&mut reader, "kind")?,
            options: reader.optional("options", |json| PlanOptions::from_form(json, ty))?.unwrap_or_default(),
            state: reader.optional("state", |json| InstanceState::from_form(json, ty))?.unwrap_or_default(),
            changes: reader.optional("changes", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            presence: reader.required("presence", |json| Presence::from_form(json, ty))?,
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Form for Applied {
    fn to_form(&self, ty: &Type) -> Json {
        let Applied { state, diagnostics } = self;
        let mut members = Members::default();
        members.form("state", state, ty);
        members.forms("diagnostics", diagnostics, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Applied, JsonError> {
        let mut reader = ObjectReader::new(json, "what came of an apply")?;
        let applied = Applied {
            state: reader.optional("state", |json| InstanceState::from_form(json, ty))?.unwrap_or_default(),
            diagnostics: reader.optional("diagnostics", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
        };
        reader.finish()?;
        Ok(applied)
    }
}
