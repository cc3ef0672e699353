//! Sets (FN35).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Node, Type, Value, length_bounds};
use planfuzz_language::expression::{Marked, Marks};

use super::lists::Seen;
use super::{Given, Made, Wrong};
use crate::make;

/// The type that all sets convert to; an empty set without an element type is ignored.
pub(crate) fn ty(given: &Given<'_, '_>) -> Result<Type, Wrong> {
    let is_ignored = |set: &Marked| {
        set.ty().element().is_some_and(Type::is_dynamic)
            && !set.value.is_unknown()
            && set.value.node().parts().is_empty()
    };
    let elements: Vec<Type> =
        given.arguments.iter().filter(|set| !is_ignored(set)).filter_map(|set| set.ty().element().cloned()).collect();
    if elements.is_empty() {
        return Ok(Type::set(Type::Dynamic));
    }
    unify(&elements).map(Type::set).ok_or(Wrong::Call)
}

/// The elements of every set, converted to one type.
fn nodes(given: &Given<'_, '_>, ty: &Type) -> Result<Vec<Vec<Node>>, Wrong> {
    let is_typed = |set: &Marked| set.ty().element().is_some_and(|element| !element.is_dynamic());
    if ty.element().is_some_and(Type::is_dynamic) && given.arguments.iter().any(is_typed) {
        // Sets with and without an element type have no common type.
        return Err(Wrong::Call);
    }
    let mut all = Vec::with_capacity(given.arguments.len());
    for set in &given.arguments {
        let set = set.convert(ty).ok_or(Wrong::Argument)?;
        // A partly dynamic element type was replaced by the concrete one.
        if set.ty() != ty {
            return Err(Wrong::Call);
        }
        all.push(set.value.node().parts().to_vec());
    }
    Ok(all)
}

fn set(ty: &Type, nodes: Vec<Node>) -> Made {
    let element = ty.element().cloned().unwrap_or(Type::Dynamic);
    let values = nodes.into_iter().map(|node| Value::from_parts(element.clone(), node)).collect();
    Value::set(&element, values).map(Marked::from).map_err(|_| Wrong::Call)
}

fn is_known(given: &Given<'_, '_>) -> bool {
    given.arguments.iter().all(|set| set.value.is_wholly_known())
}

pub(crate) fn union(given: &Given<'_, '_>) -> Made {
    let ty = ty(given)?;
    set(&ty, nodes(given, &ty)?.concat())
}

pub(crate) fn intersection(given: &Given<'_, '_>) -> Made {
    kept(given, |seen, element, node| seen.iter().all(|seen| seen.has(element, node)))
}

pub(crate) fn subtract(given: &Given<'_, '_>) -> Made {
    kept(given, |seen, element, node| !seen.iter().any(|seen| seen.has(element, node)))
}

/// The elements of the first set that `keeps` accepts, given the other sets.
fn kept(given: &Given<'_, '_>, keeps: impl Fn(&[Seen], &Type, &Node) -> bool) -> Made {
    let ty = ty(given)?;
    if !is_known(given) {
        return Ok(make::not_null(ty).into());
    }
    let element = ty.element().cloned().unwrap_or(Type::Dynamic);
    let mut all = nodes(given, &ty)?.into_iter();
    let first = all.next().unwrap_or_default();
    let others: Vec<Seen> = all
        .map(|nodes| {
            let mut seen = Seen::default();
            for node in &nodes {
                seen.insert(&element, node);
            }
            seen
        })
        .collect();
    set(&ty, first.into_iter().filter(|node| keeps(&others, &element, node)).collect())
}

/// The Cartesian product.
pub(crate) fn product(given: &Given<'_, '_>) -> Made {
    let own = given.arguments.iter().fold(Marks(0), |own, argument| own.and(argument.marks.own));
    let mut elements = Vec::new();
    let mut is_set = false;
    if given.arguments.iter().any(|argument| argument.ty().is_dynamic()) {
        return Ok(Value::unknown(Type::Dynamic).into());
    }
    if given.arguments.len() < 2 {
        return Err(Wrong::Call);
    }
    for argument in &given.arguments {
        match argument.ty() {
            Type::Set(element) => {
                is_set = true;
                elements.push((**element).clone());
            }
            Type::List(element) => elements.push((**element).clone()),
            Type::Tuple(tuple) if tuple.is_empty() => elements.push(Type::Dynamic),
            Type::Tuple(tuple) => elements.push(unify(tuple.elements()).ok_or(Wrong::Argument)?),
            _ => return Err(Wrong::Argument),
        }
    }
    let choice = Type::tuple(elements.clone());
    let ty = if is_set { Type::set(choice.clone()) } else { Type::list(choice.clone()) };
    let bounds: Vec<(u64, u64)> =
        given.arguments.iter().map(|argument| length_bounds(argument.value.view()).unwrap_or((0, u64::MAX))).collect();
    // If an argument has no upper bound, or is a partly known set, the length is not known.
    let is_open = |argument: &Marked| {
        // A set of one element has length 1, even if that element is unknown.
        let is_part = matches!(argument.ty(), Type::Set(_)) && argument.value.node().parts().len() > 1;
        is_part && !argument.value.is_wholly_known()
    };
    let is_unbounded = bounds.iter().any(|bound| bound.1 >= i64::MAX as u64);
    if is_unbounded || given.arguments.iter().any(is_open) {
        return Ok(Marked::from(make::not_null(ty)).with(own));
    }
    let is_unknown = |argument: &Marked| argument.value.is_unknown();
    if given.arguments.iter().any(is_unknown) || bounds.iter().any(|(least, most)| least != most) {
        let most = bounds.iter().fold(1_u64, |most, bound| most.saturating_mul(bound.1));
        // The engine reports at least one element even if an argument may be empty.
        return Ok(Marked::from(make::sized(ty, most.min(1), most)).with(own));
    }
    let mut rows: Vec<Vec<Marked>> = vec![Vec::new()];
    let total = bounds.iter().fold(1_u64, |most, bound| most.saturating_mul(bound.1));
    given.spend(usize::try_from(total.saturating_mul(bounds.len() as u64)).unwrap_or(usize::MAX))?;
    if total == 0 {
        rows.clear();
    }
    for (argument, element) in given.arguments.iter().zip(&elements) {
        if rows.is_empty() {
            break;
        }
        let parts: Option<Vec<Marked>> = argument.parts().iter().map(|part| part.convert(element)).collect();
        let parts = parts.ok_or(Wrong::Call)?;
        // A dynamic element type leaves each element its own type; rows then have different types, which is an error.
        if parts.windows(2).any(|pair| pair[0].ty() != pair[1].ty()) {
            return Err(Wrong::Call);
        }
        let longer = rows.iter().flat_map(|row| {
            parts.iter().map(move |part| {
                let mut row = row.clone();
                row.push(part.clone());
                row
            })
        });
        rows = longer.collect();
    }
    let rows: Vec<Marked> = rows.into_iter().map(Marked::tuple).collect();
    let choice = rows.first().map_or(choice, |row| row.ty().clone());
    let made = if is_set { Marked::set(&choice, rows) } else { Marked::list(&choice, rows) };
    made.map(|made| made.with(own)).ok_or(Wrong::Call)
}
