//! Functions of lists and tuples (FN02, FN07, FN14, FN28 to FN30, FN34, FN35).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Number, Tri, Type, Value, equals, length_bounds};
use planfuzz_language::expression::{Marked, Marks};

use super::{ARGUMENT, Answer, CALL, all_marks, converted, dynamic, is_sequence, typed, unknown};
use crate::access::index;

const N: Type = Type::Number;

pub(super) fn call(name: &str, a: &[Marked], dialect: Dialect) -> Option<Answer> {
    Some(match name {
        "concat" => concat(a),
        "element" => element(&a[0], &a[1], dialect),
        "flatten" => flatten(&a[0]),
        "range" => range(a),
        "slice" => slice(a),
        "distinct" => distinct(a),
        "reverse" => reverse(&a[0]),
        "chunklist" => chunks(a),
        "matchkeys" => match_keys(a),
        "setproduct" => super::product::product(a),
        _ => return None,
    })
}

fn concat(a: &[Marked]) -> Answer {
    if a.is_empty() {
        return Err(CALL);
    }
    for list in a {
        if list.value.is_null() {
            return Err(ARGUMENT);
        }
        // Arguments after it are not checked.
        if list.ty().is_dynamic() {
            return Ok(dynamic());
        }
    }
    let marks = a.iter().fold(Marks::default(), |marks, list| marks.and(list.marks.own));
    let types: Vec<Type> = a.iter().map(|list| list.ty().clone()).collect();
    if types.iter().all(|ty| matches!(ty, Type::List(_)))
        && let Some(ty) = unify(&types)
        && let Some(element) = ty.element()
    {
        if a.iter().any(|list| list.value.is_unknown()) {
            return Ok(unknown(&ty).into());
        }
        let lists = a.iter().map(|list| list.convert(&ty)).collect::<Option<Vec<_>>>().ok_or(ARGUMENT)?;
        let parts = lists.iter().flat_map(Marked::parts).collect();
        return Ok(Marked::list(element, parts).ok_or(CALL)?.with(marks));
    }
    let (mut parts, mut open) = (Vec::new(), false);
    for list in a {
        match (list.ty(), list.value.is_unknown()) {
            (Type::Tuple(tuple), true) => {
                open = true;
                parts.extend(tuple.elements().iter().map(|ty| Marked::from(Value::unknown(ty.clone()))));
            }
            // Arguments after it are not checked.
            (Type::List(_), true) => return Ok(dynamic()),
            (Type::List(_) | Type::Tuple(_), _) => parts.extend(list.parts()),
            _ => return Err(ARGUMENT),
        }
    }
    let made = Marked::tuple(parts);
    Ok(if open { unknown(made.ty()).into() } else { made.with(marks) })
}

fn element(x: &Marked, place: &Marked, dialect: Dialect) -> Answer {
    let (marks, of_place) = (x.marks.own.and(place.marks.own), place.marks.own);
    let place = place.convert(&N).ok_or(ARGUMENT)?;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() {
        return Ok(dynamic().with(of_place));
    }
    let place = converted(&[place], &[N])?;
    let (count, is_tuple) = match x.ty() {
        Type::Tuple(tuple) => (tuple.len(), true),
        Type::List(_) => (x.value.node().parts().len(), false),
        _ => return Err(CALL),
    };
    if place[0].is_unknown() || (!is_tuple && x.value.is_unknown()) {
        let element = x.ty().element().cloned().unwrap_or(Type::Dynamic);
        return Ok(Marked::from(Value::unknown(element)).with(of_place));
    }
    let number = place[0].view().as_number().and_then(Number::to_i64).ok_or(CALL)?;
    let length = i64::try_from(count).unwrap_or(i64::MAX);
    let is_refused = is_tuple && dialect.refuses_negative_elements_of_tuples();
    if count == 0 || (is_refused && number < 0 && number % length != 0) {
        return Err(CALL);
    }
    let bare = Marked { value: x.value.clone(), marks: x.marks.clone() };
    let (bare, marks) = if x.value.is_unknown() { (Marked::from(x.value.clone()), of_place) } else { (bare, marks) };
    index(&bare, &Value::number(number.rem_euclid(length)).into()).map(|found| found.with(marks)).map_err(|_| CALL)
}

fn flatten(x: &Marked) -> Answer {
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.value.is_unknown() {
        return Ok(dynamic());
    }
    // A map or an object is let pass where it is not wholly known.
    let is_keyed = matches!(x.ty(), Type::Map(_) | Type::Object(_));
    if !is_sequence(x.ty()) && (!is_keyed || x.value.is_wholly_known()) {
        return Err(CALL);
    }
    let (mut out, mut marks) = (Vec::new(), Marks::default());
    Ok(if opened(x, &mut out, &mut marks) { Marked::tuple(out) } else { dynamic() }.with(marks))
}

fn opened(x: &Marked, out: &mut Vec<Marked>, marks: &mut Marks) -> bool {
    *marks = marks.and(x.marks.own);
    // The length of a partly known set is not known, unless it has one element.
    let is_part = matches!(x.ty(), Type::Set(_)) && !x.value.is_wholly_known() && x.value.node().parts().len() != 1;
    if x.value.is_unknown() || is_part {
        return false;
    }
    x.parts().into_iter().fold(true, |known, part| {
        // FN14: a marked unknown without a type is kept as an element.
        let open = part.ty().is_dynamic() && part.value.is_unknown() && part.marks.is_empty();
        if (is_sequence(part.ty()) && !part.value.is_null()) || open {
            opened(&part, out, marks) && known
        } else {
            out.push(part);
            known
        }
    })
}

fn range(a: &[Marked]) -> Answer {
    let values = converted(a, &[N])?;
    let is_known = !values.iter().any(Value::is_unknown);
    if is_known && (a.is_empty() || a.len() > 3) {
        return Err(CALL);
    }
    typed(a, &[N], &Type::list(N), |v| {
        let number = |place: usize| v.get(place).and_then(|value| value.view().as_number()).cloned();
        let first = number(0).ok_or(CALL)?;
        let (start, end) =
            number(1).map_or_else(|| (Number::counted(0_u64), first.clone()), |end| (first.clone(), end));
        let down = end.compare(&start) == std::cmp::Ordering::Less;
        let step = number(2).unwrap_or_else(|| {
            Number::of_sign(if down { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater })
        });
        if step.sign_number() == 0 && down {
            return Err(ARGUMENT);
        }
        if step.sign_number() == 0 {
            return if end.equals(&start) { Value::list(&N, Vec::new()).map_err(|_| CALL) } else { Err(CALL) };
        }
        if (step.sign_number() < 0) != down && !end.equals(&start) {
            return Err(ARGUMENT);
        }
        let (mut at, mut out) = (start, Vec::new());
        let stop = if step.sign_number() < 0 { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less };
        while at.compare(&end) == stop {
            if out.len() >= 1024 {
                return Err(CALL);
            }
            out.push(Value::number(at.clone()));
            at = at.plus(&step).ok_or(CALL)?;
        }
        Value::list(&N, out).map_err(|_| CALL)
    })
}

fn slice(a: &[Marked]) -> Answer {
    let of_bounds = a[1].marks.all().and(a[2].marks.all());
    let x = &a[0];
    let bounds = a[1..].iter().map(|bound| bound.convert(&N).ok_or(ARGUMENT)).collect::<Answer<Vec<_>>>()?;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() {
        return Ok(dynamic().with(of_bounds));
    }
    let bounds = converted(&bounds, &[N, N])?;
    // The engine treats a list of one known length that may be null as a known list, and fails.
    let is_half_known = |x: &Value| length_bounds(x.view()).is_some_and(|(least, most)| least == most);
    let count = match x.ty() {
        Type::Tuple(tuple) => Some(tuple.len()),
        Type::List(_) if x.value.is_unknown() && is_half_known(&x.value) => return Err(CALL),
        Type::List(_) if x.value.is_unknown() => None,
        Type::List(_) => Some(x.value.node().parts().len()),
        _ => return Err(ARGUMENT),
    };
    let number = |value: &Value| match value.view().as_number() {
        None => Ok(None),
        Some(number) => number
            .to_i64()
            .filter(|_| number.is_whole())
            .and_then(|number| usize::try_from(number).ok())
            .filter(|&number| count.is_none_or(|count| number <= count))
            .map(Some)
            .ok_or(ARGUMENT),
    };
    let (from, to) = (number(&bounds[0])?, number(&bounds[1])?);
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        return Err(ARGUMENT);
    }
    let (Some(from), Some(to), Some(_)) = (from, to, count) else {
        let open = if matches!(x.ty(), Type::Tuple(_)) { dynamic() } else { unknown(x.ty()).into() };
        return Ok(open.with(of_bounds));
    };
    if let (Type::Tuple(tuple), true) = (x.ty(), x.value.is_unknown()) {
        return Ok(Marked::from(unknown(&Type::tuple(tuple.elements()[from..to].to_vec()))).with(of_bounds));
    }
    let parts = x.parts()[from..to].to_vec();
    let made = match x.ty() {
        Type::List(element) => Marked::list(element, parts).ok_or(CALL)?,
        _ => Marked::tuple(parts),
    };
    Ok(made.with(x.marks.own.and(of_bounds)))
}

/// The argument as a list: its element type, and its elements unless the list is unknown.
fn listed(x: &Marked) -> Answer<(Type, Option<Vec<Marked>>)> {
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() {
        return Ok((Type::Dynamic, None));
    }
    let list = x.convert(&Type::list(Type::Dynamic)).ok_or(ARGUMENT)?;
    let element = list.ty().element().cloned().unwrap_or(Type::Dynamic);
    let parts = (!list.value.is_unknown()).then(|| list.parts());
    Ok((element, parts))
}

fn distinct(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let (element, parts) = listed(&a[0])?;
    let list = Type::list(element.clone());
    let Some(parts) = parts.filter(|parts| parts.iter().all(|part| part.value.is_wholly_known())) else {
        return Ok(Marked::from(unknown(&list)).with(marks));
    };
    let mut kept: Vec<Value> = Vec::new();
    for part in parts {
        if !kept.contains(&part.value) {
            kept.push(part.value);
        }
    }
    Ok(Marked::from(Value::list(&element, kept).map_err(|_| CALL)?).with(marks))
}

fn reverse(x: &Marked) -> Answer {
    let marks = x.marks.own;
    let mut parts = x.parts();
    parts.reverse();
    Ok(match x.ty() {
        _ if x.value.is_null() => return Err(ARGUMENT),
        Type::Dynamic => return Ok(dynamic()),
        Type::Tuple(tuple) if x.value.is_unknown() => {
            return Ok(unknown(&Type::tuple(tuple.elements().iter().rev().cloned().collect())).into());
        }
        Type::Tuple(_) => Marked::tuple(parts),
        Type::List(element) | Type::Set(element) if x.value.is_unknown() => {
            return Ok(unknown(&Type::list((**element).clone())).into());
        }
        Type::List(element) | Type::Set(element) => Marked::list(element, parts).ok_or(CALL)?,
        _ => return Err(ARGUMENT),
    }
    .with(marks))
}

fn chunks(a: &[Marked]) -> Answer {
    let marks = a[0].marks.own.and(a[1].marks.all());
    let (element, parts) = listed(&a[0])?;
    let size = converted(&a[1..], &[N])?;
    let list = Type::list(element.clone());
    let (Some(parts), false) = (parts, size[0].is_unknown()) else {
        return Ok(unknown(&Type::list(list)).into());
    };
    let size = size[0]
        .view()
        .as_number()
        .filter(|n| n.is_whole())
        .and_then(Number::to_i64)
        .and_then(|n| usize::try_from(n).ok())
        .ok_or(CALL)?;
    let size = if size == 0 { parts.len().max(1) } else { size };
    let rows =
        parts.chunks(size).map(|row| Marked::list(&element, row.to_vec())).collect::<Option<Vec<_>>>().ok_or(CALL)?;
    Ok(Marked::list(&list, rows).ok_or(CALL)?.with(marks))
}

fn match_keys(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let ((element, parts), (key, keys), (want, wanted)) = (listed(&a[0])?, listed(&a[1])?, listed(&a[2])?);
    let result = Type::list(element.clone());
    let known = |parts: &Option<Vec<Marked>>| {
        parts.as_ref().is_some_and(|parts| parts.iter().all(|part| part.value.is_wholly_known()))
    };
    let common = if key.is_dynamic() || want.is_dynamic() { None } else { Some(unify(&[key, want]).ok_or(CALL)?) };
    let all_are_known = known(&keys) && known(&parts);
    let (Some(parts), Some(keys), Some(wanted)) = (parts, keys, wanted) else {
        return Ok(Marked::from(unknown(&result)).with(marks));
    };
    if parts.len() != keys.len() {
        return Err(CALL);
    }
    if !all_are_known && !wanted.is_empty() {
        return Ok(Marked::from(unknown(&result)).with(marks));
    }
    let same_type = |part: Marked| match &common {
        Some(ty) => part.convert(ty).ok_or(CALL).map(|part| part.value),
        None => Ok(part.value),
    };
    let keys = keys.into_iter().map(same_type).collect::<Answer<Vec<_>>>()?;
    let wanted = wanted.into_iter().map(same_type).collect::<Answer<Vec<_>>>()?;
    let mut kept = Vec::new();
    for (part, key) in parts.into_iter().zip(&keys) {
        let found = wanted.iter().map(|want| equals(key.view(), want.view())).find(|same| *same != Tri::False);
        match found {
            Some(Tri::True) => kept.push(part.value),
            // A key that only may match makes the whole result empty.
            Some(_) => return Ok(Marked::from(Value::list(&element, Vec::new()).map_err(|_| CALL)?).with(marks)),
            None => {}
        }
    }
    Ok(Marked::from(Value::list(&element, kept).map_err(|_| CALL)?).with(marks))
}
