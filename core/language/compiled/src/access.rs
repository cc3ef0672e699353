//! Attributes and elements (E92c, E92d).

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{Marked, Marks};

use crate::outcome::{Evaluated, Failed, Faults, Out, failure};

const INDEX: &str = "Invalid index";

/// `x.a`
pub(crate) fn attribute(source: Out<'_>, name: &str, place: SourcePlace) -> Evaluated {
    let source = source.map_err(|failure| attribute_of_failure(failure, name, place))?;
    attribute_of(&source, name, place)
}

/// The attribute of a value whose operation failed: adds the faults that the value's type alone shows.
fn attribute_of_failure(failed: Failed, name: &str, place: SourcePlace) -> Failed {
    let mut faults = Faults::default();
    let source = faults.take(Err(failed));
    let found = faults.take(attribute_of(&source, name, place).map(std::borrow::Cow::Owned));
    Failed { value: found.into_owned(), ..faults.with_type(None) }
}

pub(crate) fn attribute_of(source: &Marked, name: &str, place: SourcePlace) -> Evaluated {
    let own = source.marks.own;
    if source.value.is_null() {
        return Err(failure("Attempt to get attribute from null value", place, None));
    }
    let unsupported = || failure("Unsupported attribute", place, None);
    match source.ty() {
        Type::Dynamic => Ok(Marked::from(Value::unknown(Type::Dynamic)).with(own)),
        Type::Object(object) => {
            let at = object.index_of(name).ok_or_else(unsupported)?;
            let ty = &object.attributes()[at].ty;
            Ok(part_or_unknown(source, at, ty).with(own))
        }
        Type::Map(element) => match source.value.node() {
            Node::Unknown(_) => Ok(Marked::from(Value::unknown((**element).clone())).with(own)),
            _ => {
                let at = key_place(&source.value, name).ok_or_else(|| failure("Missing map element", place, None))?;
                Ok(source.part(at).with(own))
            }
        },
        _ => Err(unsupported()),
    }
}

/// `x[k]`
pub(crate) fn index(source: Out<'_>, key: Out<'_>, place: SourcePlace) -> Evaluated {
    let mut faults = Faults::default();
    let (source, key) = (faults.take(source), faults.take(key));
    let found = index_of(&source, &key, place);
    if faults.is_empty() {
        return found;
    }
    let found = faults.take(found.map(std::borrow::Cow::Owned));
    faults.end(found.into_owned())
}

fn index_of(source: &Marked, key: &Marked, place: SourcePlace) -> Evaluated {
    let wrong = || failure(INDEX, place, None);
    if source.value.is_null() {
        return Err(failure("Attempt to index null value", place, None));
    }
    if key.value.is_null() {
        return Err(wrong());
    }
    let own = source.marks.own;
    let marks = own.and(key.marks.all());
    let dynamic = || Marked::from(Value::unknown(Type::Dynamic));
    if key.ty().is_dynamic() || source.ty().is_dynamic() {
        return Ok(dynamic().with(own));
    }
    match source.ty() {
        Type::List(element) => {
            let key = convert(&key.value, &Type::Number).map_err(|_| wrong())?;
            if key.is_unknown() || source.value.is_unknown() {
                return Ok(Marked::from(Value::unknown((**element).clone())).with(own));
            }
            let at = whole_index(&key, source.value.node().parts().len()).ok_or_else(wrong)?;
            Ok(source.part(at).with(marks))
        }
        Type::Tuple(tuple) => {
            let key = convert(&key.value, &Type::Number).map_err(|_| wrong())?;
            if key.is_unknown() {
                return Ok(dynamic().with(own));
            }
            let at = whole_index(&key, tuple.len()).ok_or_else(wrong)?;
            Ok(part_or_unknown(source, at, &tuple.elements()[at]).with(marks))
        }
        Type::Map(element) => {
            let key = convert(&key.value, &Type::String).map_err(|_| wrong())?;
            let Some(name) = key.view().as_text().filter(|_| !source.value.is_unknown()) else {
                return Ok(Marked::from(Value::unknown((**element).clone())).with(own));
            };
            let at = key_place(&source.value, name).ok_or_else(wrong)?;
            Ok(source.part(at).with(marks))
        }
        Type::Object(object) => {
            let key = convert(&key.value, &Type::String).map_err(|_| wrong())?;
            // E92d: an unknown object gives an unknown for every key.
            let Some(name) = key.view().as_text().filter(|_| !source.value.is_unknown()) else {
                return Ok(dynamic().with(own));
            };
            let at = object.index_of(name).ok_or_else(wrong)?;
            Ok(source.part(at).with(marks))
        }
        _ => Err(wrong()),
    }
}

pub(crate) fn key_place(map: &Value, name: &str) -> Option<usize> {
    match map.node() {
        Node::Map(map) => map.keys().binary_search_by(|probe| probe.as_str().cmp(name)).ok(),
        _ => None,
    }
}

fn whole_index(key: &Value, length: usize) -> Option<usize> {
    let number = key.view().as_number()?;
    let at = usize::try_from(number.to_i64().filter(|_| number.is_whole())?).ok()?;
    (at < length).then_some(at)
}

fn part_or_unknown(source: &Marked, at: usize, ty: &Type) -> Marked {
    if source.value.is_unknown() { Value::unknown(ty.clone()).into() } else { source.part(at) }
}

/// No marks.
pub(crate) const PLAIN: Marks = Marks(0);
