//! Changes of a plan.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::Drift;
use planfuzz_core::plans::{Change, Importing, ResourceInstanceChange};
use planfuzz_core::value::Type;

use super::names::{read_name, read_or_default};
use super::options::{read_key, read_text};
use super::value::{read_marked, read_own_value, read_paths, read_private};
use super::{Form, Members};

impl Form for ResourceInstanceChange {
    fn to_form(&self, ty: &Type) -> Json {
        let ResourceInstanceChange { moved_from, deposed, change, reason, required_replace, private } = self;
        let Change { action, before, after, importing } = change;
        let mut members = Members::default();
        if let Some(key) = deposed {
            members.text("deposed", key.as_str());
        }
        members.text("action", action.name());
        members.name_of("reason", *reason);
        members.marked(("before", "before_sensitive"), before, ty);
        members.marked(("after", "after_sensitive"), after, ty);
        members.paths("required_replace", required_replace);
        members.private("private", private);
        if let Some(Importing { id }) = importing {
            members.put("importing", Json::object([("id", Json::string(id))]));
        }
        members.some_text("moved_from", moved_from.as_ref());
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ResourceInstanceChange, JsonError> {
        let mut reader = ObjectReader::new(json, "a change")?;
        let read = |json: &Json| read_own_value(json, ty);
        let change = ResourceInstanceChange {
            moved_from: reader.optional("moved_from", read_text)?,
            deposed: reader.optional("deposed", read_key)?,
            change: Change {
                action: reader.required("action", read_name)?,
                before: read_marked(&mut reader, ("before", "before_sensitive"), read)?,
                after: read_marked(&mut reader, ("after", "after_sensitive"), read)?,
                importing: reader.optional("importing", read_importing)?,
            },
            reason: read_or_default(&mut reader, "reason")?,
            required_replace: reader.optional("required_replace", read_paths)?.unwrap_or_default(),
            private: read_private(&mut reader)?,
        };
        reader.finish()?;
        Ok(change)
    }
}

fn read_importing(json: &Json) -> Result<Importing, JsonError> {
    let mut reader = ObjectReader::new(json, "what is imported: \"id\"")?;
    let importing = Importing { id: reader.required("id", read_text)? };
    reader.finish()?;
    Ok(importing)
}

impl Form for Drift {
    fn to_form(&self, ty: &Type) -> Json {
        let Drift { action, before, after } = self;
        let mut members = Members::default();
        members.text("action", action.name());
        members.marked(("before", "before_sensitive"), before, ty);
        members.marked(("after", "after_sensitive"), after, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Drift, JsonError> {
        let mut reader = ObjectReader::new(json, "a drift")?;
        let read = |json: &Json| read_own_value(json, ty);
        let drift = Drift {
            action: reader.required("action", read_name)?,
            before: read_marked(&mut reader, ("before", "before_sensitive"), read)?,
            after: read_marked(&mut reader, ("after", "after_sensitive"), read)?,
        };
        reader.finish()?;
        Ok(drift)
    }
}
