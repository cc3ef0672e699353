//! Facts of other resources: what a trigger names, what this one depends on.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Dependency, Link, ResourceKind, Trigger, TriggerChange};
use planfuzz_core::plans::Action;
use planfuzz_core::value::{Type, Value};

use super::names::{name_of, read_name, read_or_default};
use super::options::read_text;
use super::value::{read_marked, read_path};
use super::{Form, Members};

impl Form for Trigger {
    fn to_form(&self, ty: &Type) -> Json {
        let Trigger { changes, attribute } = self;
        let mut members = Members::default();
        members.forms("changes", changes, ty);
        if let Some(attribute) = attribute {
            members.text("attribute", &attribute.to_string());
        }
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Trigger, JsonError> {
        let mut reader = ObjectReader::new(json, "an entry of replace_triggered_by")?;
        let trigger = Trigger {
            changes: reader.optional("changes", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            attribute: reader.optional("attribute", read_path)?,
        };
        reader.finish()?;
        Ok(trigger)
    }
}

/// The objects are of another resource, so they carry their types.
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

impl Form for Dependency {
    fn to_form(&self, _: &Type) -> Json {
        let Dependency { address, kind, link, actions } = self;
        let mut members = Members::default();
        members.text("address", address);
        members.name_of("kind", *kind);
        members.name_unless("link", *link == Link::Reference, name_of(*link));
        members.list("actions", actions.iter().map(|action| Json::string(action.name())));
        members.into_json()
    }

    fn from_form(json: &Json, _: &Type) -> Result<Dependency, JsonError> {
        let mut reader = ObjectReader::new(json, "a dependency")?;
        let dependency = Dependency {
            address: reader.required("address", read_text)?,
            kind: read_or_default::<ResourceKind>(&mut reader, "kind")?,
            link: reader.optional("link", read_name)?.unwrap_or(Link::Reference),
            actions: reader.optional("actions", |json| json.read_items(read_name::<Action>))?.unwrap_or_default(),
        };
        reader.finish()?;
        Ok(dependency)
    }
}
