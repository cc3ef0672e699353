//! The part of a state that belongs to an instance.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::state::{InstanceState, Object, Status, Stored};
use planfuzz_core::value::{Type, Value};

use super::options::{read_key_text, read_text};
use super::value::{read_paths, read_private, write_value};
use super::{Form, Members};

impl Form for InstanceState {
    fn to_form(&self, ty: &Type) -> Json {
        let InstanceState { current, deposed } = self;
        let mut members = Members::default();
        if let Some(current) = current {
            members.put("current", current.to_form(ty));
        }
        if !deposed.is_empty() {
            let objects = deposed.iter().map(|(key, object)| (key.as_str(), object.to_form(ty)));
            members.put("deposed", Json::object(objects));
        }
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<InstanceState, JsonError> {
        let mut reader = ObjectReader::new(json, "the state of an instance")?;
        let current = reader.optional("current", |json| Object::from_form(json, ty))?;
        let deposed = reader.optional("deposed", |json| {
            let objects = json.expect_object()?.iter().map(|(key, object)| {
                let read = || Ok((read_key_text(key)?, Object::from_form(object, ty)?));
                read().map_err(|error: JsonError| error.inside_member(key))
            });
            objects.collect::<Result<_, JsonError>>()
        })?;
        reader.finish()?;
        Ok(InstanceState { current, deposed: deposed.unwrap_or_default() })
    }
}

impl Form for Object {
    fn to_form(&self, ty: &Type) -> Json {
        let Object { stored, private, status, dependencies, create_before_destroy, sensitive, skip_destroy } = self;
        let mut members = Members::default();
        match stored {
            Stored::Value(value) => members.put("value", write_value(value, ty)),
            Stored::Raw { version, attributes } => {
                members.put("raw", Json::clone(attributes));
                if *version != 0 {
                    members.put("version", Json::int(*version));
                }
            }
        }
        members.flag("tainted", *status == Status::Tainted);
        members.private("private", private);
        members.texts("dependencies", dependencies);
        members.flag("create_before_destroy", *create_before_destroy);
        members.paths("sensitive", sensitive);
        members.flag("skip_destroy", *skip_destroy);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<Object, JsonError> {
        let mut reader = ObjectReader::new(json, "a stored object: \"value\", or \"raw\" and \"version\"")?;
        let object = Object {
            stored: read_stored(&mut reader, ty)?,
            private: read_private(&mut reader, "private")?,
            status: if reader.flag("tainted")? { Status::Tainted } else { Status::Ready },
            dependencies: reader.optional("dependencies", |json| json.read_items(read_text))?.unwrap_or_default(),
            create_before_destroy: reader.flag("create_before_destroy")?,
            sensitive: reader.optional("sensitive", read_paths)?.unwrap_or_default(),
            skip_destroy: reader.flag("skip_destroy")?,
        };
        reader.finish()?;
        Ok(object)
    }
}

fn read_stored(reader: &mut ObjectReader<'_>, ty: &Type) -> Result<Stored, JsonError> {
    let Some(attributes) = reader.take("raw").cloned() else {
        return Ok(Stored::Value(reader.required("value", |json| Value::from_json(json, ty))?));
    };
    let version = reader.optional("version", Json::expect_u64)?.unwrap_or(0);
    Ok(Stored::Raw { version, attributes: attributes.into() })
}
