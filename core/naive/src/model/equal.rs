//! The two equalities of providers (F08, F09).

use crate::value::{Is, Ty, Val};

/// F08: structure alone.
pub fn wire_equal(a: &Val, b: &Val) -> bool {
    same(a, b, true)
}

/// F09: types too; sets are compared one way, from the left to the right.
pub fn value_equal(left: &Val, right: &Val) -> bool {
    left.ty.strip_optional() == right.ty.strip_optional() && same(left, right, false)
}

fn same(a: &Val, b: &Val, both_ways: bool) -> bool {
    match (&a.is, &b.is) {
        (Is::Null, Is::Null) | (Is::Unknown(_), Is::Unknown(_)) => true,
        (Is::Bool(a), Is::Bool(b)) => a == b,
        (Is::Num(a), Is::Num(b)) => a.equals(b),
        (Is::Str(a), Is::Str(b)) => a == b,
        (Is::Seq(xs), Is::Seq(ys)) => match (is_set(a), is_set(b)) {
            (true, true) => {
                let all_in = |xs: &[Val], ys: &[Val]| xs.iter().all(|x| ys.iter().any(|y| same(x, y, both_ways)));
                xs.len() == ys.len() && all_in(xs, ys) && (!both_ways || all_in(ys, xs))
            }
            (false, false) => xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same(x, y, both_ways)),
            _ => xs.is_empty() && ys.is_empty(),
        },
        (Is::Named(xs), Is::Named(ys)) => {
            let is_alike = matches!(a.ty, Ty::Map(_)) == matches!(b.ty, Ty::Map(_));
            let equal = |(x, y): (&(String, Val), &(String, Val))| x.0 == y.0 && same(&x.1, &y.1, both_ways);
            xs.len() == ys.len() && (xs.is_empty() || is_alike) && xs.iter().zip(ys).all(equal)
        }
        _ => false,
    }
}

fn is_set(value: &Val) -> bool {
    matches!(value.ty, Ty::Set(_))
}
