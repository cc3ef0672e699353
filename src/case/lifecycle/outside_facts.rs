//! Facts of other resources: those of triggers, and those that this one depends on.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Dependency, Trigger, TriggerChange};
use planfuzz_core::value::{Type, Value};

use super::names::read_name;
use super::value::read_marked;
use super::{Form, Members, form};

form! { Trigger, "an entry of replace_triggered_by":
    changes,
    attribute,
}

/// The objects belong to another resource, so they are written with their types.
impl Form for TriggerChange {
    fn to_form(&self, _: &Type) -> Json {
        let TriggerChange { action, before, after } = self;
        let mut members = Members::default();
        members.text("action", action.name());
        members.marked(("before", "before_sensitive"), before, &Type::Dynamic);
        members.marked(("after", "after_sensitive"), after, &Type::Dynamic);
        members.into_json()
    }

    fn from_form(json: &Json, _: &Type) -> Result<TriggerChange, JsonError> {
        let mut reader = ObjectReader::new(json, "the change of a resource that triggers")?;
        let change = TriggerChange {
            action: reader.required("action", read_name)?,
            before: read_marked(&mut reader, ("before", "before_sensitive"), Value::from_dynamic_json)?,
            after: read_marked(&mut reader, ("after", "after_sensitive"), Value::from_dynamic_json)?,
        };
        reader.finish()?;
        Ok(change)
    }
}

form! { Dependency, "a dependency":
    address,
    kind,
    link,
    actions,
}
