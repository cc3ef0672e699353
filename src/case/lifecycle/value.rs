//! Values, paths and private data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::plans::Marked;
use planfuzz_core::state::Private;
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

/// The member that marks a value of another type than the schema's: no attribute has a name with a single `$`.
const TYPE: &str = "$type";

/// Writes a value by the schema's type, or with its own type if it does not conform.
pub(crate) fn write_value(value: &Value, ty: &Type) -> Json {
    if value.ty().conforms_to(ty) {
        return value.to_json(ty);
    }
    Json::object([(TYPE, value.ty().to_json()), ("value", value.to_json(value.ty()))])
}

/// Reads a value of any type, in an answer.
pub(crate) fn read_value(json: &Json, ty: &Type) -> Result<Value, JsonError> {
    if json.member(TYPE).is_none() {
        return Value::from_json(json, ty);
    }
    let mut reader = ObjectReader::new(json, "a value of another type: \"$type\" and \"value\"")?;
    let own = reader.required(TYPE, Type::from_json)?;
    let value = reader.required("value", |json| Value::from_json(json, &own))?;
    reader.finish()?;
    Ok(value)
}

/// Reads an input of a planner: a value of the schema's type, or the untyped null for no object (L120).
pub(crate) fn read_own_value(json: &Json, ty: &Type) -> Result<Value, JsonError> {
    let value = read_value(json, ty)?;
    if value.ty().conforms_to(ty) || (value.is_null() && value.ty().is_dynamic()) {
        return Ok(value);
    }
    Err(json.unexpected("a value of the schema's type, or null of type dynamic"))
}

/// Reads a value and its sensitive paths from two members; `read` reads the value.
pub(crate) fn read_marked(
    reader: &mut ObjectReader<'_>,
    (name, sensitive): (&'static str, &'static str),
    read: impl FnOnce(&Json) -> Result<Value, JsonError>,
) -> Result<Marked, JsonError> {
    let value = reader.required(name, read)?;
    let sensitive = reader.optional(sensitive, read_paths)?.unwrap_or_default();
    Ok(Marked::new(value, &sensitive))
}

/// Paths, sorted by their texts.
pub fn write_paths(paths: &PathSet) -> Json {
    Json::Array(paths.texts().iter().map(|path| Json::string(path)).collect())
}

/// A set of paths, in any order.
///
/// # Errors
/// Anything but an array of paths.
pub fn read_paths(json: &Json) -> Result<PathSet, JsonError> {
    Ok(json.read_items(read_path)?.into_iter().collect())
}

/// A path.
///
/// # Errors
/// Anything but a path.
pub fn read_path(json: &Json) -> Result<WrittenPath, JsonError> {
    WrittenPath::parse(json.expect_string()?).map_err(|problem| json.unexpected(format!("a path: {problem}")))
}

/// Private data in base64; null if there are none.
pub(crate) fn write_private(private: &Private) -> Json {
    if private.is_none() { Json::Null } else { Json::string(&BASE64.encode(private.as_bytes())) }
}

/// Reads private data in base64; null or an absent member if there are none.
pub(crate) fn read_private(reader: &mut ObjectReader<'_>, name: &'static str) -> Result<Private, JsonError> {
    let private = reader.optional(name, |json| match json {
        Json::Null => Ok(Private::NONE),
        text => {
            let bytes = BASE64.decode(text.expect_string()?);
            let bytes = bytes.map_err(|_| text.unexpected("bytes in base64, with padding, or null"))?;
            Ok(Private::from(bytes.as_slice()))
        }
    })?;
    Ok(private.unwrap_or_default())
}
