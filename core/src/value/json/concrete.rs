//! The concrete type of a value that is written where the declared type has `dynamic` inside.
//!
//! A reader needs it before the first set is built, and elements of one collection share it (V08) although some of
//! them, null or empty, do not show it. So it is found in a walk of its own. The walk looks at types only: JSON that
//! is no value is left for the reader to refuse.

use crate::json::{Json, JsonError, JsonProblem};
use crate::value::{Text, Type};

use super::Notation;
use super::read::{Form, form, member_name};

/// The type of the value that `json` is at the declared type.
pub(super) fn type_of(json: &Json, declared: &Type, notation: Notation) -> Result<Type, JsonError> {
    Ok(infer(json, declared, notation)?.resolve(declared))
}

/// What a part shows of its own type.
enum InferredType {
    /// Nothing: it has the declared type, or the type of its neighbours in a collection.
    Open,
    /// The whole type.
    Exact(Type),
    /// A part of the element type.
    Element(Box<InferredType>),
    /// A part of each element's or attribute's type, in the order of the declared type.
    Parts(Vec<InferredType>),
}

impl InferredType {
    fn resolve(self, declared: &Type) -> Type {
        match (self, declared) {
            (InferredType::Exact(ty), _) => ty,
            (InferredType::Element(found), Type::List(element)) => Type::list(found.resolve(element)),
            (InferredType::Element(found), Type::Set(element)) => Type::set(found.resolve(element)),
            (InferredType::Element(found), Type::Map(element)) => Type::map(found.resolve(element)),
            (InferredType::Parts(parts), Type::Tuple(tuple)) => {
                Type::tuple(parts.into_iter().zip(tuple.elements()).map(|(part, ty)| part.resolve(ty)).collect())
            }
            (InferredType::Parts(parts), Type::Object(object)) => {
                let attributes = parts.into_iter().zip(object.attributes());
                Type::object(attributes.map(|(part, attribute)| (attribute.name.clone(), part.resolve(&attribute.ty))))
            }
            (_, declared) => declared.clone(),
        }
    }

    /// What two elements of one collection show together. Both were found at one declared type, so they have one
    /// form.
    fn merge(self, other: InferredType) -> Result<InferredType, JsonError> {
        match (self, other) {
            (InferredType::Open, inferred) | (inferred, InferredType::Open) => Ok(inferred),
            (InferredType::Element(a), InferredType::Element(b)) => Ok(InferredType::Element(Box::new(a.merge(*b)?))),
            (InferredType::Parts(a), InferredType::Parts(b)) => {
                let parts = a.into_iter().zip(b).map(|(a, b)| a.merge(b));
                Ok(InferredType::Parts(parts.collect::<Result<_, _>>()?))
            }
            (InferredType::Exact(a), InferredType::Exact(b)) if a != b => {
                Err(JsonProblem::MixedElements { first: a.to_v05_text(), other: b.to_v05_text() }.into())
            }
            (inferred, _) => Ok(inferred),
        }
    }
}

fn infer(json: &Json, declared: &Type, notation: Notation) -> Result<InferredType, JsonError> {
    if !declared.has_dynamic() {
        return Ok(InferredType::Exact(declared.clone()));
    }
    match declared {
        Type::Dynamic => at_dynamic(json, notation),
        Type::List(element) | Type::Set(element) => match json {
            Json::Array(items) => {
                let inferred = items.iter().enumerate().map(|(index, item)| {
                    infer_element(item, element, notation).map_err(|error| error.inside_index(index))
                });
                element_of(inferred)
            }
            _ => Ok(InferredType::Open),
        },
        Type::Map(element) => match form(json, notation) {
            Ok(Form::Present(Json::Object(members))) => {
                let inferred = members.iter().map(|(name, item)| {
                    infer_element(item, element, notation)
                        .map_err(|error| error.inside(&super::read::key_step(name, notation)))
                });
                element_of(inferred)
            }
            _ => Ok(InferredType::Open),
        },
        Type::Tuple(tuple) => match json {
            Json::Array(items) if items.len() == tuple.len() => {
                let parts = items.iter().zip(tuple.elements()).enumerate();
                let parts = parts
                    .map(|(index, (item, ty))| infer(item, ty, notation).map_err(|error| error.inside_index(index)));
                Ok(InferredType::Parts(parts.collect::<Result<_, _>>()?))
            }
            _ => Ok(InferredType::Open),
        },
        Type::Object(object) => match form(json, notation) {
            Ok(Form::Present(Json::Object(members))) => {
                let mut parts: Vec<InferredType> = object.attributes().iter().map(|_| InferredType::Open).collect();
                for (name, member) in members {
                    let Ok(name) = member_name(name, notation) else { continue };
                    let name = Text::new(name);
                    if let Some(index) = object.index_of(&name) {
                        let inferred = infer(member, &object.attributes()[index].ty, notation);
                        parts[index] = inferred.map_err(|error| error.inside_member(&name))?;
                    }
                }
                Ok(InferredType::Parts(parts))
            }
            _ => Ok(InferredType::Open),
        },
        Type::Bool | Type::Number | Type::String => Ok(InferredType::Exact(declared.clone())),
    }
}

/// An element: a null or unknown of type `dynamic` takes on the type of its neighbours (V08).
fn infer_element(json: &Json, declared: &Type, notation: Notation) -> Result<InferredType, JsonError> {
    match infer(json, declared, notation)? {
        InferredType::Exact(Type::Dynamic) => Ok(InferredType::Open),
        inferred => Ok(inferred),
    }
}

fn element_of(inferred: impl Iterator<Item = Result<InferredType, JsonError>>) -> Result<InferredType, JsonError> {
    let mut element = InferredType::Open;
    for inferred in inferred {
        element = element.merge(inferred?)?;
    }
    Ok(InferredType::Element(Box::new(element)))
}

fn at_dynamic(json: &Json, notation: Notation) -> Result<InferredType, JsonError> {
    match super::read::typed(json, notation)? {
        None => Ok(InferredType::Exact(Type::Dynamic)),
        Some((ty, value)) => {
            Ok(InferredType::Exact(type_of(value, &ty, notation).map_err(|error| error.inside_member("value"))?))
        }
    }
}
