//! Types in JSON (V05).

use crate::json::{Compact, Json, JsonError, JsonProblem, Sink, Tree};
use crate::value::ty::{ObjectType, TypeAttribute};
use crate::value::{MAX_DEPTH, Text, Type};

use super::too_deep;

impl Type {
    /// Reads a type (V05).
    ///
    /// # Errors
    /// A wrong name or shape, an attribute twice, an optional name that is no attribute, more than [`MAX_DEPTH`]
    /// levels.
    pub fn from_json(json: &Json) -> Result<Type, JsonError> {
        read(json, MAX_DEPTH)
    }

    /// Reads the text of a type (V05).
    ///
    /// # Errors
    /// As [`Type::from_json`], and text that is no JSON document.
    pub fn parse(text: &str) -> Result<Type, JsonError> {
        Type::from_json(&Json::parse(text)?)
    }

    /// Reads the bytes of a type, as msgpack has them (V74).
    ///
    /// # Errors
    /// As [`Type::parse`], and bytes that are not UTF-8.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Type, JsonError> {
        Type::from_json(&Json::parse_bytes(bytes)?)
    }

    /// Writes the type (V05).
    pub fn write_json(&self, sink: &mut impl Sink) {
        write(self, sink);
    }

    /// The type as a document (V05).
    pub fn to_json(&self) -> Json {
        Tree::of(|tree| write(self, tree))
    }

    /// The exact text that engines write for the type (V05): the type bytes of V74.
    pub fn to_v05_text(&self) -> String {
        let mut out = String::new();
        write(self, &mut Compact::html(&mut out));
        out
    }
}

fn read(json: &Json, levels: usize) -> Result<Type, JsonError> {
    if levels == 0 {
        return Err(too_deep().into());
    }
    match json {
        Json::String(name) => primitive(name).ok_or_else(|| unexpected(json)),
        Json::Array(parts) => compound(json, parts, levels - 1),
        other => Err(unexpected(other)),
    }
}

fn unexpected(json: &Json) -> JsonError {
    json.unexpected("a type (V05)")
}

fn primitive(name: &str) -> Option<Type> {
    match name {
        "bool" => Some(Type::Bool),
        "number" => Some(Type::Number),
        "string" => Some(Type::String),
        "dynamic" => Some(Type::Dynamic),
        _ => None,
    }
}

fn compound(json: &Json, parts: &[Json], levels: usize) -> Result<Type, JsonError> {
    let element = |element| read(element, levels).map_err(|error: JsonError| error.inside_index(1));
    match (parts.first(), &parts[parts.len().min(1)..]) {
        (Some(Json::String(kind)), rest) => match (&**kind, rest) {
            ("list", [of]) => element(of).map(Type::list),
            ("set", [of]) => element(of).map(Type::set),
            ("map", [of]) => element(of).map(Type::map),
            ("tuple", [of]) => tuple(of, levels).map_err(|error| error.inside_index(1)),
            ("object", [of]) => object(of, None, levels),
            ("object", [of, optional]) => object(of, Some(optional), levels),
            ("list" | "set" | "map" | "tuple" | "object", _) => {
                Err(json.unexpected(format!("a type (V05): {kind:?} and what it is made of")))
            }
            _ => Err(parts[0].unexpected("the kind of a type (V05)").inside_index(0)),
        },
        _ => Err(unexpected(json)),
    }
}

fn tuple(of: &Json, levels: usize) -> Result<Type, JsonError> {
    match of {
        Json::Null => Ok(Type::tuple(Vec::new())),
        types => Ok(Type::tuple(types.read_items(|ty| read(ty, levels))?)),
    }
}

fn object(of: &Json, optional: Option<&Json>, levels: usize) -> Result<Type, JsonError> {
    let mut attributes = attributes(of, levels).map_err(|error| error.inside_index(1))?;
    if let Some(names) = optional {
        mark_optional(&mut attributes, names).map_err(|error| error.inside_index(2))?;
    }
    Ok(Type::Object(triomphe::Arc::new(ObjectType::new(attributes))))
}

/// The attributes, sorted by name.
fn attributes(of: &Json, levels: usize) -> Result<Vec<TypeAttribute>, JsonError> {
    if matches!(of, Json::Null) {
        return Ok(Vec::new());
    }
    let members = of.expect_object()?.iter();
    let read = |(name, ty): &(Box<str>, Json)| {
        let ty = read(ty, levels).map_err(|error| error.inside_member(name))?;
        Ok(TypeAttribute { name: Text::new(name), ty, optional: false })
    };
    let mut attributes = members.map(read).collect::<Result<Vec<_>, JsonError>>()?;
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    match attributes.windows(2).find(|pair| pair[0].name == pair[1].name) {
        None => Ok(attributes),
        Some(pair) => Err(JsonProblem::Duplicate { name: pair[0].name.to_string() }.into()),
    }
}

fn mark_optional(attributes: &mut [TypeAttribute], names: &Json) -> Result<(), JsonError> {
    for (index, name) in names.expect_array()?.iter().enumerate() {
        let text = Text::new(name.expect_string().map_err(|error| error.inside_index(index))?);
        match attributes.binary_search_by(|attribute| attribute.name.cmp(&text)) {
            Ok(found) => attributes[found].optional = true,
            Err(_) => return Err(name.unexpected("the name of an attribute (V05)").inside_index(index)),
        }
    }
    Ok(())
}

fn write(ty: &Type, sink: &mut impl Sink) {
    match ty {
        Type::Dynamic => sink.string("dynamic"),
        Type::Bool => sink.string("bool"),
        Type::Number => sink.string("number"),
        Type::String => sink.string("string"),
        Type::List(element) => write_kind("list", sink, |sink| write(element, sink)),
        Type::Set(element) => write_kind("set", sink, |sink| write(element, sink)),
        Type::Map(element) => write_kind("map", sink, |sink| write(element, sink)),
        Type::Tuple(tuple) => write_kind("tuple", sink, |sink| {
            sink.open_array();
            tuple.elements().iter().for_each(|element| write(element, sink));
            sink.close_array();
        }),
        Type::Object(object) => write_kind("object", sink, |sink| write_object(object, sink)),
    }
}

fn write_kind<S: Sink>(kind: &str, sink: &mut S, rest: impl FnOnce(&mut S)) {
    sink.open_array();
    sink.string(kind);
    rest(sink);
    sink.close_array();
}

fn write_object(object: &ObjectType, sink: &mut impl Sink) {
    sink.open_object();
    for attribute in object.attributes() {
        sink.name(&attribute.name);
        write(&attribute.ty, sink);
    }
    sink.close_object();
    if object.attributes().iter().any(|attribute| attribute.optional) {
        sink.open_array();
        let optional = object.attributes().iter().filter(|attribute| attribute.optional);
        optional.for_each(|attribute| sink.string(&attribute.name));
        sink.close_array();
    }
}
