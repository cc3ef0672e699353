//! Whether the configuration has the instance, and what it says.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Configured, Lifecycle, Orphan, Presence, Provisioner};
use planfuzz_core::value::{Tri, Type, Value};

use super::names::{put_prevent_destroy, read_or_default, read_prevent_destroy, read_tri, write_tri};
use super::value::{read_marked, read_paths};
use super::{Form, Members};

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

impl Form for Configured {
    fn to_form(&self, ty: &Type) -> Json {
        let Configured {
            config,
            ephemeral,
            at_validation,
            lifecycle,
            preconditions,
            postconditions,
            provisioners,
            dependencies,
            in_check,
        } = self;
        let mut members = Members::default();
        members.marked(("config", "sensitive"), config, ty);
        members.paths("ephemeral", ephemeral);
        if let Some(at_validation) = at_validation {
            members.put("at_validation", at_validation.to_json(ty));
        }
        members.form("lifecycle", lifecycle, ty);
        members.list("preconditions", preconditions.iter().copied().map(write_tri));
        members.list("postconditions", postconditions.iter().copied().map(write_tri));
        members.forms("provisioners", provisioners, ty);
        members.forms("dependencies", dependencies, ty);
        members.flag("in_check", *in_check);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Configured, JsonError> {
        let mut reader = ObjectReader::new(json, "a configuration")?;
        let configured = Configured {
            config: read_marked(&mut reader, ("config", "sensitive"), |json| Value::from_json(json, ty))?,
            ephemeral: reader.optional("ephemeral", read_paths)?.unwrap_or_default(),
            at_validation: reader.optional("at_validation", |json| Value::from_json(json, ty))?,
            lifecycle: reader.optional("lifecycle", |json| Lifecycle::from_form(json, ty))?.unwrap_or_default(),
            preconditions: read_conditions(&mut reader, "preconditions")?,
            postconditions: read_conditions(&mut reader, "postconditions")?,
            provisioners: reader.optional("provisioners", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            dependencies: reader.optional("dependencies", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            in_check: reader.flag("in_check")?,
        };
        reader.finish()?;
        Ok(configured)
    }
}

fn read_conditions(reader: &mut ObjectReader<'_>, name: &'static str) -> Result<Vec<Tri>, JsonError> {
    Ok(reader.optional(name, |json| json.read_items(read_tri))?.unwrap_or_default())
}

impl Form for Provisioner {
    fn to_form(&self, _: &Type) -> Json {
        let Provisioner { on_destroy, fails, on_failure_continue } = self;
        let mut members = Members::default();
        members.flag("on_destroy", *on_destroy);
        members.flag("fails", *fails);
        members.flag("on_failure_continue", *on_failure_continue);
        members.into_json()
    }

    fn from_form(json: &Json, _: &Type) -> Result<Provisioner, JsonError> {
        let mut reader = ObjectReader::new(json, "a provisioner")?;
        let provisioner = Provisioner {
            on_destroy: reader.flag("on_destroy")?,
            fails: reader.flag("fails")?,
            on_failure_continue: reader.flag("on_failure_continue")?,
        };
        reader.finish()?;
        Ok(provisioner)
    }
}

impl Form for Orphan {
    fn to_form(&self, _: &Type) -> Json {
        let Orphan { block, module, key, repetition, declared, prevent_destroy, keep_on_destroy } = self;
        let mut members = Members::default();
        members.flag("block", *block);
        members.flag("module", *module);
        members.name_of("key", *key);
        members.name_of("repetition", *repetition);
        members.flag("declared", *declared);
        put_prevent_destroy(&mut members, *prevent_destroy);
        members.flag("keep_on_destroy", *keep_on_destroy);
        members.into_json()
    }

    fn from_form(json: &Json, _: &Type) -> Result<Orphan, JsonError> {
        let mut reader = ObjectReader::new(json, "an orphan")?;
        let orphan = Orphan {
            block: reader.flag("block")?,
            module: reader.flag("module")?,
            key: read_or_default(&mut reader, "key")?,
            repetition: read_or_default(&mut reader, "repetition")?,
            declared: reader.flag("declared")?,
            prevent_destroy: read_prevent_destroy(&mut reader)?,
            keep_on_destroy: reader.flag("keep_on_destroy")?,
        };
        reader.finish()?;
        Ok(orphan)
    }
}
