//! The concrete type of a value that is written where the declared type has `dynamic` inside.
//!
//! A reader needs it before the first set is built, and elements of one collection share it (V08) although some of
//! them, null or empty, do not say it. So it is found in a walk of its own. The walk looks at types only: whatever is
//! no value at all is left for the reader to refuse.

use crate::json::{Json, JsonError, JsonProblem};
use crate::value::{Text, Type};

use super::Notation;
use super::read::{Form, form, member_name};

/// The type of the value that `json` is at the declared type.
pub(super) fn type_of(json: &Json, declared: &Type, notation: Notation) -> Result<Type, JsonError> {
    Ok(found(json, declared, notation)?.resolve(declared))
}

/// What a part says of its own type.
enum Found {
    /// Nothing: the declared type, or what its neighbours in a collection say.
    Open,
    /// All of it.
    Exact(Type),
    /// Something of the element type.
    Element(Box<Found>),
    /// Something of each element or attribute, in the order of the declared type.
    Parts(Vec<Found>),
}

impl Found {
    fn resolve(self, declared: &Type) -> Type {
        match (self, declared) {
            (Found::Exact(ty), _) => ty,
            (Found::Element(found), Type::List(element)) => Type::list(found.resolve(element)),
            (Found::Element(found), Type::Set(element)) => Type::set(found.resolve(element)),
            (Found::Element(found), Type::Map(element)) => Type::map(found.resolve(element)),
            (Found::Parts(parts), Type::Tuple(tuple)) => {
                Type::tuple(parts.into_iter().zip(tuple.elements()).map(|(part, ty)| part.resolve(ty)).collect())
            }
            (Found::Parts(parts), Type::Object(object)) => {
                let attributes = parts.into_iter().zip(object.attributes());
                Type::object(attributes.map(|(part, attribute)| (attribute.name.clone(), part.resolve(&attribute.ty))))
            }
            (_, declared) => declared.clone(),
        }
    }

    /// What two elements of one collection say together. Both were found at one declared type, so they have one form.
    fn merge(self, other: Found) -> Result<Found, JsonError> {
        match (self, other) {
            (Found::Open, said) | (said, Found::Open) => Ok(said),
            (Found::Element(a), Found::Element(b)) => Ok(Found::Element(Box::new(a.merge(*b)?))),
            (Found::Parts(a), Found::Parts(b)) => {
                let parts = a.into_iter().zip(b).map(|(a, b)| a.merge(b));
                Ok(Found::Parts(parts.collect::<Result<_, _>>()?))
            }
            (Found::Exact(a), Found::Exact(b)) if a != b => {
                Err(JsonProblem::MixedElements { first: a.to_v05_text(), other: b.to_v05_text() }.into())
            }
            (said, _) => Ok(said),
        }
    }
}

fn found(json: &Json, declared: &Type, notation: Notation) -> Result<Found, JsonError> {
    if !declared.has_dynamic() {
        return Ok(Found::Exact(declared.clone()));
    }
    match declared {
        Type::Dynamic => at_dynamic(json, notation),
        Type::List(element) | Type::Set(element) => match json {
            Json::Array(items) => {
                let said = items.iter().enumerate().map(|(index, item)| {
                    found_element(item, element, notation).map_err(|error| error.inside_index(index))
                });
                element_of(said)
            }
            _ => Ok(Found::Open),
        },
        Type::Map(element) => match form(json, notation) {
            Ok(Form::Present(Json::Object(members))) => {
                let said = members.iter().map(|(name, item)| {
                    found_element(item, element, notation)
                        .map_err(|error| error.inside(&super::read::key_step(name, notation)))
                });
                element_of(said)
            }
            _ => Ok(Found::Open),
        },
        Type::Tuple(tuple) => match json {
            Json::Array(items) if items.len() == tuple.len() => {
                let parts = items.iter().zip(tuple.elements()).enumerate();
                let parts = parts
                    .map(|(index, (item, ty))| found(item, ty, notation).map_err(|error| error.inside_index(index)));
                Ok(Found::Parts(parts.collect::<Result<_, _>>()?))
            }
            _ => Ok(Found::Open),
        },
        Type::Object(object) => match form(json, notation) {
            Ok(Form::Present(Json::Object(members))) => {
                let mut parts: Vec<Found> = object.attributes().iter().map(|_| Found::Open).collect();
                for (name, member) in members {
                    let Ok(name) = member_name(name, notation) else { continue };
                    let name = Text::new(name);
                    if let Some(index) = object.index_of(&name) {
                        let said = found(member, &object.attributes()[index].ty, notation);
                        parts[index] = said.map_err(|error| error.inside_member(&name))?;
                    }
                }
                Ok(Found::Parts(parts))
            }
            _ => Ok(Found::Open),
        },
        Type::Bool | Type::Number | Type::String => Ok(Found::Exact(declared.clone())),
    }
}

/// An element: a null or unknown of type `dynamic` takes on the type of its neighbours (V08).
fn found_element(json: &Json, declared: &Type, notation: Notation) -> Result<Found, JsonError> {
    match found(json, declared, notation)? {
        Found::Exact(Type::Dynamic) => Ok(Found::Open),
        said => Ok(said),
    }
}

fn element_of(said: impl Iterator<Item = Result<Found, JsonError>>) -> Result<Found, JsonError> {
    let mut element = Found::Open;
    for said in said {
        element = element.merge(said?)?;
    }
    Ok(Found::Element(Box::new(element)))
}

fn at_dynamic(json: &Json, notation: Notation) -> Result<Found, JsonError> {
    match super::read::typed(json, notation)? {
        None => Ok(Found::Exact(Type::Dynamic)),
        Some((ty, value)) => {
            Ok(Found::Exact(type_of(value, &ty, notation).map_err(|error| error.inside_member("value"))?))
        }
    }
}
