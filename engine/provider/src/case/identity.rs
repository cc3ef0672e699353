//! Identities in the file of a finding.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_engine::plugin::{IdentityAttribute, IdentitySchema};

use crate::responder::Entry;

/// The identity schema of a type as JSON.
pub(super) fn schema_json(of: &IdentitySchema) -> Json {
    let attribute = |of: &IdentityAttribute| {
        Json::object([
            ("type", of.ty.to_json()),
            ("required_for_import", Json::Bool(of.is_required)),
            ("optional_for_import", Json::Bool(of.is_optional)),
        ])
    };
    let attributes = of.attributes.iter().map(|(name, of)| (name.as_str().into(), attribute(of))).collect();
    Json::object([("version", Json::int(of.version)), ("attributes", Json::Object(attributes))])
}

/// Reads an identity schema.
pub(super) fn schema(json: &Json) -> Result<IdentitySchema, JsonError> {
    let mut reader = ObjectReader::new(json, "the form of identities")?;
    let version = reader.required("version", Json::expect_u64)?;
    let all = reader.required("attributes", |it| match it {
        Json::Object(all) => Ok(all.clone()),
        _ => Err(it.unexpected("an object")),
    })?;
    reader.finish()?;
    let attributes = all.iter().map(|(name, json)| Ok((Text::new(name), attribute(json)?)));
    Ok(IdentitySchema { version, attributes: attributes.collect::<Result<_, JsonError>>()? })
}

fn attribute(json: &Json) -> Result<IdentityAttribute, JsonError> {
    let mut reader = ObjectReader::new(json, "an attribute of identities")?;
    let attribute = IdentityAttribute {
        ty: reader.required("type", Type::from_json)?,
        is_required: reader.flag("required_for_import")?,
        is_optional: reader.flag("optional_for_import")?,
    };
    reader.finish()?;
    Ok(attribute)
}

/// The members of an exchange about identities.
pub(super) fn members(entry: &Entry, of: Option<&IdentitySchema>) -> Vec<(&'static str, Json)> {
    let Some(ty) = of.map(IdentitySchema::ty) else { return Vec::new() };
    let both = [("identity", &entry.identity), ("answered_identity", &entry.answered_identity)];
    both.into_iter().filter_map(|(name, it)| Some((name, it.as_ref()?.to_json(&ty)))).collect()
}

/// Reads these members: the identities of the question and of the answer.
pub(super) fn read(
    reader: &mut ObjectReader<'_>,
    of: Option<&IdentitySchema>,
) -> Result<(Option<Value>, Option<Value>), JsonError> {
    let Some(ty) = of.map(IdentitySchema::ty) else { return Ok((None, None)) };
    let value = |it: &Json| Value::from_json(it, &ty);
    Ok((reader.optional("identity", value)?, reader.optional("answered_identity", value)?))
}
