//! Functions that query collections (FN01, FN08, FN09, FN22, FN32, FN33, FN35).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Node, Number, Tri, Type, Value, equals};
use planfuzz_language::expression::Marked;
use unicode_segmentation::UnicodeSegmentation;

use super::{ARGUMENT, Answer, CALL, all_marks, converted, dynamic, is_sequence, unknown};
use crate::unknowns::truth;

const N: Type = Type::Number;

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    Some(match name {
        "length" => length(&a[0]),
        "contains" => contains(&a[0], &a[1]),
        "coalesce" => coalesce(a),
        "coalescelist" => coalesce_list(a),
        "sum" => sum(a),
        "one" => one(&a[0]),
        "alltrue" => every(a, false),
        "anytrue" => every(a, true),
        "index" => place_of(a),
        _ => return None,
    })
}

fn length(x: &Marked) -> Answer {
    let marks = x.marks.own;
    let value = match x.ty() {
        Type::Dynamic if x.value.is_unknown() => bounded(0),
        // The length is at least that of the known prefix.
        Type::String if x.value.is_unknown() => bounded(begin(&x.value).graphemes(true).count() as u64),
        Type::String => {
            let text = x.value.view().as_text().ok_or(ARGUMENT)?.as_str();
            Value::number(Number::counted(text.graphemes(true).count() as u64))
        }
        _ if x.value.is_null() => return Err(ARGUMENT),
        Type::Bool | Type::Number | Type::Dynamic => return Err(CALL),
        _ => planfuzz_core::value::length(x.value.view()).ok_or(CALL)?,
    };
    let value = if x.ty().is_dynamic() { unknown(&N) } else { value };
    Ok(Marked::from(value).with(marks))
}

/// The known prefix of an unknown string.
fn begin(value: &Value) -> &str {
    match value.node() {
        Node::Unknown(Some(record)) => record.prefix(),
        _ => "",
    }
}

fn bounded(least: u64) -> Value {
    use planfuzz_core::value::{Bound, Refiner};
    let mut refiner = Refiner::new(&N);
    let made = refiner
        .not_null()
        .and_then(|()| refiner.number_min(Bound { value: Number::counted(least), inclusive: true }))
        .and_then(|()| refiner.finish());
    made.map_or_else(|_| unknown(&N), |node| Value::from_parts(N, node))
}

fn contains(x: &Marked, wanted: &Marked) -> Answer {
    let marks = x.marks.all().and(wanted.marks.all());
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() {
        return Ok(dynamic().with(marks));
    }
    if wanted.value.is_null() {
        return Err(ARGUMENT);
    }
    if wanted.ty().is_dynamic() {
        return Ok(dynamic().with(marks));
    }
    if x.value.is_unknown() || wanted.value.is_unknown() {
        return Ok(Marked::from(truth(Tri::Unknown)).with(marks));
    }
    if !is_sequence(x.ty()) {
        return Err(CALL);
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
        // A value that does not convert is skipped.
        let Some(Marked { value, .. }) = Marked::from(x.value.clone()).convert(&ty) else { continue };
        if value.is_unknown() {
            return Ok(Marked::from(unknown(&ty)).with(marks));
        }
        // For other types than string, an empty string counts as a value.
        let empty = ty == Type::String && value.view().as_text().is_some_and(|text| text.as_str().is_empty());
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
    // Arguments after the first unknown one are not checked.
    let mut known = a.iter().take_while(|x| !x.value.is_unknown());
    if !known.all(|x| matches!(x.ty(), Type::List(_) | Type::Tuple(_))) {
        return Err(CALL);
    }
    let found = a.iter().find(|x| x.value.is_unknown() || !x.value.node().parts().is_empty()).ok_or(CALL)?;
    Ok(if found.value.is_unknown() { dynamic() } else { Marked::from(found.value.clone()) }.with(marks))
}

fn sum(a: &[Marked]) -> Answer {
    let (x, marks) = (&a[0], all_marks(a));
    if x.ty().is_dynamic() && x.value.is_unknown() {
        return Ok(dynamic().with(marks));
    }
    if x.value.is_unknown() {
        return Ok(Marked::from(unknown(&N)).with(marks));
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
        return Ok(Marked::from(Value::unknown(element)).with(marks));
    }
    if let (Type::Tuple(tuple), true) = (x.ty(), x.value.is_unknown()) {
        return match tuple.elements() {
            [] => Ok(dynamic().with(marks)),
            [only] => Ok(Marked::from(Value::unknown(only.clone())).with(marks)),
            _ => Err(ARGUMENT),
        };
    }
    let mut parts = x.parts();
    match parts.len() {
        0 => Ok(Marked::from(Value::null(element)).with(marks)),
        // All marks are added to the whole.
        1 => {
            let only = parts.remove(0);
            let marks = marks.and(only.marks.all());
            Ok(Marked::from(only.value).with(marks))
        }
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

fn place_of(a: &[Marked]) -> Answer {
    let marks = all_marks(a);
    let (x, wanted) = (&a[0], &a[1]);
    if x.value.is_null() {
        return Err(ARGUMENT);
    }
    if x.ty().is_dynamic() {
        return Ok(dynamic().with(marks));
    }
    if wanted.value.is_null() {
        return Err(ARGUMENT);
    }
    if wanted.ty().is_dynamic() {
        return Ok(dynamic().with(marks));
    }
    if x.value.is_unknown() || wanted.value.is_unknown() {
        return Ok(Marked::from(unknown(&N)).with(marks));
    }
    if !matches!(x.ty(), Type::List(_) | Type::Tuple(_)) {
        return Err(CALL);
    }
    for (place, part) in x.parts().into_iter().enumerate() {
        match equals(part.value.view(), wanted.value.view()) {
            Tri::True => return Ok(Marked::from(Value::number(Number::counted(place as u64))).with(marks)),
            Tri::Unknown => return Ok(Marked::from(unknown(&N)).with(marks)),
            Tri::False => {}
        }
    }
    Err(CALL)
}
