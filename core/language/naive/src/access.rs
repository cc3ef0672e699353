//! Access to a part of a value (E92c, E92d).

use planfuzz_core::value::{Node, Text, Type, Value};
use planfuzz_language::expression::Marked;

use crate::unknowns::dynamic;

/// The position of a key in a known map, or in an object type.
pub(crate) fn place_of_key(value: &Marked, name: &Text) -> Option<usize> {
    match (value.ty(), value.value.node()) {
        (Type::Object(object), _) => object.index_of(name.as_str()),
        (_, Node::Map(map)) => map.keys().binary_search(name).ok(),
        _ => None,
    }
}

/// `x.a` (E92c).
pub(crate) fn attribute(value: &Marked, name: &Text) -> Result<Marked, &'static str> {
    let marks = value.marks.own;
    match value.ty() {
        Type::Dynamic if value.value.is_unknown() => Ok(Marked::from(dynamic()).with(marks)),
        Type::Object(object) => {
            let place = object.index_of(name.as_str()).filter(|_| !value.value.is_null());
            match (place, value.value.is_unknown()) {
                (Some(place), true) => {
                    Ok(Marked::from(Value::unknown(object.attributes()[place].ty.clone())).with(marks))
                }
                (Some(place), false) => Ok(value.part(place).with(marks)),
                (None, _) if value.value.is_null() => Err("Attempt to get attribute from null value"),
                (None, _) => Err("Unsupported attribute"),
            }
        }
        _ if value.value.is_null() => Err("Attempt to get attribute from null value"),
        Type::Map(element) => {
            if value.value.is_unknown() {
                return Ok(Marked::from(Value::unknown((**element).clone())).with(marks));
            }
            let place = place_of_key(value, name).ok_or("Missing map element")?;
            Ok(value.part(place).with(marks))
        }
        _ => Err("Unsupported attribute"),
    }
}

/// `x[k]` (E92c, E92d).
pub(crate) fn index(value: &Marked, key: &Marked) -> Result<Marked, &'static str> {
    let marks = value.marks.own.and(key.marks.own);
    // E92d: an unknown result loses the mark of the key.
    let unknown = |ty: &Type| Ok(Marked::from(Value::unknown(ty.clone())).with(value.marks.own));
    if value.value.is_null() {
        return Err("Attempt to index null value");
    }
    if key.value.is_null() {
        return Err("Invalid index");
    }
    let ty = value.ty();
    if ty.is_dynamic() {
        return unknown(&Type::Dynamic);
    }
    if key.ty().is_dynamic() {
        return unknown(&Type::Dynamic);
    }
    let wanted = match ty {
        Type::List(_) | Type::Tuple(_) => Type::Number,
        Type::Map(_) | Type::Object(_) => Type::String,
        _ => return Err("Invalid index"),
    };
    let key = key.convert(&wanted).ok_or("Invalid index")?.value;
    if value.value.is_unknown() && matches!(ty, Type::Object(_)) {
        return unknown(&Type::Dynamic);
    }
    if key.is_unknown() || (value.value.is_unknown() && ty.is_collection()) {
        return unknown(ty.element().unwrap_or(&Type::Dynamic));
    }
    let place = if let Some(number) = key.view().as_number() {
        number.to_i64().filter(|_| number.is_whole()).and_then(|number| usize::try_from(number).ok())
    } else {
        key.view().as_text().and_then(|name| place_of_key(value, name))
    };
    let length = match ty {
        Type::Tuple(tuple) => tuple.len(),
        Type::Object(object) => object.len(),
        _ => value.value.node().parts().len(),
    };
    let place = place.filter(|&place| place < length).ok_or("Invalid index")?;
    if value.value.is_unknown() {
        return match ty {
            Type::Tuple(tuple) => unknown(&tuple.elements()[place]),
            _ => Err("Invalid index"),
        };
    }
    Ok(value.part(place).with(marks))
}
