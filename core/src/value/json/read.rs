//! Reading values, directed by their types.

use crate::json::{Json, JsonError, JsonProblem, ObjectReader};
use crate::value::node::{MapNode, Node, Seq};
use crate::value::truth::Truth;
use crate::value::ty::{ObjectType, TupleType};
use crate::value::{Number, Step, Text, Type, set};

use super::{Notation, record, stored};

/// The form of a JSON value, before its type is known.
pub(super) enum Form<'a> {
    Null,
    /// `{"$unknown": …}`, with the value of the member.
    Unknown(&'a Json),
    Present(&'a Json),
}

/// The form of a value anywhere but at a `dynamic` place.
pub(super) fn form(json: &Json, notation: Notation) -> Result<Form<'_>, JsonError> {
    match json {
        Json::Null => Ok(Form::Null),
        _ if notation.is_stored() => Ok(Form::Present(json)),
        Json::Object(members) => match members.iter().position(|(name, _)| **name == *"$unknown") {
            None => Ok(Form::Present(json)),
            Some(_) if members.len() == 1 => Ok(Form::Unknown(&members[0].1)),
            Some(_) => Err(json.unexpected("{\"$unknown\": …} and nothing beside it")),
        },
        _ => Ok(Form::Present(json)),
    }
}

/// The payload of the value that `json` is at the type `declared`; `concrete` is its own type.
pub(super) fn node(json: &Json, declared: &Type, concrete: &Type, notation: Notation) -> Result<Node, JsonError> {
    if declared.is_dynamic() {
        return match typed(json, notation)? {
            None if matches!(json, Json::Null) => Ok(Node::Null),
            None => Ok(Node::UNKNOWN),
            Some((ty, value)) => node(value, &ty, concrete, notation).map_err(|error| error.inside_member("value")),
        };
    }
    match form(json, notation)? {
        Form::Null => Ok(Node::Null),
        Form::Unknown(Json::Bool(true)) => Ok(Node::UNKNOWN),
        Form::Unknown(facts) => record::node(facts, concrete).map_err(|error| error.inside_member("$unknown")),
        Form::Present(json) => present(json, declared, concrete, notation),
    }
}

/// A value at a `dynamic` place: the type it carries and the value beside it, or `None` for the null and the unknown
/// that have no type.
pub(super) fn typed(json: &Json, notation: Notation) -> Result<Option<(Type, &Json)>, JsonError> {
    match form(json, notation)? {
        Form::Null => Ok(None),
        Form::Unknown(Json::Bool(true)) => Ok(None),
        Form::Unknown(other) => {
            Err(other.unexpected("true: an unknown of unknown type has no refinements").inside_member("$unknown"))
        }
        Form::Present(json) => {
            let mut object = ObjectReader::new(json, "a value at a dynamic place: \"type\" and \"value\"")?;
            let ty = object.required("type", Type::from_json)?;
            let value = object.required("value", Ok)?;
            object.finish()?;
            Ok(Some((ty.strip_optional(), value)))
        }
    }
}

fn present(json: &Json, declared: &Type, concrete: &Type, notation: Notation) -> Result<Node, JsonError> {
    match (declared, concrete) {
        (Type::Bool | Type::Number | Type::String, _) if notation.is_stored() => stored::primitive(json, declared),
        (Type::Bool, _) => json.expect_bool().map(|bool| Node::Bool(Truth(bool))),
        (Type::Number, _) => number(json).map(Node::Number),
        (Type::String, _) => json.expect_string().map(|text| Node::String(Text::new(text))),
        (Type::List(declared), Type::List(concrete)) => elements(json, declared, concrete, notation).map(Node::seq),
        (Type::Set(declared), Type::Set(concrete)) => {
            elements(json, declared, concrete, notation).map(|nodes| Node::Seq(set::build(concrete, nodes)))
        }
        (Type::Map(declared), Type::Map(concrete)) => map(json, declared, concrete, notation),
        (Type::Tuple(declared), Type::Tuple(concrete)) => tuple(json, declared, concrete, notation),
        (Type::Object(declared), Type::Object(concrete)) => object(json, declared, concrete, notation),
        (declared, _) => Err(json.unexpected(format!("a value of type {}", declared.to_v05_text()))),
    }
}

/// A number: JSON, or the infinities as strings.
pub(super) fn number(json: &Json) -> Result<Number, JsonError> {
    match json {
        Json::Number(text) => Number::parse(text),
        Json::String(text) if matches!(&**text, "inf" | "-inf") => Number::parse(text),
        other => return Err(other.unexpected("a number, \"inf\" or \"-inf\"")),
    }
    .map_err(|error| JsonProblem::from(error).into())
}

fn elements(json: &Json, declared: &Type, concrete: &Type, notation: Notation) -> Result<Vec<Node>, JsonError> {
    json.read_items(|item| node(item, declared, concrete, notation))
}

fn tuple(json: &Json, declared: &TupleType, concrete: &TupleType, notation: Notation) -> Result<Node, JsonError> {
    let items = json.expect_array()?;
    if items.len() != declared.len() {
        return Err(json.unexpected(format!("an array with an item for each of {} positions", declared.len())));
    }
    let types = declared.elements().iter().zip(concrete.elements());
    let nodes = items.iter().zip(types).enumerate().map(|(index, (item, (declared, concrete)))| {
        node(item, declared, concrete, notation).map_err(|error| error.inside_index(index))
    });
    Ok(Node::seq(nodes.collect::<Result<_, _>>()?))
}

fn map(json: &Json, declared: &Type, concrete: &Type, notation: Notation) -> Result<Node, JsonError> {
    let mut entries = Vec::with_capacity(json.expect_object()?.len());
    for (name, item) in json.expect_object()? {
        let read = || Ok((Text::new(member_name(name, notation)?), node(item, declared, concrete, notation)?));
        entries.push(read().map_err(|error: JsonError| error.inside(&key_step(name, notation)))?);
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(Node::Map(triomphe::Arc::new(MapNode::from_sorted(entries)))),
        Some(pair) => Err(JsonProblem::Duplicate { name: pair[0].0.to_string() }.into()),
    }
}

fn object(json: &Json, declared: &ObjectType, concrete: &ObjectType, notation: Notation) -> Result<Node, JsonError> {
    let mut nodes: Vec<Option<Node>> = vec![None; declared.len()];
    for (place, (written, member)) in json.expect_object()?.iter().enumerate() {
        let name = member_name(written, notation).map_err(|error| error.inside_member(written))?;
        let index = attribute_index(declared, name, place)?;
        let types = (&declared.attributes()[index].ty, &concrete.attributes()[index].ty);
        let read = node(member, types.0, types.1, notation).map_err(|error| error.inside_member(name))?;
        if nodes[index].replace(read).is_some() {
            return Err(JsonProblem::Duplicate { name: declared.attributes()[index].name.to_string() }.into());
        }
    }
    if notation == Notation::StoredOrAbsent {
        nodes.iter_mut().filter(|node| node.is_none()).for_each(|node| *node = Some(Node::Null));
    }
    if let Some(missing) = nodes.iter().position(Option::is_none) {
        return Err(JsonProblem::Missing { name: declared.attributes()[missing].name.to_string() }.into());
    }
    Ok(Node::Seq(Seq::new(nodes.into_iter().flatten().collect())))
}

/// The attribute of a name; `place` is where it is if the members are in the order of the writer.
fn attribute_index(object: &ObjectType, name: &str, place: usize) -> Result<usize, JsonError> {
    if object.attributes().get(place).is_some_and(|attribute| *attribute.name == *name) {
        return Ok(place);
    }
    object.index_of(&Text::new(name)).ok_or_else(|| {
        let mut names: Vec<&str> = object.attributes().iter().take(8).map(|attribute| &*attribute.name).collect();
        if names.len() < object.len() {
            names.push("…");
        }
        JsonProblem::Unknown { name: name.to_owned(), known: names.join(", ") }.into()
    })
}

/// The key or attribute name that a member's name stands for: a leading `$` is doubled.
pub(super) fn member_name(written: &str, notation: Notation) -> Result<&str, JsonError> {
    if notation.is_stored() {
        return Ok(written);
    }
    match written.strip_prefix('$') {
        None => Ok(written),
        Some(rest) if rest.starts_with('$') => Ok(rest),
        Some(_) => Err(JsonProblem::Unexpected {
            expected: "a name without $, or with two where it begins with one".into(),
            found: format!("{written:?}"),
        }
        .into()),
    }
}

/// The step into a map's entry, for errors.
pub(super) fn key_step(written: &str, notation: Notation) -> Step {
    Step::Key(Text::new(member_name(written, notation).unwrap_or(written)))
}
