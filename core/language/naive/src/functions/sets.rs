//! Functions of sets (FN35).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::Marked;

use super::{ARGUMENT, Answer, CALL, all_marks, converted, unknown};

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    Some(match name {
        "setunion" | "setintersection" | "setsubtract" => sets(name, a),
        _ => return None,
    })
}

fn sets(name: &str, a: &[Marked]) -> Answer {
    let any = Type::set(Type::Dynamic);
    // Only marks that remain after the conversion to sets count (E93).
    let sets: Vec<Marked> =
        a.iter().map(|argument| argument.convert(&any).unwrap_or_else(|| argument.clone())).collect();
    let marks = all_marks(&sets);
    let values = converted(a, std::slice::from_ref(&any))?;
    // An empty set without an element type is ignored.
    let is_counted = |value: &&Value| {
        let is_typed = value.ty().element().is_some_and(|element| !element.is_dynamic());
        is_typed || value.is_unknown() || !value.node().parts().is_empty()
    };
    let types: Vec<Type> = values.iter().filter(is_counted).filter_map(|value| value.ty().element().cloned()).collect();
    let element = if types.is_empty() { Type::Dynamic } else { unify(&types).ok_or(CALL)? };
    let ty = Type::set(element.clone());
    if values.iter().any(|value| value.is_unknown() || (name != "setunion" && !value.is_wholly_known())) {
        return Ok(Marked::from(unknown(&ty)).with(marks));
    }
    if element.is_dynamic() && types.iter().any(|ty| !ty.is_dynamic()) {
        // Elements with a type do not convert to a set without one.
        return Err(CALL);
    }
    let sets = values
        .iter()
        .map(|value| Marked::from(value.clone()).convert(&ty).ok_or(ARGUMENT))
        .collect::<Answer<Vec<_>>>()?;
    if sets.iter().any(|set| *set.ty() != ty) {
        // A conversion to a partly dynamic type gives another, concrete type.
        return Err(CALL);
    }
    let sets: Vec<_> = sets.iter().map(Marked::parts).collect();
    let values: Vec<Vec<Value>> =
        sets.into_iter().map(|set| set.into_iter().map(|part| part.value).collect()).collect();
    let kept = match name {
        "setunion" => values.concat(),
        "setsubtract" => values[0].iter().filter(|x| !values[1].contains(x)).cloned().collect(),
        _ => values[0].iter().filter(|x| values[1..].iter().all(|set| set.contains(x))).cloned().collect(),
    };
    Ok(Marked::from(Value::set(&element, kept).map_err(|_| CALL)?).with(marks))
}
