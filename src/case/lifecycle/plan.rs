//! Plan walks: what a planner is asked and answers.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Drift, Plan, PlanOptions, PlanRequest, Presence};
use planfuzz_core::plans::Marked;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::Type;

use super::names::read_or_default;
use super::value::{read_marked, read_own_value};
use super::{Form, Members};

impl Form for PlanRequest {
    fn to_form(&self, ty: &Type) -> Json {
        let PlanRequest { kind, mode, options, state, presence } = self;
        let mut members = Members::default();
        members.name_of("kind", *kind);
        members.name_of("mode", *mode);
        members.form("options", options, ty);
        members.form("state", state, ty);
        members.put("presence", presence.to_form(ty));
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<PlanRequest, JsonError> {
        let mut reader = ObjectReader::new(json, "a plan request")?;
        let request = PlanRequest {
            kind: read_or_default(&mut reader, "kind")?,
            mode: read_or_default(&mut reader, "mode")?,
            options: reader.optional("options", |json| PlanOptions::from_form(json, ty))?.unwrap_or_default(),
            state: reader.optional("state", |json| InstanceState::from_form(json, ty))?.unwrap_or_default(),
            presence: reader.required("presence", |json| Presence::from_form(json, ty))?,
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Form for Plan {
    fn to_form(&self, ty: &Type) -> Json {
        let Plan { previous_run, refreshed, changes, drift, working, applyable, diagnostics } = self;
        let mut members = Members::default();
        members.form("previous_run", previous_run, ty);
        members.form("refreshed", refreshed, ty);
        members.forms("changes", changes, ty);
        if let Some(drift) = drift {
            members.put("drift", drift.to_form(ty));
        }
        if let Some(working) = working {
            members.put("working", write_marked(working, ty));
        }
        members.flag("applyable", *applyable);
        members.forms("diagnostics", diagnostics, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Plan, JsonError> {
        let mut reader = ObjectReader::new(json, "a plan")?;
        let plan = Plan {
            previous_run: reader
                .optional("previous_run", |json| InstanceState::from_form(json, ty))?
                .unwrap_or_default(),
            refreshed: reader.optional("refreshed", |json| InstanceState::from_form(json, ty))?.unwrap_or_default(),
            changes: reader.optional("changes", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            drift: reader.optional("drift", |json| Drift::from_form(json, ty))?,
            working: reader.optional("working", |json| read_alone(json, ty))?,
            applyable: reader.flag("applyable")?,
            diagnostics: reader.optional("diagnostics", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
        };
        reader.finish()?;
        Ok(plan)
    }
}

fn write_marked(marked: &Marked, ty: &Type) -> Json {
    let mut members = Members::default();
    members.marked(("value", "sensitive"), marked, ty);
    members.into_json()
}

fn read_alone(json: &Json, ty: &Type) -> Result<Marked, JsonError> {
    let mut reader = ObjectReader::new(json, "a value and where it is sensitive")?;
    let marked = read_marked(&mut reader, ("value", "sensitive"), |json| read_own_value(json, ty))?;
    reader.finish()?;
    Ok(marked)
}
