//! The effect of a conversion on a payload (V61, V62).

use super::plan::{Conversion, Elements, FromElement, FromMember, How, Kind, Length, Parts, find};
use super::unify::unify;
use super::{ConvertError, Reason, Work, start_of};
use crate::value::{
    MapNode, Node, Number, ObjectType, Range, Refinement, Refiner, Step, Text, Truth, Type, UNBOUNDED, Value,
};

/// Converts a payload of the conversion's source type.
pub(super) fn apply(conversion: &Conversion, node: &Node, work: &Work) -> Result<Value, ConvertError> {
    let whole = &conversion.whole;
    match (&conversion.how, node) {
        (How::Keep, _) => Ok(Value::from_parts(whole.clone(), node.clone())),
        (_, Node::Null) => Ok(Value::null(whole.clone())),
        (_, Node::Unknown(record)) => unknown(conversion, record.as_deref()),
        (How::NumberToString, Node::Number(number)) => Ok(Value::string(&number.text())),
        (How::BoolToString, Node::Bool(Truth(bool))) => Ok(Value::string(if *bool { "true" } else { "false" })),
        (How::StringToNumber, Node::String(text)) => string_to_number(text),
        (How::StringToBool, Node::String(text)) => string_to_bool(text),
        (How::Object(members), Node::Seq(seq)) => object(whole, members, seq.as_slice(), work),
        (How::MapToObject(members), Node::Map(map)) => map_to_object(whole, members, map, work),
        (How::Tuple(conversions), Node::Seq(seq)) => {
            parts(conversions, seq.as_slice(), &Steps::Places, work).map(|parts| rebuilt(whole, parts))
        }
        (How::Elements(elements), _) => collection_elements(elements, node, work),
        (How::Parts(conversion), _) => collection_parts(conversion, node, work),
        _ => unreachable!("a payload is one of the type that its conversion is from"),
    }
}

fn string_to_number(text: &Text) -> Result<Value, ConvertError> {
    Number::parse(text).map(Value::number).map_err(|_| Reason::NotANumber { found: start_of(text) }.into())
}

fn string_to_bool(text: &Text) -> Result<Value, ConvertError> {
    match text.as_str() {
        "true" | "1" => Ok(Value::bool(true)),
        "false" | "0" => Ok(Value::bool(false)),
        other => Err(Reason::NotABool { found: start_of(other) }.into()),
    }
}

/// V62: the facts of a record that remain when the type changes, and the value that V43 makes of them.
fn unknown(conversion: &Conversion, record: Option<&Refinement>) -> Result<Value, ConvertError> {
    let whole = &conversion.whole;
    let not_null = record.is_some_and(|record| record.not_null);
    let lengths = record.map_or((0, UNBOUNDED), Refinement::lengths);
    let range = match conversion.length {
        Length::Unstated if !not_null => return Ok(Value::unknown(whole.clone())),
        Length::Unstated => Range::Any,
        Length::AsSource => Range::Length { min: lengths.0, max: lengths.1 },
        Length::AsSourceMerged => Range::Length { min: lengths.0.min(1), max: lengths.1 },
        Length::Between(min, max) => Range::Length { min, max },
    };
    let node = Refiner::from_record(whole, &Refinement { not_null, range }).finish();
    let node = node.map_err(|error| Reason::TooLong { message: error.to_string() })?;
    Ok(Value::from_parts(whole.clone(), node))
}

fn object(whole: &Type, members: &[FromMember], nodes: &[Node], work: &Work) -> Result<Value, ConvertError> {
    let names = member_names(whole);
    let member = |(name, member): (&Text, &FromMember)| match member {
        FromMember::Missing(ty) => Ok(Value::null(ty.clone())),
        FromMember::Member(index, conversion) => {
            apply(conversion, &nodes[*index], work).map_err(|error| error.under(Step::Attribute(name.clone())))
        }
    };
    let members: Vec<Value> = names.zip(members).map(member).collect::<Result<_, _>>()?;
    Ok(rebuilt(whole, members))
}

fn map_to_object(whole: &Type, members: &[FromElement], map: &MapNode, work: &Work) -> Result<Value, ConvertError> {
    let mut converted = Vec::with_capacity(members.len());
    let types = whole.as_object().into_iter().flat_map(|object| object.attributes());
    for (attribute, member) in types.zip(members) {
        let under = |error: ConvertError| error.under(Step::Key(attribute.name.clone()));
        converted.push(match (map.get(&attribute.name), &member.conversion) {
            (Some(node), Some(conversion)) => apply(conversion, node, work).map_err(under)?,
            (Some(_), None) => return Err(under(Reason::MixedElements.into())),
            (None, _) if member.optional => Value::null(attribute.ty.clone()),
            (None, _) => return Err(Reason::MissingKey { name: attribute.name.clone() }.into()),
        });
    }
    Ok(rebuilt(whole, converted))
}

fn member_names(ty: &Type) -> impl Iterator<Item = &Text> {
    ty.as_object().into_iter().flat_map(|object| object.attributes()).map(|attribute| &attribute.name)
}

/// An object or tuple of converted parts, which has the type `whole` unless a part says otherwise.
fn rebuilt(whole: &Type, parts: Vec<Value>) -> Value {
    let (types, nodes): (Vec<Type>, Vec<Node>) = parts.into_iter().map(Value::into_parts).unzip();
    let ty = match whole {
        Type::Object(object) => {
            if object.attributes().iter().map(|attribute| &attribute.ty).eq(&types) {
                whole.clone()
            } else {
                Type::object(member_names(whole).cloned().zip(types))
            }
        }
        Type::Tuple(tuple) if tuple.elements() == types => whole.clone(),
        _ => Type::tuple(types),
    };
    Value::from_parts(ty, Node::seq(nodes))
}

/// The steps to the parts of a value, for the paths of errors.
enum Steps<'a> {
    Places,
    Members(&'a ObjectType),
    Keys(&'a [Text]),
}

impl Steps<'_> {
    fn step(&self, place: usize) -> Step {
        match self {
            Steps::Places => Step::Index(place as u64),
            Steps::Members(object) => Step::Attribute(object.attributes()[place].name.clone()),
            Steps::Keys(keys) => Step::Key(keys[place].clone()),
        }
    }
}

fn parts(
    conversions: &[Conversion],
    nodes: &[Node],
    keys: &Steps<'_>,
    work: &Work,
) -> Result<Vec<Value>, ConvertError> {
    let part = |(place, (conversion, node)): (usize, (&Conversion, &Node))| {
        apply(conversion, node, work).map_err(|error| error.under(keys.step(place)))
    };
    conversions.iter().zip(nodes).enumerate().map(part).collect()
}

fn collection_elements(elements: &Elements, node: &Node, work: &Work) -> Result<Value, ConvertError> {
    let nodes = node.parts();
    // V45: the length of a set with an unknown inside and more than one element is not known.
    if elements.kind == Kind::List && elements.from_set && nodes.len() > 1 && node.contents().has_unknown() {
        return Ok(Value::unknown(Type::list(elements.source.clone())));
    }
    let keys = match node {
        Node::Map(map) => Steps::Keys(map.keys()),
        _ => Steps::Places,
    };
    let element = |(place, node): (usize, &Node)| {
        apply(&elements.conversion, node, work).map_err(|error| error.under(keys.step(place)))
    };
    let converted: Vec<Value> = nodes.iter().enumerate().map(element).collect::<Result<_, _>>()?;
    let converted = if elements.unify { unified(converted, &keys, work)? } else { converted };
    collection(elements.kind, &elements.of_empty, &keys, converted)
}

fn collection_parts(conversion: &Parts, node: &Node, work: &Work) -> Result<Value, ConvertError> {
    let keys = match &conversion.names {
        Some(object) => Steps::Members(object),
        None => Steps::Places,
    };
    let converted = parts(&conversion.conversions, node.parts(), &keys, work)?;
    let converted = if conversion.unify { unified(converted, &keys, work)? } else { converted };
    collection(conversion.kind, &conversion.of_empty, &keys, converted)
}

/// A collection of converted elements, of the element type `of_empty` where there are none.
fn collection(kind: Kind, of_empty: &Type, keys: &Steps<'_>, elements: Vec<Value>) -> Result<Value, ConvertError> {
    let fallback = if elements.is_empty() { of_empty } else { &Type::Dynamic };
    let made = match (kind, keys) {
        (Kind::List, _) => Value::list(fallback, elements),
        (Kind::Set, _) => Value::set(fallback, elements),
        (Kind::Map, Steps::Members(object)) => {
            let names = object.attributes().iter().map(|attribute| attribute.name.clone());
            Value::map(fallback, names.zip(elements).collect())
        }
        (Kind::Map, Steps::Keys(keys)) => Value::map(fallback, keys.iter().cloned().zip(elements).collect()),
        (Kind::Map, Steps::Places) => unreachable!("maps are made from maps and objects"),
    };
    made.map_err(|_| Reason::MixedElements.into())
}

/// The elements, brought to one type (V61).
fn unified(elements: Vec<Value>, keys: &Steps<'_>, work: &Work) -> Result<Vec<Value>, ConvertError> {
    if elements.windows(2).all(|pair| pair[0].ty() == pair[1].ty()) {
        return Ok(elements);
    }
    let types: Vec<Type> = elements.iter().map(|element| element.ty().clone()).collect();
    let common = unify(&types, work);
    let convert = |(place, element): (usize, Value)| {
        let common = common.as_ref().ok_or(Reason::MixedElements)?;
        let conversion = find(element.ty(), common, common, work).ok_or(Reason::MixedElements)?;
        apply(&conversion, element.node(), work).map_err(|error| error.under(keys.step(place)))
    };
    let converted = elements.into_iter().enumerate().map(convert).collect();
    if work.is_used_up() { Err(Reason::TooComplex.into()) } else { converted }
}
