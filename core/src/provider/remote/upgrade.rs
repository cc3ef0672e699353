//! Objects from state files, read at the schema's version (UpgradeResourceState).

use triomphe::Arc;

use super::parts::object_of;
use super::places::{Place, Places};
use crate::json::Json;
use crate::schema::Nesting;
use crate::value::{MapNode, Node, Number, Text, Type, Value, ValueRef, build_set};

/// Why the attributes of a state file are no object of the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at {path:?}, found {found}")]
pub(super) struct UpgradeError {
    expected: String,
    found: String,
    /// Names, indexes and keys on the way, joined with dots.
    path: String,
}

/// The object of type `ty` that `attributes` are, read by the type: what is absent is null, and empty where it is a collection of
/// blocks (F03).
pub(super) fn upgraded(attributes: &Json, ty: &Type, places: &Places) -> Result<Value, UpgradeError> {
    let value = read(attributes, ty)?;
    Ok(with_blocks(value.view(), places))
}

/// A value in the notation of state files: no unknowns, and no member names but those of the type.
fn read(json: &Json, ty: &Type) -> Result<Value, UpgradeError> {
    if matches!(json, Json::Null) {
        return Ok(Value::null(ty.clone()));
    }
    match ty {
        Type::Dynamic => dynamic(json),
        Type::Bool => match json {
            Json::Bool(bool) => Ok(Value::bool(*bool)),
            other => Err(unexpected("a bool", other)),
        },
        Type::Number => match json {
            Json::Number(text) => Number::parse(text).map(Value::number).map_err(|_| unexpected("a number", json)),
            other => Err(unexpected("a number", other)),
        },
        Type::String => match json {
            Json::String(text) => Ok(Value::string(text)),
            other => Err(unexpected("a string", other)),
        },
        Type::List(element) => {
            let elements = items(json, "an array", |_| Some(element))?;
            of_elements(elements, element, Type::list, Node::seq)
        }
        Type::Set(element) => {
            let elements = items(json, "an array", |_| Some(element))?;
            let ty = common(&elements, element);
            let set = |nodes| Node::Seq(build_set(&ty, nodes));
            of_elements(elements, element, Type::set, set)
        }
        Type::Tuple(tuple) => {
            let elements = items(json, "an array of one item for each position", |index| tuple.elements().get(index))?;
            if elements.len() != tuple.len() {
                return Err(unexpected("an array of one item for each position", json));
            }
            Ok(Value::tuple(elements))
        }
        Type::Map(element) => {
            let members = json.expect_object().map_err(|_| unexpected("an object", json))?;
            let mut keys: Vec<(Text, Value)> = Vec::with_capacity(members.len());
            for (key, member) in members {
                keys.push((Text::new(key), read(member, element).map_err(|error| error.inside(key))?));
            }
            keys.sort_by(|a, b| a.0.cmp(&b.0));
            keys.dedup_by(|later, first| later.0 == first.0);
            let (keys, values): (Vec<Text>, Vec<Value>) = keys.into_iter().unzip();
            let map =
                |nodes: Vec<Node>| Node::Map(Arc::new(MapNode::from_sorted(keys.into_iter().zip(nodes).collect())));
            of_elements(values, element, Type::map, map)
        }
        Type::Object(object) => {
            let members = json.expect_object().map_err(|_| unexpected("an object", json))?;
            let mut values: Vec<Value> =
                object.attributes().iter().map(|attribute| Value::null(attribute.ty.clone())).collect();
            for (name, member) in members {
                let index = object.index_of(&Text::new(name));
                let index = index.ok_or_else(|| unexpected("an attribute of the schema", member).inside(name))?;
                let ty = &object.attributes()[index].ty;
                values[index] = read(member, ty).map_err(|error| error.inside(name))?;
            }
            Ok(object_of(ValueRef::null(ty), values))
        }
    }
}

fn dynamic(json: &Json) -> Result<Value, UpgradeError> {
    const EXPECTED: &str = "an object of \"type\" and \"value\"";
    let (Some(ty), Some(value)) = (json.member("type"), json.member("value")) else {
        return Err(unexpected(EXPECTED, json));
    };
    let ty = Type::from_json(ty).map_err(|_| unexpected("a type", ty).inside("type"))?;
    read(value, &ty.strip_optional()).map_err(|error| error.inside("value"))
}

fn items<'t>(json: &Json, expected: &str, ty: impl Fn(usize) -> Option<&'t Type>) -> Result<Vec<Value>, UpgradeError> {
    let items = json.expect_array().map_err(|_| unexpected(expected, json))?;
    let read = |(index, item)| {
        let ty = ty(index).ok_or_else(|| unexpected(expected, json))?;
        read(item, ty).map_err(|error| error.inside(&index.to_string()))
    };
    items.iter().enumerate().map(read).collect()
}

/// The type that elements have in common: `dynamic` takes on that of the others (V08).
fn common(elements: &[Value], element: &Type) -> Type {
    elements.iter().map(Value::ty).find(|ty| !ty.is_dynamic()).unwrap_or(element).clone()
}

fn of_elements(
    elements: Vec<Value>,
    element: &Type,
    of: impl FnOnce(Type) -> Type,
    node: impl FnOnce(Vec<Node>) -> Node,
) -> Result<Value, UpgradeError> {
    let ty = common(&elements, element);
    if let Some(index) = elements.iter().position(|value| !value.ty().is_dynamic() && *value.ty() != ty) {
        let found = elements[index].ty().to_v05_text();
        let expected = format!("an element of type {}", ty.to_v05_text());
        return Err(UpgradeError { expected, found, path: index.to_string() });
    }
    let nodes = elements.into_iter().map(|value| value.into_parts().1).collect();
    Ok(Value::from_parts(of(ty), node(nodes)))
}

/// The object with empty collections where blocks are null, at any depth.
fn with_blocks(object: ValueRef<'_>, places: &Places) -> Value {
    if !object.is_present() {
        return object.to_value();
    }
    let members = object.entries().zip(places.iter()).map(|((_, member), place)| with_blocks_at(member, place));
    object_of(object, members.collect())
}

fn with_blocks_at(member: ValueRef<'_>, place: &Place) -> Value {
    match place.inside() {
        Some(_) if member.is_null() => place.absent(),
        Some((nesting, inside)) if place.is_block() => {
            super::forms::each(nesting, member, &mut |_, object| with_blocks(object, inside))
        }
        _ => member.to_value(),
    }
}

impl Place {
    /// The value of a place that nothing is said of: null, and empty for a collection of blocks (F03).
    pub(crate) fn absent(&self) -> Value {
        let empty = match &self.ty {
            _ if !self.is_block() => None,
            Type::List(_) | Type::Set(_) => Some(Node::seq(Vec::new())),
            Type::Map(_) => Some(Node::Map(Arc::new(MapNode::from_sorted(Vec::new())))),
            Type::Dynamic if matches!(self.inside(), Some((Nesting::Map, _))) => return Value::object(Vec::new()),
            Type::Dynamic => return Value::tuple(Vec::new()),
            _ => None,
        };
        Value::from_parts(self.ty.clone(), empty.unwrap_or(Node::Null))
    }
}

fn unexpected(expected: &str, found: &Json) -> UpgradeError {
    UpgradeError { expected: expected.to_owned(), found: found.describe(), path: String::new() }
}

impl UpgradeError {
    fn inside(mut self, step: &str) -> UpgradeError {
        self.path = if self.path.is_empty() { step.to_owned() } else { format!("{step}.{}", self.path) };
        self
    }
}
