//! Raw equality (V30, V31) and `Equals` (V32), in the order of their words.

use super::range::includes;
use super::set;
use super::{Is, Num, Record, Ty, Val};

/// V30.
pub fn raw_equals(a: &Val, b: &Val) -> bool {
    if a.ty != b.ty {
        return false;
    }
    match (&a.is, &b.is) {
        (Is::Null, Is::Null) => true,
        (Is::Unknown(None), Is::Unknown(None)) => true,
        (Is::Unknown(Some(a)), Is::Unknown(Some(b))) => same_record(a, b),
        (Is::Bool(a), Is::Bool(b)) => a == b,
        (Is::Num(a), Is::Num(b)) => a.equals(b),
        (Is::Str(a), Is::Str(b)) => a == b,
        (Is::Seq(a), Is::Seq(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| raw_equals(a, b)),
        (Is::Named(a), Is::Named(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && raw_equals(&a.1, &b.1))
        }
        _ => false,
    }
}

/// V31.
fn same_record(a: &Record, b: &Record) -> bool {
    let same_bound = |a: &Option<(Num, bool)>, b: &Option<(Num, bool)>| match (a, b) {
        (None, None) => true,
        (Some((a, a_is_in)), Some((b, b_is_in))) => a.equals(b) && a_is_in == b_is_in,
        _ => false,
    };
    a.not_null == b.not_null
        && a.prefix == b.prefix
        && same_bound(&a.min, &b.min)
        && same_bound(&a.max, &b.max)
        && a.least == b.least
        && a.greatest == b.greatest
}

/// V32; `None` for "unknown".
pub fn equals(a: &Val, b: &Val) -> Option<bool> {
    if (a.is_null() && is_not_null(b)) || (b.is_null() && is_not_null(a)) {
        return Some(false);
    }
    if a.is_unknown() && b.is_unknown() {
        return None;
    }
    if a.is_unknown() || b.is_unknown() {
        let (unknown, known) = if a.is_unknown() { (a, b) } else { (b, a) };
        if includes(unknown, known) == Some(false) {
            return Some(false);
        }
        if known.is_null() || unknown.ty.has_dynamic() {
            return None;
        }
        return if unknown.ty == known.ty { None } else { Some(false) };
    }
    if a.is_null() || b.is_null() {
        return Some(a.is_null() && b.is_null());
    }
    if has_untyped(a) || has_untyped(b) {
        return if a.ty.conforms(&b.ty) || b.ty.conforms(&a.ty) { None } else { Some(false) };
    }
    if a.ty != b.ty {
        return Some(false);
    }
    match (&a.is, &b.is) {
        (Is::Seq(xs), Is::Seq(ys)) if matches!(a.ty, Ty::Set(_)) => {
            if xs.iter().chain(ys).any(Val::is_unknown) {
                return None;
            }
            Some(xs.iter().all(|x| set::has(ys, x)) && ys.iter().all(|y| set::has(xs, y)))
        }
        (Is::Seq(xs), Is::Seq(ys)) if xs.len() != ys.len() => Some(false),
        (Is::Named(xs), Is::Named(ys)) if !xs.iter().map(|x| &x.0).eq(ys.iter().map(|y| &y.0)) => Some(false),
        (Is::Seq(_), Is::Seq(_)) | (Is::Named(_), Is::Named(_)) => {
            let pairs = a.children().into_iter().zip(b.children());
            pairs.map(|(a, b)| equals(a, b)).find(|answer| *answer != Some(true)).unwrap_or(Some(true))
        }
        _ => Some(raw_equals(a, b)),
    }
}

/// Whether a value is certainly not null.
pub fn is_not_null(value: &Val) -> bool {
    match &value.is {
        Is::Null => false,
        Is::Unknown(record) => record.as_ref().is_some_and(|record| record.not_null),
        _ => true,
    }
}

fn has_untyped(value: &Val) -> bool {
    (value.is_unknown() && value.ty == Ty::Dynamic) || value.children().into_iter().any(has_untyped)
}
