//! `setproduct` (FN35).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Type, Value, length_bounds};

use super::{ARGUMENT, Answer, CALL, unknown};
use crate::unknowns::sized;
use planfuzz_language::expression::{Marked, Marks};

/// The most rows of a product.
const MOST: usize = 1 << 20;

pub(super) fn product(a: &[Marked]) -> Answer {
    for x in a {
        if x.value.is_null() {
            return Err(ARGUMENT);
        }
        // Arguments after it are not checked.
        if x.ty().is_dynamic() {
            return Ok(Value::unknown(Type::Dynamic).into());
        }
    }
    if a.len() < 2 {
        return Err(CALL);
    }
    let marks = a.iter().fold(Marks::default(), |marks, x| marks.and(x.marks.own));
    let types = a.iter().map(element_type).collect::<Answer<Vec<_>>>()?;
    // If one argument is a set, the result is a set.
    let is_set = a.iter().any(|x| matches!(x.ty(), Type::Set(_)));
    let row = Type::tuple(types.clone());
    let ty = if is_set { Type::set(row.clone()) } else { Type::list(row.clone()) };
    // A set of one element has length 1, even if that element is unknown.
    let is_open = |x: &Marked| x.value.node().parts().len() > 1 && !x.value.is_wholly_known();
    if a.iter().any(|x| matches!(x.ty(), Type::Set(_)) && is_open(x)) {
        return Ok(Marked::from(unknown(&ty)).with(marks));
    }
    if a.iter().any(|x| x.value.is_unknown()) {
        return Ok(Marked::from(bounded(&ty, a)).with(marks));
    }
    let rows = if a.iter().any(|x| x.value.node().parts().is_empty()) { Vec::new() } else { rows(a, &types)? };
    // A dynamic element type may leave rows of different types.
    let row = rows.first().map_or(row, |row| row.ty().clone());
    if rows.iter().any(|other| *other.ty() != row) {
        return Err(CALL);
    }
    let made = if is_set { Marked::set(&row, rows) } else { Marked::list(&row, rows) };
    Ok(made.ok_or(CALL)?.with(marks))
}

fn element_type(x: &Marked) -> Answer<Type> {
    match x.ty() {
        Type::Set(element) | Type::List(element) => Ok((**element).clone()),
        Type::Tuple(tuple) if tuple.is_empty() => Ok(Type::Dynamic),
        Type::Tuple(tuple) => unify(tuple.elements()).ok_or(ARGUMENT),
        _ => Err(ARGUMENT),
    }
}

/// An unknown product with its bounds: at most the product of the upper bounds, and at least one even if an argument may be empty, as the
/// engine reports.
fn bounded(ty: &Type, a: &[Marked]) -> Value {
    let bounds = a.iter().map(|x| match x.ty() {
        Type::Tuple(tuple) => (tuple.len() as u64, tuple.len() as u64),
        _ => length_bounds(x.value.view()).unwrap_or((0, u64::MAX)),
    });
    // Without an upper bound for every argument, the length is not known.
    if bounds.clone().any(|(_, most)| most >= i64::MAX.unsigned_abs()) {
        return unknown(ty);
    }
    let most = bounds.fold(1_u64, |most, (_, to)| most.saturating_mul(to));
    sized(ty.clone(), most.min(1), most, true)
}

fn rows(a: &[Marked], types: &[Type]) -> Answer<Vec<Marked>> {
    let converted = |x: &Marked, ty| x.parts().iter().map(|part| part.convert(ty).ok_or(CALL)).collect();
    let lists = a.iter().zip(types).map(|(x, ty)| converted(x, ty)).collect::<Answer<Vec<Vec<Marked>>>>()?;
    let total = lists.iter().try_fold(1_usize, |total, list| total.checked_mul(list.len()));
    let total = total.filter(|&total| total <= MOST).ok_or(CALL)?;
    let mut rows = Vec::with_capacity(total);
    for mut number in 0..total {
        let mut picked: Vec<Marked> = Vec::with_capacity(lists.len());
        for list in lists.iter().rev() {
            picked.push(list[number % list.len()].clone());
            number /= list.len();
        }
        picked.reverse();
        rows.push(Marked::tuple(picked));
    }
    Ok(rows)
}
