//! The known and the unknown parts of a value, combined again.

use super::lookup::Lookup;
use crate::json::{Json, JsonError, Tree};
use crate::value::{Type, Value};

/// The value of a declared type with these known and unknown parts (JS21, JS22).
///
/// Where the type is dynamic the documents have the plain value (JS26): a list, a set or a map of the plan is a tuple or an
/// object here.
pub(super) fn value(known: Option<&Json>, unknown: Option<&Json>, ty: &Type) -> Result<Value, JsonError> {
    if !ty.has_dynamic() && is_wholly_known(unknown) {
        return Value::from_stored_json(known.unwrap_or(&Json::Null), ty);
    }
    Value::from_json(&in_notation(known, unknown, ty)?, ty)
}

/// Whether an unknown tree shows at its top that no part is unknown.
fn is_wholly_known(unknown: Option<&Json>) -> bool {
    match unknown {
        None | Some(Json::Bool(false)) => true,
        Some(Json::Object(parts)) => parts.is_empty(),
        Some(_) => false,
    }
}

/// The value in the notation of formats.md.
fn in_notation(known: Option<&Json>, unknown: Option<&Json>, ty: &Type) -> Result<Json, JsonError> {
    if let Some(Json::Bool(true)) = unknown {
        return match known {
            None | Some(Json::Null) => Ok(Json::object([("$unknown", Json::Bool(true))])),
            Some(known) => Err(known.unexpected("nothing beside true in after_unknown")),
        };
    }
    let known = known.unwrap_or(&Json::Null);
    if let Type::Dynamic = ty {
        let found = type_of(known, unknown);
        if let Type::Dynamic = found {
            return Ok(Json::Null);
        }
        let value = in_notation(Some(known), unknown, &found)?;
        return Ok(Json::object([("type", Tree::of(|tree| found.write_json(tree))), ("value", value)]));
    }
    match known {
        Json::Array(items) => array(items, unknown, ty),
        Json::Object(members) => object(members, unknown, ty),
        // The notation has strings for infinities, the documents have none.
        Json::String(_) if matches!(ty, Type::Number) => Err(known.unexpected("a number")),
        scalar => Ok(scalar.clone()),
    }
}

fn array(items: &[Json], unknown: Option<&Json>, ty: &Type) -> Result<Json, JsonError> {
    let parts = match unknown {
        Some(Json::Array(parts)) => parts.as_slice(),
        _ => &[],
    };
    let items = items.iter().enumerate().map(|(index, item)| {
        let item_type = match ty {
            Type::List(element) | Type::Set(element) => element,
            Type::Tuple(tuple) => tuple.elements().get(index).unwrap_or(&Type::Dynamic),
            _ => &Type::Dynamic,
        };
        in_notation(Some(item), parts.get(index), item_type).map_err(|error| error.inside_index(index))
    });
    items.collect::<Result<_, _>>().map(Json::Array)
}

fn object(members: &[(Box<str>, Json)], unknown: Option<&Json>, ty: &Type) -> Result<Json, JsonError> {
    let parts = match unknown {
        Some(Json::Object(parts)) => parts.as_slice(),
        _ => &[],
    };
    let (by_name, unknowns) = (Lookup::new(members), Lookup::new(parts));
    let gone =
        parts.iter().filter(|(name, _)| by_name.get(name).is_none()).map(|(name, part)| (name, None, Some(part)));
    let there = members.iter().map(|(name, member)| (name, Some(member), unknowns.get(name)));
    let whole = there.chain(gone).map(|(name, member, unknown)| {
        let member_type = match ty {
            Type::Map(element) => element,
            Type::Object(object) => {
                object.index_of(name).map_or(&Type::Dynamic, |index| &object.attributes()[index].ty)
            }
            _ => &Type::Dynamic,
        };
        let member = in_notation(member, unknown, member_type).map_err(|error| error.inside_member(name))?;
        Ok((written(name), member))
    });
    whole.collect::<Result<_, JsonError>>().map(Json::Object)
}

/// A leading `$` is doubled.
fn written(name: &str) -> Box<str> {
    if name.starts_with('$') { format!("${name}").into() } else { name.into() }
}

/// The type of a value at a dynamic place, as far as the documents show it.
fn type_of(known: &Json, unknown: Option<&Json>) -> Type {
    match (known, unknown) {
        (_, Some(Json::Bool(true))) | (Json::Null, _) => Type::Dynamic,
        (Json::Bool(_), _) => Type::Bool,
        (Json::Number(_), _) => Type::Number,
        (Json::String(_), _) => Type::String,
        (Json::Array(items), unknown) => {
            let part = |index| match unknown {
                Some(Json::Array(parts)) => parts.get(index),
                _ => None,
            };
            Type::tuple(items.iter().enumerate().map(|(index, item)| type_of(item, part(index))).collect())
        }
        (Json::Object(members), unknown) => {
            let parts = match unknown {
                Some(Json::Object(parts)) => parts.as_slice(),
                _ => &[],
            };
            let (by_name, unknowns) = (Lookup::new(members), Lookup::new(parts));
            let gone = parts.iter().filter(|(name, _)| by_name.get(name).is_none());
            let gone = gone.map(|(name, _)| ((&**name).into(), Type::Dynamic));
            let there = members.iter().map(|(name, member)| ((&**name).into(), type_of(member, unknowns.get(name))));
            Type::object(there.chain(gone))
        }
    }
}
