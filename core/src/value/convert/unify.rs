//! The most general common type of several types (V64).

use std::cmp::Ordering;

use super::Work;
use super::plan::find;
use crate::value::{ObjectType, TupleType, Type};

/// The common type, or `None` where there is none or the work is used up.
pub(super) fn unify(types: &[Type], work: &Work) -> Option<Type> {
    work.steps(types.len())?;
    let first = types.first()?;
    let kinds = Kinds::of(types);
    let has_dynamic = kinds.dynamic > 0;
    let all = |count: usize| count > 0 && count + kinds.dynamic == types.len();
    if all(kinds.objects) || all(kinds.tuples) || all(kinds.maps) || all(kinds.lists) || all(kinds.sets) {
        // The types that are `dynamic` may turn out to be anything.
        return if has_dynamic { Some(Type::Dynamic) } else { unify_one_kind(first, types, work) };
    }
    if kinds.objects > 0 && kinds.tuples > 0 {
        return None;
    }
    let mixed = if all(kinds.maps + kinds.objects) {
        unify_objects_as_maps(types, work)
    } else if all(kinds.lists + kinds.tuples) {
        unify_tuples_as_lists(types, work)
    } else {
        None
    };
    mixed.or_else(|| most_general(types, work))
}

/// How many types of each kind there are.
#[derive(Default)]
struct Kinds {
    maps: usize,
    lists: usize,
    sets: usize,
    objects: usize,
    tuples: usize,
    dynamic: usize,
}

impl Kinds {
    fn of(types: &[Type]) -> Kinds {
        let mut kinds = Kinds::default();
        for ty in types {
            match ty {
                Type::Map(_) => kinds.maps += 1,
                Type::List(_) => kinds.lists += 1,
                Type::Set(_) => kinds.sets += 1,
                Type::Object(_) => kinds.objects += 1,
                Type::Tuple(_) => kinds.tuples += 1,
                Type::Dynamic => kinds.dynamic += 1,
                Type::Bool | Type::Number | Type::String => {}
            }
        }
        kinds
    }
}

fn unify_one_kind(first: &Type, types: &[Type], work: &Work) -> Option<Type> {
    let element = || unify(&types.iter().filter_map(Type::element).cloned().collect::<Vec<_>>(), work);
    match first {
        Type::List(_) => Some(Type::list(element()?)),
        Type::Set(_) => Some(Type::set(element()?)),
        Type::Map(_) => Some(Type::map(element()?)),
        Type::Object(first) => unify_objects(first, &objects_in(types), work),
        Type::Tuple(first) => unify_tuples(first, &tuples_in(types), work),
        Type::Dynamic | Type::Bool | Type::Number | Type::String => None,
    }
}

fn unify_objects(first: &ObjectType, objects: &[&ObjectType], work: &Work) -> Option<Type> {
    let same_names = |object: &&ObjectType| {
        let pairs = object.attributes().iter().zip(first.attributes());
        object.len() == first.len() && pairs.into_iter().all(|(a, b)| a.name == b.name)
    };
    if !objects.iter().all(same_names) {
        return objects_to_map(objects, work);
    }
    let attributes = first.attributes().iter().enumerate().map(|(index, attribute)| {
        let types: Vec<Type> = objects.iter().map(|object| object.attributes()[index].ty.clone()).collect();
        Some((attribute.name.clone(), unify(&types, work)?))
    });
    Some(Type::object(attributes.collect::<Option<Vec<_>>>()?))
}

fn unify_tuples(first: &TupleType, tuples: &[&TupleType], work: &Work) -> Option<Type> {
    if !tuples.iter().all(|tuple| tuple.len() == first.len()) {
        return tuples_to_list(tuples, work);
    }
    let positions = (0..first.len()).map(|index| {
        let types: Vec<Type> = tuples.iter().map(|tuple| tuple.elements()[index].clone()).collect();
        unify(&types, work)
    });
    Some(Type::tuple(positions.collect::<Option<_>>()?))
}

fn objects_to_map(objects: &[&ObjectType], work: &Work) -> Option<Type> {
    let types = objects.iter().flat_map(|object| object.attributes()).map(|attribute| attribute.ty.clone());
    let map = Type::map(unify(&types.collect::<Vec<_>>(), work)?);
    let becomes_one = |object: &&ObjectType| {
        let attributes = object.attributes().iter().map(|attribute| (attribute.name.clone(), attribute.ty.clone()));
        find(&Type::object(attributes), &map, &map, work).is_some()
    };
    objects.iter().all(becomes_one).then_some(map)
}

fn tuples_to_list(tuples: &[&TupleType], work: &Work) -> Option<Type> {
    let types = tuples.iter().flat_map(|tuple| tuple.elements()).cloned();
    let list = Type::list(unify(&types.collect::<Vec<_>>(), work)?);
    // A type common to all of them need not be common to the positions of one: a tuple of nothing but `dynamic` makes
    // no list.
    let becomes_one = |tuple: &&TupleType| find(&Type::tuple(tuple.elements().to_vec()), &list, &list, work).is_some();
    tuples.iter().all(becomes_one).then_some(list)
}

/// Maps and objects: the objects as the one map that they unify to, and then all as maps.
fn unify_objects_as_maps(types: &[Type], work: &Work) -> Option<Type> {
    let map = objects_to_map(&objects_in(types), work)?;
    let all = types.iter().map(|ty| if matches!(ty, Type::Object(_)) { map.clone() } else { ty.clone() });
    unify(&all.collect::<Vec<_>>(), work).filter(|ty| matches!(ty, Type::Map(_)))
}

/// Lists and tuples: the tuples as the one list that they unify to, and then all as lists.
fn unify_tuples_as_lists(types: &[Type], work: &Work) -> Option<Type> {
    let list = tuples_to_list(&tuples_in(types), work)?;
    let all = types.iter().map(|ty| if matches!(ty, Type::Tuple(_)) { list.clone() } else { ty.clone() });
    unify(&all.collect::<Vec<_>>(), work).filter(|ty| matches!(ty, Type::List(_)))
}

fn objects_in(types: &[Type]) -> Vec<&ObjectType> {
    types.iter().filter_map(|ty| ty.as_object().map(|object| &**object)).collect()
}

fn tuples_in<'a>(types: &'a [Type]) -> Vec<&'a TupleType> {
    let tuple = |ty: &'a Type| match ty {
        Type::Tuple(tuple) => Some(&**tuple),
        _ => None,
    };
    types.iter().filter_map(tuple).collect()
}

/// The first type, in the order of generality, to which all others convert.
///
/// The order matters only within one family (primitives, sequences, tables), for between families nothing converts
/// but to `dynamic`, which comes last; so a stable sort by rank is as good as the topological one of V64.
fn most_general(types: &[Type], work: &Work) -> Option<Type> {
    let mut candidates: Vec<&Type> = Vec::new();
    for ty in types {
        work.steps(1)?;
        if !candidates.contains(&ty) {
            candidates.push(ty);
        }
    }
    candidates.sort_by(|a, b| generality(a, b));
    let fits = |want: &&&Type| candidates.iter().all(|ty| ty == *want || find(ty, want, want, work).is_some());
    candidates.iter().find(fits).map(|ty| (*ty).clone())
}

/// The more general first; collections of one kind by their elements.
fn generality(a: &Type, b: &Type) -> Ordering {
    rank(a).cmp(&rank(b)).then_with(|| match (a.element(), b.element()) {
        (Some(a), Some(b)) => generality(a, b),
        _ => Ordering::Equal,
    })
}

/// Lower for the more general of two types of one family; of two families no matter which.
fn rank(ty: &Type) -> u8 {
    match ty {
        Type::String => 0,
        Type::Bool | Type::Number => 1,
        Type::List(_) => 2,
        Type::Tuple(_) => 3,
        Type::Set(_) => 4,
        Type::Map(_) => 5,
        Type::Object(_) => 6,
        Type::Dynamic => 7,
    }
}
