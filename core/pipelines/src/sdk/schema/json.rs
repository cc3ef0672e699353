//! SDK schemas in JSON (Z01).

use planfuzz_core::json::{Json, JsonError, JsonProblem, ObjectReader, Sink, Tree};
use planfuzz_core::schema::Named;
use planfuzz_core::value::json::too_deep;
use planfuzz_core::value::{MAX_DEPTH, Number, Text};

use super::super::text::plain_float;
use super::super::value::SdkValue;
use super::{ConfigMode, Elem, Field, ID, Kind, Primitive, Resource, Schema, kind_name};
use crate::expression::{Canon, Equiv};

impl Schema {
    /// Reads a map from name to field.
    ///
    /// # Errors
    /// A member or combination that Z01 does not have, or a top-level field `id`, which is the SDK's own (Z02).
    pub fn from_json(json: &Json) -> Result<Schema, JsonError> {
        let fields = read_fields(json, MAX_DEPTH - 1)?;
        if fields.get(ID).is_some() {
            return Err(json.unexpected("no field \"id\" at the top, which every resource has (Z02)"));
        }
        Ok(Schema::new(fields))
    }

    /// Writes the map; members that are false, absent or zero are omitted.
    pub fn write_json(&self, sink: &mut impl Sink) {
        write_fields(self.fields(), sink);
    }

    /// The schema as a document.
    pub fn to_json(&self) -> Json {
        Tree::of(|tree| self.write_json(tree))
    }
}

fn below(levels: usize) -> Result<usize, JsonError> {
    levels.checked_sub(1).ok_or_else(|| too_deep().into())
}

/// `levels` is the remaining depth of nested values.
fn read_fields(json: &Json, levels: usize) -> Result<Named<Field>, JsonError> {
    let mut fields = Vec::new();
    for (name, field) in json.expect_object()? {
        fields.push((Text::new(name), read_field(field, levels).map_err(|error| error.inside_member(name))?));
    }
    let count = fields.len();
    let fields = Named::new(fields);
    if fields.len() != count {
        return Err(json.unexpected("names that differ in NFC"));
    }
    Ok(fields)
}

fn read_field(json: &Json, levels: usize) -> Result<Field, JsonError> {
    let mut reader = ObjectReader::new(json, "a field")?;
    let kind = read_kind(&mut reader, levels)?;
    let mut field = Field {
        required: reader.flag("required")?,
        optional: reader.flag("optional")?,
        computed: reader.flag("computed")?,
        write_only: reader.flag("write_only")?,
        force_new: reader.flag("force_new")?,
        state_func: reader.optional("state_func", Canon::from_json)?,
        diff_suppress: reader.optional("diff_suppress", Equiv::from_json)?,
        suppress_on_refresh: reader.flag("suppress_on_refresh")?,
        config_mode: reader.optional("config_mode", read_config_mode)?.unwrap_or_default(),
        min_items: reader.optional("min_items", Json::expect_u64)?.unwrap_or(0),
        max_items: reader.optional("max_items", Json::expect_u64)?.unwrap_or(0),
        ..Field::new(kind)
    };
    field.default = reader.optional("default", |json| read_default(json, &field))?;
    reader.finish()?;
    Ok(field)
}

fn read_kind(reader: &mut ObjectReader<'_>, levels: usize) -> Result<Kind, JsonError> {
    let levels = below(levels)?;
    let ty = reader.required("type", Ok)?;
    let name = ty.expect_string().map_err(|error| error.inside_member("type"))?;
    if let Some(primitive) = Primitive::ALL.into_iter().find(|primitive| primitive.name() == name) {
        return Ok(Kind::Primitive(primitive));
    }
    match name {
        "list" => reader.required("elem", |json| read_elem(json, levels)).map(Kind::List),
        "set" => reader.required("elem", |json| read_elem(json, levels)).map(Kind::Set),
        "map" => Ok(Kind::Map(reader.optional("elem", read_map_elem)?.unwrap_or(Primitive::String))),
        _ => Err(ty.unexpected("one of bool, int, float, string, list, set, map").inside_member("type")),
    }
}

fn read_elem(json: &Json, levels: usize) -> Result<Elem, JsonError> {
    let mut reader = ObjectReader::new(json, "an element: \"type\" or \"resource\"")?;
    if let Some(fields) = reader.optional("resource", |json| read_fields(json, below(levels)?))? {
        reader.finish()?;
        return Ok(Elem::Resource(Resource::new(fields)));
    }
    let kind = read_kind(&mut reader, levels)?;
    reader.finish()?;
    Ok(Elem::Kind(Box::new(kind)))
}

fn read_map_elem(json: &Json) -> Result<Primitive, JsonError> {
    let mut reader = ObjectReader::new(json, "an element: \"type\"")?;
    let kind = read_kind(&mut reader, 1)?;
    reader.finish()?;
    match kind {
        Kind::Primitive(primitive) => Ok(primitive),
        _ => Err(json.unexpected("a primitive element")),
    }
}

fn read_config_mode(json: &Json) -> Result<ConfigMode, JsonError> {
    let name = json.expect_string()?;
    let mode = ConfigMode::ALL.into_iter().find(|mode| mode.name() == name);
    mode.ok_or_else(|| json.unexpected("one of auto, attr, block"))
}

/// A constant of the kind; primitives only, not with `computed` or `required`.
fn read_default(json: &Json, field: &Field) -> Result<SdkValue, JsonError> {
    if field.computed || field.required {
        return Err(json.unexpected("no default of a computed or required field (Z01)"));
    }
    match field.kind {
        Kind::Primitive(Primitive::Bool) => json.expect_bool().map(SdkValue::Bool),
        Kind::Primitive(Primitive::Int) => json.expect_i64().map(SdkValue::Int),
        Kind::Primitive(Primitive::Float) => read_float(json).map(SdkValue::Float),
        Kind::Primitive(Primitive::String) => json.expect_string().map(|text| SdkValue::Text(text.to_owned())),
        Kind::List(_) | Kind::Set(_) | Kind::Map(_) => {
            Err(json.unexpected("no default but of a primitive field (Z01)"))
        }
    }
}

fn read_float(json: &Json) -> Result<f64, JsonError> {
    let Json::Number(text) = json else { return Err(json.unexpected("a number")) };
    // The bounds of numbers apply to the text of a default too.
    let number = Number::parse(text).map_err(JsonProblem::from)?;
    let float = number.text().parse().ok().filter(|float: &f64| float.is_finite());
    float.ok_or_else(|| json.unexpected("a float of 64 bits"))
}

fn write_fields(fields: &Named<Field>, sink: &mut impl Sink) {
    sink.open_object();
    for (name, field) in fields.iter() {
        sink.name(name);
        write_field(field, sink);
    }
    sink.close_object();
}

fn write_field(field: &Field, sink: &mut impl Sink) {
    let Field {
        kind,
        required,
        optional,
        computed,
        write_only,
        force_new,
        default,
        state_func,
        diff_suppress,
        suppress_on_refresh,
        config_mode,
        min_items,
        max_items,
    } = field;
    sink.open_object();
    write_kind(kind, sink);
    write_flag("required", *required, sink);
    write_flag("optional", *optional, sink);
    write_flag("computed", *computed, sink);
    write_flag("write_only", *write_only, sink);
    write_flag("force_new", *force_new, sink);
    if let Some(default) = default {
        sink.name("default");
        write_default(default, sink);
    }
    if let Some(canon) = state_func {
        sink.name("state_func");
        sink.json(&canon.to_json());
    }
    if let Some(equiv) = diff_suppress {
        sink.name("diff_suppress");
        sink.json(&equiv.to_json());
    }
    write_flag("suppress_on_refresh", *suppress_on_refresh, sink);
    if *config_mode != ConfigMode::Auto {
        sink.name("config_mode");
        sink.string(config_mode.name());
    }
    write_count("min_items", *min_items, sink);
    write_count("max_items", *max_items, sink);
    sink.close_object();
}

fn write_kind(kind: &Kind, sink: &mut impl Sink) {
    sink.name("type");
    sink.string(kind_name(kind));
    match kind {
        Kind::Primitive(_) => {}
        Kind::List(elem) | Kind::Set(elem) => {
            sink.name("elem");
            sink.open_object();
            match elem {
                Elem::Kind(kind) => write_kind(kind, sink),
                Elem::Resource(resource) => {
                    sink.name("resource");
                    write_fields(resource.fields(), sink);
                }
            }
            sink.close_object();
        }
        Kind::Map(element) => {
            sink.name("elem");
            sink.open_object();
            sink.name("type");
            sink.string(element.name());
            sink.close_object();
        }
    }
}

fn write_default(default: &SdkValue, sink: &mut impl Sink) {
    match default {
        SdkValue::Bool(bool) => sink.bool(*bool),
        SdkValue::Int(int) => sink.int((*int).into()),
        SdkValue::Float(float) => sink.number(&plain_float(*float)),
        SdkValue::Text(text) => sink.string(text),
        // Defaults are always primitive.
        SdkValue::List(_) | SdkValue::Map(_) | SdkValue::Object(_) | SdkValue::Set(_) => sink.null(),
    }
}

fn write_flag(name: &str, flag: bool, sink: &mut impl Sink) {
    if flag {
        sink.name(name);
        sink.bool(true);
    }
}

fn write_count(name: &str, count: u64, sink: &mut impl Sink) {
    if count != 0 {
        sink.name(name);
        sink.int(count.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z01_a_written_schema_is_read_back() {
        let text = r#"{"a":{"type":"string","optional":true,"force_new":true,"default":"x","state_func":"lower","diff_suppress":"case","suppress_on_refresh":true},"f":{"type":"float","optional":true,"default":1.5},"l":{"type":"list","elem":{"resource":{"b":{"type":"bool","computed":true}}},"required":true,"config_mode":"attr","min_items":1,"max_items":2},"m":{"type":"map","elem":{"type":"int"},"optional":true},"n":{"type":"list","elem":{"type":"set","elem":{"type":"int"}},"optional":true},"w":{"type":"string","optional":true,"write_only":true}}"#;
        let schema = Schema::from_json(&Json::parse(text).expect("a document")).expect("a schema");
        assert_eq!(schema.to_json().to_compact(), text);
    }

    #[test]
    fn z01_features_that_it_does_not_have_are_errors() {
        for text in [
            r#"{"a": {}}"#,
            r#"{"a": {"type": "number"}}"#,
            r#"{"a": {"type": "list"}}"#,
            r#"{"a": {"type": "string", "sensitive": true}}"#,
            r#"{"a": {"type": "map", "elem": {"type": "list", "elem": {"type": "string"}}}}"#,
            r#"{"a": {"type": "string", "computed": true, "default": "x"}}"#,
            r#"{"a": {"type": "int", "optional": true, "default": 1.5}}"#,
            r#"{"a": {"type": "float", "optional": true, "default": 1e999}}"#,
            r#"{"a": {"type": "list", "elem": {"type": "string"}, "default": []}}"#,
            r#"{"id": {"type": "string", "optional": true}}"#,
        ] {
            let json = Json::parse(text).expect("a document");
            assert!(Schema::from_json(&json).is_err(), "{text}");
        }
    }

    #[test]
    fn z01_a_schema_that_nests_too_deep_is_an_error() {
        let mut field = r#"{"type": "string"}"#.to_owned();
        for _ in 0..50 {
            field = format!(r#"{{"type": "list", "elem": {field}}}"#);
        }
        assert!(Schema::from_json(&Json::parse(&format!(r#"{{"a": {field}}}"#)).expect("a document")).is_ok());
        for _ in 0..13 {
            field = format!(r#"{{"type": "list", "optional": true, "elem": {{"resource": {{"a": {field}}}}}}}"#);
        }
        let json = Json::parse(&format!(r#"{{"a": {field}}}"#)).expect("a document");
        let schema = Schema::from_json(&json).expect("a schema");
        assert!(schema.core_schema().implied_type(planfuzz_core::dialect::Dialect::default()).depth() <= MAX_DEPTH);
    }
}
