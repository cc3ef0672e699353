//! Functions of maps and objects (FN03 to FN06, FN15, FN35).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::expression::{Marked, Marks};

use super::{ARGUMENT, Answer, CALL, converted, dynamic, typed, unknown};
use crate::access::place_of_key;

pub(super) fn call(name: &str, a: &[Marked], dialect: Dialect) -> Option<Answer> {
    Some(match name {
        "merge" => merge(a),
        "keys" => keys(&a[0]),
        "values" => values(&a[0]),
        "lookup" => lookup(a, dialect),
        "zipmap" => zipmap(&a[0], &a[1]),
        "transpose" => transpose(a),
        _ => return None,
    })
}

fn merge(a: &[Marked]) -> Answer {
    for map in a {
        match map.ty() {
            Type::Map(_) | Type::Object(_) => {}
            // The arguments after it are not checked, and the result has no type either.
            Type::Dynamic if a.iter().any(|map| map.value.is_unknown()) => return Ok(dynamic()),
            Type::Dynamic => return merge_by_members(a),
            _ => return Err(CALL),
        }
    }
    if let Some(first @ Type::Object(object)) = a.first().map(Marked::ty)
        && a.iter().all(|x| x.ty() == first && x.value.is_null())
        && !object.is_empty()
    {
        // Nulls only: an object of that type has no members to be made of.
        return Err(CALL);
    }
    let all_same =
        a.first().is_some_and(|first| matches!(first.ty(), Type::Map(_)) && a.iter().all(|map| map.ty() == first.ty()));
    let is_open = a.iter().any(|map| map.value.is_unknown());
    // E95: an unknown result loses the marks.
    if is_open && all_same {
        return Ok(unknown(a[0].ty()).into());
    }
    if a.iter().any(|map| matches!(map.ty(), Type::Map(_)) && map.value.is_unknown()) {
        return Ok(dynamic());
    }
    let maps: Vec<&Marked> = a.iter().filter(|map| !map.value.is_null()).collect();
    let marks = maps.iter().fold(Marks::default(), |marks, map| marks.and(map.marks.own));
    if maps.is_empty() && !all_same {
        return Ok(Marked::object(Vec::new()));
    }
    if is_open {
        let types = maps.iter().flat_map(|map| match map.ty() {
            Type::Object(object) => {
                object.attributes().iter().map(|x| (x.name.clone(), x.ty.clone())).collect::<Vec<_>>()
            }
            _ => map.keys().into_iter().zip(map.parts()).map(|(key, part)| (key, part.ty().clone())).collect(),
        });
        let merged: std::collections::BTreeMap<Text, Type> = types.collect();
        return Ok(unknown(&Type::object(merged)).into());
    }
    let entries: Vec<(Text, Marked)> = maps.iter().flat_map(|map| map.keys().into_iter().zip(map.parts())).collect();
    let made = match a.first().map(Marked::ty) {
        Some(Type::Map(element)) if all_same => Marked::map(element, entries).ok_or(CALL)?,
        _ => Marked::object(entries),
    };
    Ok(made.with(marks))
}

/// An object of all members; other collections than maps and objects are accepted if they are empty, and sets of strings.
fn merge_by_members(a: &[Marked]) -> Answer {
    let (mut entries, mut marks) = (Vec::new(), Marks::default());
    for x in a.iter().filter(|x| !x.value.is_null()) {
        match x.ty() {
            Type::Map(_) | Type::Object(_) => entries.extend(x.keys().into_iter().zip(x.parts())),
            Type::List(_) | Type::Set(_) | Type::Tuple(_) if x.value.node().parts().is_empty() => {}
            // The elements of a set are keys and values.
            Type::Set(element) if **element == Type::String => {
                for part in x.parts() {
                    entries.push((part.value.view().as_text().ok_or(CALL)?.clone(), part));
                }
            }
            _ => return Err(CALL),
        }
        marks = marks.and(x.marks.own);
    }
    Ok(Marked::object(entries).with(marks))
}

fn keys(x: &Marked) -> Answer {
    let names = x.keys().into_iter().map(|name| Marked::from(Value::string(name.as_str()))).collect();
    let made = match x.ty() {
        Type::Object(_) if !x.value.is_null() => Marked::tuple(names),
        Type::Map(_) if x.value.is_unknown() => unknown(&Type::list(Type::String)).into(),
        Type::Map(_) if !x.value.is_null() => Marked::list(&Type::String, names).ok_or(CALL)?,
        Type::Dynamic if x.value.is_unknown() => return Ok(dynamic()),
        _ => return Err(ARGUMENT),
    };
    Ok(made.with(x.marks.own))
}

fn values(x: &Marked) -> Answer {
    let made = match x.ty() {
        _ if x.value.is_null() => return Err(ARGUMENT),
        Type::Object(object) if x.value.is_unknown() => {
            return Ok(unknown(&Type::tuple(
                object.attributes().iter().map(|attribute| attribute.ty.clone()).collect(),
            ))
            .into());
        }
        Type::Object(_) => Marked::tuple(x.parts()),
        Type::Map(element) if x.value.is_unknown() => return Ok(unknown(&Type::list((**element).clone())).into()),
        Type::Map(element) => Marked::list(element, x.parts()).ok_or(CALL)?,
        Type::Dynamic => return Ok(dynamic()),
        _ => return Err(CALL),
    };
    Ok(made.with(x.marks.own))
}

fn lookup(a: &[Marked], dialect: Dialect) -> Answer {
    let (x, key) = (&a[0], &a[1]);
    let marks = x.marks.own.and(key.marks.own);
    let key = Marked::from(key.value.clone()).convert(&Type::String).ok_or(ARGUMENT)?;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() {
        return Ok(dynamic());
    }
    if key.value.is_null() {
        return Err(ARGUMENT);
    }
    let name = key.value.view().as_text();
    match x.ty() {
        _ if a.len() > 3 => Err(CALL),
        Type::Map(element) => {
            let default = match a.get(2) {
                Some(default) => Some(default.convert(element).ok_or(ARGUMENT)?),
                None => None,
            };
            let Some(name) = name.filter(|_| !x.value.is_unknown()) else {
                return Ok(Marked::from(Value::unknown((**element).clone())).with(marks));
            };
            match place_of_key(x, name) {
                Some(place) => Ok(x.part(place).with(marks)),
                // A default that was a set of unknown length may have become a list of another type.
                None => default
                    .filter(|default| element.has_dynamic() || default.ty() == &**element)
                    .ok_or(CALL)
                    .map(|made| made.with(marks)),
            }
        }
        Type::Object(object) => {
            let Some(name) = name else {
                let kept = if dialect.keeps_marks_of_unknown_lookups() { marks } else { Marks::default() };
                return Ok(dynamic().with(kept));
            };
            match (object.index_of(name.as_str()), a.get(2)) {
                (Some(place), _) if x.value.is_unknown() => {
                    Ok(Marked::from(Value::unknown(object.attributes()[place].ty.clone())).with(marks))
                }
                (Some(place), _) => Ok(x.part(place).with(marks)),
                (None, Some(default)) if x.value.is_unknown() => {
                    Ok(Marked::from(Value::unknown(default.ty().clone())).with(marks))
                }
                (None, Some(default)) => Ok(default.clone().with(marks)),
                (None, None) => Err(ARGUMENT),
            }
        }
        _ => Err(ARGUMENT),
    }
}

fn zipmap(names: &Marked, values: &Marked) -> Answer {
    let own = names.marks.all().and(values.marks.own);
    let whole = names.marks.own.and(values.marks.own);
    let names = converted(std::slice::from_ref(names), &[Type::list(Type::String)])?;
    if values.value.is_null() {
        return Err(ARGUMENT);
    }
    let element = match values.ty() {
        Type::Dynamic => return Ok(dynamic()),
        Type::Tuple(_) => None,
        Type::List(element) => Some((**element).clone()),
        _ => return Err(CALL),
    };
    let is_open = !names[0].is_wholly_known();
    // If keys are unknown, the marks of both lists remain, provided that neither list is unknown as a whole.
    let left = if names[0].is_unknown() || values.value.is_unknown() { Marks::default() } else { whole };
    if let Some(element) = element.as_ref().filter(|_| is_open || values.value.is_unknown()) {
        return Ok(Marked::from(unknown(&Type::map(element.clone()))).with(left));
    }
    if is_open {
        return Ok(dynamic().with(left));
    }
    let parts: Vec<Marked> = match values.ty() {
        Type::Tuple(tuple) if values.value.is_unknown() => {
            tuple.elements().iter().map(|ty| Value::unknown(ty.clone()).into()).collect()
        }
        _ => values.parts(),
    };
    if names[0].view().len() != parts.len() {
        return Err(CALL);
    }
    let mut entries = Vec::new();
    for (name, part) in names[0].view().children().zip(parts) {
        entries.push((name.1.as_text().ok_or(CALL)?.clone(), part));
    }
    let made = match element {
        Some(element) => Marked::map(&element, entries).ok_or(CALL)?,
        None => Marked::object(entries),
    };
    Ok(if values.value.is_unknown() { unknown(made.ty()).into() } else { made.with(own) })
}

fn transpose(a: &[Marked]) -> Answer {
    let ty = Type::map(Type::list(Type::String));
    typed(a, std::slice::from_ref(&ty), &ty, |v| {
        let mut turned: std::collections::BTreeMap<Text, Vec<Value>> = std::collections::BTreeMap::new();
        for (name, list) in v[0].view().entries() {
            if list.is_null() {
                return Err(CALL);
            }
            for (_, element) in list.children() {
                turned.entry(element.as_text().ok_or(CALL)?.clone()).or_default().push(Value::string(name.as_str()));
            }
        }
        let list = |values| Value::list(&Type::String, values).map_err(|_| CALL);
        let entries = turned.into_iter().map(|(key, values)| Ok((key, list(values)?))).collect::<Answer<_>>()?;
        Value::map(&Type::list(Type::String), entries).map_err(|_| CALL)
    })
}
