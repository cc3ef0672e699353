//! Ranges and lengths (V44 to V46).

use super::equality::is_not_null;
use super::{Is, Num, Record, Ty, UNBOUNDED, Val};

/// V44: whether `b` is in the range of `a`; `None` for "unknown".
pub fn includes(a: &Val, b: &Val) -> Option<bool> {
    if a.is_null() {
        return Some(b.is_null());
    }
    if b.is_null() {
        return Some(!is_not_null(a));
    }
    if !b.ty.conforms(&a.ty) {
        return Some(false);
    }
    let is_outside = match (&b.ty, &b.is) {
        (Ty::String, Is::Str(text)) => !text.as_bytes().starts_with(prefix(a).as_bytes()),
        (Ty::Number, _) => number_is_outside(&Interval::of(a), &Interval::of(b)),
        (Ty::List(_) | Ty::Set(_) | Ty::Map(_), _) => length_is_outside(a, b),
        _ => false,
    };
    if is_outside { Some(false) } else { None }
}

fn prefix(value: &Val) -> &str {
    match &value.is {
        Is::Str(text) => text,
        Is::Unknown(Some(record)) => &record.prefix,
        _ => "",
    }
}

/// V45 as bounds; `None` for null and for values without a length.
fn lengths(value: &Val) -> Option<(u64, u64)> {
    let exactly = |count: usize| Some((count as u64, count as u64));
    match (&value.ty, &value.is) {
        (Ty::Tuple(types), _) => exactly(types.len()),
        (Ty::Object(attributes), _) => exactly(attributes.len()),
        (Ty::List(_) | Ty::Set(_) | Ty::Map(_), Is::Unknown(None)) => Some((0, UNBOUNDED)),
        (Ty::List(_) | Ty::Set(_) | Ty::Map(_), Is::Unknown(Some(record))) => {
            Some((record.least, record.greatest.unwrap_or(UNBOUNDED)))
        }
        (Ty::Set(_), Is::Seq(items)) if items.len() == 1 || value.is_wholly_known() => exactly(items.len()),
        (Ty::Set(_), Is::Seq(items)) => Some((1, items.len() as u64)),
        (Ty::List(_), Is::Seq(items)) => exactly(items.len()),
        (Ty::Map(_), Is::Named(entries)) => exactly(entries.len()),
        _ => None,
    }
}

/// V45; `None` for null and for values without a length.
pub fn length(value: &Val) -> Option<Val> {
    let (least, greatest) = lengths(value)?;
    let is = if least == greatest {
        Is::Num(Num::int(least))
    } else {
        let (min, max) = (Some((Num::int(least), true)), Some((Num::int(greatest), true)));
        Is::Unknown(Some(Record { not_null: true, min, max, ..Record::default() }))
    };
    Some(Val { ty: Ty::Number, is })
}

/// V44.5 for collections. The length of a known collection is that of V45 or, where that is unknown, unbounded.
fn length_is_outside(a: &Val, b: &Val) -> bool {
    let (Some((least, greatest)), Some((b_least, b_greatest))) = (lengths(a), lengths(b)) else { return false };
    let (least, greatest) = if a.is_unknown() || least == greatest { (least, greatest) } else { (0, UNBOUNDED) };
    b_greatest < least || b_least > greatest
}

/// The bounds of a number, as far as they are known.
struct Interval {
    known: Option<Num>,
    min: Option<(Num, bool)>,
    max: Option<(Num, bool)>,
    /// Whether a record gives the bounds, so that the infinity of a side without a bound is out.
    by_record: bool,
}

impl Interval {
    fn of(value: &Val) -> Interval {
        match &value.is {
            Is::Num(number) => Interval::known(number),
            Is::Unknown(Some(record)) => {
                Interval { known: None, min: record.min.clone(), max: record.max.clone(), by_record: true }
            }
            _ => Interval { known: None, min: None, max: None, by_record: false },
        }
    }

    fn known(number: &Num) -> Interval {
        let both = Some((number.clone(), true));
        Interval { known: Some(number.clone()), min: both.clone(), max: both, by_record: false }
    }
}

/// V44.5 for numbers: definitely below min, or equal to it when exclusive; the mirror for max.
fn number_is_outside(a: &Interval, b: &Interval) -> bool {
    let breaks = |bound: &Option<(Num, bool)>, is_min: bool| {
        let Some((number, inclusive)) = bound else {
            return a.by_record && matches!(b.known, Some(Num::Infinity { negative }) if negative == is_min);
        };
        let bound = Interval::known(number);
        let (low, high) = if is_min { (&bound, b) } else { (b, &bound) };
        let less = less(low, high);
        let holds = if *inclusive { or(less, same(low, high)) } else { less };
        holds == Some(false)
    };
    breaks(&a.min, true) || breaks(&a.max, false)
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// V46: `x < y`.
fn less(x: &Interval, y: &Interval) -> Option<bool> {
    if let (Some(x), Some(y)) = (&x.known, &y.known) {
        return Some(x.compare(y).is_lt());
    }
    if let (Some((x_max, _)), Some((y_min, _))) = (&x.max, &y.min)
        && x_max.compare(y_min).is_lt()
    {
        return Some(true);
    }
    if let (Some((x_min, _)), Some((y_max, _))) = (&x.min, &y.max)
        && x_min.compare(y_max).is_gt()
    {
        return Some(false);
    }
    None
}

/// `x = y` by V32.
fn same(x: &Interval, y: &Interval) -> Option<bool> {
    match (&x.known, &y.known) {
        (Some(x), Some(y)) => Some(x.equals(y)),
        (None, Some(_)) if number_is_outside(x, y) => Some(false),
        (Some(_), None) if number_is_outside(y, x) => Some(false),
        _ => None,
    }
}
