//! Plan walks: requests to a planner and its answers.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Plan, PlanRequest};
use planfuzz_core::plans::Marked;
use planfuzz_core::value::Type;

use super::value::{read_marked, read_own_value};
use super::{Members, form};

form! { PlanRequest, "a plan request":
    kind,
    mode,
    options,
    state,
    presence,
}

form! { Plan, "a plan":
    previous_run,
    refreshed,
    changes,
    drift,
    working via alone,
    applyable,
    diagnostics,
}

/// A value and its sensitive paths, in an object of their own.
mod alone {
    use super::*;

    pub(super) fn put(members: &mut Members, name: &'static str, working: &Option<Marked>, ty: &Type) {
        if let Some(working) = working {
            members.put(name, write_marked(working, ty));
        }
    }

    pub(super) fn take(
        reader: &mut ObjectReader<'_>,
        name: &'static str,
        ty: &Type,
    ) -> Result<Option<Marked>, JsonError> {
        reader.optional(name, |json| read_alone(json, ty))
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
