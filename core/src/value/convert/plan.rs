//! The conversion that leads from one type to another (V61), found from the types alone.

use triomphe::Arc;

use super::Work;
use super::unify::unify;
use crate::value::{ObjectType, TupleType, Type, TypeAttribute};

/// How to convert the values of one type.
pub(super) struct Conversion {
    /// The type of a null or unknown result, and of any other unless its parts say otherwise: the type asked for,
    /// `dynamic` parts filled from the source type (V62).
    pub whole: Type,
    /// The length of a collection made from an unknown value.
    pub length: Length,
    /// How to convert a known value.
    pub how: How,
}

/// How to convert a known value.
pub(super) enum How {
    /// It stays as it is: the types are equal, or the type asked for is `dynamic`.
    Keep,
    /// There is no conversion: the source type is `dynamic`.
    Never,
    NumberToString,
    BoolToString,
    StringToNumber,
    StringToBool,
    /// Object to object: for each attribute of the target where it comes from.
    Object(Vec<FromMember>),
    /// Map to object: for each attribute of the target what to do with the element.
    MapToObject(Vec<FromElement>),
    /// Tuple to tuple, by position.
    Tuple(Vec<Conversion>),
    /// List, set or map to a collection, element by element.
    Elements(Box<Elements>),
    /// Tuple or object to a collection, each part in its own way.
    Parts(Parts),
}

/// An attribute of an object that is made from an object.
pub(super) enum FromMember {
    /// The member at this place of the source.
    Member(usize, Conversion),
    /// The source has none: null of this type.
    Missing(Type),
}

/// An attribute of an object that is made from a map.
pub(super) struct FromElement {
    /// How to convert an element of the attribute's name; without one a map that has such an element fails.
    pub conversion: Option<Conversion>,
    /// Whether the map may lack the element.
    pub optional: bool,
}

/// A collection made from a collection.
pub(super) struct Elements {
    pub kind: Kind,
    /// Whether the source is a set.
    pub from_set: bool,
    /// What to do with each element.
    pub conversion: Conversion,
    /// The element type of the source, which an unknown or empty result may keep.
    pub source: Type,
    /// The element type of an empty result.
    pub of_empty: Type,
    /// Whether the results are brought to one type afterwards.
    pub unify: bool,
}

/// A collection made from a tuple or an object.
pub(super) struct Parts {
    pub kind: Kind,
    /// The source type, where it is an object: its names are the keys of the map.
    pub names: Option<Arc<ObjectType>>,
    /// What to do with each part, in order.
    pub conversions: Vec<Conversion>,
    /// The element type of an empty result.
    pub of_empty: Type,
    /// Whether the results are brought to one type afterwards.
    pub unify: bool,
}

/// The kinds of collections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    Set,
    Map,
}

/// The facts of an unknown result about its length (V62).
#[derive(Clone, Copy)]
pub(super) enum Length {
    /// None: the result or the source is no collection.
    Unstated,
    /// Those of the source.
    AsSource,
    /// Those of the source, whose elements may turn out equal.
    AsSourceMerged,
    /// Between the two.
    Between(u64, u64),
}

/// The conversion from a type to `to`, which is `bare` without its optional markers; `None` where none exists (V61),
/// or where the work is used up.
pub(super) fn find(from: &Type, to: &Type, bare: &Type, work: &Work) -> Option<Conversion> {
    work.steps(1)?;
    if from == to {
        return Some(Conversion { whole: bare.clone(), length: Length::Unstated, how: How::Keep });
    }
    if to.is_dynamic() {
        return Some(Conversion { whole: from.clone(), length: Length::Unstated, how: How::Keep });
    }
    let how = how(from, to, bare, work)?;
    Some(Conversion { whole: filled(from, bare, work)?, length: length(from, to), how })
}

fn how(from: &Type, to: &Type, bare: &Type, work: &Work) -> Option<How> {
    Some(match (from, to, bare) {
        (Type::Dynamic, _, _) => How::Never,
        (Type::Number, Type::String, _) => How::NumberToString,
        (Type::Bool, Type::String, _) => How::BoolToString,
        (Type::String, Type::Number, _) => How::StringToNumber,
        (Type::String, Type::Bool, _) => How::StringToBool,
        (Type::Object(from), Type::Object(to), Type::Object(bare)) => object(from, to, bare, work)?,
        (Type::Map(from), Type::Object(to), Type::Object(bare)) => map_to_object(from, to, bare, work)?,
        (Type::Tuple(from), Type::Tuple(to), Type::Tuple(bare)) => tuple(from, to, bare, work)?,
        (Type::Map(_), Type::Map(to), Type::Map(bare)) => elements(Kind::Map, from, to, bare, work)?,
        (Type::List(_) | Type::Set(_), Type::List(to), Type::List(bare)) => elements(Kind::List, from, to, bare, work)?,
        (Type::List(_) | Type::Set(_), Type::Set(to), Type::Set(bare)) => elements(Kind::Set, from, to, bare, work)?,
        (Type::Tuple(_), Type::List(to), Type::List(bare)) => parts(Kind::List, from, to, bare, work)?,
        (Type::Tuple(_), Type::Set(to), Type::Set(bare)) => parts(Kind::Set, from, to, bare, work)?,
        (Type::Object(_), Type::Map(to), Type::Map(bare)) => parts(Kind::Map, from, to, bare, work)?,
        _ => return None,
    })
}

fn object(from: &ObjectType, to: &ObjectType, bare: &ObjectType, work: &Work) -> Option<How> {
    let of_attribute = |(to, bare): (&TypeAttribute, &TypeAttribute)| {
        let Some(index) = from.index_of(&to.name) else {
            return to.optional.then(|| FromMember::Missing(bare.ty.clone()));
        };
        Some(FromMember::Member(index, find(&from.attributes()[index].ty, &to.ty, &bare.ty, work)?))
    };
    let members = to.attributes().iter().zip(bare.attributes()).map(of_attribute);
    Some(How::Object(members.collect::<Option<_>>()?))
}

fn map_to_object(from: &Type, to: &ObjectType, bare: &ObjectType, work: &Work) -> Option<How> {
    let members = to.attributes().iter().zip(bare.attributes()).map(|(to, bare)| {
        let conversion = find(from, &to.ty, &bare.ty, work);
        (conversion.is_some() || to.optional).then_some(FromElement { conversion, optional: to.optional })
    });
    Some(How::MapToObject(members.collect::<Option<_>>()?))
}

fn tuple(from: &TupleType, to: &TupleType, bare: &TupleType, work: &Work) -> Option<How> {
    if from.len() != to.len() {
        return None;
    }
    let positions = from.elements().iter().zip(to.elements().iter().zip(bare.elements()));
    let conversions = positions.map(|(from, (to, bare))| find(from, to, bare, work));
    Some(How::Tuple(conversions.collect::<Option<_>>()?))
}

/// A collection of `to` from the collection type `from`.
fn elements(kind: Kind, from: &Type, to: &Type, bare: &Type, work: &Work) -> Option<How> {
    let source = from.element()?;
    Some(How::Elements(Box::new(Elements {
        kind,
        from_set: matches!(from, Type::Set(_)),
        conversion: find(source, to, bare, work)?,
        source: source.clone(),
        of_empty: if to.is_dynamic() { source.clone() } else { bare.clone() },
        unify: kind == Kind::Map && is_structured(to),
    })))
}

/// A collection of `to` from the tuple or object type `from`.
fn parts(kind: Kind, from: &Type, to: &Type, bare: &Type, work: &Work) -> Option<How> {
    let (types, names) = match from {
        Type::Tuple(tuple) => (tuple.elements().to_vec(), None),
        Type::Object(object) => (types_of(object), Some(object.clone())),
        _ => return None,
    };
    let unified = if to.is_dynamic() && !types.is_empty() { Some(unify(&types, work)?) } else { None };
    let (element, of_empty) = unified.as_ref().map_or((to, bare), |unified| (unified, unified));
    // V61: positions with nothing but `dynamic` in common make no list or set, unless all are `dynamic`.
    if element.is_dynamic() && kind != Kind::Map && !types.iter().all(Type::is_dynamic) {
        return None;
    }
    let conversions = types.iter().map(|part| find(part, element, of_empty, work)).collect::<Option<_>>()?;
    let unify = kind == Kind::List || kind == Kind::Map && is_structured(element);
    Some(How::Parts(Parts { kind, names, conversions, of_empty: of_empty.clone(), unify }))
}

/// Whether a map of such elements has them brought to one type (V61).
fn is_structured(element: &Type) -> bool {
    element.is_collection() || matches!(element, Type::Object(_))
}

fn length(from: &Type, to: &Type) -> Length {
    match (from, to) {
        (Type::Object(from), Type::Map(_)) => Length::Between(from.len() as u64, from.len() as u64),
        (Type::Tuple(from), Type::List(_)) => Length::Between(from.len() as u64, from.len() as u64),
        (Type::Tuple(from), Type::Set(_)) => Length::Between(from.len().min(1) as u64, from.len() as u64),
        (from, Type::Set(_)) if from.is_collection() => Length::AsSourceMerged,
        (from, to) if from.is_collection() && to.is_collection() => Length::AsSource,
        _ => Length::Unstated,
    }
}

/// The type `to` with its `dynamic` parts filled from the source type (V62), where that has a type for them. `None`
/// where the work is used up.
fn filled(from: &Type, to: &Type, work: &Work) -> Option<Type> {
    work.steps(1)?;
    if from.is_dynamic() || !to.has_dynamic() {
        return Some(to.clone());
    }
    Some(match (from, to) {
        (_, Type::Dynamic) => from.clone(),
        (Type::Object(given), Type::Object(to)) => filled_object(to, |name| given.attribute_type(name), work)?,
        (Type::Map(given), Type::Object(to)) => filled_object(to, |_| Some(given), work)?,
        (Type::Tuple(given), Type::Tuple(to)) if given.len() == to.len() => {
            let positions = given.elements().iter().zip(to.elements());
            Type::tuple(positions.map(|(from, to)| filled(from, to, work)).collect::<Option<_>>()?)
        }
        (Type::List(given) | Type::Set(given), Type::List(to)) => Type::list(filled(given, to, work)?),
        (Type::List(given) | Type::Set(given), Type::Set(to)) => Type::set(filled(given, to, work)?),
        (Type::Map(given), Type::Map(to)) => Type::map(filled(given, to, work)?),
        (Type::Tuple(given), Type::List(to)) => Type::list(filled_element(given.elements(), to, work)?),
        (Type::Tuple(given), Type::Set(to)) => Type::set(filled_element(given.elements(), to, work)?),
        (Type::Object(given), Type::Map(to)) => Type::map(filled_element(&types_of(given), to, work)?),
        _ => to.clone(),
    })
}

fn filled_object<'a>(to: &ObjectType, given: impl Fn(&str) -> Option<&'a Type>, work: &Work) -> Option<Type> {
    let fill = |attribute: &TypeAttribute| {
        let ty = match given(&attribute.name) {
            Some(given) => filled(given, &attribute.ty, work)?,
            None => attribute.ty.clone(),
        };
        Some((attribute.name.clone(), ty))
    };
    Some(Type::object(to.attributes().iter().map(fill).collect::<Option<Vec<_>>>()?))
}

fn filled_element(parts: &[Type], to: &Type, work: &Work) -> Option<Type> {
    match unify(parts, work) {
        Some(unified) => filled(&unified, to, work),
        None => (!work.is_used_up()).then(|| to.clone()),
    }
}

fn types_of(object: &ObjectType) -> Vec<Type> {
    object.attributes().iter().map(|attribute| attribute.ty.clone()).collect()
}
