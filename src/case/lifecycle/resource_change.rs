//! Changes of a plan.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::Drift;
use planfuzz_core::plans::{Change, DynamicValue, Importing, ResourceInstanceChange};
use planfuzz_core::value::Type;

use super::names::{read_name, read_or_default};
use super::options::{read_key, read_text};
use super::value::{read_marked, read_own_value, read_paths, read_private};
use super::{Form, Members, form};

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
        if let Some(importing) = importing {
            members.put("importing", importing_form(importing));
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
            private: read_private(&mut reader, "private")?,
        };
        reader.finish()?;
        Ok(change)
    }
}

fn importing_form(importing: &Importing) -> Json {
    match importing {
        Importing::Id(id) => Json::object([("id", Json::string(id))]),
        Importing::Unknown => Json::object([("unknown", Json::Bool(true))]),
        Importing::Identity { id, identity } => {
            let identity = BASE64.encode(identity.as_msgpack());
            Json::object([("id", Json::string(id)), ("identity", Json::string(&identity))])
        }
    }
}

fn read_importing(json: &Json) -> Result<Importing, JsonError> {
    let mut reader = ObjectReader::new(json, "what is imported: \"id\", \"unknown\" or \"identity\"")?;
    let importing = match (reader.flag("unknown")?, reader.optional("identity", read_identity)?) {
        (true, None) => Importing::Unknown,
        (true, Some(_)) => return Err(json.unexpected("an import that is unknown, or one by an identity")),
        (false, None) => Importing::Id(reader.required("id", read_text)?),
        (false, Some(identity)) => {
            Importing::Identity { id: reader.optional("id", read_text)?.unwrap_or_default(), identity }
        }
    };
    reader.finish()?;
    Ok(importing)
}

fn read_identity(json: &Json) -> Result<DynamicValue, JsonError> {
    let bytes = BASE64.decode(json.expect_string()?).ok();
    let value = bytes.as_deref().and_then(DynamicValue::from_msgpack);
    value.ok_or_else(|| json.unexpected("the base64 of an identity as msgpack"))
}

form! { Drift, "a drift":
    action,
    before beside "before_sensitive" by read_own_value,
    after beside "after_sensitive" by read_own_value,
}
