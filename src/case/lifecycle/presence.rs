//! Whether the instance is configured, and its configuration.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Configured, Orphan, Presence, Provisioner};
use planfuzz_core::value::{Type, Value};

use super::{Form, Members, form};

impl Form for Presence {
    fn to_form(&self, ty: &Type) -> Json {
        match self {
            Presence::Configured(configured) => configured.to_form(ty),
            Presence::Orphan(orphan) => Json::object([("orphan", orphan.to_form(ty))]),
            Presence::Removed(orphan) => Json::object([("removed", orphan.to_form(ty))]),
        }
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Presence, JsonError> {
        let mut reader = ObjectReader::new(json, "a presence: \"config\", \"orphan\" or \"removed\"")?;
        let orphan = reader.optional("orphan", |json| Orphan::from_form(json, ty))?.map(Presence::Orphan);
        let removed = reader.optional("removed", |json| Orphan::from_form(json, ty))?.map(Presence::Removed);
        match orphan.or(removed) {
            Some(presence) => reader.finish().map(|()| presence),
            None => Configured::from_form(json, ty).map(|configured| Presence::Configured(Box::new(configured))),
        }
    }
}

form! { Configured, "a configuration":
    config beside "sensitive" by of_schema,
    ephemeral,
    at_validation via of_the_schema,
    lifecycle,
    preconditions,
    postconditions,
    provisioners,
    dependencies,
    in_check,
}

fn of_schema(json: &Json, ty: &Type) -> Result<Value, JsonError> {
    Value::from_json(json, ty)
}

/// A value of the schema's type: the suite itself makes the configuration, so it always conforms.
mod of_the_schema {
    use super::*;

    pub(super) fn put(members: &mut Members, name: &'static str, value: &Option<Value>, ty: &Type) {
        if let Some(value) = value {
            members.put(name, value.to_json(ty));
        }
    }

    pub(super) fn take(
        reader: &mut ObjectReader<'_>,
        name: &'static str,
        ty: &Type,
    ) -> Result<Option<Value>, JsonError> {
        reader.optional(name, |json| of_schema(json, ty))
    }
}

form! { Provisioner, "a provisioner":
    on_destroy,
    fails,
    on_failure_continue,
}

form! { Orphan, "an orphan":
    block,
    module,
    key,
    repetition,
    declared,
    prevent_destroy,
    keep_on_destroy,
}
