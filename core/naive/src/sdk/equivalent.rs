//! Equivalence as the SDK sees it (Z110).

use crate::value::{Is, Num, Ty, Val, raw_equals};

/// Z110.
pub fn are_equivalent(a: &Val, b: &Val) -> bool {
    if raw_equals(a, b) {
        return true;
    }
    if a.is_unknown() || b.is_unknown() {
        return a.is_unknown() && b.is_unknown();
    }
    if is_null_or_zero(a) || is_null_or_zero(b) {
        return is_null_or_zero(a) && is_null_or_zero(b);
    }
    match (&a.is, &b.is) {
        (Is::Seq(xs), Is::Seq(ys)) if matches!(a.ty, Ty::Set(_)) => {
            let all_in = |xs: &[Val], ys: &[Val]| xs.iter().all(|x| ys.iter().any(|y| are_equivalent(x, y)));
            xs.len() == ys.len() && all_in(xs, ys) && all_in(ys, xs)
        }
        (Is::Seq(xs), Is::Seq(ys)) => xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| are_equivalent(x, y)),
        (Is::Named(xs), Is::Named(ys)) => {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.0 == y.0 && are_equivalent(&x.1, &y.1))
        }
        (Is::Num(x), Is::Num(y)) => are_one_number(x, y),
        _ => false,
    }
}

/// Numbers that are no integers are compared as the floats that are nearest to them.
fn are_one_number(a: &Num, b: &Num) -> bool {
    let float = |number: &Num| number.text().parse::<f64>().ok();
    let is_whole = |number: &Num| matches!(number, Num::Finite(value, _) if value.is_whole());
    a.equals(b) || (!is_whole(a) && !is_whole(b) && float(a).is_some() && float(a) == float(b))
}

fn is_null_or_zero(value: &Val) -> bool {
    match &value.is {
        Is::Null => true,
        Is::Unknown(_) => false,
        Is::Bool(bool) => !bool,
        Is::Num(number) => matches!(number, Num::Zero { .. }),
        Is::Str(text) => text.is_empty(),
        Is::Seq(items) => items.is_empty(),
        Is::Named(entries) => entries.is_empty(),
    }
}
