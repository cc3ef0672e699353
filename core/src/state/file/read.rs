//! Reading state files.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::path::read_path;
use super::{
    Attributes, Identity, InstanceKey, MAX_STATE_BYTES, Snapshot, StateFileError, StoredObject, StoredResource,
};
use crate::address::ResourceKind;
use crate::json::{Json, JsonError, JsonProblem, ObjectReader};
use crate::state::{DeposedKey, Private, Status};

impl Snapshot {
    /// Reads a state file.
    ///
    /// # Errors
    /// Another version, and content that section 3 of plan-files.md does not define.
    pub fn read(bytes: &[u8]) -> Result<Snapshot, StateFileError> {
        if bytes.len() > MAX_STATE_BYTES {
            return Err(StateFileError::TooLarge { found: bytes.len() });
        }
        let snapshot = snapshot(&Json::parse_bytes(bytes)?)?;
        each_once(&snapshot)?;
        Ok(snapshot)
    }
}

/// Reads a document.
pub(super) fn snapshot(json: &Json) -> Result<Snapshot, StateFileError> {
    let mut top = ObjectReader::new(json, "a state")?;
    match top.required("version", Json::expect_u64)? {
        4 => {}
        found => return Err(StateFileError::Version { found }),
    }
    let snapshot = Snapshot {
        terraform_version: top.required("terraform_version", text)?,
        serial: top.required("serial", Json::expect_u64)?,
        lineage: top.required("lineage", text)?,
        outputs: top.optional("outputs", members)?.unwrap_or_default(),
        resources: top.optional("resources", |json| json.read_items(resource))?.unwrap_or_default(),
        check_results: top.take("check_results").filter(|json| **json != Json::Null).cloned(),
    };
    top.finish()?;
    Ok(snapshot)
}

/// ST09: each object of an instance is there once.
fn each_once(snapshot: &Snapshot) -> Result<(), JsonError> {
    let mut seen = HashSet::new();
    for (at, resource) in snapshot.resources.iter().enumerate() {
        let address = (&resource.module, resource.kind == ResourceKind::Managed, &resource.type_name, &resource.name);
        for (index, object) in resource.objects.iter().enumerate() {
            if !seen.insert((address, &object.key, &object.deposed)) {
                let problem = JsonProblem::Unexpected {
                    expected: "each object once".into(),
                    found: "another object of the same instance and deposed key".into(),
                };
                let inside = JsonError::new(problem).inside_index(index).inside_member("instances");
                return Err(inside.inside_index(at).inside_member("resources"));
            }
        }
    }
    Ok(())
}

pub(super) fn resource(json: &Json) -> Result<StoredResource, JsonError> {
    let mut members = ObjectReader::new(json, "a resource")?;
    let resource = StoredResource {
        module: members.optional("module", text)?.unwrap_or_default(),
        kind: members.required("mode", mode)?,
        type_name: members.required("type", text)?,
        name: members.required("name", text)?,
        provider: members.optional("provider", text)?,
        objects: members.optional("instances", |json| json.read_items(object))?.unwrap_or_default(),
    };
    // Without meaning since 0.12 (ST02).
    members.take("each");
    members.finish().map(|()| resource)
}

pub(super) fn object(json: &Json) -> Result<StoredObject, JsonError> {
    let mut members = ObjectReader::new(json, "an object")?;
    let object = StoredObject {
        key: members.optional("index_key", key)?.unwrap_or_default(),
        deposed: members.optional("deposed", deposed)?,
        provider: members.optional("provider", text)?,
        status: members.optional("status", status)?.unwrap_or_default(),
        schema_version: members.required("schema_version", Json::expect_u64)?,
        attributes: attributes(&mut members)?,
        sensitive: members.optional("sensitive_attributes", |json| json.read_items(read_path))?.unwrap_or_default(),
        identity: identity(&mut members)?,
        private: members.optional("private", private)?.unwrap_or_default(),
        dependencies: members.optional("dependencies", texts)?.unwrap_or_default(),
        depends_on: members.optional("depends_on", texts)?.unwrap_or_default(),
        create_before_destroy: members.flag("create_before_destroy")?,
        skip_destroy: members.flag("skip_destroy")?,
    };
    members.finish().map(|()| object)
}

/// ST09: an object without any attributes has those of `{}`.
fn attributes(members: &mut ObjectReader<'_>) -> Result<Attributes, JsonError> {
    let flat = members.optional("attributes_flat", self::members)?;
    let attributes = members.optional("attributes", |json| json.expect_object().map(|_| json.clone()))?;
    match (attributes, flat) {
        (Some(_), Some(_)) => Err(JsonProblem::Unexpected {
            expected: "\"attributes\" or \"attributes_flat\"".into(),
            found: "both".into(),
        }
        .into()),
        (None, Some(flat)) => Ok(Attributes::Flat(flat)),
        (attributes, None) => Ok(Attributes::Json(attributes.unwrap_or(Json::Object(Vec::new())))),
    }
}

fn identity(members: &mut ObjectReader<'_>) -> Result<Option<Identity>, JsonError> {
    let schema_version = members.optional("identity_schema_version", Json::expect_u64)?;
    let identity = members.optional("identity", |json| json.expect_object().map(|_| json.clone()))?;
    Ok(identity.map(|attributes| Identity { schema_version: schema_version.unwrap_or(0), attributes }))
}

fn text(json: &Json) -> Result<String, JsonError> {
    json.expect_string().map(str::to_owned)
}

fn texts(json: &Json) -> Result<Vec<String>, JsonError> {
    json.read_items(text)
}

fn members(json: &Json) -> Result<Vec<(Box<str>, Json)>, JsonError> {
    json.expect_object().map(<[_]>::to_vec)
}

fn mode(json: &Json) -> Result<ResourceKind, JsonError> {
    match json.expect_string()? {
        "managed" => Ok(ResourceKind::Managed),
        "data" => Ok(ResourceKind::Data),
        _ => Err(json.unexpected("\"managed\" or \"data\"")),
    }
}

fn key(json: &Json) -> Result<InstanceKey, JsonError> {
    match json {
        Json::Null => Ok(InstanceKey::None),
        Json::Number(_) => json.expect_i64().map(InstanceKey::Int),
        Json::String(text) => Ok(InstanceKey::Text((**text).to_owned())),
        other => Err(other.unexpected("a whole number or a string")),
    }
}

fn deposed(json: &Json) -> Result<DeposedKey, JsonError> {
    DeposedKey::new(json.expect_string()?).ok_or_else(|| json.unexpected("eight hexadecimal digits"))
}

fn status(json: &Json) -> Result<Status, JsonError> {
    match json.expect_string()? {
        "" => Ok(Status::Ready),
        "tainted" => Ok(Status::Tainted),
        _ => Err(json.unexpected("\"tainted\"")),
    }
}

fn private(json: &Json) -> Result<Private, JsonError> {
    let bytes = STANDARD.decode(json.expect_string()?).map_err(|_| json.unexpected("base64 with padding"))?;
    Ok(Private::from(bytes.as_slice()))
}
