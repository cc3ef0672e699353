//! Functions of collections (FN01 to FN09, FN14, FN15, FN22, FN28 to FN35).

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Number, Text, Tri, Type, Value, equals, length_bounds};
use unicode_segmentation::UnicodeSegmentation;

use super::{ARGUMENT, Answer, CALL, all_marks, converted, typed, unknown};
use crate::expression::{Marked, Marks, index, truth};

const N: Type = Type::Number;

pub(super) fn call(name: &str, a: &[Marked], dialect: Dialect) -> Option<Answer> {
    Some(match name {
        "length" => length(&a[0]),
        "concat" => concat(a),
        "merge" => merge(a),
        "keys" => keys(&a[0]),
        "values" => values(&a[0]),
        "lookup" => lookup(a),
        "element" => element(&a[0], &a[1], dialect),
        "contains" => contains(&a[0], &a[1]),
        "coalesce" => coalesce(a),
        "coalescelist" => coalesce_list(a),
        "flatten" => flatten(&a[0]),
        "zipmap" => zipmap(&a[0], &a[1]),
        "sum" => sum(a),
        "range" => range(a),
        "slice" => slice(a),
        "distinct" => distinct(a),
        "one" => one(&a[0]),
        "alltrue" => every(a, false),
        "anytrue" => every(a, true),
        "reverse" => reverse(&a[0]),
        "index" => place_of(a),
        "chunklist" => chunks(a),
        "matchkeys" => match_keys(a),
        "transpose" => transpose(a),
        "setunion" | "setintersection" | "setsubtract" => sets(name, a),
        "setproduct" => product(a),
        _ => return None,
    })
}

fn dynamic() -> Marked {
    Value::unknown(Type::Dynamic).into()
}

fn is_sequence(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_))
}

fn length(x: &Marked) -> Answer {
    let marks = x.marks.own;
    let value = match x.ty() {
        Type::Dynamic if x.value.is_unknown() => bounded(0),
        Type::String if x.value.is_unknown() => bounded(0),
        Type::String => {
            Value::number(x.value.view().as_text().ok_or(ARGUMENT)?.as_str().graphemes(true).count() as u64)
        }
        _ if x.value.is_null() => return Err(ARGUMENT),
        Type::Bool | Type::Number | Type::Dynamic => return Err(CALL),
        _ => planfuzz_core::value::length(x.value.view()).ok_or(CALL)?,
    };
    let value = if x.ty().is_dynamic() { unknown(&N) } else { value };
    Ok(Marked::from(value).with(marks))
}

fn bounded(least: u64) -> Value {
    use planfuzz_core::value::{Bound, Refiner};
    let mut refiner = Refiner::new(&N);
    let made = refiner
        .not_null()
        .and_then(|()| refiner.number_min(Bound { value: Number::from(least), inclusive: true }))
        .and_then(|()| refiner.finish());
    made.map_or_else(|_| unknown(&N), |node| Value::from_parts(N, node))
}

fn concat(a: &[Marked]) -> Answer {
    if a.is_empty() {
        return Err(CALL);
    }
    let mut marks = Marks::default();
    for list in a {
        marks = marks.and(list.marks.own);
        match list.ty() {
            _ if list.value.is_null() => return Err(ARGUMENT),
            Type::Dynamic => return Ok(dynamic().with(all_marks(a))),
            Type::List(_) | Type::Tuple(_) => {}
            _ => return Err(ARGUMENT),
        }
    }
    let types: Vec<Type> = a.iter().map(|list| list.ty().clone()).collect();
    if types.iter().all(|ty| matches!(ty, Type::List(_)))
        && let Some(ty) = unify(&types)
        && let Some(element) = ty.element()
    {
        if a.iter().any(|list| list.value.is_unknown()) {
            return Ok(Marked::from(unknown(&ty)).with(marks));
        }
        let lists = a.iter().map(|list| list.convert(&ty)).collect::<Option<Vec<_>>>().ok_or(ARGUMENT)?;
        let parts = lists.iter().flat_map(Marked::parts).collect();
        return Ok(Marked::list(element, parts).ok_or(CALL)?.with(marks));
    }
    let mut parts = Vec::new();
    for list in a {
        match (list.ty(), list.value.is_unknown()) {
            (Type::Tuple(tuple), true) => {
                parts.extend(tuple.elements().iter().map(|ty| Marked::from(Value::unknown(ty.clone()))))
            }
            (_, true) => return Ok(dynamic().with(marks)),
            _ => parts.extend(list.parts()),
        }
    }
    Ok(Marked::tuple(parts).with(marks))
}

fn merge(a: &[Marked]) -> Answer {
    let mut marks = Marks::default();
    let mut open = false;
    for map in a {
        marks = marks.and(map.marks.own);
        match map.ty() {
            Type::Map(_) | Type::Object(_) => {}
            Type::Dynamic => open |= map.value.is_unknown(),
            _ => return Err(ARGUMENT),
        }
        open |= matches!(map.ty(), Type::Map(_)) && map.value.is_unknown();
    }
    if open {
        return Ok(dynamic().with(marks));
    }
    let maps: Vec<&Marked> = a.iter().filter(|map| !map.value.is_null()).collect();
    let all_same =
        a.first().is_some_and(|first| matches!(first.ty(), Type::Map(_)) && a.iter().all(|map| map.ty() == first.ty()));
    if maps.is_empty() {
        return Ok(Marked::object(Vec::new()).with(marks));
    }
    if maps.iter().any(|map| map.value.is_unknown()) {
        let types = maps.iter().flat_map(|map| match map.ty() {
            Type::Object(object) => {
                object.attributes().iter().map(|x| (x.name.clone(), x.ty.clone())).collect::<Vec<_>>()
            }
            _ => map.keys().into_iter().zip(map.parts()).map(|(key, part)| (key, part.ty().clone())).collect(),
        });
        let merged: std::collections::BTreeMap<Text, Type> = types.collect();
        return Ok(Marked::from(unknown(&Type::object(merged))).with(marks));
    }
    let entries: Vec<(Text, Marked)> = maps.iter().flat_map(|map| map.keys().into_iter().zip(map.parts())).collect();
    let made = match a[0].ty() {
        Type::Map(element) if all_same => Marked::map(element, entries).ok_or(CALL)?,
        _ => Marked::object(entries),
    };
    Ok(made.with(marks))
}

fn keys(x: &Marked) -> Answer {
    let names = x.keys().into_iter().map(|name| Marked::from(Value::string(name.as_str()))).collect();
    let made = match x.ty() {
        Type::Object(_) if !x.value.is_null() => Marked::tuple(names),
        Type::Map(_) if x.value.is_unknown() => unknown(&Type::list(Type::String)).into(),
        Type::Map(_) if !x.value.is_null() => Marked::list(&Type::String, names).ok_or(CALL)?,
        Type::Dynamic if x.value.is_unknown() => dynamic(),
        _ => return Err(ARGUMENT),
    };
    Ok(made.with(x.marks.own))
}

fn values(x: &Marked) -> Answer {
    let made = match x.ty() {
        _ if x.value.is_null() => return Err(ARGUMENT),
        Type::Object(object) if x.value.is_unknown() => {
            unknown(&Type::tuple(object.attributes().iter().map(|attribute| attribute.ty.clone()).collect())).into()
        }
        Type::Object(_) => Marked::tuple(x.parts()),
        Type::Map(element) if x.value.is_unknown() => unknown(&Type::list((**element).clone())).into(),
        Type::Map(element) => Marked::list(element, x.parts()).ok_or(CALL)?,
        Type::Dynamic => dynamic(),
        _ => return Err(ARGUMENT),
    };
    Ok(made.with(x.marks.own))
}

fn lookup(a: &[Marked]) -> Answer {
    let (x, key) = (&a[0], &a[1]);
    let marks = x.marks.own.and(key.marks.own);
    let key =
        Marked::from(key.value.clone()).convert(&Type::String).filter(|key| !key.value.is_null()).ok_or(ARGUMENT)?;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    let name = key.value.view().as_text();
    match x.ty() {
        Type::Dynamic => Ok(dynamic().with(marks)),
        Type::Map(element) => {
            let default = match a.get(2) {
                Some(default) => Some(default.convert(element).ok_or(ARGUMENT)?),
                None => None,
            };
            let Some(name) = name.filter(|_| !x.value.is_unknown()) else {
                return Ok(Marked::from(Value::unknown((**element).clone())).with(marks));
            };
            match x.keys().iter().position(|key| key == name) {
                Some(place) => Ok(x.part(place).with(marks)),
                None => Ok(default.ok_or(CALL)?.with(marks)),
            }
        }
        Type::Object(object) => {
            let Some(name) = name else { return Ok(dynamic().with(marks)) };
            match (object.index_of(name.as_str()), a.get(2)) {
                (Some(place), _) if x.value.is_unknown() => {
                    Ok(Marked::from(Value::unknown(object.attributes()[place].ty.clone())).with(marks))
                }
                (Some(place), _) => Ok(x.part(place).with(marks)),
                (None, Some(default)) if x.value.is_unknown() => {
                    Ok(Marked::from(Value::unknown(default.ty().clone())).with(marks))
                }
                (None, Some(default)) => Ok(default.clone().with(marks)),
                (None, None) => Err(ARGUMENT),
            }
        }
        _ => Err(ARGUMENT),
    }
}

fn element(x: &Marked, place: &Marked, dialect: Dialect) -> Answer {
    let marks = x.marks.own.and(place.marks.own);
    let place = converted(std::slice::from_ref(place), &[N])?;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    let (count, is_tuple) = match x.ty() {
        Type::Dynamic => return Ok(dynamic().with(marks)),
        Type::Tuple(tuple) => (tuple.len(), true),
        Type::List(_) => (x.value.node().parts().len(), false),
        _ => return Err(CALL),
    };
    if place[0].is_unknown() || (!is_tuple && x.value.is_unknown()) {
        return Ok(Marked::from(Value::unknown(x.ty().element().cloned().unwrap_or(Type::Dynamic))).with(marks));
    }
    let number = place[0].view().as_number().and_then(Number::to_i64).ok_or(CALL)?;
    let length = i64::try_from(count).unwrap_or(i64::MAX);
    if count == 0 || (number < 0 && is_tuple && dialect.engine() == Engine::Terraform) {
        return Err(CALL);
    }
    let bare = Marked { value: x.value.clone(), marks: x.marks.clone() };
    index(&bare, &Value::number(number.rem_euclid(length)).into()).map(|found| found.with(marks)).map_err(|_| CALL)
}

fn contains(x: &Marked, wanted: &Marked) -> Answer {
    let marks = x.marks.all().and(wanted.marks.all());
    if x.value.is_null() || wanted.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() || wanted.ty().is_dynamic() {
        return Ok(dynamic().with(marks));
    }
    if !is_sequence(x.ty()) {
        return Err(ARGUMENT);
    }
    if x.value.is_unknown() {
        return Ok(Marked::from(truth(Tri::Unknown)).with(marks));
    }
    let mut answer = Tri::False;
    for part in x.parts() {
        match equals(part.value.view(), wanted.value.view()) {
            Tri::True => return Ok(Marked::from(truth(Tri::True)).with(marks)),
            Tri::Unknown => answer = Tri::Unknown,
            Tri::False => {}
        }
    }
    Ok(Marked::from(truth(answer)).with(marks))
}

fn coalesce(a: &[Marked]) -> Answer {
    if a.is_empty() {
        return Err(CALL);
    }
    let marks = all_marks(a);
    let ty = unify(&a.iter().map(|x| x.ty().clone()).collect::<Vec<_>>()).ok_or(CALL)?;
    for x in a {
        let value = Marked::from(x.value.clone()).convert(&ty).ok_or(CALL)?.value;
        if value.is_unknown() {
            return Ok(Marked::from(unknown(&ty)).with(marks));
        }
        let empty = value.view().as_text().is_some_and(|text| text.as_str().is_empty());
        if !value.is_null() && !empty {
            return Ok(Marked::from(value).with(marks));
        }
    }
    Err(CALL)
}

fn coalesce_list(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    if a.is_empty() {
        return Err(CALL);
    }
    for x in a {
        match x.ty() {
            _ if x.value.is_unknown() => return Ok(dynamic().with(marks)),
            _ if x.value.is_null() => {}
            Type::List(_) | Type::Tuple(_) if !x.value.node().parts().is_empty() => {
                return Ok(Marked::from(x.value.clone()).with(marks));
            }
            Type::List(_) | Type::Tuple(_) => {}
            _ => return Err(ARGUMENT),
        }
    }
    Err(CALL)
}

fn flatten(x: &Marked) -> Answer {
    if x.value.is_null() || (!is_sequence(x.ty()) && !x.ty().is_dynamic()) {
        return Err(if x.value.is_null() { ARGUMENT } else { CALL });
    }
    let (mut out, mut marks) = (Vec::new(), Marks::default());
    Ok(if opened(x, &mut out, &mut marks) { Marked::tuple(out) } else { dynamic() }.with(marks))
}

fn opened(x: &Marked, out: &mut Vec<Marked>, marks: &mut Marks) -> bool {
    *marks = marks.and(x.marks.own);
    if x.value.is_unknown() {
        return false;
    }
    x.parts().into_iter().fold(true, |known, part| {
        let open = part.ty().is_dynamic() && part.value.is_unknown();
        if (is_sequence(part.ty()) && !part.value.is_null()) || open {
            opened(&part, out, marks) && known
        } else {
            out.push(part);
            known
        }
    })
}

fn zipmap(names: &Marked, values: &Marked) -> Answer {
    let own = names.marks.all().and(values.marks.own);
    let names = converted(std::slice::from_ref(names), &[Type::list(Type::String)])?;
    if values.value.is_null() {
        return Err(ARGUMENT);
    }
    let element = match values.ty() {
        Type::Dynamic => return Ok(dynamic().with(own)),
        Type::Tuple(_) => None,
        Type::List(element) => Some((**element).clone()),
        _ => return Err(ARGUMENT),
    };
    if !names[0].is_wholly_known() || values.value.is_unknown() {
        return Ok(element.map_or_else(dynamic, |element| unknown(&Type::map(element)).into()).with(own));
    }
    let parts = values.parts();
    if names[0].view().len() != parts.len() {
        return Err(CALL);
    }
    let mut entries = Vec::new();
    for (name, part) in names[0].view().children().zip(parts) {
        entries.push((name.1.as_text().ok_or(CALL)?.clone(), part));
    }
    Ok(match element {
        Some(element) => Marked::map(&element, entries).ok_or(CALL)?,
        None => Marked::object(entries),
    }
    .with(own))
}

fn sum(a: &[Marked]) -> Answer {
    let (x, marks) = (&a[0], all_marks(a));
    if x.ty().is_dynamic() && x.value.is_unknown() {
        return Ok(dynamic().with(marks));
    }
    if x.value.is_null() || !is_sequence(x.ty()) {
        return Err(ARGUMENT);
    }
    if !x.value.is_wholly_known() {
        return Ok(Marked::from(unknown(&N)).with(marks));
    }
    let mut total: Option<Number> = None;
    for part in x.parts() {
        let number = converted(&[part], &[N])?;
        let number = number[0].view().as_number().ok_or(ARGUMENT)?.clone();
        total = Some(match total {
            None => number,
            Some(total) => total.plus(&number).ok_or(CALL)?,
        });
    }
    Ok(Marked::from(Value::number(total.ok_or(ARGUMENT)?)).with(marks))
}

fn range(a: &[Marked]) -> Answer {
    if a.is_empty() || a.len() > 3 {
        return Err(CALL);
    }
    typed(a, &[N], &Type::list(N), |v| {
        let number = |place: usize| v.get(place).and_then(|value| value.view().as_number()).cloned();
        let first = number(0).ok_or(CALL)?;
        let (start, end) = number(1).map_or_else(|| (Number::Int(0), first.clone()), |end| (first.clone(), end));
        let down = end.compare(&start) == std::cmp::Ordering::Less;
        let step = number(2).unwrap_or(Number::Int(if down { -1 } else { 1 }));
        if step.sign_number() == 0 {
            return Err(CALL);
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
    let marks = a[0].marks.own.and(a[1].marks.all()).and(a[2].marks.all());
    let x = &a[0];
    let bounds = converted(&a[1..], &[N, N])?;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    let count = match x.ty() {
        Type::Dynamic => return Ok(dynamic().with(marks)),
        Type::Tuple(tuple) => Some(tuple.len()),
        Type::List(_) if x.value.is_unknown() => None,
        Type::List(_) => Some(x.value.node().parts().len()),
        _ => return Err(ARGUMENT),
    };
    if bounds.iter().any(Value::is_unknown) || count.is_none() {
        return Ok(if matches!(x.ty(), Type::Tuple(_)) { dynamic() } else { unknown(x.ty()).into() }.with(marks));
    }
    let number = |value: &Value| {
        value.view().as_number().filter(|n| n.is_whole()).and_then(Number::to_i64).and_then(|n| usize::try_from(n).ok())
    };
    let (from, to) = (number(&bounds[0]).ok_or(ARGUMENT)?, number(&bounds[1]).ok_or(ARGUMENT)?);
    if from > to || count.is_some_and(|count| to > count) {
        return Err(ARGUMENT);
    }
    if let (Type::Tuple(tuple), true) = (x.ty(), x.value.is_unknown()) {
        return Ok(Marked::from(unknown(&Type::tuple(tuple.elements()[from..to].to_vec()))).with(marks));
    }
    let parts = x.parts()[from..to].to_vec();
    Ok(match x.ty() {
        Type::List(element) => Marked::list(element, parts).ok_or(CALL)?,
        _ => Marked::tuple(parts),
    }
    .with(marks))
}

/// A list of the argument, by the type that fits all; nothing where it is unknown, with the type.
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
        if !kept.iter().any(|other| *other == part.value) {
            kept.push(part.value);
        }
    }
    Ok(Marked::from(Value::list(&element, kept).map_err(|_| CALL)?).with(marks))
}

fn one(x: &Marked) -> Answer {
    let marks = x.marks.own;
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    match x.ty() {
        Type::Dynamic => return Ok(dynamic().with(marks)),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {}
        _ => return Err(ARGUMENT),
    }
    let element = x.ty().element().cloned().unwrap_or(Type::Dynamic);
    if x.value.is_unknown() && x.ty().is_collection() {
        if length_bounds(x.value.view()).is_some_and(|(least, _)| least > 1) {
            return Err(ARGUMENT);
        }
        return Ok(Marked::from(Value::unknown(element)).with(marks));
    }
    if let (Type::Tuple(tuple), true) = (x.ty(), x.value.is_unknown()) {
        return match tuple.elements() {
            [] => Ok(Marked::from(Value::null(Type::Dynamic)).with(marks)),
            [only] => Ok(Marked::from(Value::unknown(only.clone())).with(marks)),
            _ => Err(ARGUMENT),
        };
    }
    let mut parts = x.parts();
    match parts.len() {
        0 => Ok(Marked::from(Value::null(element)).with(marks)),
        1 => Ok(parts.remove(0).with(marks)),
        _ if matches!(x.ty(), Type::Set(_)) && !x.value.is_wholly_known() => {
            Ok(Marked::from(Value::unknown(element)).with(marks))
        }
        _ => Err(ARGUMENT),
    }
}

fn every(a: &[Marked], wanted: bool) -> Answer {
    let marks = all_marks(a);
    let list = converted(a, &[Type::list(Type::Bool)])?;
    if list[0].is_unknown() {
        return Ok(Marked::from(truth(Tri::Unknown)).with(marks));
    }
    let mut open = false;
    for (_, element) in list[0].view().children() {
        if element.is_unknown() {
            if !wanted {
                return Ok(Marked::from(truth(Tri::Unknown)).with(marks));
            }
            open = true;
        } else if (element.as_bool() == Some(true)) == wanted {
            return Ok(Marked::from(Value::bool(wanted)).with(marks));
        }
    }
    Ok(Marked::from(if open { truth(Tri::Unknown) } else { Value::bool(!wanted) }).with(marks))
}

fn reverse(x: &Marked) -> Answer {
    let marks = x.marks.own;
    let mut parts = x.parts();
    parts.reverse();
    Ok(match x.ty() {
        _ if x.value.is_null() => return Err(ARGUMENT),
        Type::Dynamic => dynamic(),
        Type::Tuple(tuple) if x.value.is_unknown() => {
            unknown(&Type::tuple(tuple.elements().iter().rev().cloned().collect())).into()
        }
        Type::Tuple(_) => Marked::tuple(parts),
        Type::List(element) | Type::Set(element) if x.value.is_unknown() => {
            unknown(&Type::list((**element).clone())).into()
        }
        Type::List(element) | Type::Set(element) => Marked::list(element, parts).ok_or(CALL)?,
        _ => return Err(ARGUMENT),
    }
    .with(marks))
}

fn place_of(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let (x, wanted) = (&a[0], &a[1]);
    if x.value.is_null() || wanted.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() || wanted.ty().is_dynamic() {
        return Ok(dynamic().with(marks));
    }
    if !matches!(x.ty(), Type::List(_) | Type::Tuple(_)) {
        return Err(CALL);
    }
    if x.value.is_unknown() {
        return Ok(Marked::from(unknown(&N)).with(marks));
    }
    for (place, part) in x.parts().into_iter().enumerate() {
        match equals(part.value.view(), wanted.value.view()) {
            Tri::True => return Ok(Marked::from(Value::number(place as u64)).with(marks)),
            Tri::Unknown => return Ok(Marked::from(unknown(&N)).with(marks)),
            Tri::False => {}
        }
    }
    Err(CALL)
}

fn chunks(a: &[Marked]) -> Answer {
    let marks = a[0].marks.own.and(a[1].marks.all());
    let (element, parts) = listed(&a[0])?;
    let size = converted(&a[1..], &[N])?;
    let list = Type::list(element.clone());
    let (Some(parts), false) = (parts, size[0].is_unknown()) else {
        return Ok(Marked::from(unknown(&Type::list(list))).with(marks));
    };
    let size = size[0]
        .view()
        .as_number()
        .filter(|n| n.is_whole())
        .and_then(Number::to_i64)
        .and_then(|n| usize::try_from(n).ok())
        .ok_or(ARGUMENT)?;
    let size = if size == 0 { parts.len().max(1) } else { size };
    let rows =
        parts.chunks(size).map(|row| Marked::list(&element, row.to_vec())).collect::<Option<Vec<_>>>().ok_or(CALL)?;
    Ok(Marked::list(&list, rows).ok_or(CALL)?.with(marks))
}

fn match_keys(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let ((element, parts), (_, keys), (_, wanted)) = (listed(&a[0])?, listed(&a[1])?, listed(&a[2])?);
    let result = Type::list(element.clone());
    let (Some(parts), Some(keys), Some(wanted)) = (parts, keys, wanted) else {
        return Ok(Marked::from(unknown(&result)).with(marks));
    };
    if parts.len() != keys.len() {
        return Err(CALL);
    }
    let mut kept = Vec::new();
    for (part, key) in parts.into_iter().zip(keys) {
        for want in &wanted {
            match equals(key.value.view(), want.value.view()) {
                Tri::Unknown => return Ok(Marked::from(unknown(&result)).with(marks)),
                Tri::True => {
                    kept.push(part.value);
                    break;
                }
                Tri::False => {}
            }
        }
    }
    Ok(Marked::from(Value::list(&element, kept).map_err(|_| CALL)?).with(marks))
}

fn transpose(a: &[Marked]) -> Answer {
    let ty = Type::map(Type::list(Type::String));
    typed(a, std::slice::from_ref(&ty), &ty, |v| {
        let mut turned: std::collections::BTreeMap<Text, Vec<Value>> = std::collections::BTreeMap::new();
        for (name, list) in v[0].view().entries() {
            for (_, element) in list.children() {
                turned
                    .entry(element.as_text().ok_or(ARGUMENT)?.clone())
                    .or_default()
                    .push(Value::string(name.as_str()));
            }
        }
        let list = |values| Value::list(&Type::String, values).map_err(|_| CALL);
        let entries = turned.into_iter().map(|(key, values)| Ok((key, list(values)?))).collect::<Answer<_>>()?;
        Value::map(&Type::list(Type::String), entries).map_err(|_| CALL)
    })
}

fn sets(name: &str, a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let any = Type::set(Type::Dynamic);
    let values = converted(a, std::slice::from_ref(&any))?;
    let types: Vec<Type> =
        values.iter().filter_map(|value| value.ty().element().cloned()).filter(|ty| !ty.is_dynamic()).collect();
    let element = if types.is_empty() { Type::Dynamic } else { unify(&types).ok_or(ARGUMENT)? };
    let ty = Type::set(element.clone());
    if values.iter().any(|value| value.is_unknown() || (name != "setunion" && !value.is_wholly_known())) {
        return Ok(Marked::from(unknown(&ty)).with(marks));
    }
    let sets = values
        .iter()
        .map(|value| Marked::from(value.clone()).convert(&ty).map(|set| set.parts()))
        .collect::<Option<Vec<_>>>()
        .ok_or(ARGUMENT)?;
    let values: Vec<Vec<Value>> =
        sets.into_iter().map(|set| set.into_iter().map(|part| part.value).collect()).collect();
    let kept = match name {
        "setunion" => values.concat(),
        "setsubtract" => values[0].iter().filter(|x| !values[1].contains(x)).cloned().collect(),
        _ => values[0].iter().filter(|x| values[1..].iter().all(|set| set.contains(x))).cloned().collect(),
    };
    Ok(Marked::from(Value::set(&element, kept).map_err(|_| CALL)?).with(marks))
}

fn product(a: &[Marked]) -> Answer {
    if a.len() < 2 {
        return Err(CALL);
    }
    let marks = all_marks(a);
    let (mut types, mut sets, mut set_result, mut open) = (Vec::new(), Vec::new(), true, false);
    for x in a {
        if x.value.is_null() {
            return Err(ARGUMENT);
        }
        match x.ty() {
            Type::Dynamic => return Ok(dynamic().with(marks)),
            Type::Set(element) => types.push((**element).clone()),
            Type::List(element) => {
                set_result = false;
                types.push((**element).clone());
            }
            Type::Tuple(tuple) => {
                set_result = false;
                types.push(if tuple.is_empty() { Type::Dynamic } else { unify(tuple.elements()).ok_or(ARGUMENT)? });
            }
            _ => return Err(ARGUMENT),
        }
        let ty = types[types.len() - 1].clone();
        open |= x.value.is_unknown() || (matches!(x.ty(), Type::Set(_)) && !x.value.is_wholly_known());
        sets.push(
            x.parts()
                .iter()
                .map(|part| part.convert(&ty).map(|part| part.value))
                .collect::<Option<Vec<_>>>()
                .ok_or(ARGUMENT)?,
        );
    }
    let row = Type::tuple(types);
    let ty = if set_result { Type::set(row.clone()) } else { Type::list(row.clone()) };
    if open {
        return Ok(Marked::from(unknown(&ty)).with(marks));
    }
    let total = sets
        .iter()
        .try_fold(1usize, |total, set| total.checked_mul(set.len()))
        .filter(|&total| total <= 1 << 20)
        .ok_or(CALL)?;
    let mut rows = Vec::with_capacity(total);
    for mut number in 0..total {
        let mut picked: Vec<Value> = sets
            .iter()
            .rev()
            .map(|set| {
                let value = set[number % set.len()].clone();
                number /= set.len();
                value
            })
            .collect();
        picked.reverse();
        let nodes = picked.into_iter().map(|value| value.into_parts().1).collect();
        rows.push(Value::from_parts(row.clone(), planfuzz_core::value::Node::seq(nodes)));
    }
    let made = if set_result { Value::set(&row, rows) } else { Value::list(&row, rows) };
    Ok(Marked::from(made.map_err(|_| CALL)?).with(marks))
}
