//! Maps and objects (FN03 to FN06, FN15, `transpose`).

use std::collections::BTreeMap;

use planfuzz_core::value::{Node, Text, Type, Value};
use planfuzz_language::expression::{Marked, Marks};

use super::{Given, Made, Wrong};
use crate::access::key_place;
use crate::make;

fn dynamic() -> Made {
    Ok(Value::unknown(Type::Dynamic).into())
}

/// FN03
pub(crate) fn merge(given: &Given<'_, '_>) -> Made {
    if let Some(open) = given.arguments.iter().position(|argument| argument.ty().is_dynamic()) {
        let are_maps = given.arguments[..open].iter().all(|argument| has_keys(argument.ty()));
        return if are_maps { merged_of_no_type(given) } else { Err(Wrong::Call) };
    }
    let mut own = Marks(0);
    let mut members: BTreeMap<Text, Marked> = BTreeMap::new();
    let mut map: Option<&Type> = None;
    let (mut is_one_map, mut unknown_map, mut unknown_object) = (true, false, false);
    for argument in &given.arguments {
        if !argument.value.is_null() {
            own = own.and(argument.marks.own);
        }
        match argument.ty() {
            Type::Map(_) => {
                is_one_map &= map.is_none_or(|map| map == argument.ty());
                map = Some(argument.ty());
                unknown_map |= argument.value.is_unknown();
            }
            Type::Object(object) => {
                is_one_map = false;
                if argument.value.is_unknown() {
                    unknown_object = true;
                    for part in object.attributes() {
                        members.insert(part.name.clone(), Value::unknown(part.ty.clone()).into());
                    }
                }
            }
            _ => return Err(Wrong::Call),
        }
        if argument.value.is_null() {
            continue;
        }
        given.spend(argument.value.node().parts().len())?;
        members.extend(argument.keys().into_iter().zip(argument.parts()));
    }
    let members: Vec<(Text, Marked)> = members.into_iter().collect();
    let all_null = given.arguments.iter().all(|argument| argument.value.is_null());
    let first = given.arguments.first().map(Marked::ty);
    let are_one_map = matches!(first, Some(Type::Map(_))) && given.arguments.iter().all(|map| Some(map.ty()) == first);
    let is_object = matches!(first, Some(Type::Object(object)) if !object.is_empty());
    if all_null && is_object && given.arguments.iter().all(|object| Some(object.ty()) == first) {
        // All arguments are null and of one object type with attributes: an object of that type without members does not exist.
        return Err(Wrong::Call);
    }
    let made = match map {
        _ if all_null && !are_one_map => Marked::object(Vec::new()),
        // An unknown result loses the marks.
        Some(ty) if is_one_map && unknown_map => return Ok(make::not_null(ty.clone()).into()),
        Some(ty) if is_one_map => {
            let element = ty.element().cloned().unwrap_or(Type::Dynamic);
            Marked::map(&element, members).ok_or(Wrong::Call)?
        }
        _ if unknown_map => return dynamic(),
        _ if unknown_object => {
            let parts = members.into_iter().map(|(name, part)| (name, part.ty().clone()));
            return Ok(make::not_null(Type::object(parts)).into());
        }
        _ => Marked::object(members),
    };
    Ok(made.with(own))
}

fn has_keys(ty: &Type) -> bool {
    matches!(ty, Type::Map(_) | Type::Object(_))
}

/// One argument without a type leaves the result without one; if all arguments are known, the result is an object, whatever their types
/// are.
fn merged_of_no_type(given: &Given<'_, '_>) -> Made {
    if given.arguments.iter().any(|argument| argument.value.is_unknown()) {
        return dynamic();
    }
    let mut own = Marks(0);
    let mut members: BTreeMap<Text, Marked> = BTreeMap::new();
    for argument in given.arguments.iter().filter(|argument| !argument.value.is_null()) {
        let has_parts = !argument.value.node().parts().is_empty();
        let is_set_of_keys = matches!(argument.ty(), Type::Set(element) if **element == Type::String);
        if argument.ty().is_primitive() || (has_parts && !has_keys(argument.ty()) && !is_set_of_keys) {
            return Err(Wrong::Call);
        }
        own = own.and(argument.marks.own);
        given.spend(argument.value.node().parts().len())?;
        if is_set_of_keys {
            // The elements of a set are used as keys and as values.
            for part in argument.parts() {
                let key = part.value.view().as_text().cloned().ok_or(Wrong::Call)?;
                members.insert(key, part);
            }
        }
        members.extend(argument.keys().into_iter().zip(argument.parts()));
    }
    Ok(Marked::object(members.into_iter().collect()).with(own))
}

fn key(name: &Text) -> Value {
    Value::from_parts(Type::String, Node::String(name.clone()))
}

/// FN04
pub(crate) fn keys(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let made = match whole.ty() {
        Type::Dynamic => return dynamic(),
        Type::Map(_) if whole.value.is_unknown() => make::not_null(Type::list(Type::String)),
        Type::Map(_) => Value::list(&Type::String, whole.keys().iter().map(key).collect()).map_err(|_| Wrong::Call)?,
        Type::Object(_) => Value::tuple(whole.keys().iter().map(key).collect()),
        _ => return Err(Wrong::Argument),
    };
    Ok(Marked::from(made).with(whole.marks.own))
}

/// FN05
pub(crate) fn values(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let made = match whole.ty() {
        Type::Dynamic => return dynamic(),
        Type::Map(element) => {
            if whole.value.is_unknown() {
                return Ok(make::not_null(Type::list((**element).clone())).into());
            } else {
                Marked::list(element, whole.parts()).ok_or(Wrong::Call)?
            }
        }
        Type::Object(object) if whole.value.is_unknown() => {
            let types = object.attributes().iter().map(|part| part.ty.clone()).collect();
            return Ok(make::not_null(Type::tuple(types)).into());
        }
        Type::Object(_) => Marked::tuple(whole.parts()),
        _ => return Err(Wrong::Call),
    };
    Ok(made.with(whole.marks.own))
}

/// FN06
pub(crate) fn lookup(given: &Given<'_, '_>) -> Made {
    let (whole, key) = (given.get(0)?, given.get(1)?);
    let otherwise = given.arguments.get(2);
    let own = whole.marks.own.and(key.marks.all());
    let name = key.value.view().as_text();
    let unknown = |ty: Type| Ok(Marked::from(Value::unknown(ty)).with(own));
    match whole.ty() {
        Type::Dynamic => dynamic(),
        _ if given.arguments.len() > 3 => Err(Wrong::Call),
        Type::Object(object) => {
            let Some(name) = name else {
                return if given.dialect().keeps_marks_of_unknown_lookups() {
                    unknown(Type::Dynamic)
                } else {
                    dynamic()
                };
            };
            let Some(at) = object.index_of(name) else {
                let otherwise = otherwise.ok_or(Wrong::Argument)?;
                if whole.value.is_unknown() {
                    return unknown(otherwise.ty().clone());
                }
                return Ok(otherwise.clone().with(own));
            };
            if whole.value.is_unknown() {
                return unknown(object.attributes()[at].ty.clone());
            }
            Ok(whole.part(at).with(own))
        }
        Type::Map(element) => {
            if otherwise.is_some_and(|other| other.convert(element).is_none()) {
                return Err(Wrong::Argument);
            }
            let Some(name) = name.filter(|_| !whole.value.is_unknown()) else { return unknown((**element).clone()) };
            match (key_place(&whole.value, name), otherwise) {
                (Some(at), _) => Ok(whole.part(at).with(own)),
                (None, Some(other)) => {
                    let other = other.convert(element).ok_or(Wrong::Argument)?;
                    // A default that was a set of unknown length may have converted to another type.
                    let fits = element.has_dynamic() || other.ty() == &**element;
                    if fits { Ok(other.with(own)) } else { Err(Wrong::Call) }
                }
                (None, None) => Err(Wrong::Call),
            }
        }
        _ => Err(Wrong::Argument),
    }
}

/// FN15
pub(crate) fn zipmap(given: &Given<'_, '_>) -> Made {
    let (keys, values) = (given.get(0)?, given.get(1)?);
    let own = keys.marks.all().and(values.marks.own);
    // An unknown result has no marks, except those of the two lists themselves if neither list is unknown.
    let is_there = !keys.value.is_unknown() && !values.value.is_unknown();
    let left = if is_there { keys.marks.own.and(values.marks.own) } else { Marks(0) };
    let unknown = |ty: Type| Ok(Marked::from(make::not_null(ty)).with(left));
    let is_known = keys.value.is_wholly_known();
    match values.ty() {
        Type::Dynamic => return dynamic(),
        Type::List(element) if !is_known || values.value.is_unknown() => {
            return unknown(Type::map((**element).clone()));
        }
        Type::Tuple(_) if !is_known => return dynamic().map(|made| made.with(left)),
        Type::List(_) | Type::Tuple(_) => {}
        _ => return Err(Wrong::Call),
    }
    let parts = match values.ty() {
        Type::Tuple(tuple) if values.value.is_unknown() => {
            tuple.elements().iter().map(|ty| Value::unknown(ty.clone()).into()).collect()
        }
        _ => values.parts(),
    };
    let nodes = keys.value.node().parts();
    if nodes.len() != parts.len() {
        return Err(Wrong::Call);
    }
    let mut members = Vec::with_capacity(parts.len());
    for (node, part) in nodes.iter().zip(parts) {
        let Node::String(name) = node else { return Err(Wrong::Call) };
        members.push((name.clone(), part));
    }
    let made = match values.ty().element() {
        Some(element) => Marked::map(element, members).ok_or(Wrong::Call)?,
        None => Marked::object(members),
    };
    if values.value.is_unknown() { unknown(made.ty().clone()) } else { Ok(made.with(own)) }
}

pub(crate) fn transpose_type(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    Ok(given.get(0)?.ty().clone())
}

/// FN35
pub(crate) fn transpose(given: &Given<'_, '_>) -> Made {
    let whole = given.get(0)?;
    let marks = whole.marks.all();
    if !whole.value.is_wholly_known() {
        return Ok(Marked::from(make::not_null(whole.ty().clone())).with(marks));
    }
    let mut turned: BTreeMap<Text, Vec<Value>> = BTreeMap::new();
    for (name, list) in whole.value.view().entries() {
        if list.is_null() {
            return Err(Wrong::Call);
        }
        for part in list.node().parts() {
            let Node::String(part) = part else { return Err(Wrong::Call) };
            given.spend(1)?;
            turned.entry(part.clone()).or_default().push(key(name));
        }
    }
    let strings = Type::list(Type::String);
    let entries: Result<Vec<_>, _> =
        turned.into_iter().map(|(name, list)| Ok((name, Value::list(&Type::String, list)?))).collect();
    let entries = entries.map_err(|_: planfuzz_core::value::ValueError| Wrong::Call)?;
    let made = Value::map(&strings, entries).map_err(|_| Wrong::Call)?;
    Ok(Marked::from(made).with(marks))
}
